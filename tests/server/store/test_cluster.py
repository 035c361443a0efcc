"""A cluster of three servers: every table finds its own, also after it moved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from server.store import Appended, EventStore, VersionTaken, WeakStore, open_store
from tests.support.cluster import Cluster, cluster_of
from tests.support.store import QUICK, OpenStore, eventually, opened


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A cluster of the test's own."""
    async with cluster_of(tmp_path) as running:
        yield running


@pytest.fixture
async def open_cluster(cluster: Cluster) -> AsyncIterator[OpenStore]:
    """Opens stores on `cluster`."""

    def make() -> EventStore:
        return open_store(cluster.url, **QUICK)

    async with opened(make) as new:
        yield new


async def test_tables_of_a_cluster_live_on_all_its_servers(
    cluster: Cluster, open_cluster: OpenStore, table: str
) -> None:
    store, _ = await open_cluster()
    other, heard = await open_cluster()
    names = [f"{table}-{i}" for i in range(30)]
    await asyncio.gather(*(other.watch(name) for name in names))
    outcomes = await asyncio.gather(*(store.append(name, 1, b"one") for name in names))
    assert all(isinstance(outcome, Appended) for outcome in outcomes)
    await heard.until(lambda: {name for name, _ in heard.commits} == set(names))
    assert await other.heads(names) == [1] * 30
    for index in range(3):
        assert await cluster.run(index, "DBSIZE")
    await store.set_present(names[0], 1, True)
    await store.set_present(names[1], 2, True)
    assert await other.present(names[:3]) == [{1}, {2}, set()]
    await store.index(names[0], 1, "game", "open")
    assert await other.listing("game", None, None, 5) == ([names[0]], None)
    await store.signal("topic", b"payload")
    await heard.until(lambda: heard.signals == [("topic", b"payload")])
    assert await store.secret() == await other.secret()
    assert await store.now_ms() > 0


async def test_a_table_that_moves_is_followed(cluster: Cluster, open_cluster: OpenStore, table: str) -> None:
    store, _ = await open_cluster()
    other, heard = await open_cluster()
    key = f"fd:{{{table}}}:log"
    slot, (source,) = key_slot(key.encode()), await cluster.servers_of(key)
    await other.watch(table)
    await store.append(table, 1, b"one")
    moving = asyncio.create_task(cluster.move(slot, source, (source + 1) % 3))
    for version in range(2, 60):
        await store.append(table, version, b"%d" % version)
    await moving
    await store.append(table, 60, b"60")
    with pytest.raises(VersionTaken):
        await store.append(table, 60, b"another")
    assert [entry.version for entry in await other.read(table)] == list(range(1, 61))

    # News comes from the new place again, maybe after a gap.
    version = 60

    async def heard_of() -> bool:
        nonlocal version
        version += 1
        await store.append(table, version, b"more")
        return len(heard.versions(table)) > 0 and heard.versions(table)[-1] > 60

    await eventually(heard_of)


async def test_one_weak_server_of_a_cluster_is_enough_to_refuse(cluster: Cluster) -> None:
    await cluster.admins[2].config_set("appendfsync", "no")
    store = open_store(cluster.url, **QUICK)
    with pytest.raises(WeakStore, match="appendfsync"):
        await store.start()
    await store.close()
