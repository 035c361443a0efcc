"""What the view of a game is made of."""

from __future__ import annotations

import msgspec


class GameView(msgspec.Struct, gc=False, frozen=True, kw_only=True):
    """Base of the games' views.

    A member that does not apply now is `msgspec.UNSET` (absent), never None, so that merge patches are
    exact; None stands only for a hidden card in a list.
    """


class Play(msgspec.Struct, gc=False, frozen=True):
    """A card that a seat played to a trick."""

    seat: int
    card: str


def plays(cards: tuple[tuple[int, str], ...]) -> list[Play]:
    """The cards of a trick in the order in which they were played."""
    return [Play(seat, card) for seat, card in cards]
