"""Game points at the end of a hand, and the standing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.game import Result, ranked
from domain.games.thread_the_needle.scoring_card import ScoringCard
from domain.tarot.events import Award

BID_BONUS = 5
"""Game points for finishing in the level that was bid (rulebook, 'Bonus Points')."""


def hand_awards(
    card: ScoringCard,
    bids: Sequence[int],
    levels: Sequence[int],
    so_far: Iterable[Award],
    *,
    keep_birds: bool,
) -> tuple[Award, ...]:
    """The game points of a hand whose Needle was not made.

    Each seat gets the points of its level, and 5 more if it bid that level. A seat that missed the Needle
    gets nothing; where ``keep_birds`` is False it also loses the points for Birds among ``so_far``, the
    awards that the hand has brought already.
    """
    awards = []
    birds = list(so_far)
    for seat, (bid, level) in enumerate(zip(bids, levels, strict=True)):
        if card[bid].needle:
            caught = sum(award.points for award in birds if award.seat == seat)
            if caught and not keep_birds:
                awards.append(Award(seat, -caught, "missed_needle"))
            continue
        if card[level].points:
            awards.append(Award(seat, card[level].points, "level"))
        if bid == level:
            awards.append(Award(seat, BID_BONUS, "bid"))
    return tuple(awards)


def needle_maker(card: ScoringCard, bids: Sequence[int], levels: Sequence[int]) -> int | None:
    """The seat that bid the Needle and made it, or None."""
    for seat, (bid, level) in enumerate(zip(bids, levels, strict=True)):
        if card[bid].needle and bid == level:
            return seat
    return None


def standing(scores: tuple[int, ...], needle: int | None, reason: str) -> Result:
    """The result by game points; a seat that threaded the Needle is first whatever the points say."""
    keys = [(seat == needle, score) for seat, score in enumerate(scores)]
    places = ranked(keys)
    return Result(places, scores, tuple(seat for seat, place in enumerate(places) if place == 1), reason)
