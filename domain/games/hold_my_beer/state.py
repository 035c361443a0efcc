"""The state of Hold My Beer and how events change it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options
from domain.games.hold_my_beer import events
from domain.tarot import places
from domain.tarot.cards import deck, in_order, without
from domain.tarot.events import CardExchanged, HandDealt, TalonScored
from domain.tarot.places import PlacesState
from domain.visibility import HIDDEN, each_own

SEATS = 3
DECK = deck(lowest=7)
HAND_SIZE = 18
TRICKS = 17
HANDS = 6
TARGET = 20
HIGHEST_BIRD = 3


class HoldMyBeerOptions(Options, frozen=True):
    """Options of a table of Hold My Beer."""

    overtrump_on_trump_lead: Annotated[
        bool,
        msgspec.Meta(
            description="Whether a led trump must be over-trumped if possible; false: any trump follows it."
        ),
    ] = True


class HoldMyBeerState(PlacesState, frozen=True):
    """Phases before the first trick: ``discarding``, ``bidding``.

    ``discards`` are the cards that the seats laid to the Talon, None from when it is no longer sure that
    the card lies there (rule 13).
    """

    discards: Annotated[tuple[str | None, ...], each_own(HIDDEN)] = (None,) * SEATS


def _sure(state: HoldMyBeerState, event: CardExchanged) -> tuple[str | None, ...]:
    """The discards that certainly lie in the Talon after an exchange, as far as their seats can tell."""
    own = state.discards[event.seat]
    return tuple(
        own if seat == event.seat and own != event.take else None for seat in range(len(state.discards))
    )


def evolve(state: HoldMyBeerState, event: Event) -> HoldMyBeerState:
    """The state after ``event``."""
    match event:
        case events.DiscardChosen(seat, card):
            return places.picked(state, seat, card)
        case events.Discarded(cards):
            state = replace(
                state,
                hands=tuple(without(hand, card) for hand, card in zip(state.hands, cards, strict=True)),
                talon=in_order((*state.talon, *cards)),
                discards=cards,
            )
            return places.choosing(state, "bidding")
        case CardExchanged():
            return replace(places.evolve(state, event), discards=_sure(state, event))
        case TalonScored():
            return replace(places.evolve(state, event), discards=(None,) * SEATS)
        case HandDealt():
            state = replace(places.evolve(state, event), bids=(), discards=(None,) * SEATS)
            return places.choosing(state, "discarding")
        case _:
            return places.evolve(state, event)
