"""What everybody may know of a table without watching it: its entry in the lobby."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.game import Options
from domain.table import Clock, Spectators, Status, Table


class SeatFacts(msgspec.Struct, gc=False, frozen=True):
    """A seat: ``name`` is None where nobody sits; ``connected`` is filled in by the server.

    ``away``: the player's time ran out, and they have not acted since.
    """

    seat: int
    name: str | None
    connected: bool
    bot: bool
    away: bool = False


class Facts(msgspec.Struct, gc=False, frozen=True):
    """Public facts of a table, as of ``version``; times in milliseconds since 1970.

    ``options`` leaves out decks and scoring cards that are the game's own. ``next`` is the table of the
    rematch, ``previous`` the one that this is the rematch of; ``host_seat`` is absent where the host has
    a token of their own.
    """

    table: str
    game: str
    status: Status
    seats: tuple[SeatFacts, ...]
    version: int
    epoch: str
    options: dict[str, Any]
    commitment: str
    listed: bool
    spectators: Spectators
    reveal: str
    autostart: bool
    created_ms: int
    at_ms: int
    on_timeout: str = "bot"
    paused: bool = False
    clock: Clock | UnsetType = UNSET
    host_seat: int | UnsetType = UNSET
    next: str | UnsetType = UNSET
    previous: str | UnsetType = UNSET


def facts(table: Table, connected: frozenset[int] | set[int] = frozenset()) -> Facts:
    """The facts of ``table`` as it stands; ``connected`` are the seats with a connection now."""
    return Facts(
        table=table.id,
        game=table.game,
        status=table.status,
        seats=tuple(
            SeatFacts(number, None, False, False)
            if there is None
            else SeatFacts(number, there.name, number in connected, there.bot, there.away)
            for number, there in enumerate(table.seats)
        ),
        version=table.version,
        epoch=table.epoch,
        options=_told(table.options),
        commitment=table.commitment,
        listed=table.listed,
        spectators=table.spectators,
        reveal=table.reveal,
        autostart=table.autostart,
        created_ms=table.created_ms,
        at_ms=table.at_ms,
        on_timeout=table.on_timeout,
        paused=table.paused,
        clock=UNSET if table.clock is None else table.clock,
        host_seat=UNSET if table.host_seat is None else table.host_seat,
        next=UNSET if table.next is None else table.next,
        previous=UNSET if table.previous is None else table.previous,
    )


def _told(options: Options) -> dict[str, Any]:
    usual = msgspec.to_builtins(type(options)())
    return {
        name: value
        for name, value in msgspec.to_builtins(options).items()
        if value is not None and not (isinstance(value, list | tuple) and value == usual.get(name))
    }
