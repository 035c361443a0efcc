"""The event store on Redis or Valkey: one stream per table, one function per step that must be atomic."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from redis.exceptions import RedisError

from server.store import keys
from server.store.base import (
    Appended,
    Entry,
    OnCommit,
    OnGap,
    OnSignal,
    StoreUnavailable,
    WeakStore,
    check_contiguous,
    ignore,
)
from server.store.check import weaknesses
from server.store.link import (
    ARRIVE,
    LIBRARY,
    PLACE,
    PRESENT,
    Link,
    Settings,
    explain,
    is_missing_function,
)
from server.store.subscriber import Subscriber
from server.store.writer import Writer

_log = logging.getLogger(__name__)

_FAILURES = (RedisError, OSError, TimeoutError)
_AT_ONCE = 500  # commands in one pipeline of reads
_NOTHING_YET = -1  # in place of a version: the table is only about to be watched


class RedisStore:
    """See `EventStore`. Three kinds of connections: one writes, one listens, a few read."""

    def __init__(self, url: str, settings: Settings) -> None:
        self._settings = settings
        self._link = Link(url, settings)
        self._client = self._link.client()
        self._writer = Writer(self._link.connection, settings)
        self._subscriber = Subscriber(
            self._link.connection, settings, self._delivered, self._signalled, self._compare_soon
        )
        self._seen: dict[str, int] = {}  # per watched table: the last version told or read
        self._joining: Counter[str] = Counter()  # calls of `watch` under way
        self._marks: dict[str, set[str]] = {}  # per table: our marks of presence
        self._process = secrets.token_hex(8)
        self._closed = False
        self._nudge = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._on_commit: OnCommit = ignore
        self._on_gap: OnGap = ignore
        self._on_signal: OnSignal = ignore

    def listen(self, on_commit: OnCommit, on_gap: OnGap, on_signal: OnSignal) -> None:
        """See `EventStore.listen`."""
        self._on_commit, self._on_gap, self._on_signal = on_commit, on_gap, on_signal

    async def start(self) -> None:
        """See `EventStore.start`."""
        try:
            async with self._reading():
                found = await weaknesses(self._client)
                if found and not self._settings.allow_weak:
                    raise WeakStore(found)
                for finding in found:
                    _log.warning("weak store: %s", finding)
                await self._load()
            await self._subscriber.start()
        except BaseException:
            await self._client.aclose(close_connection_pool=True)
            raise
        self._writer.start()
        renew_s = self._settings.presence_s / 3
        self._tasks = [
            asyncio.create_task(self._every(self._settings.compare_s, self._compare, self._nudge)),
            asyncio.create_task(self._every(self._settings.compare_s, self._subscriber.beat)),
            asyncio.create_task(self._every(renew_s, self._renew)),
        ]

    async def close(self) -> None:
        """See `EventStore.close`."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._tasks = []
        await self._writer.close()
        await self._subscriber.close()
        await self._leave(self._marks)
        self._marks = {}
        self._closed = True
        await self._client.aclose(close_connection_pool=True)

    async def append(self, table: str, version: int, data: bytes) -> Appended:
        """See `EventStore.append`."""
        if version < 1:
            raise ValueError("versions begin at 1")
        return await self._writer.append(table, version, data)

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `EventStore.read`."""
        count = [] if limit is None else ["COUNT", limit]
        found = await self._ask([("XRANGE", keys.log(table), f"({after}-0", "+", *count)])
        entries = [_entry(item) for item in found[0]]
        check_contiguous(table, after, entries)
        if entries and table in self._seen:
            self._seen[table] = max(self._seen[table], entries[-1].version)
        return entries

    async def heads(self, tables: Sequence[str]) -> list[int]:
        """See `EventStore.heads`."""
        return await self._heads_above([(table, 0) for table in tables])

    async def _heads_above(self, tables: Sequence[tuple[str, int]]) -> list[int]:
        """Each table's head if it is above the version given with it, else 0. The latter costs no data."""
        asked = [("XREVRANGE", keys.log(table), "+", f"({above}-0", "COUNT", 1) for table, above in tables]
        found = await self._ask(asked)
        return [_entry(items[0]).version if items else 0 for items in found]

    async def now_ms(self) -> int:
        """See `EventStore.now_ms`."""
        async with self._reading():
            seconds, micros = await self._client.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def watch(self, table: str) -> int:
        """See `EventStore.watch`."""
        self._seen.setdefault(table, _NOTHING_YET)
        self._joining[table] += 1
        try:
            await self._subscriber.watch(table)
            head = (await self.heads([table]))[0]
        except BaseException:
            if self._joining[table] == 1 and self._seen.get(table) == _NOTHING_YET:
                await self.unwatch(table)
            raise
        finally:
            self._joining[table] -= 1
            if not self._joining[table]:
                del self._joining[table]
        self._seen[table] = max(self._seen.get(table, 0), head)
        return head

    async def unwatch(self, table: str) -> None:
        """See `EventStore.unwatch`."""
        self._seen.pop(table, None)
        await self._subscriber.unwatch(table)

    async def signal(self, topic: str, payload: bytes) -> None:
        """See `EventStore.signal`."""
        try:
            async with self._reading():
                await self._client.publish(keys.SIGNALS, keys.check_name(topic).encode() + b"\n" + payload)
        except StoreUnavailable as error:
            _log.info("a signal got lost: %s", error)

    async def secret(self) -> bytes:
        """See `EventStore.secret`."""
        made = secrets.token_bytes(32)
        answers = await self._ask([("SET", keys.SHARED_SECRET, made, "NX"), ("GET", keys.SHARED_SECRET)])
        return bytes(answers[1])

    async def index(self, table: str, created_ms: int, game: str, status: str) -> None:
        """See `EventStore.index`."""
        place = keys.place(created_ms, table)
        await self._call(PLACE, keys.LOBBY, table, place, keys.check_name(game), keys.check_name(status))

    async def unindex(self, table: str) -> None:
        """See `EventStore.unindex`."""
        await self._call(PLACE, keys.LOBBY, table)

    async def listing(
        self, game: str | None, status: str | None, cursor: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        """See `EventStore.listing`."""
        below = "+" if cursor is None else f"({keys.place_of(cursor)}"
        shelf = keys.shelf(game, status)
        found = await self._ask([("ZREVRANGEBYLEX", shelf, below, "-", "LIMIT", 0, limit + 1)])
        members = [member.decode() for member in found[0]]
        page = members[:limit]
        return [keys.tables_in(member) for member in page], (
            keys.cursor_of(page[-1]) if len(members) > limit else None
        )

    async def set_present(self, table: str, seat: int, here: bool) -> None:
        """See `EventStore.set_present`."""
        mark = f"{seat}:{self._process}"
        marks = self._marks.setdefault(table, set())
        if here:
            marks.add(mark)
        else:
            marks.discard(mark)
            if not marks:
                del self._marks[table]
        if not here:
            await self._leave({table: {mark}})
            return
        try:
            await self._call(ARRIVE, keys.here(table), self._presence_ms, mark)
        except StoreUnavailable as error:
            _log.info("a mark of presence waits for its renewal: %s", error)

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        """See `EventStore.present`."""
        found = await self._ask([("FCALL_RO", PRESENT, 1, keys.here(table)) for table in tables])
        return [{int(mark.partition(b":")[0]) for mark in marks} for marks in found]

    @property
    def _presence_ms(self) -> int:
        return round(self._settings.presence_s * 1000)

    async def _leave(self, gone: Mapping[str, Collection[str]]) -> None:
        try:
            await self._ask([("ZREM", keys.here(table), *marks) for table, marks in gone.items() if marks])
        except StoreUnavailable as error:
            _log.info("a mark of presence is left to expire: %s", error)

    async def _renew(self) -> None:
        """Put off the expiry of all our marks of presence."""
        life = self._presence_ms
        renewed = {table: set(marks) for table, marks in self._marks.items()}
        await self._ask(
            [("FCALL", ARRIVE, 1, keys.here(table), life, *marks) for table, marks in renewed.items()]
        )
        # Whoever left meanwhile may have been marked again.
        await self._leave({table: marks - self._marks.get(table, set()) for table, marks in renewed.items()})

    def _delivered(self, table: str, entry: Entry) -> None:
        if table in self._seen:
            self._seen[table] = max(self._seen[table], entry.version)
            self._on_commit(table, entry)

    def _signalled(self, topic: str, payload: bytes) -> None:
        self._on_signal(topic, payload)

    def _compare_soon(self) -> None:
        self._nudge.set()

    async def _compare(self) -> None:
        """Tell of watched tables whose log is ahead of what was told: their news was lost."""
        watched = [(table, seen) for table, seen in self._seen.items() if seen != _NOTHING_YET]
        for (table, _), head in zip(watched, await self._heads_above(watched), strict=True):
            if head > self._seen.get(table, head):
                try:
                    self._on_gap(table, head)
                except Exception:  # noqa: BLE001 - a listener must not stop the upkeep
                    _log.exception("a listener of the store failed")

    async def _every(
        self, seconds: float, act: Callable[[], Awaitable[None]], nudge: asyncio.Event | None = None
    ) -> None:
        nudge = nudge or asyncio.Event()
        while True:
            try:
                async with asyncio.timeout(seconds):
                    await nudge.wait()
            except TimeoutError:
                pass
            nudge.clear()
            try:
                await act()
            except StoreUnavailable as error:
                _log.info("the store is away: %s", error)
            except Exception:  # noqa: BLE001 - the next turn may succeed
                _log.exception("an upkeep of the store failed")

    async def _call(self, function: str, key: str, *args: str | int) -> None:
        await self._ask([("FCALL", function, 1, key, *args)])

    async def _ask(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run commands that may be repeated and return their answers in order."""
        answers: list[Any] = []
        async with self._reading():
            for start in range(0, len(commands), _AT_ONCE):
                some = commands[start : start + _AT_ONCE]
                found = await self._pipeline(some)
                if any(map(is_missing_function, found)):
                    await self._load()
                    found = await self._pipeline(some)
                for answer in found:
                    if isinstance(answer, Exception):
                        raise answer
                answers += found
        return answers

    async def _pipeline(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        async with self._client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            found: list[Any] = await pipeline.execute(raise_on_error=False)
        return found

    async def _load(self) -> None:
        await self._client.function_load(LIBRARY, replace=True)

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[None]:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        try:
            yield
        except _FAILURES as error:
            raise StoreUnavailable(f"{self._link.name}: {explain(error)}") from error


def _entry(item: Any) -> Entry:
    entry_id, fields = item
    return Entry(int(entry_id.partition(b"-")[0]), int(fields[b"at"]), fields[b"data"])
