"""What the states of the tarot games have in common, and how the shared events change it.

A game's state extends `TarotState`, and its ``evolve`` hands the events that are not its own to `evolve`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from domain.events import Event
from domain.game import State
from domain.tarot import events
from domain.tarot.cards import in_order, without
from domain.tarot.events import Award, Outcome
from domain.visibility import EACH_OWN, PUBLIC, blanks, rule

T = TypeVar("T")
S = TypeVar("S", bound="TarotState")

CHOOSING = {"resolve_21": "resolving_21", "resolve_bird": "resolving_bird", "look": "looking"}
"""The phase in which each owed choice is made."""

TURN_PHASES = ("playing", *CHOOSING.values(), "exchanging")
"""The phases in which the game waits for one seat: the one that `turn` names."""


class LastTrick(msgspec.Struct, gc=False, frozen=True):
    """A trick that was put away: its plays, who won it, its points and what became of them.

    ``hand`` and ``trick`` number it. ``to`` is the seat that got the points, None where they were discarded.
    """

    hand: int
    trick: int
    plays: tuple[tuple[int, str], ...]
    winner: int
    points: int
    outcome: Outcome
    to: int | None


class Look(msgspec.Struct, gc=False, frozen=True):
    """That a Bird winner looked at the Talon or did not.

    Args:
        seat: who.
        trick: after which trick of the hand, from 1.
        outcome: ``looking`` (not decided yet), ``exchanged``, ``declined``, or ``not_looked``.
    """

    seat: int
    trick: int
    outcome: str


def _talon(cards: tuple[str, ...], state: Any, viewer: int) -> tuple[str | None, ...] | None:
    return cards if state.phase == "exchanging" and viewer == state.lead else blanks(cards)


TALON = rule("the seat that looks at it, while it does; others: count", _talon)
"""The audience of a Talon of which its looker sees all."""


class TarotState(State, frozen=True):
    """A hand of a tarot game.

    ``phase`` is ``playing``, ``resolving_21``, ``resolving_bird``, ``looking`` (may look or decline),
    ``exchanging`` (has looked), ``over`` or one of the game's own. ``lead`` leads the trick, and once the
    trick is complete it is the seat that won it. ``trick`` counts from 1. Hands are in card order, and so
    is the Talon, so that the order tells nothing. ``last_trick`` stays until the next is put away.
    ``points`` are the hand points by seat. ``scores`` are the game points of the sides: seat ``s`` plays
    for side ``s % len(scores)``. ``awards`` are the game points of this hand so far. ``turned_up`` is the
    Talon of the hand that was finished last.
    """

    seats: Annotated[int, PUBLIC]
    phase: Annotated[str, PUBLIC] = "dealing"
    hand: Annotated[int, PUBLIC] = 0
    starter: Annotated[int, PUBLIC] = 0
    lead: Annotated[int, PUBLIC] = 0
    trick: Annotated[int, PUBLIC] = 1
    plays: Annotated[tuple[tuple[int, str], ...], PUBLIC] = ()
    hands: Annotated[tuple[tuple[str, ...], ...], EACH_OWN] = ()
    talon: Annotated[tuple[str, ...], TALON] = ()
    points: Annotated[tuple[int, ...], PUBLIC] = ()
    scores: Annotated[tuple[int, ...], PUBLIC] = ()
    awards: Annotated[tuple[Award, ...], PUBLIC] = ()
    looks: Annotated[tuple[Look, ...], PUBLIC] = ()
    last_trick: Annotated[LastTrick | None, PUBLIC] = None
    turned_up: Annotated[tuple[str, ...], PUBLIC] = ()
    ended: Annotated[str | None, PUBLIC] = None


def turn(state: TarotState) -> int:
    """Who plays next, or chooses for the trick just won (phases from ``playing`` to ``exchanging``)."""
    return (state.lead + len(state.plays)) % state.seats


def at(row: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """``row`` with ``value`` at ``index``."""
    return (*row[:index], value, *row[index + 1 :])


def awarded(scores: tuple[int, ...], awards: Iterable[Award]) -> tuple[int, ...]:
    """``scores`` of the sides with ``awards`` added."""
    new = list(scores)
    for award in awards:
        new[award.seat % len(new)] += award.points
    return tuple(new)


def added(points: tuple[int, ...], seat: int | None, more: int) -> tuple[int, ...]:
    """``points`` by seat with ``more`` for ``seat`` (None: for nobody)."""
    return points if seat is None else at(points, seat, points[seat] + more)


def swapped(cards: tuple[str, ...], out: str, into: str) -> tuple[str, ...]:
    """``cards`` in card order with ``out`` replaced by ``into``."""
    return in_order((*without(cards, out), into))


def _dealt(state: S, event: events.HandDealt) -> S:
    size, seats = event.hand_size, state.seats
    return replace(
        state,
        phase="playing",
        hand=event.hand,
        starter=event.starter,
        lead=event.starter,
        trick=1,
        plays=(),
        hands=tuple(in_order(event.order[seat * size : (seat + 1) * size]) for seat in range(seats)),
        talon=in_order(event.order[seats * size :]),
        points=(0,) * seats,
        awards=(),
        looks=(),
    )


def _decided(state: S, outcome: str) -> S:
    """The look that is going on ends with ``outcome``; the seat leads."""
    return replace(
        state,
        phase="playing",
        looks=(*state.looks[:-1], replace(state.looks[-1], outcome=outcome)) if state.looks else (),
    )


def evolve(state: S, event: Event) -> S:
    """The state after a shared event; any other changes nothing.

    Dealing leaves the phase ``playing``: a game that bids or discards first sets its own.
    """
    match event:
        case events.CardPlayed(seat, card):
            hands = at(state.hands, seat, without(state.hands[seat], card))
            return replace(state, plays=(*state.plays, (seat, card)), hands=hands)
        case events.TrickWon(seat):
            return replace(state, lead=seat)
        case events.TrickScored(winner, to, points, outcome):
            return replace(
                state,
                phase="playing",
                trick=state.trick + 1,
                plays=(),
                points=added(state.points, to, points),
                last_trick=LastTrick(state.hand, state.trick, state.plays, winner, points, outcome, to),
            )
        case events.BirdsCaptured():
            return replace(
                state,
                scores=awarded(state.scores, event.awards),
                awards=(*state.awards, *event.awards),
            )
        case events.ChoiceOwed(choice=choice):
            return replace(state, phase=CHOOSING[choice])
        case events.TalonLooked(seat):
            look = Look(seat, state.trick - 1, "looking")
            return replace(state, phase="exchanging", looks=(*state.looks, look))
        case events.CardExchanged(seat, give, take):
            hands = at(state.hands, seat, swapped(state.hands[seat], give, take))
            return replace(_decided(state, "exchanged"), hands=hands, talon=swapped(state.talon, take, give))
        case events.Declined(seat, what):
            if what == "exchange":
                return _decided(state, "declined")
            look = Look(seat, state.trick - 1, "not_looked")
            return replace(state, phase="playing", looks=(*state.looks, look))
        case events.TalonScored(seat, cards, points):
            return replace(state, talon=(), turned_up=cards, points=added(state.points, seat, points))
        case events.GameEnded(reason):
            return replace(state, phase="over", ended=reason)
        case events.StarterDrawn():
            return replace(state, starter=event.order[0], lead=event.order[0])
        case events.HandDealt():
            return _dealt(state, event)
        case _:
            return state
