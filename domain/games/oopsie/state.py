"""The state of Oopsie and how events change it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options
from domain.games.oopsie import events
from domain.games.oopsie.teams import SEATS, partner
from domain.tarot import places
from domain.tarot.cards import deck, in_order, without
from domain.tarot.events import CardExchanged, CardPlayed, HandDealt
from domain.tarot.places import BidsRevealed, PlacesState
from domain.tarot.state import at, swapped
from domain.visibility import HIDDEN, PUBLIC, each_own

DECK = deck(lowest=6)
HAND_SIZE = 14
TRICKS = 14
HIGHEST_BIRD = 4
TARGET = 20
HANDS = 4
LONG_TARGET = 40
LONG_HANDS = 8

Cards = tuple[str, ...]


class OopsieOptions(Options, frozen=True):
    """Options of a table of Oopsie."""

    overtrump_on_trump_lead: Annotated[
        bool,
        msgspec.Meta(
            description="Whether a led trump must be over-trumped if possible; false: any trump follows it."
        ),
    ] = True
    bonus_per_member: Annotated[
        bool,
        msgspec.Meta(
            description="Whether an opponent's failed bid earns the bonus for each member of the team that"
            " made the same bid good; false: once for the team."
        ),
    ] = False
    long: Annotated[
        bool,
        msgspec.Meta(description="The longer game: 40 game points or 8 hands, not 20 or 4."),
    ] = False


class OopsieState(PlacesState, frozen=True):
    """Phases before the first trick: ``passing``, ``bidding``, ``passing_again``. ``scores`` are by team.

    ``passed`` are the cards that each seat passed and that its partner certainly still holds; ``received``
    those that each seat got from its partner and still holds (rule 13).
    """

    bonus_per_member: Annotated[bool, PUBLIC] = False
    long: Annotated[bool, PUBLIC] = False
    passed: Annotated[tuple[Cards, ...], each_own(HIDDEN)] = ((),) * SEATS
    received: Annotated[tuple[Cards, ...], each_own(HIDDEN)] = ((),) * SEATS


def target(seen: OopsieState) -> int:
    """The game points that end the game."""
    return LONG_TARGET if seen.long else TARGET


def most_hands(seen: OopsieState) -> int:
    """How many hands are played at most."""
    return LONG_HANDS if seen.long else HANDS


def _passed(state: OopsieState, cards: Cards) -> OopsieState:
    """Each seat has given its card of ``cards`` to its partner."""
    hands, passed, received = [], [], []
    for seat, given in enumerate(cards):
        got = cards[partner(seat)]
        hands.append(swapped(state.hands[seat], given, got))
        passed.append(in_order((*without(state.passed[seat], got), given)))
        received.append(in_order((*without(state.received[seat], given), got)))
    return replace(state, hands=tuple(hands), passed=tuple(passed), received=tuple(received))


def _left_hand(state: OopsieState, seat: int, card: str, passed: Cards) -> OopsieState:
    """``card`` left the hand of ``seat``; its partner is sure of ``passed`` there."""
    return replace(
        state,
        passed=at(state.passed, partner(seat), passed),
        received=at(state.received, seat, without(state.received[seat], card)),
    )


def evolve(state: OopsieState, event: Event) -> OopsieState:
    """The state after ``event``."""
    match event:
        case CardPlayed(seat, card):
            sure = without(state.passed[partner(seat)], card)
            return _left_hand(places.evolve(state, event), seat, card, sure)
        case CardExchanged(seat, give):
            return _left_hand(places.evolve(state, event), seat, give, ())
        case events.PassChosen(seat, card):
            return places.picked(state, seat, card)
        case events.CardsPassed(cards):
            state = _passed(state, cards)
            if state.phase == "passing":
                return places.choosing(state, "bidding")
            return places.decided(state, "playing")
        case BidsRevealed():
            return places.choosing(places.evolve(state, event), "passing_again")
        case HandDealt():
            nothing = ((),) * SEATS
            state = replace(places.evolve(state, event), bids=(), passed=nothing, received=nothing)
            return places.choosing(state, "passing")
        case _:
            return places.evolve(state, event)
