"""What the store does when the network, the server or its disk misbehave. No entry is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from server.embedded import EmbeddedStore
from server.store import (
    Appended,
    HistoryBroken,
    OutcomeUnknown,
    Settings,
    StoreUnavailable,
    VersionTaken,
    WeakStore,
    open_store,
)
from server.store.link import APPEND, Link
from server.store.writer import Writer
from tests.support.faults import fault_proxy, scripted_server
from tests.support.store import PATIENCE_S, OpenStore, eventually, kill

BRISK: dict[str, Any] = {"attempt_s": 0.2, "settle_s": 0.6}


@pytest.fixture
async def admin(embedded: EmbeddedStore) -> AsyncIterator[Redis]:
    """An operator's connection to the test's own server."""
    async with Redis.from_url(embedded.url) as client:
        yield client


def socket_of(embedded: EmbeddedStore) -> str:
    return embedded.url.removeprefix("unix://")


async def test_a_lost_reply_stores_the_entry_once(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    async with fault_proxy(socket_of(embedded)) as proxy:
        store, _ = await open_own(url=proxy.url)
        await store.append(table, 1, b"one")
        proxy.swallow_reply = APPEND.encode()
        assert (await store.append(table, 2, b"two")).repeated
        assert proxy.swallowed == 1
        assert [entry.data for entry in await store.read(table)] == [b"one", b"two"]
        await store.close()


async def test_a_lost_request_stores_the_entry_once(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    async with fault_proxy(socket_of(embedded)) as proxy:
        store, _ = await open_own(url=proxy.url)
        proxy.swallow_request = APPEND.encode()
        assert not (await store.append(table, 1, b"one")).repeated
        assert proxy.swallowed == 1
        assert [entry.data for entry in await store.read(table)] == [b"one"]
        await store.close()


async def test_a_lost_reply_loses_no_other_writer(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    async with fault_proxy(socket_of(embedded)) as proxy:
        store, _ = await open_own(url=proxy.url)

        async def write(name: str) -> None:
            for version in range(1, 21):
                if version == 10:
                    proxy.swallow_reply = APPEND.encode()
                await store.append(name, version, b"%d" % version)

        names = [f"{table}-{i}" for i in range(20)]
        await asyncio.gather(*map(write, names))
        assert proxy.swallowed >= 1
        assert await store.heads(names) == [20] * 20
        await store.close()


async def test_a_store_that_hangs_leaves_the_outcome_unknown_until_asked_again(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own(**BRISK)
    await store.append(table, 1, b"one")
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGSTOP)
    try:
        with pytest.raises(OutcomeUnknown):
            await store.append(table, 2, b"two")
        with pytest.raises(StoreUnavailable):
            await store.read(table)
    finally:
        os.kill(embedded.pid, signal.SIGCONT)

    async def settled() -> bool:
        try:
            await store.append(table, 2, b"two")
        except (OutcomeUnknown, StoreUnavailable):
            return False
        return True

    await eventually(settled)
    with pytest.raises(VersionTaken):
        await store.append(table, 2, b"another")
    assert [entry.data for entry in await store.read(table)] == [b"one", b"two"]


async def test_a_store_that_is_not_there_certainly_stores_nothing(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own(**BRISK)
    await store.append(table, 1, b"one")
    async with fault_proxy(socket_of(embedded)) as proxy:
        other, _ = await open_own(url=proxy.url, **BRISK)
    # The proxy is gone: nothing listens there any more.
    with pytest.raises(StoreUnavailable):
        await other.append(table, 2, b"two")
    assert await store.heads([table]) == [1]


@pytest.mark.parametrize(
    "refusal",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-MISCONF Errors writing to the AOF file\r\n",
        b"-NOREPLICAS Not enough good replicas to write.\r\n",
        b"-NOAUTH Authentication required.\r\n",
        b"-NOPERM this user has no permissions\r\n",
        b"-ERR something new\r\n",
    ],
)
async def test_a_refusal_is_certain_unless_an_earlier_attempt_is_in_doubt(refusal: bytes, table: str) -> None:
    appends = 0
    hang_up_first = False

    def answer(command: list[bytes]) -> bytes | None:
        nonlocal appends
        if command[0] != b"FCALL":
            return b"+OK\r\n"
        appends += 1
        return None if hang_up_first and appends == 1 else refusal

    async with scripted_server(answer) as url:
        settings = Settings(attempt_s=0.5, settle_s=1.0)
        writer = Writer(Link(url, settings).connection, settings)
        writer.start()
        with pytest.raises(StoreUnavailable):
            await writer.append(table, 1, b"one")
        assert appends == 1
        appends, hang_up_first = 0, True
        with pytest.raises(OutcomeUnknown):
            await writer.append(table, 1, b"one")
        assert appends > 1
        await writer.close()


async def test_what_waits_when_the_store_closes_is_told(table: str) -> None:
    asked = asyncio.Event()

    def answer(command: list[bytes]) -> bytes | None:
        if command[0] == b"FCALL":
            asked.set()
            return b""
        return b"+OK\r\n"

    async with scripted_server(answer) as url:
        settings = Settings()
        writer = Writer(Link(url, settings).connection, settings)
        writer.start()
        sent = asyncio.create_task(writer.append(table, 1, b"one"))
        await asyncio.wait_for(asked.wait(), PATIENCE_S)
        unsent = asyncio.create_task(writer.append(table, 2, b"two"))
        await asyncio.sleep(0)
        await writer.close()
        with pytest.raises(OutcomeUnknown):
            await sent
        with pytest.raises(StoreUnavailable):
            await unsent


async def test_one_refused_append_does_not_fail_its_batch(
    admin: Redis, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own()
    await admin.set(f"fd:{{{table}-bad}}:log", b"no stream")
    names = [f"{table}-{i}" for i in range(20)]
    names.insert(10, f"{table}-bad")
    outcomes = await asyncio.gather(
        *(store.append(name, 1, b"one") for name in names), return_exceptions=True
    )
    assert isinstance(outcomes.pop(10), StoreUnavailable)
    assert all(isinstance(outcome, Appended) for outcome in outcomes)


async def test_a_full_store_refuses_and_recovers(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    await admin.config_set("maxmemory", "1")
    with pytest.raises(StoreUnavailable, match="memory"):
        await store.append(table, 1, b"one")
    await admin.config_set("maxmemory", "0")
    await store.append(table, 1, b"one")


async def test_a_replica_refuses_and_recovers(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    await admin.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]
    with pytest.raises(StoreUnavailable):
        await store.append(table, 1, b"one")
    await admin.execute_command("REPLICAOF", "NO", "ONE")  # type: ignore[no-untyped-call]
    await store.append(table, 1, b"one")


async def test_too_few_replicas_refuse(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    await admin.config_set("min-replicas-to-write", "1")
    with pytest.raises(StoreUnavailable):
        await store.append(table, 1, b"one")
    await admin.config_set("min-replicas-to-write", "0")
    await store.append(table, 1, b"one")


async def test_flushed_functions_are_loaded_again(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    await admin.function_flush()
    await asyncio.gather(*(store.append(f"{table}-{i}", 1, b"one") for i in range(10)))
    await admin.function_flush()
    await store.set_present(table, 3, True)
    assert await store.present([table]) == [{3}]
    await admin.function_flush()
    assert await store.present([table]) == [{3}]
    await admin.function_flush()
    await store.index(table, 1, "game", "open")


async def test_the_marks_of_a_dead_process_expire(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own(presence_s=0.2)
    other, _ = await open_own(presence_s=0.2)
    await store.set_present(table, 1, True)
    await admin.zadd(f"fd:{{{table}}}:here", {"2:dead": await store.now_ms() + 300})
    assert await other.present([table]) == [{1, 2}]

    async def only_the_living() -> bool:
        return await other.present([table]) == [{1}]

    await eventually(only_the_living)
    await admin.delete(f"fd:{{{table}}}:here")
    await eventually(only_the_living)  # the mark of the living is renewed


async def test_a_hole_in_the_log_is_not_played_on(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    for version in range(1, 6):
        await store.append(table, version, b"x")
    await admin.xdel(f"fd:{{{table}}}:log", "3-0")
    with pytest.raises(HistoryBroken) as broken:
        await store.read(table)
    assert (broken.value.expected, broken.value.found) == (3, 4)
    assert [entry.version for entry in await store.read(table, limit=2)] == [1, 2]


async def test_time_never_runs_back_in_a_log(admin: Redis, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    future_ms = await store.now_ms() + 3_600_000
    await admin.xadd(f"fd:{{{table}}}:log", {"at": str(future_ms), "data": b"one"}, id="1-0")
    assert (await store.append(table, 2, b"two")).at_ms == future_ms


async def test_what_was_acknowledged_survives_the_death_of_the_store(
    embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, heard = await open_own()
    last, writers, kills = 120, 8, (30, 60, 90)
    reached = asyncio.Event()
    slowest = 0
    acknowledged: dict[str, int] = {f"{table}-{i}": 0 for i in range(writers)}
    await store.watch(f"{table}-0")

    async def write(name: str) -> None:
        nonlocal slowest
        for version in range(1, last + 1):
            while True:
                try:
                    await store.append(name, version, b"%s %d" % (name.encode(), version))
                    break
                except (OutcomeUnknown, StoreUnavailable):
                    await asyncio.sleep(0.005)
            acknowledged[name] = version
            if min(acknowledged.values()) > slowest:
                slowest += 1
                reached.set()

    writing = asyncio.gather(*map(write, acknowledged))
    for enough in kills:
        while slowest < enough:
            reached.clear()
            await asyncio.wait_for(reached.wait(), PATIENCE_S)
        kill(embedded.pid)
        before = dict(acknowledged)
        embedded.start()

        async def nothing_lost(before: dict[str, int] = before) -> bool:
            try:
                heads = await store.heads(list(before))
            except StoreUnavailable:
                return False
            assert all(head >= least for head, least in zip(heads, before.values(), strict=True))
            return True

        await eventually(nothing_lost)
    await asyncio.wait_for(writing, PATIENCE_S)
    for name in acknowledged:
        expected = [b"%s %d" % (name.encode(), version) for version in range(1, last + 1)]
        assert [entry.data for entry in await store.read(name)] == expected
    await store.append(f"{table}-0", last + 1, b"after")
    await heard.until(lambda: heard.versions(f"{table}-0")[-1:] == [last + 1] or bool(heard.gaps))


@pytest.mark.parametrize(
    ("setting", "value"),
    [("appendfsync", "everysec"), ("appendonly", "no"), ("maxmemory-policy", "allkeys-lru")],
)
async def test_a_weak_store_is_refused(
    admin: Redis, embedded: EmbeddedStore, open_own: OpenStore, setting: str, value: str, table: str
) -> None:
    await admin.config_set(setting, value)
    store = open_store(embedded.url)
    with pytest.raises(WeakStore, match=setting) as weak:
        await store.start()
    assert len(weak.value.findings) == 1
    await store.close()
    allowed, _ = await open_own(allow_weak=True)
    await allowed.append(table, 1, b"one")


async def test_a_replica_is_refused(admin: Redis, embedded: EmbeddedStore) -> None:
    await admin.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]
    store = open_store(embedded.url)
    with pytest.raises(WeakStore, match="primary"):
        await store.start()


async def test_settings_that_cannot_be_seen_count_as_weak(
    admin: Redis, embedded: EmbeddedStore, open_own: OpenStore
) -> None:
    await admin.execute_command(  # type: ignore[no-untyped-call]
        "ACL", "SETUSER", "shy", "on", ">pw", "~fd:*", "&fd:*", "+@all", "-config"
    )
    async with fault_proxy(socket_of(embedded)) as proxy:
        url = proxy.url.replace("redis://", "valkey://shy:pw@")
        store = open_store(url)
        with pytest.raises(WeakStore, match="CONFIG GET"):
            await store.start()
        allowed, _ = await open_own(url=url, allow_weak=True)
        await allowed.append("t1", 1, b"one")
        await allowed.close()


async def test_a_store_that_is_absent_at_the_start(tmp_path: Any) -> None:
    store = open_store(f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(StoreUnavailable):
        await store.start()
    await store.close()
