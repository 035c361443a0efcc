"""The state of Mein Schatz and how events change it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options, State
from domain.games.mein_schatz import deck, events
from domain.games.mein_schatz.scoring import SeatScore
from domain.visibility import COUNT, PUBLIC, only, rule, when

T = TypeVar("T")


class MeinSchatzOptions(Options, frozen=True):
    """Options of a table of Mein Schatz."""

    treasure_cards: Annotated[
        tuple[Annotated[str, msgspec.Meta(extra_json_schema=deck.CODE_SCHEMA)], ...],
        msgspec.Meta(
            description="The 30 treasure cards of your box: codes of 1 to 5 symbols in the order ring,"
            " diamond, sword, necklace, coin, potion, mouse, joined by '+'.",
            extra_json_schema=deck.SCHEMA,
        ),
    ] = deck.TREASURE_CARDS
    drawn: Annotated[
        Literal["open", "secret"],
        msgspec.Meta(
            description="Who sees a drawn treasure until it is laid: everybody (open) or only the seat that"
            " drew it (secret)."
        ),
    ] = "open"
    places: Annotated[
        Literal["face_down", "face_up"],
        msgspec.Meta(
            description="How treasures are laid: showing their backs (face_down), or so that the top card of"
            " each stack is visible (face_up)."
        ),
    ] = "face_down"
    first_seat: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=3)] | UnsetType,
        msgspec.Meta(description="The seat that begins the first round; absent: drawn at random."),
    ] = UNSET


class Move(msgspec.Struct, gc=False, frozen=True):
    """What a seat did: ``drew_orc``, ``laid`` a treasure on a ``place``, or ``took`` the stack of one."""

    seat: int
    did: Literal["drew_orc", "laid", "took"]
    place: int | UnsetType = UNSET


def _tops(stacks: tuple[tuple[str, ...], ...], state: Any, viewer: int) -> tuple[tuple[str | None, ...], ...]:
    if state.face_up:
        return tuple((*(None,) * (len(stack) - 1), *stack[-1:]) for stack in stacks)
    return tuple((None,) * len(stack) for stack in stacks)


def _treasure_sides(tokens: tuple[str | None, ...], state: Any, viewer: int) -> tuple[str | None, ...]:
    return tuple(None if seat in state.gnome_side else token for seat, token in enumerate(tokens))


def _heights(stacks: tuple[tuple[str, ...], ...], state: Any, viewer: int) -> tuple[tuple[None, ...], ...]:
    return tuple((None,) * len(stack) for stack in stacks)


class MeinSchatzState(State, frozen=True):
    """One round, and the coins of all rounds so far.

    ``turn`` is the seat that is asked. ``stacks`` are by place, lowest card first; ``taken`` are the stacks
    in front of the seats, ``took`` the places they come from (None: still without treasure), ``held`` their
    find tokens. ``tokens`` lie treasure side up; ``gnomes`` are what is left of the turned and shuffled
    ones, top one first, ``gnome_side`` the seats that took one of those. ``orcs`` are those laid out.
    ``last`` is the scoring of the round before, ``last_stacks`` what was turned over for it. ``last_move`` is
    the last of this round that is done: a drawn treasure counts once it is laid.
    """

    seats: Annotated[int, PUBLIC]
    treasure_cards: Annotated[tuple[str, ...], PUBLIC]
    open_draw: Annotated[bool, PUBLIC]
    face_up: Annotated[bool, PUBLIC]
    first_seat: Annotated[int | None, PUBLIC] = None
    phase: Annotated[Literal["drawing", "laying", "last_chance", "over"], PUBLIC] = "drawing"
    round: Annotated[int, PUBLIC] = 0
    first: Annotated[int, PUBLIC] = 0
    turn: Annotated[int, PUBLIC] = 0
    orcs: Annotated[tuple[str, ...], PUBLIC] = ()
    deck: Annotated[tuple[str, ...], COUNT] = ()
    drawn: Annotated[
        str | None,
        when(lambda state: state.open_draw, PUBLIC, only("turn"), "where `open_draw` everybody, else `turn`"),
    ] = None
    stacks: Annotated[tuple[tuple[str, ...], ...], rule("the top card where laid face up", _tops)] = ()
    took: Annotated[tuple[int | None, ...], PUBLIC] = ()
    taken: Annotated[tuple[tuple[str, ...], ...], rule("only the heights", _heights)] = ()
    tokens: Annotated[tuple[str, ...], PUBLIC] = ()
    gnomes: Annotated[tuple[str, ...], COUNT] = ()
    held: Annotated[tuple[str | None, ...], rule("tokens treasure side up", _treasure_sides)] = ()
    gnome_side: Annotated[tuple[int, ...], PUBLIC] = ()
    gold: Annotated[tuple[int, ...], PUBLIC] = ()
    silver: Annotated[tuple[int, ...], PUBLIC] = ()
    last: Annotated[tuple[SeatScore, ...], PUBLIC] = ()
    last_stacks: Annotated[tuple[tuple[str, ...], ...], PUBLIC] = ()
    last_move: Annotated[Move | None, PUBLIC] = None


def open_places(state: MeinSchatzState) -> list[int]:
    """The places whose stack nobody has taken in this round, empty or not."""
    return [place for place in deck.PLACES if place not in state.took]


def takeable(state: MeinSchatzState) -> list[int]:
    """The places that may be taken: those with cards; where there are none after the last orc, empty ones."""
    places = open_places(state)
    filled = [place for place in places if state.stacks[place]]
    return places if state.phase == "last_chance" and not filled else filled


def still_in(took: tuple[int | None, ...], after: int) -> tuple[int, ...]:
    """The seats without treasure, clockwise from the left of ``after``, who comes last."""
    seats = len(took)
    order = ((after + step) % seats for step in range(1, seats + 1))
    return tuple(seat for seat in order if took[seat] is None)


def _at(values: tuple[T, ...], position: int, value: T) -> tuple[T, ...]:
    return (*values[:position], value, *values[position + 1 :])


def _next(state: MeinSchatzState, seat: int) -> int:
    return next(iter(still_in(state.took, seat)), seat)


def _took(state: MeinSchatzState, seat: int, place: int, token: str) -> MeinSchatzState:
    took = _at(state.took, seat, place)
    return replace(
        state,
        turn=next(iter(still_in(took, seat)), seat),
        took=took,
        taken=_at(state.taken, seat, state.stacks[place]),
        stacks=_at(state.stacks, place, ()),
        held=_at(state.held, seat, token),
        last_move=Move(seat, "took", place),
    )


def evolve(state: MeinSchatzState, event: Event) -> MeinSchatzState:
    """The state after ``event``."""
    match event:
        case events.TreasureDrawn(seat):
            return replace(state, phase="laying", drawn=event.card, deck=state.deck[1:])
        case events.TreasureLaid(seat, place):
            stacks = _at(state.stacks, place, (*state.stacks[place], event.card))
            return replace(
                state,
                phase="drawing",
                drawn=None,
                stacks=stacks,
                turn=_next(state, seat),
                last_move=Move(seat, "laid", place),
            )
        case events.OrcDrawn(seat, card):
            return replace(
                state,
                orcs=(*state.orcs, card),
                deck=state.deck[1:],
                turn=_next(state, seat),
                last_move=Move(seat, "drew_orc"),
            )
        case events.TreasureTaken(seat, place, token):
            state = replace(state, tokens=tuple(left for left in state.tokens if left != token))
            return _took(state, seat, place, token)
        case events.TokensTurned():
            return replace(state, phase="last_chance", tokens=(), gnomes=event.order)
        case events.ChanceTaken(seat, place, token):
            state = replace(state, gnomes=state.gnomes[1:], gnome_side=(*state.gnome_side, seat))
            return _took(state, seat, place, token)
        case events.RoundScored():
            return replace(
                state,
                gold=tuple(had + score.gold for had, score in zip(state.gold, event.scores, strict=True)),
                silver=tuple(
                    had + score.silver for had, score in zip(state.silver, event.scores, strict=True)
                ),
                last=event.scores,
                last_stacks=event.stacks,
            )
        case events.TargetReached():
            return replace(state, phase="over")
        case events.DeckShuffled():
            return replace(state, deck=event.order)
        case events.RoundBegan(round_number, first):
            return replace(
                state,
                phase="drawing",
                round=round_number,
                first=first,
                turn=first,
                orcs=(),
                stacks=((),) * len(deck.PLACES),
                took=(None,) * state.seats,
                taken=((),) * state.seats,
                tokens=deck.TYPES,
                gnomes=(),
                held=(None,) * state.seats,
                gnome_side=(),
                last_move=None,
            )
        case _:
            return state
