"""Mein Schatz: pile up treasure face down, and take a stack before the last orc comes."""

from domain.games.mein_schatz.rules import MeinSchatz

GAME = MeinSchatz()
