"""How good an action looks at once, from what a seat may know; for bots that do not think ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.trick_and_trade import deck
from domain.games.trick_and_trade.deck import SUITS, icons, rank, suit, value
from domain.games.trick_and_trade.scoring import (
    MULTIPLIERS,
    icon_counts,
    multipliers,
    placing,
    points,
    value_totals,
)
from domain.games.trick_and_trade.state import TrickAndTradeState

AVERAGE = sum(MULTIPLIERS) / len(MULTIPLIERS)
LEAD = 0.25
"""What leading the next trick is worth, in points."""


def expected_multipliers(seen: TrickAndTradeState) -> dict[str, float]:
    """What the multipliers will be: those of now, the surer the more tricks are played, else the average."""
    times = multipliers(value_totals(seen.won))
    sure = len(seen.won) / deck.HAND_SIZE[seen.seats]
    return {name: sure * times[name] + (1 - sure) * AVERAGE for name in SUITS}


def appraise(seen: TrickAndTradeState, seat: int, action: Mapping[str, Any]) -> float:
    """Points that ``action`` of ``seat`` can be expected to bring."""
    times = expected_multipliers(seen)
    match action["type"]:
        case "take":
            return _worth(action["trade"], times)
        case "take_lead":
            return min(_worth(trade, times) for trade in seen.front) + LEAD
        case _:
            return _playing(seen, seat, action["card"], times)


def _worth(trade: str, times: Mapping[str, float]) -> float:
    return sum(times[icon] for icon in icons(trade))


def _playing(seen: TrickAndTradeState, seat: int, card: str, times: Mapping[str, float]) -> float:
    """The Trade card of the place that ``card`` is likely to reach, and what winning does to the suits."""
    plays = (*seen.plays, (seat, card))
    order = placing(plays)
    following = seen.seats - len(plays)
    beaten = _beaten(plays, card)
    place = order.index(seat) + following * beaten
    worths = sorted((_worth(trade, times) for trade in seen.front), reverse=True)
    won = (1 - beaten) ** following if order[0] == seat else 0.0
    return _between(worths, place) + won * _gain(seen, seat, card)


def _beaten(plays: Sequence[tuple[int, str]], card: str) -> float:
    """How likely one more card, of which nothing is known, stands before ``card``."""
    led = suit(plays[0][1])
    higher = (10 - rank(card)) / 40
    return higher if suit(card) == led else 0.25 + 3 * higher


def _between(worths: Sequence[float], place: float) -> float:
    low = min(int(place), len(worths) - 1)
    high = min(low + 1, len(worths) - 1)
    return worths[low] + (place - low) * (worths[high] - worths[low])


def _gain(seen: TrickAndTradeState, seat: int, card: str) -> float:
    """How much further ahead of the others the won card would bring the seat, by the Trade cards so far."""
    totals = value_totals(seen.won)
    before = multipliers(totals)
    after = multipliers({**totals, suit(card): totals[suit(card)] + value(card)})
    change = [
        points(counts, after) - points(counts, before) for counts in (icon_counts(own) for own in seen.trades)
    ]
    others = (sum(change) - change[seat]) / (len(change) - 1)
    return (change[seat] - others) * len(seen.won) / deck.HAND_SIZE[seen.seats]
