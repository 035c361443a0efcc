"""How good an action looks at once, from what a seat may know; for bots that do not think ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import erf, inf, sqrt
from typing import Any

from msgspec import UNSET

from domain.games.thread_the_needle import deck
from domain.games.thread_the_needle.scoring import BID_BONUS
from domain.games.thread_the_needle.scoring_card import Level, level_of
from domain.games.thread_the_needle.state import ThreadTheNeedleState, bids_by_seat, playable
from domain.games.thread_the_needle.strawmen import LINES, rest_of
from domain.tarot import advice
from domain.tarot.cards import total

SPREAD = {2: 11.0, 4: 8.0, 5: 8.0}
"""By seats, how far hand points stray from what a hand promises; a seat that steers makes it less."""


@cache
def dealt(seats: int) -> advice.Deal:
    """What is dealt to so many seats."""
    return advice.Deal(deck.DECK[seats], deck.TRICKS[seats], deck.BIRDS[seats], fives=True)


def appraise(seen: ThreadTheNeedleState, seat: int, action: Mapping[str, Any]) -> float:
    """How near ``action`` brings ``seat`` to the level that it bid; before that, how good a bid looks."""
    deal = dealt(seen.seats)
    match action:
        case {"type": "bid", "level": level}:
            return _bidding(seen, seat, seen.scoring_card[level], deal)
        case {"type": "look"}:
            return advice.LOOK
        case {"type": "decline"}:
            return 0.0
    goal = _goal(seen.scoring_card[bids_by_seat(seen)[seat]])
    cards = playable(seen, seat)
    match action:
        case {"type": "play", "card": card}:
            return advice.playing(seen, seat, card, deal, goal, cards)
        case {"type": "exchange", "give": give, "take": take}:
            return advice.exchanging(seen, seat, deal, goal, cards, give, take)
        case {"type": "take_talon", "line": line}:
            return _taking_talon(seen, seat, line)
        case {"choice": "keep"}:
            return advice.scoring(seen, seat, deal, goal, cards, advice.trick_points(seen, deal))
        case _:
            return 0.0


def _bounds(level: Level) -> tuple[float, float]:
    low = -inf if level.from_ is UNSET else float(level.from_)
    return low, inf if level.to is UNSET else float(level.to)


def _goal(level: Level) -> advice.Goal:
    return advice.Goal(*_bounds(level))


def _bidding(seen: ThreadTheNeedleState, seat: int, level: Level, deal: advice.Deal) -> float:
    """The game points of a level, times how likely the hand ends in it. The Needle is left alone."""
    if level.needle:
        return 0.0
    cards = playable(seen, seat)
    usual = advice.prospect(deal, deal.cards) / seen.seats
    hidden = len(deal.cards) / seen.seats - len(cards)
    expected = advice.prospect(deal, cards) + (usual * hidden * seen.seats / len(deal.cards))
    low, high = _bounds(level)
    spread = SPREAD[seen.seats]
    return (BID_BONUS + level.points) * (
        _below((high + 0.5 - expected) / spread) - _below((low - 0.5 - expected) / spread)
    )


def _below(deviations: float) -> float:
    """How much of a bell curve lies below so many standard deviations."""
    return (1 + erf(deviations / sqrt(2))) / 2


def _taking_talon(seen: ThreadTheNeedleState, seat: int, line: str) -> float:
    """The game points that a line of the Talon leads to, less those of the other seat."""
    own = seen.points[seat] + _points(seen, LINES[line])
    other = seen.points[1 - seat] + _points(seen, rest_of(line))
    return _gets(seen, seat, own) - _gets(seen, 1 - seat, other)


def _points(seen: ThreadTheNeedleState, places: Sequence[int]) -> int:
    return total((seen.talon[place] for place in places), fives=True)


def _gets(seen: ThreadTheNeedleState, seat: int, points: int) -> float:
    bid = bids_by_seat(seen)[seat]
    level = level_of(seen.scoring_card, points)
    if seen.scoring_card[bid].needle:
        return 100.0 if bid == level else 0.0
    return seen.scoring_card[level].points + (BID_BONUS if bid == level else 0)
