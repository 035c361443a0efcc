"""Short hands of Thread the Needle: a table whose state is set to a chosen situation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from domain.events import Event
from domain.games.thread_the_needle.strawmen import BACK, FRONT, GONE
from domain.tarot.cards import in_order
from tests.support.play import Playout, new

NO_STRAWMEN = ("", "")


def table(seats: int, **settings: Any) -> Playout:
    """A table whose first hand seat 0 starts."""
    outcomes = {"starter": tuple(range(seats))} | settings.pop("outcomes", {})
    return new("thread-the-needle", seats, outcomes=outcomes, **settings)


def _put(playout: Playout, values: dict[str, Any]) -> Playout:
    now = playout.table
    assert now.state is not None
    playout.states[-1] = replace(now, state=replace(now.state, **values))
    return playout


def _common(seats: int, hands: Sequence[str], bids: Sequence[int] | None) -> dict[str, Any]:
    return {
        "phase": "playing",
        "lead": 0,
        "plays": (),
        "points": (0,) * seats,
        "bids": tuple(enumerate(bids or (0,) * seats)),
        "hands": tuple(in_order(hand.split()) for hand in hands),
    }


def hand(
    *hands: str,
    talon: str = "hearts-10 diamonds-roi clubs-1",
    bids: Sequence[int] | None = None,
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> Playout:
    """The middle of a hand of 4 or 5 seats.

    Args:
        hands: the hand of each seat, cards separated by blanks.
        talon: the Talon alike.
        bids: the levels bid, by seat; level 0 for everybody where it is left out.
        options: the options of the table.
        changes: other fields of the state; by default seat 0 leads, and nobody has points.
    """
    seats = len(hands)
    values = _common(seats, hands, bids) | {"talon": in_order(talon.split())}
    return _put(table(seats, options=options or {}), values | changes)


def duel(
    *hands: str,
    front: Sequence[str] = NO_STRAWMEN,
    back: Sequence[str] = NO_STRAWMEN,
    talon: str = "hearts-8 spades-8 diamonds-8 clubs-8",
    bids: Sequence[int] = (0, 0),
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> Playout:
    """The middle of a hand of 2 seats.

    Args:
        hands: the hands of both seats.
        front: the front rows of both, from left to right, a dot where a card has been played; all where ''.
        back: the back rows alike, a question mark before a card that lies face down.
        talon: the Talon row by row.
        bids: the levels bid.
        options: the options of the table.
        changes: other fields of the state.
    """
    rows = [row.split() or ["."] * BACK for row in back]
    values = {
        "front": tuple(_row(row.split() or ["."] * FRONT, FRONT) for row in front),
        "back": tuple(_row([None if card[0] == "?" else card for card in row], BACK) for row in rows),
        "face_down": tuple(
            _row([card[1:] if card[0] == "?" else None for card in row], BACK) for row in rows
        ),
        "talon": tuple(talon.split()),
    }
    return _put(table(2, options=options or {}), _common(2, hands, bids) | values | changes)


def _row(cards: Sequence[str | None], length: int) -> tuple[str | None, ...]:
    assert len(cards) == length
    return tuple(GONE if card == "." else card for card in cards)


def kinds(events: Sequence[Event]) -> list[str]:
    """The names of event types."""
    return [type(event).__name__ for event in events]


def offered(playout: Playout, seat: int) -> list[str]:
    """The types of the actions offered to a seat."""
    return [offer["type"] for offer in playout.offers(seat)]


def playable(playout: Playout, seat: int) -> list[str]:
    """The cards that a seat may play."""
    (offer,) = playout.offers(seat)
    cards = offer["card"]["one_of"]
    assert isinstance(cards, list)
    return cards
