"""The live list of tables: the listed ones that are open or playing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import structlog

from domain.errors import Rejected
from domain.table import Table
from projections.facts import Facts
from server.codec import Kind, encode
from server.jobs import UNREADABLE, NoSuchTable
from server.store.base import StoreUnavailable
from server.wire import Lobby as LobbyList
from server.wire import LobbyChange

if TYPE_CHECKING:
    from server.service import Service

log = structlog.get_logger(__name__)

MOST = 500
"""The list holds at most this many tables of each status, the newest."""

REPAIR_S = 30.0
"""How often the list is compared with the tables, while somebody watches it."""


class Watcher(Protocol):
    """A connection that watches the lobby."""

    kind: Kind

    def send(self, frame: bytes) -> None:
        """Queue a frame."""


class Lobby:
    """Keeps the list while somebody watches it, and tells the watchers what changes."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._watchers: dict[Watcher, str | None] = {}
        self._known: dict[str, Facts] = {}
        self._loaded = False
        self._later: asyncio.TimerHandle | None = None
        self._order = asyncio.Lock()

    async def publish(self, table: Table) -> None:
        """Put a listed table where it belongs and tell all processes.

        Args:
            table: the table as the public may know it.
        """
        try:
            await self._service.store.index(table.id, table.created_ms, table.game, table.status)
        except StoreUnavailable:
            log.warning("lobby_index_behind", table=table.id)
        await self._service.store.signal("lobby", table.id.encode())

    def hear(self, ident: str) -> None:
        """Something about this table may have changed."""
        if self._watchers:
            self._service.spawn(self._update(ident))

    async def watch(self, watcher: Watcher, game: str | None, ident: Any) -> None:
        """Send the list, and from then on its changes."""
        async with self._order:
            self._watchers[watcher] = game
            try:
                if not self._loaded:
                    await self._load()
            except BaseException:
                self.unwatch(watcher)
                raise
            if watcher not in self._watchers:
                self.unwatch(watcher)  # it went away meanwhile: keep no list that nobody brings up to date
                return
            tables = [self._plain(entry) for entry in self._newest() if game in (None, entry.game)]
            watcher.send(encode(watcher.kind, LobbyList(id=ident, tables=tables)))

    async def leave(self, watcher: Watcher) -> None:
        """Send this watcher nothing more, in its turn after the watches that it asked for before."""
        async with self._order:
            self.unwatch(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Send this watcher nothing more."""
        self._watchers.pop(watcher, None)
        if not self._watchers:
            self._known.clear()
            self._loaded = False
            if self._later is not None:
                self._later.cancel()
                self._later = None

    def _newest(self) -> list[Facts]:
        return sorted(self._known.values(), key=lambda entry: (entry.created_ms, entry.table), reverse=True)

    async def _load(self) -> None:
        self._known = await self._listed()
        self._loaded = True
        self._repair_later()

    def _repair_later(self) -> None:
        def repair() -> None:
            self._service.spawn(self._repair())

        self._later = asyncio.get_running_loop().call_later(REPAIR_S, repair)

    async def _repair(self) -> None:
        """Find what changed without a word: signals between processes may get lost."""
        async with self._order:
            if not self._loaded:
                return
            try:
                found = await self._listed()
            except StoreUnavailable:
                found = self._known
            for ident in list(self._known):
                if ident not in found:
                    self._put(ident, None)
            for ident, entry in found.items():
                self._put(ident, entry)
            self._repair_later()

    async def _listed(self) -> dict[str, Facts]:
        found: dict[str, Facts] = {}
        for status in ("open", "playing"):
            cursor = None
            number = 0
            while number < MOST:
                page = await self._service.reader.listing(None, status, cursor)
                found.update((entry.table, entry) for entry in page.tables)
                number += len(page.tables)
                cursor = page.next
                if cursor is None:
                    break
        return found

    async def _update(self, ident: str) -> None:
        async with self._order:
            if not self._loaded:
                return
            try:
                entry: Facts | None = await self._service.reader.facts(ident)
            except (NoSuchTable, *UNREADABLE):
                entry = None
            except (Rejected, StoreUnavailable):
                return
            self._put(ident, entry)

    def _put(self, ident: str, entry: Facts | None) -> None:
        """What is known of a table now; None: it cannot be read. Tell what is new of it."""
        known = self._known.get(ident)
        if entry is None or not entry.listed or entry.status not in ("open", "playing"):
            if known is not None:
                del self._known[ident]
                self._tell(known.game, LobbyChange(removed=ident))
            return
        self._known[ident] = entry
        if known is None:
            self._tell(entry.game, LobbyChange(added=self._plain(entry)))
        elif (known.status, known.seats) != (entry.status, entry.seats):
            self._tell(entry.game, LobbyChange(changed=self._plain(entry)))

    def _tell(self, game: str, change: LobbyChange) -> None:
        frames: dict[Kind, bytes] = {}
        for watcher, wanted in list(self._watchers.items()):
            if wanted in (None, game):
                if watcher.kind not in frames:
                    frames[watcher.kind] = encode(watcher.kind, change)
                watcher.send(frames[watcher.kind])

    @staticmethod
    def _plain(entry: Facts) -> dict[str, Any]:
        return msgspec.to_builtins(entry)  # type: ignore[no-any-return]
