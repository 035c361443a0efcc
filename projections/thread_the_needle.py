"""The view of Thread the Needle."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.thread_the_needle.deck import HANDS, TARGET, TRICKS, TWO
from domain.games.thread_the_needle.rules import waiting
from domain.games.thread_the_needle.scoring_card import ScoringCard, level_of
from domain.games.thread_the_needle.state import (
    Given,
    HandResult,
    LineLook,
    ThreadTheNeedleState,
    open_strawmen,
)
from domain.tarot.state import Look
from projections import tarot_views
from projections.tarot_views import TarotView, common
from projections.viewer import Viewer


class Bid(msgspec.Struct, gc=False, frozen=True):
    """A level that a seat bid, as an index of the scoring card."""

    seat: int
    level: int


class Strawmen(msgspec.Struct, gc=False, frozen=True):
    """The strawmen of a seat, from left to right: front card i lies over the back cards i and i + 1.

    A card is None while it is face down and ``gone`` once it is played. ``open`` are those that may be
    played if the follow rules allow it.
    """

    back: tuple[str | None, ...]
    front: tuple[str, ...]
    open: tuple[str, ...]


class View(TarotView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Thread the Needle.

    ``turn`` is also the seat that bids (``bidding``) or takes a line of the Talon (``taking_talon``).
    ``hands_in_game`` is how many hands are played at most, ``target`` what ends the game after a hand (not
    with 2 seats). ``scoring_card`` is the one in use, ``bids`` stand in the order in which they were made,
    ``levels`` are the levels in which the hand points lie now. ``given`` are cards that the viewer laid into
    the Talon and that certainly lie there still. ``last_hand`` is the hand finished last.

    With 2 seats: ``talon`` is the 2x2 grid, row by row; ``strawmen`` are by seat; ``looking_at`` are the two
    cards of the line that the viewer looks at, in card order, for nobody knows which of them lies where.
    """

    looks: tuple[LineLook, ...]
    hands_in_game: int
    target: int | UnsetType = UNSET
    scoring_card: ScoringCard
    bids: list[Bid]
    levels: tuple[int, ...]
    given: tuple[Given, ...] | UnsetType = UNSET
    strawmen: tuple[Strawmen, ...] | UnsetType = UNSET
    looking_at: tuple[str, ...] | UnsetType = UNSET
    last_hand: HandResult | UnsetType = UNSET


OWN = (*tarot_views.OWN, "given", "looking_at")


def own(seen: ThreadTheNeedleState, viewer: Viewer) -> dict[str, Any]:
    """The members in which viewers' views differ."""
    mine = tarot_views.own(seen)
    if viewer >= 0 and seen.given and seen.given[viewer]:
        mine["given"] = seen.given[viewer]
    if seen.phase == "exchanging" and viewer == seen.lead and seen.seats == TWO:
        mine["looking_at"] = seen.looking_at
    return mine


def view(seen: ThreadTheNeedleState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    turn = waiting(seen)
    shared = common(seen, TRICKS[seen.seats]) | {
        "turn": turn[0] if turn else UNSET,
        "looks": tuple(_look(look) for look in seen.looks),
    }
    return View(
        **shared,
        **own(seen, viewer),
        hands_in_game=HANDS[seen.seats],
        target=TARGET.get(seen.seats, UNSET),
        scoring_card=seen.scoring_card,
        bids=[Bid(seat, level) for seat, level in seen.bids],
        levels=tuple(level_of(seen.scoring_card, points) for points in seen.points),
        strawmen=_strawmen(seen) if seen.seats == TWO else UNSET,
        last_hand=UNSET if seen.last_hand is None else seen.last_hand,
    )


def _look(look: Look) -> LineLook:
    return look if isinstance(look, LineLook) else LineLook(look.seat, look.trick, look.outcome)


def _strawmen(seen: ThreadTheNeedleState) -> tuple[Strawmen, ...]:
    rows = seen.back
    if seen.face_down:  # the referee sees it
        rows = tuple(
            tuple(hidden or shown for hidden, shown in zip(*both, strict=True))
            for both in zip(seen.face_down, seen.back, strict=True)
        )
    return tuple(
        Strawmen(back, front, open_strawmen(seen, seat))
        for seat, (back, front) in enumerate(zip(rows, seen.front, strict=True))
    )
