"""A cluster of three servers: every table finds its own, also after it moved."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot

from server.embedded import find_binary
from server.store import Appended, EventStore, VersionTaken, WeakStore, open_store
from tests.support.store import PATIENCE_S, QUICK, OpenStore, eventually, opened

SLOTS = 16384


class Cluster:
    """Three primaries on free ports, sharing the slots evenly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.admins: list[Redis] = []
        self.ports: list[int] = []

    async def start(self) -> None:
        with ExitStack() as held:
            listeners = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(6)]
            free = [listener.getsockname()[1] for listener in listeners]
        self.ports = free[:3]
        for port, bus in zip(self.ports, free[3:], strict=True):
            self._launch(port, bus)
            self.admins.append(Redis(host="127.0.0.1", port=port))
        for index, admin in enumerate(self.admins):
            await eventually(lambda admin=admin: self._answers(admin))  # type: ignore[misc]
            first, last = SLOTS * index // 3, SLOTS * (index + 1) // 3 - 1
            await self.run(index, "CLUSTER", "ADDSLOTSRANGE", first, last)
        for port, bus in zip(self.ports[1:], free[4:], strict=True):
            await self.run(0, "CLUSTER", "MEET", "127.0.0.1", port, bus)
        for index in range(3):
            await eventually(lambda index=index: self._agrees(index))  # type: ignore[misc]

    def _launch(self, port: int, bus: int) -> None:
        folder = self._folder / str(port)
        folder.mkdir()
        arguments = (
            f"--port {port} --cluster-port {bus} --bind 127.0.0.1 --cluster-enabled yes --dir {folder} "
            "--appendonly yes --appendfsync always --aof-load-truncated no --maxmemory-policy noeviction"
        )
        program = [str(find_binary()), *arguments.split(), "--save", ""]
        self._processes.append(subprocess.Popen(program, stdout=subprocess.DEVNULL))

    async def run(self, index: int, *command: str | int) -> object:
        found: object = await self.admins[index].execute_command(*command)  # type: ignore[no-untyped-call]
        return found

    async def _answers(self, admin: Redis) -> bool:
        try:
            return bool(await admin.ping())
        except OSError:
            return False
        except Exception as error:  # noqa: BLE001 - whatever it says while it starts
            return "onnect" not in str(error)

    async def _agrees(self, index: int) -> bool:
        info = await self.run(index, "CLUSTER", "INFO")
        nodes = await self.run(index, "CLUSTER", "NODES")
        return "cluster_state:ok" in _text(info) and _text(nodes).count("connected") == 3

    async def move(self, slot: int, source: int, target: int) -> None:
        """Move a slot with all its keys to another server."""
        ids = [_text(await self.run(index, "CLUSTER", "MYID")) for index in range(3)]
        await self.run(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
        await self.run(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
        while keys := await self.run(source, "CLUSTER", "GETKEYSINSLOT", slot, 100):
            assert isinstance(keys, list)
            port = self.ports[target]
            await self.run(source, "MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)
        for index in (target, source, 3 - source - target):
            await self.run(index, "CLUSTER", "SETSLOT", slot, "NODE", ids[target])

    async def stop(self) -> None:
        for admin in self.admins:
            await admin.aclose()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(PATIENCE_S)


def _text(said: object) -> str:
    if isinstance(said, dict):
        return "\n".join(f"{key}:{value}" for key, value in said.items())
    return said.decode() if isinstance(said, bytes) else str(said)


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """A cluster of the test's own."""
    running = Cluster(tmp_path)
    try:
        await running.start()
        yield running
    finally:
        await running.stop()


@pytest.fixture
async def open_cluster(cluster: Cluster) -> AsyncIterator[OpenStore]:
    """Opens stores on `cluster`."""

    def make() -> EventStore:
        return open_store(f"redis://127.0.0.1:{cluster.ports[0]}", **QUICK)

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
    slot = key_slot(f"fd:{{{table}}}:log".encode())
    source = next(i for i in range(3) if SLOTS * i // 3 <= slot < SLOTS * (i + 1) // 3)
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
    store = open_store(f"redis://127.0.0.1:{cluster.ports[0]}", **QUICK)
    with pytest.raises(WeakStore, match="appendfsync"):
        await store.start()
    await store.close()
