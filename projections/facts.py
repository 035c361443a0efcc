"""What everybody may know of a table without watching it: its entry in the lobby."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.table import Spectators, Status, Table


class SeatFacts(msgspec.Struct, frozen=True):
    """A seat: ``name`` is None where nobody sits; ``connected`` is filled in by the server."""

    seat: int
    name: str | None
    connected: bool
    bot: bool


class Facts(msgspec.Struct, frozen=True):
    """Public facts of a table, as of ``version``; times in milliseconds since 1970."""

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


def facts(table: Table, connected: frozenset[int] | set[int] = frozenset()) -> Facts:
    """The facts of ``table`` as it stands; ``connected`` are the seats with a connection now."""
    return Facts(
        table=table.id,
        game=table.game,
        status=table.status,
        seats=tuple(
            SeatFacts(
                number, there.name if there else None, number in connected, there is not None and there.bot
            )
            for number, there in enumerate(table.seats)
        ),
        version=table.version,
        epoch=table.epoch,
        options=msgspec.to_builtins(table.options),
        commitment=table.commitment,
        listed=table.listed,
        spectators=table.spectators,
        reveal=table.reveal,
        autostart=table.autostart,
        created_ms=table.created_ms,
        at_ms=table.at_ms,
    )
