"""Oopsie: a must-follow tarot trick-taker for two teams of two who bid on the places they will finish in."""

from domain.games.oopsie.rules import Oopsie

GAME = Oopsie()
