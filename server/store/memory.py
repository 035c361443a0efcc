"""An event store in the memory of one process, for tests: the same promises, nothing survives."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from server.store import keys
from server.store.base import (
    Appended,
    Entry,
    OnCommit,
    OnGap,
    OnSignal,
    SoonByTask,
    StoreUnavailable,
    VersionTaken,
    check_contiguous,
    ignore,
)

_log = logging.getLogger(__name__)

_CLAIM = 0.5  # added to a deadline that stands for a look under way


class MemoryBackend:
    """What several `MemoryStore`s share, as several server processes share one Redis.

    Args:
        clock: the store's time in milliseconds; it may jump back, commits will not.
    """

    def __init__(self, clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self.clock = clock
        self.logs: dict[str, list[Entry]] = {}
        self.stores: set[MemoryStore] = set()
        self.gone: dict[str, Entry] = {}
        self.deadlines: dict[str, float] = {}
        self.talk: dict[str, list[bytes]] = {}
        self.lobby: dict[str, tuple[int, str, str]] = {}
        self.here: dict[str, set[tuple[int, MemoryStore]]] = {}
        self.secret = secrets.token_bytes(32)


class MemoryStore(SoonByTask):
    """See `EventStore`. News arrives in a later turn of the event loop, as from a real store."""

    def __init__(self, backend: MemoryBackend | None = None) -> None:
        self.backend = backend or MemoryBackend()
        self._watched: set[str] = set()
        self._on_commit: OnCommit = ignore
        self._on_signal: OnSignal = ignore

    def listen(self, on_commit: OnCommit, on_gap: OnGap, on_signal: OnSignal) -> None:
        """See `EventStore.listen`. No news gets lost here, so there are no gaps to tell of."""
        self._on_commit, self._on_signal = on_commit, on_signal

    async def start(self) -> None:
        """See `EventStore.start`."""
        self.backend.stores.add(self)

    async def close(self) -> None:
        """See `EventStore.close`."""
        self.backend.stores.discard(self)
        self._watched.clear()
        for marks in self.backend.here.values():
            marks -= {mark for mark in marks if mark[1] is self}

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """See `EventStore.append`."""
        keys.check_name(table)
        if version < 1:
            raise ValueError("versions begin at 1")
        self._check_started()
        log = self.backend.logs.get(table, [])
        head, after = len(log), log[-1].at_ms if log else 0
        if not log and table in self.backend.gone:
            raise VersionTaken(table, version, self.backend.gone[table].version)
        if version <= head and log[version - 1].data == data:
            if version > 1 and after_ms not in (None, log[version - 2].at_ms):
                raise VersionTaken(table, version, head)  # the same bytes on another history
            return Appended(log[version - 1].at_ms, repeated=True)
        if version != head + 1 or after_ms not in (None, after):
            raise VersionTaken(table, version, head)
        at_ms = max(self.backend.clock(), after)
        entry = Entry(version, at_ms, bytes(data))
        self.backend.logs.setdefault(table, []).append(entry)
        for store in self.backend.stores:
            if table in store._watched:
                _soon(store._deliver, table, entry, after)
        return Appended(at_ms, repeated=False)

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `EventStore.read`."""
        self._check_started()
        log = self.backend.logs.get(keys.check_name(table), [])
        entries = [entry for entry in log if entry.version > after][:limit]
        check_contiguous(table, after, entries)
        return entries

    async def heads(self, tables: Sequence[str]) -> list[int]:
        """See `EventStore.heads`."""
        self._check_started()
        return [self._head(table) for table in tables]

    async def now_ms(self) -> int:
        """See `EventStore.now_ms`."""
        self._check_started()
        return self.backend.clock()

    async def watch(self, table: str) -> int:
        """See `EventStore.watch`."""
        self._check_started()
        self._watched.add(keys.check_name(table))
        return self._head(table)

    def caught_up(self, table: str, entry: Entry) -> None:
        """See `EventStore.caught_up`. Nothing gets lost here."""

    async def unwatch(self, table: str) -> None:
        """See `EventStore.unwatch`."""
        self._watched.discard(table)

    async def signal(self, topic: str, payload: bytes) -> None:
        """See `EventStore.signal`."""
        keys.check_name(topic)
        for store in self.backend.stores:
            _soon(store._on_signal, topic, bytes(payload))

    async def secret(self) -> bytes:
        """See `EventStore.secret`."""
        self._check_started()
        return self.backend.secret

    async def index(self, table: str, created_ms: int, game: str, status: str) -> None:
        """See `EventStore.index`."""
        self._check_started()
        row = (created_ms, keys.check_name(game), keys.check_name(status))
        self.backend.lobby[keys.check_name(table)] = row

    async def unindex(self, table: str) -> None:
        """See `EventStore.unindex`."""
        self._check_started()
        self.backend.lobby.pop(table, None)

    async def listing(
        self, game: str | None, status: str | None, cursor: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        """See `EventStore.listing`."""
        self._check_started()
        below = None if cursor is None else keys.place_of(cursor)
        members = sorted(
            (
                keys.place(created_ms, table)
                for table, (created_ms, of_game, at_status) in self.backend.lobby.items()
                if game in (None, of_game) and status in (None, at_status)
            ),
            reverse=True,
        )
        rest = [member for member in members if below is None or member < below]
        page = rest[:limit]
        return [keys.tables_in(member) for member in page], (
            keys.cursor_of(page[-1]) if len(rest) > limit else None
        )

    async def wake(self, table: str, at_ms: int) -> None:
        """See `EventStore.wake`."""
        self._check_started()
        known = self.backend.deadlines.get(keys.check_name(table))
        if known is None or at_ms < known:
            self.backend.deadlines[table] = at_ms
        else:
            self.backend.deadlines[table] = int(known)

    async def due(self, now_ms: int, lease_ms: int, limit: int) -> tuple[list[str], int | None]:
        """See `EventStore.due`."""
        self._check_started()
        deadlines = self.backend.deadlines
        late = sorted((at_ms, table) for table, at_ms in deadlines.items() if at_ms <= now_ms)
        found = [table for _, table in late[:limit]]
        deadlines.update(dict.fromkeys(found, now_ms + lease_ms + _CLAIM))
        following = min(deadlines.values(), default=None)
        return found, None if following is None else int(following)

    async def look_again(self, table: str, claimed_ms: int, at_ms: int | None) -> None:
        """See `EventStore.look_again`."""
        self._check_started()
        if self.backend.deadlines.get(table) != claimed_ms + _CLAIM:
            return
        if at_ms is None:
            del self.backend.deadlines[table]
        else:
            self.backend.deadlines[table] = at_ms

    async def tables(self) -> list[str]:
        """See `server.store.base.Archive.tables`."""
        self._check_started()
        return sorted(self.backend.logs)

    async def adopt(self, secret: bytes) -> bool:
        """See `server.store.base.Archive.adopt`. Until there are tables, nothing can rest on the secret."""
        self._check_started()
        if not self.backend.logs:
            self.backend.secret = bytes(secret)
        return self.backend.secret == secret

    async def restore(self, table: str, entries: Sequence[Entry]) -> bool:
        """See `server.store.base.Archive.restore`."""
        self._check_started()
        if keys.check_name(table) in self.backend.logs:
            return False
        self.backend.logs[table] = list(entries)
        self.backend.gone.pop(table, None)
        return True

    async def rewrite(self, table: str, entries: Sequence[Entry], data: bytes) -> Appended | None:
        """See `server.store.base.Archive.rewrite`."""
        self._check_started()
        log = self.backend.logs.get(keys.check_name(table), [])
        if len(log) == len(entries) + 1 and log[-1].data == data:
            return Appended(log[-1].at_ms, repeated=True)
        if not log or (log[-1].version, log[-1].at_ms) != (len(entries), entries[-1].at_ms):
            return None
        at_ms = max(self.backend.clock(), log[-1].at_ms)
        self.backend.logs[table] = [*entries, Entry(len(log) + 1, at_ms, bytes(data))]
        return Appended(at_ms, repeated=False)

    async def unsay(self, table: str, data: Sequence[bytes]) -> None:
        """See `server.store.base.Archive.unsay`."""
        self._check_started()
        if table in self.backend.talk:
            self.backend.talk[table] = [said for said in self.backend.talk[table] if said not in data]

    async def compact(self) -> None:
        """See `server.store.base.Archive.compact`."""
        self._check_started()

    async def bury(self, table: str, head: int, at_ms: int, remember_ms: int) -> bool:
        """See `server.store.base.Archive.bury`."""
        self._check_started()
        log = self.backend.logs.get(keys.check_name(table), [])
        last = log[-1] if log else self.backend.gone.get(table)
        if last is None or (last.version, last.at_ms) != (head, at_ms):
            return False
        self.backend.gone[table] = Entry(head, at_ms, b"")
        self.backend.logs.pop(table, None)
        return True

    async def say(self, table: str, data: bytes, keep: int, expire_ms: int) -> None:
        """See `EventStore.say`."""
        self._check_started()
        talk = self.backend.talk.setdefault(keys.check_name(table), [])
        talk.append(data)
        del talk[:-keep]

    async def said(self, table: str) -> list[bytes]:
        """See `EventStore.said`."""
        self._check_started()
        return list(self.backend.talk.get(table, ()))

    async def set_present(self, table: str, seat: int, here: bool) -> None:
        """See `EventStore.set_present`."""
        marks = self.backend.here.setdefault(keys.check_name(table), set())
        if here:
            marks.add((seat, self))
        else:
            marks.discard((seat, self))

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        """See `EventStore.present`."""
        self._check_started()
        return [{seat for seat, _ in self.backend.here.get(table, ())} for table in tables]

    def _deliver(self, table: str, entry: Entry, after_ms: int) -> None:
        if table in self._watched:
            self._on_commit(table, entry, after_ms)

    def _head(self, table: str) -> int:
        gone = self.backend.gone.get(table)
        return len(self.backend.logs.get(table, [])) or (gone.version if gone else 0)

    def _check_started(self) -> None:
        if self not in self.backend.stores:
            raise StoreUnavailable("the store is not started, or closed")


def _soon(callback: Callable[..., None], *args: Any) -> None:
    def tell() -> None:
        try:
            callback(*args)
        except Exception:  # noqa: BLE001 - a listener must not stop the others
            _log.exception("a listener of the store failed")

    asyncio.get_running_loop().call_soon(tell)
