"""What happens in Thread the Needle beside the events that all tarot games share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from domain.events import Event, Public, Shuffled
from domain.games.thread_the_needle.strawmen import BACK, STRAWMEN
from domain.tarot.events import TAROT_EVENTS, Award
from domain.visibility import COUNT, PUBLIC, only, rule

Line = Literal["row-1", "row-2", "column-1", "column-2"]


def _own_and_front(order: tuple[str, ...], dealt: Any, viewer: int) -> tuple[str | None, ...]:
    size = dealt.hand_size
    shown: list[str | None] = [None] * len(order)
    if viewer >= 0:
        shown[viewer * size : (viewer + 1) * size] = order[viewer * size : (viewer + 1) * size]
    for seat in range(2):
        start = 2 * size + seat * STRAWMEN
        shown[start + BACK : start + STRAWMEN] = order[start + BACK : start + STRAWMEN]
    return tuple(shown)


class StrawmenDealt(Shuffled, frozen=True, tag="strawmen_dealt"):
    """A hand of two seats begins.

    ``order`` is ``hand_size`` cards for seat 0 and for seat 1; then the strawmen of seat 0, 7 of the back row
    and 6 of the front row from left to right, and those of seat 1; then the Talon row by row.
    """

    order: Annotated[
        tuple[str, ...], rule("each seat its own hand; everybody the front rows", _own_and_front)
    ]
    hand: Annotated[int, PUBLIC]
    hand_size: Annotated[int, PUBLIC]
    starter: Annotated[int, PUBLIC]


class BidMade(Public, frozen=True, tag="bid_made"):
    """A seat bid a level of the scoring card, an index from 0."""

    seat: Annotated[int, PUBLIC]
    level: Annotated[int, PUBLIC]


class Turned(msgspec.Struct, gc=False, frozen=True):
    """A card of the back row of ``seat`` that is face up now; ``place`` counts from 0, from the left."""

    seat: int
    place: int
    card: str


class StrawmenTurned(Public, frozen=True, tag="strawmen_turned"):
    """The trick and all that it owed is over: back cards that nothing covers any more turn face up."""

    cards: Annotated[tuple[Turned, ...], PUBLIC]


class LineLooked(Public, frozen=True, tag="line_looked"):
    """A Bird winner looked at a line of the Talon; ``cards`` in card order, for that seat only.

    Not even that seat learns which of the two lies where.
    """

    seat: Annotated[int, PUBLIC]
    line: Annotated[Line, PUBLIC]
    cards: Annotated[tuple[str, ...], only("seat", others=COUNT)]


class TalonRevealed(Public, frozen=True, tag="talon_revealed"):
    """The last trick is over: ``seat``, which won it, turns the Talon up (row by row) and takes a line."""

    seat: Annotated[int, PUBLIC]
    cards: Annotated[tuple[str, ...], PUBLIC]


class TalonShared(Public, frozen=True, tag="talon_shared"):
    """``seat`` took a line of the Talon, the other two cards score for its opponent; ``points`` by seat."""

    seat: Annotated[int, PUBLIC]
    line: Annotated[Line, PUBLIC]
    points: Annotated[tuple[int, ...], PUBLIC]


class HandScored(Public, frozen=True, tag="hand_scored"):
    """The hand is over. Lists are by seat: levels bid, hand points, the levels they lie in, bids made good.

    ``awards`` are the game points that follow; those for Birds were given before. ``needle`` tells whether
    a seat that had bid the Needle made it; it is absent where nobody had.
    """

    hand: Annotated[int, PUBLIC]
    bids: Annotated[tuple[int, ...], PUBLIC]
    points: Annotated[tuple[int, ...], PUBLIC]
    levels: Annotated[tuple[int, ...], PUBLIC]
    made: Annotated[tuple[bool, ...], PUBLIC]
    awards: Annotated[tuple[Award, ...], PUBLIC]
    needle: Annotated[Literal["made", "missed"] | None, PUBLIC] = None


EVENTS: tuple[type[Event], ...] = (
    *TAROT_EVENTS,
    StrawmenDealt,
    BidMade,
    StrawmenTurned,
    LineLooked,
    TalonRevealed,
    TalonShared,
    HandScored,
)
