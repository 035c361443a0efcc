"""The frame around every game's view, and all that one viewer is told of one version."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain import table as tables
from domain.actions import Offer
from domain.game import Result
from domain.registry import games
from domain.table import Table
from domain.visibility import see
from projections.base import GameView
from projections.registry import projection
from projections.viewer import Viewer


class SeatView(msgspec.Struct, frozen=True):
    """Who sits on a seat; ``name`` is absent where nobody does, ``away`` where the player is there."""

    seat: int
    name: str | UnsetType = UNSET
    bot: bool = False
    away: bool | UnsetType = UNSET


class View(msgspec.Struct, frozen=True):
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


class Snapshot(msgspec.Struct, frozen=True):
    """All that one viewer may know of a table at one version."""

    version: int
    status: str
    view: View
    actions: list[Offer]
    waiting: tuple[int, ...]


def seat_views(table: Table) -> tuple[SeatView, ...]:
    """The seats of a table as everybody sees them."""
    return tuple(
        SeatView(number)
        if there is None
        else SeatView(number, there.name, there.bot, True if there.away else UNSET)
        for number, there in enumerate(table.seats)
    )


def view(table: Table, viewer: Viewer) -> View:
    """What ``viewer`` sees of ``table``."""
    game = None
    if table.state is not None:
        game = projection(table.game).view(see(table.state, viewer), viewer)
    result = UNSET if table.result is None else table.result
    return View(
        table.status,
        seat_views(table),
        game,
        result,
        paused=True if table.paused else UNSET,
        asked=table.asked or UNSET,
        next=UNSET if table.next is None else table.next,
    )


def waiting(table: Table) -> tuple[int, ...]:
    """The seats that the table waits for."""
    return tables.waiting(games()[table.game], table)


def actions(table: Table, viewer: Viewer) -> list[Offer]:
    """What ``viewer`` may do now."""
    return tables.actions(games()[table.game], table, viewer)


def snapshot(table: Table, viewer: Viewer) -> Snapshot:
    """All that ``viewer`` may know of ``table`` as it stands."""
    return Snapshot(table.version, table.status, view(table, viewer), actions(table, viewer), waiting(table))


def plain(value: Any) -> Any:
    """A view as plain dicts and lists, as it arrives at a client."""
    return msgspec.to_builtins(value)
