"""Which seats have a connection: told to the table's viewers, never part of the log or of a view."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from server.wire import Presence

if TYPE_CHECKING:
    from server.service import Service


class _Told(msgspec.Struct, frozen=True):
    table: str
    seat: int
    connected: bool


class PresenceBook:
    """Counts this process's connections per seat and tells all processes of the first and the last."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._here: Counter[tuple[str, int]] = Counter()
        self._order = asyncio.Lock()

    def arrived(self, table: str, seat: int) -> None:
        """A connection attached as this seat."""
        self._here[table, seat] += 1
        if self._here[table, seat] == 1:
            self._service.spawn(self._tell(table, seat))

    def left(self, table: str, seat: int) -> None:
        """Such a connection is gone."""
        self._here[table, seat] -= 1
        if self._here[table, seat] <= 0:
            del self._here[table, seat]
            self._service.spawn(self._tell(table, seat))

    async def _tell(self, table: str, seat: int) -> None:
        async with self._order:
            here = (table, seat) in self._here
            store = self._service.store
            try:
                await store.set_present(table, seat, here)
                if not here and seat in (await store.present([table]))[0]:
                    return  # connected through another process
            except Exception:  # noqa: BLE001 - a hint that got lost; the next arrival or the expiry mends it
                return
            await store.signal("presence", msgspec.json.encode(_Told(table, seat, here)))

    @staticmethod
    def read(payload: bytes) -> tuple[str, Presence] | None:
        """What another process told: the table, and the message for its viewers."""
        try:
            told = msgspec.json.decode(payload, type=_Told)
        except msgspec.DecodeError:
            return None
        return told.table, Presence(table=told.table, seat=told.seat, connected=told.connected)
