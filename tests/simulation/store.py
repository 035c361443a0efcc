"""A store in the simulation: what `EventStore` allows to go wrong goes wrong, as the seed says."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NoReturn, Protocol, TypeVar

from server.store import keys
from server.store.base import (
    Appended,
    Entry,
    OnCommit,
    OnGap,
    OnSignal,
    OutcomeUnknown,
    SoonByTask,
    StoreUnavailable,
    VersionTaken,
    ignore,
)
from server.store.memory import MemoryBackend, MemoryStore
from server.store.watched import Place, Watched
from tests.simulation.weather import Weather

T = TypeVar("T")

ATTEMPT_S = 2.0
SETTLE_S = 5.0
COMPARE_S = 3.0
PRESENCE_S = 15.0
LATEST_S = 20.0


class Surroundings(Protocol):
    """What a store needs of the world."""

    rng: random.Random

    @property
    def loop(self) -> asyncio.AbstractEventLoop: ...

    @property
    def weather(self) -> Weather: ...

    def clock_ms(self) -> int: ...

    def stored(self) -> int: ...

    def note(self, *words: object) -> None: ...


class Disk:
    """The one store behind all processes: a memory store, and whether it can be reached."""

    def __init__(self, world: Surroundings) -> None:
        self.world = world
        self.backend = MemoryBackend(world.clock_ms)
        self.backend.secret = world.rng.randbytes(32)
        self.inner = MemoryStore(self.backend)
        self.stores: list[SimStore] = []
        self.away = False
        self.hung: list[asyncio.Future[None]] = []
        self._thawed = asyncio.Event()
        self._thawed.set()

    def pause(self, seconds: float) -> None:
        """Answer nothing for a while, then everything."""
        self._thawed.clear()
        self.world.loop.call_later(seconds, self._thawed.set)

    def leave(self, seconds: float) -> None:
        """Refuse every connection for a while."""
        self.away = True
        self.world.loop.call_later(seconds, self._back)

    def _back(self) -> None:
        self.away = False

    @property
    def paused(self) -> bool:
        """Whether it hangs."""
        return not self._thawed.is_set()

    async def thawed(self) -> None:
        """Wait until it hangs no more."""
        await self._thawed.wait()

    def log(self, table: str) -> list[Entry]:
        """All entries of a table."""
        return self.backend.logs.get(table, [])

    def forget_tail(self, table: str, keep: int) -> None:
        """Come back with an older state of a table, as after a restore from a backup."""
        del self.backend.logs[table][keep:]

    async def apply(self, append: tuple[Any, ...]) -> Appended:
        """Do an append now, and send the news of it."""
        table, version = append[:2]
        appended = await self.inner.append(*append)
        if not appended.repeated:
            log = self.log(table)
            after_ms = log[version - 2].at_ms if version > 1 else 0
            self.world.note("stored", table, version)
            self.world.stored()
            for store in self.stores:
                store.deliver(table, log[version - 1], after_ms)
        return appended

    async def arrive_late(self, seconds: float, append: tuple[Any, ...]) -> None:
        """An append that was given up reaches the store after all."""
        await asyncio.sleep(seconds)
        await self.thawed()
        try:
            await self.apply(append)
        except VersionTaken:
            self.world.note("too late", append[0], append[1])


class SimStore(SoonByTask):
    """See `EventStore`; one per simulated process."""

    def __init__(self, disk: Disk, name: str) -> None:
        self.disk = disk
        self.name = name
        self.world = disk.world
        self.dead = False
        self._watched = Watched()
        self._next_news = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._on_commit: OnCommit = ignore
        self._on_gap: OnGap = ignore
        self._on_signal: OnSignal = ignore

    def kill(self) -> None:
        """The process is dead: nothing of it happens any more, what is on its way arrives."""
        self.dead = True
        if self in self.disk.stores:
            self.disk.stores.remove(self)

    def listen(self, on_commit: OnCommit, on_gap: OnGap, on_signal: OnSignal) -> None:
        self._on_commit, self._on_gap, self._on_signal = on_commit, on_gap, on_signal

    async def start(self) -> None:
        await self._ask(self.disk.inner.start)
        self.disk.stores.append(self)
        self._tasks = [asyncio.create_task(self._every())]

    async def close(self) -> None:
        self.kill()
        for task in self._tasks:
            task.cancel()

    # --- the way to the store -----------------------------------------------------------------------

    async def _forever(self) -> NoReturn:
        while True:
            future = self.world.loop.create_future()
            self.disk.hung.append(future)  # or what waits for it would be collected as garbage
            await future

    async def _alive(self) -> None:
        if self.dead:
            await self._forever()

    async def _way(self) -> None:
        await self._alive()
        await asyncio.sleep(self.world.rng.random() * self.world.weather.delay_s)
        await self._alive()

    async def _ask(self, run: Callable[[], Awaitable[T]]) -> T:
        """A read, or a write that may be repeated."""
        rng, weather = self.world.rng, self.world.weather
        await self._way()
        if self.disk.away or rng.random() < weather.refused:
            raise StoreUnavailable("the simulated store cannot be reached")
        if self.disk.paused or rng.random() < weather.lost:
            try:
                async with asyncio.timeout(ATTEMPT_S):
                    await (self.disk.thawed() if self.disk.paused else self._forever())
            except TimeoutError:
                await self._alive()
                raise StoreUnavailable("the simulated store does not answer") from None
        result = await run()
        await self._way()
        return result

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        append = (table, version, data, after_ms)
        await self._way()
        rng, weather, disk = self.world.rng, self.world.weather, self.disk
        if disk.away or rng.random() < weather.refused:
            raise StoreUnavailable("the simulated store cannot be reached")
        if disk.paused:
            await self._unknown(append, "paused", rng.random() * 0.5)
        if rng.random() < weather.late:
            await self._unknown(append, "late", rng.random() ** 2 * LATEST_S)
        if rng.random() < weather.lost:
            await self._unknown(append, "lost", None)
        appended = await disk.apply(append)
        if rng.random() < weather.doubled:
            self.world.loop.create_task(disk.arrive_late(rng.random() * LATEST_S, append))
        if rng.random() < weather.unheard:
            await self._unknown(append, "unheard", None)
        if rng.random() < weather.repeated:
            appended = await disk.apply(append)
        await self._way()
        if after_ms is not None:
            self._watched.stored(table, (version, appended.at_ms), after_ms)
        return appended

    async def _unknown(self, append: tuple[Any, ...], why: str, arrives_s: float | None) -> NoReturn:
        rng = self.world.rng
        self.world.note(self.name, "unknown:", why, append[0], append[1])
        if arrives_s is not None:
            self.world.loop.create_task(self.disk.arrive_late(arrives_s, append))
        # A connection that breaks is noticed at once, one that is silent after the time for settling.
        await asyncio.sleep(SETTLE_S if rng.random() < 0.5 else rng.random() * 0.2)
        await self._way()
        raise OutcomeUnknown(f"{append[0]}: no answer about version {append[1]}")

    # --- news ---------------------------------------------------------------------------------------

    def deliver(self, table: str, entry: Entry, after_ms: int) -> None:
        """Send news of a commit to this process, in order, unless it gets lost."""
        rng, weather = self.world.rng, self.world.weather
        if table not in self._watched or rng.random() < weather.deaf:
            return
        for _ in range(2 if rng.random() < weather.echo else 1):
            now = self.world.loop.time()
            self._next_news = max(self._next_news, now + rng.random() * weather.delay_s)
            self.world.loop.call_at(self._next_news, self._hear, table, entry, after_ms)

    def _hear(self, table: str, entry: Entry, after_ms: int) -> None:
        if self.dead or table not in self._watched:
            return
        news = b"%d %d %d\n%b" % (entry.version, entry.at_ms, after_ms, entry.data)
        if self._watched.is_stale(keys.news(table).encode(), news):
            return
        if self._watched.heard(table, (entry.version, entry.at_ms), after_ms):
            self._on_commit(table, entry, after_ms)

    async def _every(self) -> None:
        while not self.dead:
            await asyncio.sleep(COMPARE_S)
            try:
                await self.compare()
            except StoreUnavailable:
                continue

    async def compare(self) -> None:
        """Tell of watched tables whose log is not what was told."""
        for table, place in self._watched.places():
            head, at_ms = await self._ask(partial(self._top, table, place[0]))
            if self._watched.differs(table, place, head, at_ms):
                self._on_gap(table, head)

    async def _top(self, table: str, version: int | None) -> tuple[int, int]:
        """The head, and when the version (None: the head) was stored."""
        log = self.disk.log(table)
        at = len(log) if version is None else version
        return len(log), log[at - 1].at_ms if 0 < at <= len(log) else 0

    # --- the rest -----------------------------------------------------------------------------------

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        return await self._ask(lambda: self.disk.inner.read(table, after, limit))

    async def heads(self, tables: Sequence[str]) -> list[int]:
        return await self._ask(lambda: self.disk.inner.heads(tables))

    async def now_ms(self) -> int:
        return await self._ask(self.disk.inner.now_ms)

    async def watch(self, table: str) -> int:
        self._watched.begin(table)
        try:
            place: Place = await self._ask(partial(self._top, table, None))
        except StoreUnavailable:
            self._watched.abandon(table)
            raise
        self._watched.joined(table, place)
        return place[0]

    def caught_up(self, table: str, entry: Entry) -> None:
        self._watched.caught_up(table, (entry.version, entry.at_ms))

    async def unwatch(self, table: str) -> None:
        self._watched.end(table)

    async def signal(self, topic: str, payload: bytes) -> None:
        rng, weather = self.world.rng, self.world.weather
        for store in list(self.disk.stores):
            if not self.disk.away and rng.random() >= weather.deaf:
                delay = rng.random() * weather.delay_s
                self.world.loop.call_later(delay, store._signalled, topic, payload)

    def _signalled(self, topic: str, payload: bytes) -> None:
        if not self.dead:
            self._on_signal(topic, payload)

    async def secret(self) -> bytes:
        return await self._ask(self.disk.inner.secret)

    async def index(self, table: str, created_ms: int, game: str, status: str) -> None:
        await self._ask(lambda: self.disk.inner.index(table, created_ms, game, status))

    async def unindex(self, table: str) -> None:
        await self._ask(lambda: self.disk.inner.unindex(table))

    async def listing(
        self, game: str | None, status: str | None, cursor: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        return await self._ask(lambda: self.disk.inner.listing(game, status, cursor, limit))

    async def wake(self, table: str, at_ms: int) -> None:
        await self._ask(lambda: self.disk.inner.wake(table, at_ms))

    async def due(self, now_ms: int, lease_ms: int, limit: int) -> tuple[list[str], int | None]:
        return await self._ask(lambda: self.disk.inner.due(now_ms, lease_ms, limit))

    async def look_again(self, table: str, claimed_ms: int, at_ms: int | None) -> None:
        await self._ask(lambda: self.disk.inner.look_again(table, claimed_ms, at_ms))

    async def say(self, table: str, data: bytes, keep: int, expire_ms: int) -> None:
        await self._ask(lambda: self.disk.inner.say(table, data, keep, expire_ms))

    async def said(self, table: str) -> list[bytes]:
        return await self._ask(lambda: self.disk.inner.said(table))

    async def set_present(self, table: str, seat: int, here: bool) -> None:
        try:
            await self._ask(lambda: self.disk.inner.set_present(table, seat, here))
        except StoreUnavailable:
            return

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        return await self._ask(lambda: self.disk.inner.present(tables))
