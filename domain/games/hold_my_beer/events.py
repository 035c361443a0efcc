"""What happens in Hold My Beer beside the events that all tarot games share."""

from __future__ import annotations

from typing import Annotated

from domain.events import Event, Public
from domain.tarot.events import TAROT_EVENTS
from domain.tarot.places import PLACES_EVENTS
from domain.visibility import HIDDEN, PUBLIC, each_own, only


class DiscardChosen(Public, frozen=True, tag="discard_chosen"):
    """A seat chose its discard, or chose again; the card is known to it alone."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, only("seat")]


class Discarded(Public, frozen=True, tag="discarded"):
    """All seats have chosen: each lays its discard face down to the Talon. ``cards`` by seat."""

    cards: Annotated[tuple[str, ...], each_own(HIDDEN)]


EVENTS: tuple[type[Event], ...] = (*TAROT_EVENTS, *PLACES_EVENTS, DiscardChosen, Discarded)
