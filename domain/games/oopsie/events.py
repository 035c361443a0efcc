"""What happens in Oopsie beside the events that all tarot games share."""

from __future__ import annotations

from typing import Annotated, Any

from domain.events import Event, Public
from domain.games.oopsie.teams import partner
from domain.tarot.events import TAROT_EVENTS
from domain.tarot.places import PLACES_EVENTS
from domain.visibility import PUBLIC, only, rule


def _own_and_received(cards: tuple[str, ...], passed: Any, viewer: int) -> tuple[str | None, ...]:
    known = (viewer, partner(viewer)) if viewer >= 0 else ()
    return tuple(card if seat in known else None for seat, card in enumerate(cards))


class PassChosen(Public, frozen=True, tag="pass_chosen"):
    """A seat chose the card for its partner, or chose again; the card is known to it alone."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, only("seat")]


class CardsPassed(Public, frozen=True, tag="cards_passed"):
    """All seats have chosen: ``cards`` are what each passes to its partner, by seat."""

    cards: Annotated[tuple[str, ...], rule("each seat what it gives and gets", _own_and_received)]


EVENTS: tuple[type[Event], ...] = (*TAROT_EVENTS, *PLACES_EVENTS, PassChosen, CardsPassed)
