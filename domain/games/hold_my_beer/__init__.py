"""Hold My Beer: a must-follow tarot trick-taker for three who bid on the place they will finish in."""

from domain.games.hold_my_beer.rules import HoldMyBeer

GAME = HoldMyBeer()
