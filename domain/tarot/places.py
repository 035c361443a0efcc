"""Bidding on the place in which a seat will finish the hand: what Hold My Beer and Oopsie share.

Discards, passes and bids are chosen by all seats at the same time: a choice is stored with a public
event whose value only its seat knows, and when the last seat has chosen all are carried out
(rule 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
from msgspec.structs import replace

from domain.events import Event, Public
from domain.game import MOST_CHANGES, NO_MORE_CHANGES, ranked
from domain.tarot import state as tarot
from domain.tarot.events import Award
from domain.tarot.state import TarotState, at, awarded
from domain.visibility import HIDDEN, PUBLIC, each_own, only

P = TypeVar("P", bound="PlacesState")


class BidChosen(Public, frozen=True, tag="bid_chosen"):
    """A seat chose its bid, or chose again; the place is known to it alone until all have chosen."""

    seat: Annotated[int, PUBLIC]
    place: Annotated[int, only("seat")]


class BidsRevealed(Public, frozen=True, tag="bids_revealed"):
    """All seats have bid: the place that each bid, by seat."""

    bids: Annotated[tuple[int, ...], PUBLIC]


class HandScored(Public, frozen=True, tag="hand_scored"):
    """The hand is over. Lists are by seat: bids, hand points, places, whether the bid was made good.

    ``awards`` are the game points for bids; those for Birds were given before.
    """

    hand: Annotated[int, PUBLIC]
    bids: Annotated[tuple[int, ...], PUBLIC]
    points: Annotated[tuple[int, ...], PUBLIC]
    places: Annotated[tuple[int, ...], PUBLIC]
    made: Annotated[tuple[bool, ...], PUBLIC]
    awards: Annotated[tuple[Award, ...], PUBLIC]


PLACES_EVENTS: tuple[type[Event], ...] = (BidChosen, BidsRevealed, HandScored)


class HandResult(msgspec.Struct, gc=False, frozen=True):
    """A finished hand: ``awards`` are all its game points, those for Birds first.

    ``talon`` are the cards turned up after the last trick, ``scores`` the totals after the hand.
    """

    hand: int
    bids: tuple[int, ...]
    points: tuple[int, ...]
    places: tuple[int, ...]
    made: tuple[bool, ...]
    talon: tuple[str, ...]
    awards: tuple[Award, ...]
    scores: tuple[int, ...]


class PlacesState(TarotState, frozen=True):
    """A hand in which all seats choose at the same time before the first trick.

    ``picks`` are the choices of the present phase, ``chosen`` how often each seat has chosen in it.
    ``bids`` is empty until all are revealed.
    """

    overtrump_on_trump_lead: Annotated[bool, PUBLIC] = True
    picks: Annotated[tuple[str | int | None, ...], each_own(HIDDEN)] = ()
    chosen: Annotated[tuple[int, ...], PUBLIC] = ()
    bids: Annotated[tuple[int, ...], PUBLIC] = ()
    last_hand: Annotated[HandResult | None, PUBLIC] = None


def undecided(seen: PlacesState) -> tuple[int, ...]:
    """The seats that have not chosen yet."""
    return tuple(seat for seat, times in enumerate(seen.chosen) if not times)


def may_choose(seen: PlacesState, seat: int) -> bool:
    """Whether a seat may choose, or choose again: it has a limited number of changes."""
    return seen.chosen[seat] <= MOST_CHANGES


def idle(seen: PlacesState, seat: int) -> str | None:
    """Why a seat that is offered nothing may not act, or None where just others are awaited."""
    return NO_MORE_CHANGES if seen.chosen and not may_choose(seen, seat) else None


def picked(state: P, seat: int, value: str | int) -> P:
    """``seat`` chose ``value``."""
    return replace(
        state, picks=at(state.picks, seat, value), chosen=at(state.chosen, seat, state.chosen[seat] + 1)
    )


def choosing(state: P, phase: str) -> P:
    """A phase begins in which every seat chooses."""
    return replace(state, phase=phase, picks=(None,) * state.seats, chosen=(0,) * state.seats)


def decided(state: P, phase: str) -> P:
    """All have chosen, and a phase begins in which nobody does so."""
    return replace(state, phase=phase, picks=(), chosen=())


def cards_picked(state: PlacesState) -> tuple[str, ...]:
    """The cards that all seats chose."""
    return tuple(str(pick) for pick in state.picks)


def bids_picked(state: PlacesState) -> tuple[int, ...]:
    """The places that all seats bid."""
    return tuple(pick for pick in state.picks if isinstance(pick, int))


def places(points: Sequence[int]) -> tuple[int, ...]:
    """The place of each seat by its hand points; tied seats share the better one (rule 8)."""
    return ranked(points)


def evolve(state: P, event: Event) -> P:
    """The state after a shared event or one of bidding; any other changes nothing.

    Bids revealed lead to the phase ``playing``; a game in which something else comes first sets its own.
    """
    match event:
        case BidChosen(seat, place):
            return picked(state, seat, place)
        case BidsRevealed(bids):
            return replace(decided(state, "playing"), bids=bids)
        case HandScored():
            awards = (*state.awards, *event.awards)
            scores = awarded(state.scores, event.awards)
            result = HandResult(
                hand=event.hand,
                bids=event.bids,
                points=event.points,
                places=event.places,
                made=event.made,
                talon=state.turned_up,
                awards=awards,
                scores=scores,
            )
            return replace(state, scores=scores, awards=awards, last_hand=result)
        case _:
            return tarot.evolve(state, event)
