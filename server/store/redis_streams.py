"""The event store on Redis or Valkey: one stream per table, one function per step that must be atomic."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from server.ending import end
from server.store import keys
from server.store.appends import Elsewhere
from server.store.base import (
    Appended,
    Entry,
    OnCommit,
    OnGap,
    OnSignal,
    OutcomeUnknown,
    SoonByTask,
    StoreUnavailable,
    WeakStore,
    check_contiguous,
    entry_of,
    ignore,
)
from server.store.flight import Quick
from server.store.link import (
    DUE,
    HEAD,
    LOOK_AGAIN,
    NOW,
    PLACE,
    WAKE,
    Link,
    Settings,
)
from server.store.marks import Marks
from server.store.moving import Moving
from server.store.nodes import Nodes
from server.store.subscriber import Subscriber
from server.store.watched import Watched

_log = logging.getLogger(__name__)

_LOOK_AROUND_S = 0.1  # the least time between two looks at the map of a cluster
_SIGNALS = keys.SIGNALS.encode()


class RedisStore(SoonByTask, Moving):
    """See `EventStore`. A cluster is found out by asking any server of it."""

    def __init__(self, url: str, settings: Settings) -> None:
        self._settings = settings
        self._nodes = Nodes(url, settings, self._new_subscriber, self._move_in)
        self._watched = Watched()
        self._joining: Counter[str] = Counter()  # calls of `watch` under way
        self._marks = Marks(self._nodes, round(settings.presence_s * 1000))
        self._trouble = asyncio.Event()
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
            await self._nodes.start()
            node = self._nodes.of(keys.SIGNALS)
            await node.subscriber.watch(_SIGNALS)
        except BaseException:
            await self._nodes.close()
            raise
        if not self._nodes.clustered:
            quick = Quick(node.writer, self._watched, self._settings.settle_s)
            self.append_soon = quick.append  # type: ignore[method-assign] # no step between, for every move
        renew_s = self._settings.presence_s / 3
        self._tasks = [
            asyncio.create_task(self._every(self._settings.compare_s, self._compare, self._nudge)),
            asyncio.create_task(self._every(self._settings.compare_s, self._beat)),
            asyncio.create_task(self._every(self._settings.compare_s, self._follow, self._trouble)),
            asyncio.create_task(self._every(renew_s, self._marks.renew)),
        ]

    async def close(self) -> None:
        """See `EventStore.close`."""
        await end(*self._tasks)
        self._tasks = []
        await self._marks.clear()
        await self._nodes.close()

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """See `EventStore.append`."""
        if version < 1:
            raise ValueError("versions begin at 1")
        key = keys.log(table)
        until = asyncio.get_running_loop().time() + self._settings.settle_s
        doubtful = False
        while True:
            known = self._nodes.round
            try:
                appended = await self._nodes.of(key).writer.append(
                    table, version, data, after_ms, until=until, doubtful=doubtful
                )
            except Elsewhere as moved:
                doubtful = moved.doubtful
                why = str(moved)
            except StoreUnavailable:
                if doubtful:
                    raise OutcomeUnknown(f"{table}: no answer about version {version}") from None
                raise
            else:
                if after_ms is not None:
                    self._watched.stored(table, (version, appended.at_ms), after_ms)
                return appended
            await self._look_around(known)
            if asyncio.get_running_loop().time() > until:
                raise OutcomeUnknown(why) if doubtful else StoreUnavailable(why)

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `EventStore.read`."""
        count = [] if limit is None else ["COUNT", limit]
        found = await self._nodes.ask([("XRANGE", keys.log(table), f"({after}-0", "+", *count)])
        return _entries(table, after, found[0])

    async def heads(self, tables: Sequence[str]) -> list[int]:
        """See `EventStore.heads`."""
        found = await self._nodes.ask([_head(table) for table in tables])
        return [int(head) for head, *_ in found]

    async def now_ms(self) -> int:
        """See `EventStore.now_ms`."""
        return int((await self._nodes.ask([("FCALL_RO", NOW, 1, keys.LOBBY)]))[0])

    async def watch(self, table: str) -> int:
        """See `EventStore.watch`."""
        self._watched.begin(table)
        self._joining[table] += 1
        try:
            channel = keys.news(table)
            await self._nodes.of(channel).subscriber.watch(channel.encode())
            head, at_ms, _ = (await self._nodes.ask([_head(table)]))[0]
        except BaseException:
            if self._joining[table] == 1 and self._watched.abandon(table):
                await self.unwatch(table)
            raise
        finally:
            self._joining[table] -= 1
            if not self._joining[table]:
                del self._joining[table]
        self._watched.joined(table, (head, at_ms))
        return int(head)

    def caught_up(self, table: str, entry: Entry) -> None:
        """See `EventStore.caught_up`."""
        self._watched.caught_up(table, (entry.version, entry.at_ms))

    async def unwatch(self, table: str) -> None:
        """See `EventStore.unwatch`."""
        self._watched.end(table)
        channel = keys.news(table).encode()
        for node in self._nodes.all:
            await node.subscriber.unwatch(channel)

    async def signal(self, topic: str, payload: bytes) -> None:
        """See `EventStore.signal`."""
        try:
            message = keys.check_name(topic).encode() + b"\n" + payload
            await self._nodes.ask([("SPUBLISH", keys.SIGNALS, message)])
        except StoreUnavailable as error:
            _log.info("a signal got lost: %s", error)

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
        found = await self._nodes.ask([("ZREVRANGEBYLEX", shelf, below, "-", "LIMIT", 0, limit + 1)])
        members = [member.decode() for member in found[0]]
        page = members[:limit]
        return [keys.tables_in(member) for member in page], (
            keys.cursor_of(page[-1]) if len(members) > limit else None
        )

    async def wake(self, table: str, at_ms: int) -> None:
        """See `EventStore.wake`."""
        await self._call(WAKE, keys.deadlines(table), keys.check_name(table), at_ms)

    async def due(self, now_ms: int, lease_ms: int, limit: int) -> tuple[list[str], int | None]:
        """See `EventStore.due`."""
        shelves = [keys.deadlines_shelf(number) for number in range(keys.SHELVES)]
        answers = await self._nodes.ask(
            [("FCALL", DUE, 1, shelf, now_ms, lease_ms, limit) for shelf in shelves]
        )
        found = [table.decode() for tables, _ in answers for table in tables]
        following = [int(float(at)) for _, at in answers if at]
        return found, min(following, default=None)

    async def look_again(self, table: str, claimed_ms: int, at_ms: int | None) -> None:
        """See `EventStore.look_again`."""
        again = "" if at_ms is None else at_ms
        await self._call(LOOK_AGAIN, keys.deadlines(table), table, claimed_ms, again)

    async def say(self, table: str, data: bytes, keep: int, expire_ms: int) -> None:
        """See `EventStore.say`."""
        key = keys.talk(table)
        await self._nodes.ask([("RPUSH", key, data), ("LTRIM", key, -keep, -1), ("PEXPIRE", key, expire_ms)])

    async def said(self, table: str) -> list[bytes]:
        """See `EventStore.said`."""
        found = await self._nodes.ask([("LRANGE", keys.talk(table), 0, -1)])
        return [bytes(item) for item in found[0]]

    async def set_present(self, table: str, seat: int, here: bool) -> None:
        """See `EventStore.set_present`."""
        await self._marks.put(table, seat, here)

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        """See `EventStore.present`."""
        return await self._marks.present(tables)

    def _delivered(self, table: str, entry: Entry, after_ms: int) -> None:
        if table in self._watched and self._watched.heard(table, (entry.version, entry.at_ms), after_ms):
            self._on_commit(table, entry, after_ms)

    def _signalled(self, topic: str, payload: bytes) -> None:
        self._on_signal(topic, payload)

    async def _compare(self) -> None:
        """Tell of watched tables whose log is not what was told: their news, or their history, was lost."""
        places = self._watched.places()
        found = await self._nodes.try_ask([_head(table, place[0]) for table, place in places])
        for (table, place), answer in zip(places, found, strict=True):
            if isinstance(answer, Exception):
                continue
            head, _, at_ms = answer
            if self._watched.differs(table, place, head, at_ms):
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
        await self._nodes.ask([("FCALL", function, 1, key, *args)])

    def _new_subscriber(self, link: Link) -> Subscriber:
        return Subscriber(
            link.connection,
            self._settings,
            self._delivered,
            self._signalled,
            self._nudge.set,
            self._trouble.set,
            self._watched,
        )

    async def _beat(self) -> None:
        """Replace news connections that have gone silent."""
        for node in self._nodes.all:
            await node.subscriber.beat()

    async def _follow(self) -> None:
        """Now and then, and after trouble with a server of a cluster: see who keeps what."""
        if self._nodes.clustered:
            await self._look_around(self._nodes.round)

    async def _look_around(self, known: int) -> None:
        """Learn where the tables of a cluster are now, at most a few times a second."""
        await asyncio.sleep(_LOOK_AROUND_S * random.uniform(0.5, 1.0))  # noqa: S311
        try:
            await self._nodes.refresh(known)
        except (StoreUnavailable, WeakStore) as error:
            _log.warning("cannot see where the tables are: %s", error)

    async def _move_in(self) -> None:
        """Listen to every channel where it is now, and nowhere else."""
        for channel in (_SIGNALS, *(keys.news(table).encode() for table in self._watched)):
            try:
                home = self._nodes.of(channel.decode()).subscriber
            except StoreUnavailable:
                continue  # called again when the server is back
            await home.want(channel)
            for node in self._nodes.all:
                if node.subscriber is not home:
                    await node.subscriber.unwatch(channel)


def _head(table: str, version: int = 0) -> tuple[Any, ...]:
    """Asks for the head, when it was stored, and when a version was stored: no entry travels."""
    return ("FCALL_RO", HEAD, 2, keys.log(table), keys.gone(table), version)


def _entries(table: str, after: int, found: list[Any]) -> list[Entry]:
    """The entries that a read gave, whose versions must follow ``after``. Raises HistoryBroken.

    A long log is read whenever a table is loaded, so nothing here is called once for each entry.
    """
    if not found:
        return []
    # Every id is a version and "-0"; every entry holds its time and its data, in this order.
    idents, fields = zip(*found, strict=True)
    versions = range(after + 1, after + 1 + len(found))
    _, times, _, data = zip(*fields, strict=True)
    if list(idents) != _idents(after, len(found)):
        there = [Entry(int(ident[:-2]), 0, b"") for ident in idents]
        check_contiguous(table, after, there)
    return list(map(entry_of, zip(versions, map(int, times), data, strict=True)))


_MOST_KEPT = 4096
_kept: list[bytes] = []
"""The ids of the first versions, which are the same for all tables."""


def _idents(after: int, number: int) -> list[bytes]:
    last = after + number
    if last > _MOST_KEPT:
        return [b"%d-0" % version for version in range(after + 1, last + 1)]
    if last > len(_kept):
        _kept.extend([b"%d-0" % version for version in range(len(_kept) + 1, last + 1)])
    return _kept[after:last]
