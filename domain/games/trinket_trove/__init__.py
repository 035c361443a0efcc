"""Trinket Trove: bid the cards you would like to keep, and collect sets of what the others bid."""

from domain.games.trinket_trove.rules import TrinketTrove

GAME = TrinketTrove()
