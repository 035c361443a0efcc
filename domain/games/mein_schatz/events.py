"""What happens in Mein Schatz."""

from __future__ import annotations

from typing import Annotated

from domain.events import Event, Public, Shuffled
from domain.games.mein_schatz.scoring import SeatScore
from domain.visibility import COUNT, HIDDEN, PUBLIC, only, when


class FirstDrawn(Shuffled, frozen=True, tag="first_drawn"):
    """The first seat of ``order`` begins the first round (ruling 9); missing where the table chose it."""

    order: Annotated[tuple[int, ...], PUBLIC]


class DeckShuffled(Shuffled, frozen=True, tag="deck_shuffled"):
    """All treasure cards and orcs in the order in which they will be drawn."""

    order: Annotated[tuple[str, ...], HIDDEN]


class RoundBegan(Public, frozen=True, tag="round_began"):
    """The places are empty, all find tokens lie treasure side up, ``first`` begins."""

    round: Annotated[int, PUBLIC]
    first: Annotated[int, PUBLIC]


class OrcDrawn(Public, frozen=True, tag="orc_drawn"):
    """A seat drew an orc, which is laid out: ``orcs`` are out now. The turn is over."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, PUBLIC]
    orcs: Annotated[int, PUBLIC]


class TreasureDrawn(Public, frozen=True, tag="treasure_drawn"):
    """A seat drew a treasure card and must lay it. Where ``open``, everybody sees it, else only that seat."""

    seat: Annotated[int, PUBLIC]
    open: Annotated[bool, PUBLIC]
    card: Annotated[
        str, when(lambda drawn: drawn.open, PUBLIC, only("seat"), "where `open` everybody, else `seat`")
    ]


class TreasureLaid(Public, frozen=True, tag="treasure_laid"):
    """A seat laid the card that it drew on top of a place, face up or face down."""

    seat: Annotated[int, PUBLIC]
    place: Annotated[int, PUBLIC]
    face_up: Annotated[bool, PUBLIC]
    card: Annotated[
        str, when(lambda laid: laid.face_up, PUBLIC, HIDDEN, "where `face_up` everybody, else nobody")
    ]


class TreasureTaken(Public, frozen=True, tag="treasure_taken"):
    """A seat put a find token on a place and took its stack unseen; the place is closed, the seat out."""

    seat: Annotated[int, PUBLIC]
    place: Annotated[int, PUBLIC]
    token: Annotated[str, PUBLIC]
    cards: Annotated[tuple[str, ...], COUNT]


class TokensTurned(Shuffled, frozen=True, tag="tokens_turned"):
    """The last orc is out: the unused tokens were turned to the gnome side and shuffled, top one first.

    ``takers`` are the seats without treasure in the order in which each takes a stack now.
    """

    order: Annotated[tuple[str, ...], COUNT]
    takers: Annotated[tuple[int, ...], PUBLIC]


class ChanceTaken(Public, frozen=True, tag="chance_taken"):
    """After the last orc a seat took a stack (of no card where all open places are empty).

    ``token`` is the top one of the shuffled tokens, gnome side up: known to nobody until scoring.
    """

    seat: Annotated[int, PUBLIC]
    place: Annotated[int, PUBLIC]
    token: Annotated[str, HIDDEN]
    cards: Annotated[tuple[str, ...], COUNT]


class RoundScored(Public, frozen=True, tag="round_scored"):
    """Every seat has a stack: they are turned over, counted and paid. Both lists are by seat.

    A stack stands from its lowest card to its top.
    """

    round: Annotated[int, PUBLIC]
    stacks: Annotated[tuple[tuple[str, ...], ...], PUBLIC]
    scores: Annotated[tuple[SeatScore, ...], PUBLIC]


class TargetReached(Public, frozen=True, tag="target_reached"):
    """The game is over: these seats have coins worth 8 silver or more."""

    seats: Annotated[tuple[int, ...], PUBLIC]


EVENTS: tuple[type[Event], ...] = (
    FirstDrawn,
    DeckShuffled,
    RoundBegan,
    OrcDrawn,
    TreasureDrawn,
    TreasureLaid,
    TreasureTaken,
    TokensTurned,
    ChanceTaken,
    RoundScored,
    TargetReached,
)
