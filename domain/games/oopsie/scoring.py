"""Game points of a hand of Oopsie, and the result by seat."""

from __future__ import annotations

from collections.abc import Sequence

from domain.game import Result, ranked
from domain.games.oopsie.teams import SEATS, opponents, team
from domain.tarot.events import Award

BID_POINTS = {1: 2, 2: 3, 3: 4, 4: 2}
"""Game points for a bid made good, by place."""


def bid_awards(
    bids: Sequence[int], places: Sequence[int], *, bonus_per_member: bool = False
) -> tuple[Award, ...]:
    """The game points for bids: those made good, and 1 for each opponent that failed with the same bid.

    Where both members of a team made that bid good, the opponent counts once for the team and stands with
    its lower seat, or with ``bonus_per_member`` once for each of the two.
    """
    awards = []
    paid = set()
    for seat, bid in enumerate(bids):
        if bid != places[seat]:
            continue
        awards.append(Award(seat, BID_POINTS[bid], "bid"))
        for other in opponents(seat):
            fails_alike = bids[other] == bid != places[other]
            if fails_alike and (bonus_per_member or (team(seat), other) not in paid):
                paid.add((team(seat), other))
                awards.append(Award(seat, 1, "bonus", other=other))
    return tuple(awards)


def by_seat(scores: Sequence[int]) -> tuple[int, ...]:
    """The score of its team for each seat."""
    return tuple(scores[team(seat)] for seat in range(SEATS))


def standing(scores: Sequence[int], reason: str) -> Result:
    """The result by seat: each has the score and the place of its team (1, and 3 for the losers)."""
    totals = by_seat(scores)
    places = ranked(totals)
    return Result(places, totals, tuple(seat for seat in range(SEATS) if places[seat] == 1), reason)


def forfeited(scores: Sequence[int], seat: int) -> Result:
    """The result when ``seat`` gives up: its team loses, whatever the scores."""
    places = ranked([int(team(other) != team(seat)) for other in range(SEATS)])
    return Result(places, by_seat(scores), opponents(seat), "forfeit")
