"""Short hands: a table whose state is set to a chosen situation, and deals that are chosen card by card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from domain.errors import Rejected
from domain.tarot.cards import in_order
from projections import frame
from tests.support.play import Playout


def given(playout: Playout, *, hands: Sequence[str], talon: str = "", **changes: Any) -> Playout:
    """Put a playout into the middle of a hand.

    Args:
        hands: the hand of each seat, cards separated by blanks.
        talon: the Talon alike.
        changes: other fields of the state; by default seat 0 leads, and nobody has points.
    """
    table = playout.table
    assert table.state is not None
    values: dict[str, Any] = {
        "phase": "playing",
        "lead": 0,
        "plays": (),
        "points": (0,) * playout.seats,
        "picks": (),
        "chosen": (),
        "bids": (1,) * playout.seats,
        "hands": tuple(in_order(hand.split()) for hand in hands),
        "talon": in_order(talon.split()),
    } | changes
    playout.states[-1] = replace(table, state=replace(table.state, **values))
    return playout


def play(playout: Playout, *cards: str) -> Playout:
    """Let the seat whose turn it is play each of ``cards``."""
    for card in cards:
        (seat,) = playout.waiting()
        playout.act(seat, "play", card=card)
    return playout


def refusal(playout: Playout, seat: int, kind: str, **parameters: Any) -> str:
    """The code and sentence with which an action is refused."""
    try:
        playout.act(seat, kind, **parameters)
    except Rejected as rejected:
        return f"{rejected.code}: {rejected.message}"
    raise AssertionError(f"{kind} {parameters} was accepted")


def view(playout: Playout, viewer: int) -> dict[str, Any]:
    """The game's part of what ``viewer`` sees, as a client gets it."""
    found = frame.plain(frame.view(playout.table, viewer))["game"]
    assert isinstance(found, dict)
    return found
