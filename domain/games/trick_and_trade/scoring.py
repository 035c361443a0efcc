"""Placing of a trick, multipliers and points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.game import Result, ranked
from domain.games.trick_and_trade.deck import SUITS, icons, rank, suit, value

MULTIPLIERS = (3, 2, 1, -1)


def placing(plays: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    """The seats of a trick from first to last place.

    Cards of the led suit stand before all others; inside each group the higher rank, and of equal
    ranks the later card (rulebook, 'About Trick-Taking'; ruling 4).
    """
    led = suit(plays[0][1])
    order = sorted(
        range(len(plays)),
        key=lambda position: (suit(plays[position][1]) == led, rank(plays[position][1]), position),
        reverse=True,
    )
    return tuple(plays[position][0] for position in order)


def value_totals(won: Iterable[str]) -> dict[str, int]:
    """The Value total of each suit over the won cards."""
    totals = dict.fromkeys(SUITS, 0)
    for card in won:
        totals[suit(card)] += value(card)
    return totals


def multipliers(totals: dict[str, int]) -> dict[str, int]:
    """x3, x2, x1, x-1 from the highest Value total down; tied suits share the better one (ruling 8)."""
    places = ranked([totals[name] for name in SUITS])
    return {name: MULTIPLIERS[place - 1] for name, place in zip(SUITS, places, strict=True)}


def icon_counts(trades: Iterable[str]) -> dict[str, int]:
    """How many icons of each suit stand on the Trade cards."""
    counts = dict.fromkeys(SUITS, 0)
    for trade in trades:
        for icon in icons(trade):
            counts[icon] += 1
    return counts


def points(counts: dict[str, int], times: dict[str, int]) -> int:
    """Icons times multipliers, over all suits."""
    return sum(counts[name] * times[name] for name in SUITS)


def standing(won: Iterable[str], trades: Sequence[Sequence[str]]) -> Result:
    """The result if the game ended now, ties resolved as ruling 9 says."""
    times = multipliers(value_totals(won))
    keys = []
    for cards in trades:
        counts = icon_counts(cards)
        at = {worth: sum(counts[name] for name in SUITS if times[name] == worth) for worth in MULTIPLIERS}
        keys.append((points(counts, times), at[3], at[2], at[1]))
    places = ranked(keys)
    return Result(
        places=places,
        scores=tuple(key[0] for key in keys),
        winners=tuple(seat for seat, place in enumerate(places) if place == 1),
    )
