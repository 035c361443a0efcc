"""A store that is away: everybody is told at once, and nobody has to restart when it is back."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from server.embedded import EmbeddedStore
from server.store import EventStore, OutcomeUnknown, StoreUnavailable
from server.store.asks import Asks
from server.store.redis_streams import RedisStore
from tests.support.faults import fault_proxy
from tests.support.store import PATIENCE_S, OpenStore, eventually, kill

MANY = 2000  # at half a second each: more than a quarter of an hour


@contextmanager
def stopped(embedded: EmbeddedStore) -> Iterator[None]:
    """The server answers nothing, and its connections stay."""
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(embedded.pid, signal.SIGCONT)


async def refused(store: EventStore, table: str) -> None:
    with pytest.raises(StoreUnavailable):
        await store.read(table)
    with pytest.raises(StoreUnavailable):
        await store.append(table, 1, b"one")


async def test_a_crowd_does_not_make_the_store_seem_away(
    embedded: EmbeddedStore, open_own: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = await open_own(attempt_s=0.6)
    assert isinstance(store, RedisStore)
    (node,) = store._nodes.all
    failed: list[BaseException] = []
    monkeypatch.setattr(node.health, "failed", failed.append)
    slow = [("BLPOP", "nothing", 1)]
    monkeypatch.setattr(node, "_asks", Asks(node.link.connection, 2.0))
    # One after the other: the last ones wait longer than a server may be silent, but it is not.
    assert await asyncio.gather(*(node.ask(slow) for _ in range(4))) == [[None]] * 4
    assert failed == []
    assert await store.read("a-table") == []
    await node._asks.close()


async def appended(store: EventStore, table: str) -> bool:
    try:
        await store.append(table, 1, b"one")
    except StoreUnavailable:
        return False
    return True


async def test_nobody_waits_for_a_store_that_is_known_to_hang(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own(attempt_s=0.5)
    with stopped(embedded):
        with pytest.raises(StoreUnavailable):
            await store.read(table)
        async with asyncio.timeout(PATIENCE_S):
            for number in range(MANY):
                await refused(store, f"{table}-{number}")
    for number in (0, MANY - 1):
        await eventually(lambda name=f"{table}-{number}": appended(store, name))  # type: ignore[misc]
        assert [entry.data for entry in await store.read(f"{table}-{number}")] == [b"one"]


async def test_an_append_in_doubt_is_settled_when_the_store_goes_on(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own(attempt_s=0.1, settle_s=PATIENCE_S)
    with stopped(embedded):
        doubtful = asyncio.create_task(store.append(table, 1, b"one"))
        await asyncio.sleep(0)
        await refused(store, f"{table}-other")
        assert not doubtful.done()
    await doubtful

    async def stored() -> bool:
        try:
            return await store.heads([table]) == [1]
        except StoreUnavailable:  # the append was answered before the probe was
            return False

    await eventually(stored)


async def test_a_store_that_is_gone_and_comes_back(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own(settle_s=0.5)
    await store.append(f"{table}-before", 1, b"one")
    kill(embedded.pid)
    with pytest.raises((StoreUnavailable, OutcomeUnknown)):
        await store.append(f"{table}-lost", 1, b"one")
    await refused(store, table)
    embedded.start()
    await eventually(lambda: appended(store, table))
    assert await store.heads([f"{table}-before", table]) == [1, 1]


async def test_one_lost_connection_is_no_outage(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    async with fault_proxy(embedded.url.removeprefix("unix://")) as proxy:
        store, _ = await open_own(url=proxy.url)
        for version in range(1, 30):
            proxy.cut()
            await store.append(table, version, b"x")
            assert await store.heads([table]) == [version]
        await store.close()
