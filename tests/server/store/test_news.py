"""News of commits where connections break: nothing stays untold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from server.embedded import EmbeddedStore
from server.store import (
    StoreUnavailable,
)
from tests.support.faults import fault_proxy
from tests.support.store import OpenStore

BRISK: dict[str, Any] = {"attempt_s": 0.2, "settle_s": 0.6}


@pytest.fixture
async def admin(embedded: EmbeddedStore) -> AsyncIterator[Redis]:
    """An operator's connection to the test's own server."""
    async with Redis.from_url(embedded.url) as client:
        yield client


def socket_of(embedded: EmbeddedStore) -> str:
    return embedded.url.removeprefix("unix://")


async def test_a_killed_subscriber_misses_nothing(admin: Redis, open_own: OpenStore, table: str) -> None:
    writer, _ = await open_own()
    watcher, heard = await open_own()
    await watcher.watch(table)
    for version in range(1, 31):
        if version % 10 == 5:
            await admin.client_kill_filter(_type="pubsub")
        await writer.append(table, version, b"x")
    await heard.until(lambda: (table, 30) in heard.gaps or heard.versions(table)[-1:] == [30])
    await watcher.read(table)
    await writer.append(table, 31, b"x")
    await heard.until(lambda: (table, 31) in heard.gaps or heard.versions(table)[-1:] == [31])


async def test_commits_made_while_nothing_is_heard_are_told_as_a_gap(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    writer, _ = await open_own()
    async with fault_proxy(socket_of(embedded)) as proxy:
        watcher, heard = await open_own(url=proxy.url, **BRISK)
        await watcher.watch(table)
        await watcher.watch(f"{table}-quiet")
        proxy.refuse = True
        proxy.cut()
        await writer.append(table, 1, b"one")
        await writer.append(table, 2, b"two")
        with pytest.raises(StoreUnavailable):
            await watcher.watch(f"{table}-new")
        proxy.refuse = False
        await heard.until(lambda: (table, 2) in heard.gaps)
        # It is told again until someone reads, and news comes in as before.
        told = len(heard.gaps)
        await heard.until(lambda: len(heard.gaps) > told)
        assert [entry.version for entry in await watcher.read(table)] == [1, 2]
        assert await watcher.watch(f"{table}-new") == 0
        for name in (f"{table}-new", f"{table}-quiet"):
            await writer.append(name, 1, b"one")
            await heard.until(lambda name=name: heard.versions(name) == [1])  # type: ignore[misc]
        assert {name for name, _ in heard.gaps} == {table}
        await watcher.close()


async def test_a_silent_news_connection_is_replaced(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    async with fault_proxy(socket_of(embedded)) as proxy:
        store, heard = await open_own(url=proxy.url)
        await store.watch(table)
        proxy.stall()
        await store.append(table, 1, b"one")
        await heard.until(lambda: (table, 1) in heard.gaps)
        await store.read(table)
        await store.append(table, 2, b"two")
        # On a busy machine the new connection may be taken for silent as well: then it is told as a gap.
        await heard.until(lambda: heard.versions(table)[-1:] == [2] or (table, 2) in heard.gaps)
        await store.close()


async def test_news_that_makes_no_sense_is_survived(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, heard = await open_own()
    await store.watch(table)
    await admin.spublish(f"fd:{{{table}}}:news", "nonsense")
    await admin.spublish("fd:{lobby}:signals", b"\xff\xfe\n")
    await store.append(table, 1, b"one")
    await heard.until(lambda: heard.versions(table) == [1] or (table, 1) in heard.gaps)


async def test_what_is_read_for_somebody_else_does_not_count_as_told(
    admin: Redis, open_own: OpenStore, table: str
) -> None:
    store, heard = await open_own()
    for name in (table, f"{table}-other"):
        await store.watch(name)
        await admin.xadd(f"fd:{{{name}}}:log", {"at": "1000", "data": b"one"}, id="1-0")
    await heard.until(lambda: (table, 1) in heard.gaps)
    entries = await store.read(table)
    told = heard.gaps.count((table, 1))
    await heard.until(lambda: heard.gaps.count((table, 1)) > told + 1)
    store.caught_up(table, entries[-1])
    told, other = heard.gaps.count((table, 1)), (f"{table}-other", 1)
    seen = heard.gaps.count(other)
    await heard.until(lambda: heard.gaps.count(other) > seen + 3)
    assert heard.gaps.count((table, 1)) <= told + 1  # one comparison may have been on its way
