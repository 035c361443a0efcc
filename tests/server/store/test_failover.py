"""A primary of a cluster goes, its replica takes over: appends go on, and what is lost is not used again."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.crc import key_slot

from server.store import (
    Entry,
    EventStore,
    OutcomeUnknown,
    StoreUnavailable,
    VersionTaken,
    open_store,
)
from tests.support.cluster import SLOTS, Cluster, cluster_of
from tests.support.store import PATIENCE_S, QUICK, Heard, OpenStore, eventually, opened

TABLES = 6


def tables_of(server: int, number: int) -> list[str]:
    """Names of tables that the primary ``server`` of a new cluster keeps."""
    names = (f"table{count}" for count in itertools.count())
    mine = (name for name in names if key_slot(f"fd:{{{name}}}:log".encode()) * 3 // SLOTS == server)
    return list(itertools.islice(mine, number))


class Lost(Exception):
    """The log is shorter than what was acknowledged of it."""


class Scribe:
    """Appends to a table like a room: one after the other, in doubt the same again, never beside a head.

    Several compete for the same table, each through a store of its own.
    """

    def __init__(self, store: EventStore, table: str, name: str) -> None:
        self.store = store
        self.table = table
        self.name = name
        self.acknowledged: dict[bytes, Entry] = {}
        self.known: list[Entry] = []
        self.losses = 0
        self.rng = random.Random(name)

    async def write(self) -> None:
        """Go on until cancelled."""
        for number in itertools.count():
            await self._one(b"%s %d" % (self.name.encode(), number))
            await asyncio.sleep(self.rng.random() * 0.02)  # or the faster one would be it for ever

    async def _one(self, data: bytes) -> None:
        while True:
            try:
                entry = await self._settled(data)
            except VersionTaken:
                await self._read()
            else:
                self.acknowledged[data] = entry
                self.known.append(entry)
                return

    async def _settled(self, data: bytes) -> Entry:
        version, after_ms = len(self.known) + 1, self.known[-1].at_ms if self.known else 0
        while True:
            try:
                appended = await self.store.append(self.table, version, data, after_ms)
            except (OutcomeUnknown, StoreUnavailable):
                await asyncio.sleep(self.rng.random() * 0.05)
            else:
                return Entry(version, appended.at_ms, data)

    async def _read(self) -> None:
        """What is new; all of it where what was known is not there any more."""
        while True:
            after = max(0, len(self.known) - 1)
            last = self.known[after:]
            try:
                there = await self.store.read(self.table, after)
                if there[: len(last)] != last:
                    self.losses += 1
                    there, after = await self.store.read(self.table), 0
            except StoreUnavailable:
                await asyncio.sleep(self.rng.random() * 0.05)
                continue
            self.known = self.known[:after] + there
            return


@asynccontextmanager
async def writing(scribes: list[Scribe]) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """All scribes at work; gives a way to wait until each has written some more."""
    tasks = [asyncio.create_task(scribe.write()) for scribe in scribes]

    async def more() -> None:
        goals = [len(scribe.acknowledged) + 5 for scribe in scribes]

        async def done() -> bool:
            for task in tasks:
                if task.done():
                    task.result()
            return all(len(one.acknowledged) >= goal for one, goal in zip(scribes, goals, strict=True))

        await eventually(done)

    try:
        yield more
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def judge(scribes: list[Scribe], store: EventStore) -> int:
    """Everything acknowledged is in its log once, where it was told; gives how much of it was lost."""
    lost = 0
    for table in {scribe.table for scribe in scribes}:
        there = await store.read(table)  # which refuses a hole
        assert [entry.version for entry in there] == list(range(1, len(there) + 1))
        assert len({entry.data for entry in there}) == len(there), "something is there twice"
        assert [entry.at_ms for entry in there] == sorted(entry.at_ms for entry in there)
        by_data = {entry.data: entry for entry in there}
        for scribe in scribes:
            if scribe.table == table:
                for data, entry in scribe.acknowledged.items():
                    if data in by_data:
                        assert by_data[data] == entry
                    else:
                        lost += 1
    return lost


@pytest.fixture
async def trio(tmp_path: Path) -> AsyncIterator[Cluster]:
    """Three primaries, each with a replica."""
    async with cluster_of(tmp_path, (1, 1, 1)) as running:
        yield running


@pytest.fixture
async def open_trio(trio: Cluster) -> AsyncIterator[OpenStore]:
    """Opens stores on `trio`."""

    def make(**settings: Any) -> EventStore:
        return open_store(trio.url, **{**QUICK, "compare_s": 0.5, **settings})

    async with opened(make) as new:
        yield new


async def crew(open_trio: OpenStore, server: int, **settings: Any) -> tuple[list[Scribe], EventStore]:
    """Scribes of two processes at tables that ``server`` keeps, and one at a table elsewhere."""
    stores = [(await open_trio(**settings))[0] for _ in range(2)]
    names = [*tables_of(server, TABLES), *tables_of((server + 1) % 3, 1)]
    scribes = [
        Scribe(store, table, f"{table}-{number}") for table in names for number, store in enumerate(stores)
    ]
    return scribes, stores[0]


@pytest.mark.long
async def test_a_failover_that_was_asked_for_loses_nothing_and_needs_nobody(
    trio: Cluster, open_trio: OpenStore
) -> None:
    scribes, store = await crew(open_trio, 0)
    watching, heard = await open_trio()
    (table, *_) = (scribe.table for scribe in scribes)
    await watching.watch(table)
    async with writing(scribes) as more:
        await more()
        for replica in (3, 0, 3):  # there, back, and there again
            await trio.hand_over(replica)
            await more()
    assert await judge(scribes, store) == 0
    assert sum(scribe.losses for scribe in scribes) == 0
    await news_again(store, table, heard)


async def news_again(store: EventStore, table: str, heard: Heard) -> None:
    """News of a table comes from where it is now."""
    last = (await store.read(table))[-1]

    async def heard_of() -> bool:
        nonlocal last
        appended = await store.append(table, last.version + 1, b"more", last.at_ms)
        last = Entry(last.version + 1, appended.at_ms, b"more")
        return heard.versions(table)[-1:] == [last.version - 1]

    await eventually(heard_of)


@pytest.mark.long
@pytest.mark.parametrize("replicas", [0, 1])
async def test_a_primary_that_dies_is_replaced_and_appends_go_on_by_themselves(
    trio: Cluster, open_trio: OpenStore, replicas: int
) -> None:
    """With a replica waited for nothing is lost; without one, what is lost is never used again."""
    scribes, store = await crew(open_trio, 0, replicas=replicas)
    async with writing(scribes) as more:
        await more()
        trio.kill(0)
        await trio.leads(3)
        if replicas:  # there is none now: nothing counts as stored before there is
            await trio.restart(0)
        await more()
    lost = await judge(scribes, store)
    if replicas:
        assert lost == 0
        assert sum(scribe.losses for scribe in scribes) == 0


@pytest.mark.long
async def test_what_a_replica_never_had_is_lost_and_never_used_again(
    trio: Cluster, open_trio: OpenStore
) -> None:
    store, heard = await open_trio()
    (table,) = tables_of(0, 1)
    await store.watch(table)
    kept = []
    for version in range(1, 4):
        appended = await store.append(table, version, b"kept %d" % version)
        kept.append(Entry(version, appended.at_ms, b"kept %d" % version))
    store.caught_up(table, kept[-1])
    await trio.cut_off(3)
    last_ms = kept[-1].at_ms
    for version in range(4, 8):
        last_ms = (await store.append(table, version, b"lost %d" % version, last_ms)).at_ms
    trio.kill(0)
    trio.thaw(3)
    await trio.leads(3)

    async def refused() -> bool:
        # What is built on the lost versions finds no ground, also when the numbers come around again.
        try:
            await store.append(table, 8, b"built on what is lost", last_ms)
        except VersionTaken as taken:
            return taken.head == 3
        except (OutcomeUnknown, StoreUnavailable):
            return False
        raise AssertionError("it was stored")

    await eventually(refused)
    assert await store.read(table) == kept
    async with asyncio.timeout(PATIENCE_S):
        await heard.until(lambda: (table, 3) in heard.gaps)
    for version in range(4, 8):
        await store.append(table, version, b"anew %d" % version)
    with pytest.raises(VersionTaken):
        await store.append(table, 8, b"built on what is lost", last_ms)
