"""Game points of a hand of Hold My Beer."""

from __future__ import annotations

from collections.abc import Sequence

from domain.tarot.events import Award

BID_POINTS = {1: 1, 2: 3, 3: 1}
"""Game points for a bid made good, by place; the bid on second place is the Hold My Beer bid."""


def bid_awards(bids: Sequence[int], places: Sequence[int]) -> tuple[Award, ...]:
    """The game points for bids: those made good, and 1 for every other seat that failed with the same bid."""
    awards = []
    for seat, bid in enumerate(bids):
        if bid != places[seat]:
            continue
        awards.append(Award(seat, BID_POINTS[bid], "bid"))
        awards.extend(
            Award(seat, 1, "bonus", other=other)
            for other, same in enumerate(bids)
            if same == bid and places[other] != bid
        )
    return tuple(awards)
