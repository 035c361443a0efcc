"""Trick and Trade: a may-follow trick-taker whose won cards set the price of what you traded for."""

from domain.games.trick_and_trade.rules import TrickAndTrade

GAME = TrickAndTrade()
