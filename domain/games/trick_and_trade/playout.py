"""A game of Trick and Trade played to its end in a quick way, to judge an action by what becomes of it.

The rules once more, but with numbers in place of cards and without events: some twenty times as fast. A test
holds them against the real ones. Seats play any card, and take the Trade card that looks best.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from domain.game import Chance
from domain.games.trick_and_trade.deck import HAND_SIZE, SUITS, TRICK_CARDS, icons
from domain.games.trick_and_trade.state import TrickAndTradeState

AVERAGE = 1.25
LEAD = 0.25
MARGIN = 0.01
"""What a point more than the best other seat counts, where a win counts 1."""

NUMBER = {card: number for number, card in enumerate(TRICK_CARDS)}
"""Ten numbers for each suit, from the lowest rank to the highest."""

TIMES = (3, 2, 1, -1)

BITS = 10
"""How many bits the icons of one suit get where those of all suits stand in one number."""

Trade = tuple[int, int, int, int, int]
"""The icons of each suit, and all of them in one number, so that giving a card is one addition."""


@cache
def _trade(code: str) -> Trade:
    found = icons(code)
    one, two, three, four = (found.count(name) for name in SUITS)
    return one, two, three, four, one | two << BITS | three << 2 * BITS | four << 3 * BITS


class Playout:
    """One game on its way to the end.

    Args:
        world: where it begins; nothing in it is hidden.
        rng: chooses the cards.
    """

    def __init__(self, world: TrickAndTradeState, rng: Chance) -> None:
        self.seats = world.seats
        self.tricks = HAND_SIZE[world.seats]
        self.hands = [[NUMBER[card] for card in hand] for hand in world.hands]
        self.plays = [(seat, NUMBER[card]) for seat, card in world.plays]
        self.lead = world.lead
        self.takers = list(world.takers)
        self.lead_taker = world.lead_taker
        self.front = [_trade(trade) for trade in world.front]
        self.back = [_trade(trade) for trade in world.back]
        self.pile = [_trade(trade) for trade in reversed(world.pile)]
        self.totals = [0, 0, 0, 0]
        for card in world.won:
            number = NUMBER[card]
            self.totals[number // 10] += 9 - number % 10
        self.won = len(world.won)
        self.counts = [sum(_trade(trade)[4] for trade in trades) for trades in world.trades]
        self._random = rng.random

    def act(self, seat: int, action: Mapping[str, Any]) -> None:
        """Let ``seat``, which is asked, do ``action``."""
        match action["type"]:
            case "play":
                card = NUMBER[action["card"]]
                self.hands[seat].remove(card)
                self.plays.append((seat, card))
                if len(self.plays) == self.seats:
                    self._place()
            case "take":
                trade = _trade(action["trade"])
                self.takers.remove(seat)
                self.front.remove(trade)
                self.counts[seat] += trade[4]
            case _:
                self.takers.remove(seat)
                self.lead_taker = seat

    def finish(self) -> list[int]:
        """Play to the end; gives the points by seat."""
        if self.takers or (self.front and len(self.plays) == self.seats):
            self._taking()
        seats, hands, chance = self.seats, self.hands, self._random
        while any(hands):
            plays = self.plays
            for step in range(len(plays), seats):
                seat = (self.lead + step) % seats
                hand = hands[seat]
                plays.append((seat, hand.pop(int(chance() * len(hand)))))
            self._place()
            self._taking()
        times = self._times()
        mask = (1 << BITS) - 1
        return [
            sum((counts >> BITS * suit & mask) * time for suit, time in enumerate(times))
            for counts in self.counts
        ]

    def _times(self) -> tuple[int, int, int, int]:
        """The multipliers as they are now, by suit."""
        a, b, c, d = self.totals
        return (
            TIMES[(b > a) + (c > a) + (d > a)],
            TIMES[(a > b) + (c > b) + (d > b)],
            TIMES[(a > c) + (b > c) + (d > c)],
            TIMES[(a > d) + (b > d) + (c > d)],
        )

    def _place(self) -> None:
        """The trick is complete: who takes in which order, and the won card."""
        plays = self.plays
        led = plays[0][1] // 10
        # Suit, rank, position, then seat and card to read off again, all in one number.
        keys = [
            ((card // 10 == led) << 17) + (card % 10 << 13) + (position << 10) + (seat << 6) + card
            for position, (seat, card) in enumerate(plays)
        ]
        keys.sort(reverse=True)
        self.takers = [key >> 6 & 7 for key in keys]
        self.lead_taker = None
        best = keys[0] & 63
        self.totals[best // 10] += 9 - best % 10
        self.won += 1

    def _taking(self) -> None:
        """Everybody who has not yet taken does, and the next trick begins."""
        sure = self.won / self.tricks
        usual = (1 - sure) * AVERAGE
        one, two, three, four = (sure * time + usual for time in self._times())
        worth = [
            (a * one + b * two + c * three + d * four, a, b, c, given) for a, b, c, d, given in self.front
        ]
        worth.sort()
        counts, lead_taker = self.counts, self.lead_taker
        for seat in self.takers:
            # The last Trade card comes with the lead; the last seat gets both where nobody wanted them.
            if lead_taker is None and (len(worth) == 1 or worth[0][0] + LEAD >= worth[-1][0]):
                lead_taker = seat
            else:
                counts[seat] += worth.pop()[4]
        assert lead_taker is not None
        for left in worth:
            counts[lead_taker] += left[4]
        self.takers, self.plays, self.lead_taker, self.lead = [], [], None, lead_taker
        pile = self.pile
        self.front, self.back = self.back, [pile.pop() for _ in range(min(self.seats, len(pile)))]


def playout(world: TrickAndTradeState, seat: int, action: Mapping[str, Any], rng: Chance) -> float:
    """How good ``action`` turned out for ``seat``: 1 for a win, shared if need be, and a little by points."""
    game = Playout(world, rng)
    game.act(seat, action)
    points = game.finish()
    own = points[seat]
    best = max(points[:seat] + points[seat + 1 :])
    won = 1.0 if own > best else 0.5 if own == best else 0.0
    return won + MARGIN * (own - best)
