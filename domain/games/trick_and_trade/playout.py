"""A game of Trick and Trade played to its end in a quick way, to judge an action by what becomes of it.

The rules once more, but with numbers in place of cards and without events: some twenty times as fast. A test
holds them against the real ones. Seats play any card, and take the Trade card that looks best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

Icons = tuple[int, int, int, int]


@cache
def _icons(trade: str) -> Icons:
    found = icons(trade)
    one, two, three, four = (found.count(name) for name in SUITS)
    return one, two, three, four


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
        self.front = [_icons(trade) for trade in world.front]
        self.back = [_icons(trade) for trade in world.back]
        self.pile = [_icons(trade) for trade in reversed(world.pile)]
        self.totals = [0, 0, 0, 0]
        for card in world.won:
            number = NUMBER[card]
            self.totals[number // 10] += 9 - number % 10
        self.won = len(world.won)
        self.counts = [[0, 0, 0, 0] for _ in range(world.seats)]
        for seat, trades in enumerate(world.trades):
            for trade in trades:
                self._give(seat, _icons(trade))
        self._random = rng.random

    def act(self, seat: int, action: Mapping[str, Any]) -> None:
        """Let ``seat``, which is asked, do ``action``."""
        match action["type"]:
            case "play":
                self._play(seat, NUMBER[action["card"]])
            case "take":
                self._take(seat, _icons(action["trade"]))
            case _:
                self.takers.remove(seat)
                self.lead_taker = seat

    def finish(self) -> list[int]:
        """Play to the end; gives the points by seat."""
        if self.takers or (self.front and len(self.plays) == self.seats):
            self._taking()
        while any(self.hands):
            for step in range(len(self.plays), self.seats):
                seat = (self.lead + step) % self.seats
                hand = self.hands[seat]
                self._play(seat, hand[int(self._random() * len(hand))])
            self._taking()
        times = self.times()
        return [sum(map(int.__mul__, counts, times)) for counts in self.counts]

    def times(self) -> list[int]:
        """The multipliers as they are now, by suit."""
        totals = self.totals
        return [TIMES[sum(other > total for other in totals)] for total in totals]

    def _play(self, seat: int, card: int) -> None:
        self.hands[seat].remove(card)
        self.plays.append((seat, card))
        if len(self.plays) == self.seats:
            self._place()

    def _place(self) -> None:
        led = self.plays[0][1] // 10
        keys = [
            ((100 if card // 10 == led else 0) + card % 10 * 8 + position, seat, card)
            for position, (seat, card) in enumerate(self.plays)
        ]
        keys.sort(reverse=True)
        self.takers = [seat for _, seat, _ in keys]
        self.lead_taker = None
        best = keys[0][2]
        self.totals[best // 10] += 9 - best % 10
        self.won += 1

    def _give(self, seat: int, trade: Icons) -> None:
        counts = self.counts[seat]
        for suit in (0, 1, 2, 3):
            counts[suit] += trade[suit]

    def _take(self, seat: int, trade: Icons) -> None:
        self.takers.remove(seat)
        self.front.remove(trade)
        self._give(seat, trade)

    def _taking(self) -> None:
        """Everybody who has not yet taken does, and the next trick begins."""
        sure = self.won / self.tricks
        one, two, three, four = (sure * time + (1 - sure) * AVERAGE for time in self.times())
        worth = [(a * one + b * two + c * three + d * four, (a, b, c, d)) for a, b, c, d in self.front]
        worth.sort()
        lead_taker = self.lead_taker
        for place, seat in enumerate(self.takers):
            if lead_taker is None and (len(worth) == 1 or self._wants_lead(worth, len(self.takers) - place)):
                lead_taker = seat
                if len(worth) == 1:
                    self._give(seat, worth.pop()[1])
                continue
            self._give(seat, worth.pop()[1])
        if worth and lead_taker is not None:
            self._give(lead_taker, worth.pop()[1])
        assert lead_taker is not None
        self.takers, self.plays, self.lead_taker = [], [], None
        self.lead = lead_taker
        self.front, self.back = self.back, [self.pile.pop() for _ in range(min(self.seats, len(self.pile)))]

    def _wants_lead(self, worth: Sequence[tuple[float, Icons]], left: int) -> bool:
        """Whether the last Trade card with the lead is worth more than the best one."""
        return worth[0][0] + LEAD >= worth[-1][0]


def playout(world: TrickAndTradeState, seat: int, action: Mapping[str, Any], rng: Chance) -> float:
    """How good ``action`` turned out for ``seat``: 1 for a win, shared if need be, and a little by points."""
    game = Playout(world, rng)
    game.act(seat, action)
    points = game.finish()
    own = points[seat]
    best = max(points[:seat] + points[seat + 1 :])
    won = 1.0 if own > best else 0.5 if own == best else 0.0
    return won + MARGIN * (own - best)
