"""What one viewer is told of one version, as types."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from domain.actions import Offer
from domain.game import Result
from projections.base import GameView


class SeatView(msgspec.Struct, gc=False, frozen=True):
    """Who sits on a seat; ``name`` is absent where nobody does, ``away`` where the player is there."""

    seat: int
    name: str | UnsetType = UNSET
    bot: bool = False
    away: bool | UnsetType = UNSET


class View(msgspec.Struct, gc=False, frozen=True):
    """What a viewer sees of a table. ``game`` is None before the start.

    ``paused`` is there in a pause, with the seats that ask to go on in ``asked``; otherwise ``asked`` are
    those that ask for a pause. ``next`` is the table of the rematch.
    """

    status: str
    seats: tuple[SeatView, ...]
    game: GameView | None
    result: Result | UnsetType = UNSET
    paused: bool | UnsetType = UNSET
    asked: tuple[int, ...] | UnsetType = UNSET
    next: str | UnsetType = UNSET


class Snapshot(msgspec.Struct, gc=False, frozen=True):
    """All that one viewer may know of a table at one version."""

    version: int
    status: str
    view: View
    actions: list[Offer]
    waiting: tuple[int, ...]
