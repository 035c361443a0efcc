"""Which seats have a connection: told to the table's viewers, never part of the log or of a view."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import structlog

from server.ending import end
from server.store.base import StoreUnavailable
from server.wire import Presence

if TYPE_CHECKING:
    from server.service import Service

log = structlog.get_logger(__name__)

COMPARE_S = 5.0
"""How often it is looked whether a process has died with connections that nobody tells of."""


class _Told(msgspec.Struct, frozen=True):
    table: str
    seat: int
    connected: bool


class PresenceBook:
    """Counts this process's connections per seat and tells all processes of the first and the last.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._here: Counter[tuple[str, int]] = Counter()
        self._order = asyncio.Lock()
        self._said: set[tuple[str, int]] = set()  # the seats that this process has called connected
        self._told: dict[str, set[int]] = {}
        self._stirred: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for connections that went without a word."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            await end(self._task)

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
            if here == ((table, seat) in self._said):
                return  # it went and came, or came and went, before anybody was told
            (self._said.add if here else self._said.discard)((table, seat))
            store = self._service.store
            try:
                await store.set_present(table, seat, here)
                if not here and seat in (await store.present([table]))[0]:
                    return  # connected through another process
            except Exception:  # noqa: BLE001 - a hint that got lost; the next arrival or the expiry mends it
                return
            await store.signal("presence", msgspec.json.encode(_Told(table, seat, here)))

    def hear(self, payload: bytes) -> None:
        """A process tells of a seat: pass it on to the viewers here."""
        try:
            told = msgspec.json.decode(payload, type=_Told)
        except msgspec.DecodeError:
            return
        self._stirred.add(told.table)
        if (seats := self._told.get(told.table)) is not None:
            (seats.add if told.connected else seats.discard)(told.seat)
        self._show(told)

    def _show(self, told: _Told) -> None:
        room = self._service.known(told.table)
        if room is not None:
            room.tell_presence(Presence(table=told.table, seat=told.seat, connected=told.connected))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(COMPARE_S)
            try:
                await self._compare(self._service.watched())
            except StoreUnavailable:
                continue
            except Exception:
                log.exception("presence_failed")

    async def _compare(self, watched: list[str]) -> None:
        """Tell the viewers of watched tables where the marks are not what they were told."""
        self._stirred.clear()
        found = await self._service.store.present(watched) if watched else []
        mine: dict[str, set[int]] = {}
        for table, seat in self._here:
            mine.setdefault(table, set()).add(seat)
        told, self._told = self._told, {}
        for table, seats in zip(watched, found, strict=True):
            seats |= mine.get(table, set())
            before = told.get(table, seats)
            if table in self._stirred:
                seats = before  # what was read may be older than what was told since
            self._told[table] = set(seats)
            for seat in sorted(before ^ seats):
                self._show(_Told(table, seat, seat in seats))
