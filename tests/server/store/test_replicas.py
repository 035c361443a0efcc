"""With FACEDOWN_STORE_REPLICAS, nothing counts as stored and nobody hears of it before replicas have it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.embedded import find_binary
from server.store import EventStore, OutcomeUnknown, WeakStore, open_store
from tests.support.store import PATIENCE_S, QUICK, OpenStore, eventually, opened


class Pair:
    """A primary and its replica."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as held:
            listeners = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
            self.ports = [listener.getsockname()[1] for listener in listeners]
        self.processes = [self._launch(folder / str(port), port) for port in self.ports]
        self.primary, self.replica = (Redis(host="127.0.0.1", port=port) for port in self.ports)
        self.url = f"redis://127.0.0.1:{self.ports[0]}"

    @staticmethod
    def _launch(folder: Path, port: int) -> subprocess.Popen[bytes]:
        folder.mkdir()
        arguments = (
            f"--port {port} --bind 127.0.0.1 --dir {folder} --repl-diskless-sync-delay 0 "
            "--appendonly yes --appendfsync always --aof-load-truncated no --maxmemory-policy noeviction"
        )
        program = [str(find_binary()), *arguments.split(), "--save", ""]
        return subprocess.Popen(program, stdout=subprocess.DEVNULL)

    async def start(self) -> None:
        for client in (self.primary, self.replica):
            await eventually(lambda client=client: self._answers(client))  # type: ignore[misc]
        await self.replica.execute_command("REPLICAOF", "127.0.0.1", self.ports[0])  # type: ignore[no-untyped-call]
        await eventually(self._linked)

    @staticmethod
    async def _answers(client: Redis) -> bool:
        try:
            return bool(await client.ping())
        except Exception:  # noqa: BLE001 - whatever it says while it starts
            return False

    async def _linked(self) -> bool:
        there = await self.replica.info("replication")
        return there["master_link_status"] == "up" and int(there["slave_repl_offset"]) > 0

    def stop_replica(self) -> None:
        os.kill(self.processes[1].pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.processes[1].pid, signal.SIGCONT)

    async def stop(self) -> None:
        self.go_on()
        for client in (self.primary, self.replica):
            await client.aclose()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(PATIENCE_S)


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    """A primary and a replica of the test's own."""
    running = Pair(tmp_path)
    try:
        await running.start()
        yield running
    finally:
        await running.stop()


@pytest.fixture(params=[pytest.param(False, marks=pytest.mark.long), True], ids=["in memory", "on disk"])
async def open_pair(request: pytest.FixtureRequest, pair: Pair) -> AsyncIterator[OpenStore]:
    """Opens stores that wait for the replica."""

    def make(**settings: object) -> EventStore:
        asked = {**QUICK, "replicas": 1, "replicas_on_disk": request.param, **settings}
        return open_store(pair.url, **asked)

    async with opened(make) as new:
        yield new


def settled(store: EventStore, table: str) -> Callable[[], object]:
    async def settle() -> bool:
        try:
            return (await store.append(table, 1, b"one")).repeated
        except OutcomeUnknown:
            return False

    return settle


async def test_what_is_acknowledged_is_on_the_replica(pair: Pair, open_pair: OpenStore, table: str) -> None:
    store, _ = await open_pair()
    other, heard = await open_pair()
    await other.watch(table)
    last_ms = None
    for version in range(1, 6):
        last_ms = (await store.append(table, version, b"x", last_ms)).at_ms
        assert await pair.replica.xlen(f"fd:{{{table}}}:log") == version
    told = (table, 5)
    await heard.until(lambda: heard.versions(table)[-1:] == [5] or told in heard.gaps)
    assert heard.versions(table) == sorted(set(heard.versions(table)))


async def test_nobody_hears_of_what_only_the_primary_has(
    pair: Pair, open_pair: OpenStore, table: str
) -> None:
    store, _ = await open_pair(attempt_s=1.0, settle_s=2.5)
    other, heard = await open_pair(compare_s=3600.0)
    await other.watch(table)
    pair.stop_replica()
    with pytest.raises(OutcomeUnknown):
        await store.append(table, 1, b"one")
    assert await pair.primary.xlen(f"fd:{{{table}}}:log") == 1
    assert heard.commits == []
    # A new connection has written nothing: it must not be content with that.
    await pair.primary.client_kill_filter(_type="normal", skipme=True)
    with pytest.raises(OutcomeUnknown):
        await store.append(table, 1, b"one")
    assert heard.commits == []
    pair.go_on()
    await eventually(settled(store, table))  # type: ignore[arg-type]
    await heard.until(lambda: heard.versions(table)[:1] == [1])
    assert await pair.replica.xlen(f"fd:{{{table}}}:log") == 1


async def test_a_store_without_enough_replicas_is_refused(pair: Pair) -> None:
    store = open_store(pair.url, replicas=2)
    with pytest.raises(WeakStore, match="replicas is 1"):
        await store.start()
    await store.close()
