"""A trick-taking game that never ends, for benchmarks: the one that the peers' scripts play.

Forty cards, four seats, ten each; the highest rank takes the trick and leads; after ten tricks a new deal.
`register` puts it into the ordinary registry of this process; no other process knows it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Annotated, Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.events import Event, Public, Shuffled
from domain.game import Emitter, Game, Options, Result, State, ranked
from domain.registry import games
from domain.visibility import EACH_OWN, PUBLIC, rule
from projections.base import GameView
from projections.viewer import Viewer

NAME = "endless-trick"
SEATS = 4
DECK = tuple(range(1, 41))
HAND = 10


def rank(card: int) -> int:
    """Four cards of each rank."""
    return (card - 1) // 4


def _own_slice(order: tuple[int, ...], dealt: Any, viewer: int) -> tuple[int | None, ...]:
    mine = range(viewer * HAND, (viewer + 1) * HAND) if viewer >= 0 else range(0)
    return tuple(card if position in mine else None for position, card in enumerate(order))


class TrickOptions(Options, frozen=True, kw_only=True):
    """There is nothing to choose."""


class TrickState(State, frozen=True, kw_only=True):
    """The state; ``n`` is how many cards have been played in all."""

    hands: Annotated[tuple[tuple[int | None, ...], ...], EACH_OWN] = ((),) * SEATS
    trick: Annotated[tuple[int, ...], PUBLIC] = ()
    tricks: Annotated[tuple[int, ...], PUBLIC] = (0,) * SEATS
    leader: Annotated[int, PUBLIC] = 0
    next: Annotated[int, PUBLIC] = 0
    deals: Annotated[int, PUBLIC] = 0
    n: Annotated[int, PUBLIC] = 0
    last: Annotated[int, PUBLIC] = 0
    last_by: Annotated[int, PUBLIC] = 0


class Dealt(Shuffled, frozen=True, tag="dealt"):
    """Ten cards for seat 0, then for seat 1, ..."""

    order: Annotated[tuple[int, ...], rule("each seat its own hand", _own_slice)]


class Played(Public, frozen=True, tag="played"):
    """The seat whose turn it was played a card; the fourth completes the trick."""

    card: Annotated[int, PUBLIC]


class View(GameView, frozen=True, kw_only=True):
    """What a viewer sees; ``hand`` is the viewer's own."""

    hand: tuple[int | None, ...] | UnsetType = UNSET
    counts: tuple[int, ...]
    trick: tuple[int, ...]
    tricks: tuple[int, ...]
    leader: int
    next: int
    deals: int
    n: int
    last: int
    last_by: int


class EndlessTrick(Game[TrickOptions, TrickState]):
    """The game."""

    name = NAME
    title = "Endless trick"
    seats = (SEATS,)
    help = "The highest card takes the trick; after ten tricks the cards are dealt again."
    options = TrickOptions
    state = TrickState
    events = (Dealt, Played)
    action_shapes = {"play": {"card": "a card of the own hand"}}

    def initial(self, options: TrickOptions, seats: int) -> TrickState:
        """Nothing is dealt yet."""
        return TrickState()

    def start(self, emit: Emitter[TrickState], dealer: Dealer) -> None:
        """Deal."""
        emit(Dealt("deal 1", dealer.shuffle("deal 1", DECK)))

    def waiting(self, seen: TrickState) -> tuple[int, ...]:
        """One seat at a time."""
        return (seen.next,)

    def actions(self, seen: TrickState, seat: int) -> list[Offer]:
        """Any card of the own hand."""
        if seat != seen.next:
            return []
        return [offer("play", card=one_of(seen.hands[seat]))]  # type: ignore[arg-type]

    def decide(self, emit: Emitter[TrickState], seat: int, action: Mapping[str, Any], dealer: Dealer) -> None:
        """Play, and deal again when all hands are empty."""
        emit(Played(action["card"]))
        if not any(emit.state.hands):
            label = f"deal {emit.state.deals + 1}"
            emit(Dealt(label, dealer.shuffle(label, DECK)))

    def evolve(self, state: TrickState, event: Event) -> TrickState:
        """The state after ``event``."""
        if isinstance(event, Played):
            return _played(state, state.next, event.card)
        if isinstance(event, Dealt):
            order = event.order
            hands = tuple(tuple(sorted(order[at : at + HAND])) for at in range(0, len(DECK), HAND))
            return replace(state, hands=hands, deals=state.deals + 1, tricks=(0,) * SEATS)
        return state

    def result(self, state: TrickState) -> Result | None:
        """It never ends."""
        return None

    def standing(self, state: TrickState) -> Result:
        """By the tricks of this deal."""
        places = ranked(state.tricks)
        return Result(places, state.tricks, tuple(seat for seat in range(SEATS) if places[seat] == 1))


def _played(state: TrickState, seat: int, card: int) -> TrickState:
    several = list(state.hands)
    held = list(several[seat])
    held.remove(card)
    several[seat] = tuple(held)
    hands = tuple(several)
    trick = (*state.trick, card)
    if len(trick) < SEATS:
        return replace(
            state, hands=hands, trick=trick, next=(seat + 1) % SEATS, n=state.n + 1, last=card, last_by=seat
        )
    ranks = [rank(played) for played in trick]
    winner = (state.leader + ranks.index(max(ranks))) % SEATS
    tricks = (*state.tricks[:winner], state.tricks[winner] + 1, *state.tricks[winner + 1 :])
    return replace(
        state,
        hands=hands,
        trick=(),
        tricks=tricks,
        leader=winner,
        next=winner,
        n=state.n + 1,
        last=card,
        last_by=seat,
    )


def view(seen: TrickState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    return View(
        hand=seen.hands[viewer] if viewer >= 0 else UNSET,
        counts=tuple(map(len, seen.hands)),
        trick=seen.trick,
        tricks=seen.tricks,
        leader=seen.leader,
        next=seen.next,
        deals=seen.deals,
        n=seen.n,
        last=seen.last,
        last_by=seen.last_by,
    )


OWN = ("hand",)


def own(seen: TrickState, viewer: Viewer) -> dict[str, Any]:
    """What a seat sees and a spectator does not: its own hand."""
    return {"hand": seen.hands[viewer]}


def register() -> None:
    """Let the registries of this process find the game. Before an application is made."""
    games()[NAME] = EndlessTrick()
    module = ModuleType(f"projections.{NAME.replace('-', '_')}")
    module.__dict__.update(View=View, view=view, own=own, OWN=OWN)
    sys.modules[module.__name__] = module
