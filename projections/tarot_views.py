"""The part of a view that the tarot games share."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.game import ranked
from domain.tarot import state as tarot
from domain.tarot.events import Award
from domain.tarot.follow import led_suit
from domain.tarot.places import HandResult, PlacesState
from domain.tarot.state import LastTrick, Look, TarotState
from projections.base import GameView, Play, plays
from projections.viewer import Viewer


class LastTrickView(msgspec.Struct, gc=False, frozen=True):
    """The trick that was put away last.

    ``outcome`` is ``scored``, ``kept``, ``discarded`` or ``given``; ``to`` got the ``points`` (absent where
    they were discarded).
    """

    hand: int
    trick: int
    plays: list[Play]
    winner: int
    points: int
    outcome: str
    to: int | UnsetType = UNSET


class TarotView(GameView, frozen=True, kw_only=True):
    """What a viewer sees of a hand; lists without another word are by seat.

    ``turn`` is the seat that plays, or chooses because it won the trick on the table or the last one: why
    stands in ``phase``. ``trick`` of ``tricks`` is on the table or led next. ``hands`` and ``talon`` have
    None for each hidden card. ``plays`` is the trick on the table, ``winner`` who won it once it is complete.
    ``points`` are the hand points, ``places`` the places they give now. ``scores`` are the game points,
    ``awards`` those of this hand so far with the reason of each. ``looks`` tells who looked at the Talon in
    this hand and what followed. ``ended`` is why the game is over.
    """

    phase: str
    hand: int
    starter: int
    trick: int
    tricks: int
    lead: int
    turn: int | UnsetType = UNSET
    hands: tuple[tuple[str | None, ...], ...]
    plays: list[Play]
    led_suit: str | UnsetType = UNSET
    winner: int | UnsetType = UNSET
    last_trick: LastTrickView | UnsetType = UNSET
    talon: tuple[str | None, ...]
    points: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    awards: tuple[Award, ...]
    looks: tuple[Look, ...]
    ended: str | UnsetType = UNSET


def last_trick(trick: LastTrick | None) -> LastTrickView | UnsetType:
    """The last trick as it is shown; absent before the first."""
    if trick is None:
        return UNSET
    return LastTrickView(
        hand=trick.hand,
        trick=trick.trick,
        plays=plays(trick.plays),
        winner=trick.winner,
        points=trick.points,
        outcome=trick.outcome,
        to=UNSET if trick.to is None else trick.to,
    )


OWN = ("hands", "talon")
"""The members of `TarotView` that are not the same for all viewers."""


def own(seen: TarotState) -> dict[str, Any]:
    """Those members for what a viewer may see."""
    return {"hands": seen.hands, "talon": seen.talon}


def common(seen: TarotState, tricks: int) -> dict[str, Any]:
    """The other members, for a hand of ``tricks`` tricks."""
    complete = len(seen.plays) == seen.seats
    return {
        "phase": seen.phase,
        "hand": seen.hand,
        "starter": seen.starter,
        "trick": min(seen.trick, tricks),
        "tricks": tricks,
        "lead": seen.plays[0][0] if seen.plays else seen.lead,
        "turn": tarot.turn(seen) if seen.phase in tarot.TURN_PHASES else UNSET,
        "plays": plays(seen.plays),
        "led_suit": led_suit(seen.plays) or UNSET,
        "winner": seen.lead if complete else UNSET,
        "last_trick": last_trick(seen.last_trick),
        "points": seen.points,
        "places": ranked(seen.points),
        "scores": seen.scores,
        "awards": seen.awards,
        "looks": seen.looks,
        "ended": UNSET if seen.ended is None else seen.ended,
    }


class PlacesView(TarotView, frozen=True, kw_only=True):
    """What a viewer sees where seats choose at the same time and bid on places.

    ``chosen`` tells who has chosen in a phase in which all do so, absent in others. ``bid`` is the viewer's
    own bid before all are revealed; ``bids`` is empty until then. ``last_hand`` is the hand finished last.
    The game ends when a score reaches ``target``, or after ``most_hands`` hands.
    """

    chosen: tuple[bool, ...] | UnsetType = UNSET
    bid: int | UnsetType = UNSET
    bids: tuple[int, ...]
    last_hand: HandResult | UnsetType = UNSET
    target: int
    most_hands: int


def own_pick(seen: PlacesState, viewer: Viewer) -> str | int | None:
    """What the viewer has chosen in a phase in which all do so, None where it has not or has no seat."""
    return seen.picks[viewer] if viewer >= 0 and seen.picks else None


OWN_PLACES = (*OWN, "bid")
"""The members of `PlacesView` that are not the same for all viewers."""


def own_places(seen: PlacesState, viewer: Viewer) -> dict[str, Any]:
    """Those members for what a viewer may see."""
    pick = own_pick(seen, viewer)
    return own(seen) | ({"bid": pick} if isinstance(pick, int) else {})


def places(seen: PlacesState, *, tricks: int, target: int, most_hands: int) -> dict[str, Any]:
    """The other members, for a hand of ``tricks`` tricks."""
    return common(seen, tricks) | {
        "chosen": tuple(times > 0 for times in seen.chosen) if seen.chosen else UNSET,
        "bids": seen.bids,
        "last_hand": UNSET if seen.last_hand is None else seen.last_hand,
        "target": target,
        "most_hands": most_hands,
    }
