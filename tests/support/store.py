"""Stores for tests: a memory one and real servers, and a listener that can be waited for."""

from __future__ import annotations

import asyncio
import os
import secrets
import select
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from server.embedded import EmbeddedStore, find_binary
from server.store import Entry, EventStore, MemoryBackend, MemoryStore, open_store

PATIENCE_S = 30.0  # far more than anything here needs: a test that waits this long has failed
QUICK = {"attempt_s": 2.0, "settle_s": 10.0, "compare_s": 0.05, "presence_s": 15.0}


class Heard:
    """What a store told its listener, with a way to wait for it."""

    def __init__(self, store: EventStore) -> None:
        self.commits: list[tuple[str, Entry]] = []
        self.gaps: list[tuple[str, int]] = []
        self.signals: list[tuple[str, bytes]] = []
        self._changed = asyncio.Event()
        store.listen(self._commit, self._gap, self._signal)

    def _commit(self, table: str, entry: Entry, after_ms: int) -> None:
        self.commits.append((table, entry))
        self._changed.set()

    def _gap(self, table: str, head: int) -> None:
        self.gaps.append((table, head))
        self._changed.set()

    def _signal(self, topic: str, payload: bytes) -> None:
        self.signals.append((topic, payload))
        self._changed.set()

    def versions(self, table: str) -> list[int]:
        """The versions told of a table, in the order they were told."""
        return [entry.version for name, entry in self.commits if name == table]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something told makes the condition hold."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


async def eventually(holds: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    """Ask again and again until the answer is yes."""
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():
            await asyncio.sleep(0.005)


class OpenStore(Protocol):
    """Opens another store instance, as another server process would, on the data of this test run."""

    async def __call__(self, **settings: Any) -> tuple[EventStore, Heard]: ...


@asynccontextmanager
async def opened(make: Callable[..., EventStore]) -> AsyncIterator[OpenStore]:
    """A function that opens stores; all are closed at the end."""
    stores: list[EventStore] = []

    async def new(**settings: Any) -> tuple[EventStore, Heard]:
        store = make(**settings)
        heard = Heard(store)
        await store.start()
        stores.append(store)
        return store, heard

    try:
        yield new
    finally:
        for store in stores:
            await store.close()


def debian_redis() -> Path | None:
    """A redis-server on the PATH."""
    found = shutil.which("redis-server")
    return Path(found) if found else None


def binaries() -> dict[str, Path | None]:
    """The real servers to test against; None where one is not installed."""
    return {"valkey": find_binary(), "redis": debian_redis()}


class Servers:
    """Real servers that are started at the first wish and shared by a whole test run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, EmbeddedStore] = {}
        self.memory = MemoryBackend()

    def url(self, kind: str) -> str:
        """The URL of the shared server of this kind; skips the test where it is not installed."""
        if kind not in self._running:
            binary = binaries()[kind]
            if binary is None:
                pytest.skip(f"no {kind} server is installed")
            embedded = EmbeddedStore(self._folder / kind, binary)
            embedded.start()
            self._running[kind] = embedded
        return self._running[kind].url

    def stop(self) -> None:
        """Stop what was started."""
        for embedded in self._running.values():
            embedded.stop()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The shared servers."""
    running = Servers(tmp_path_factory.mktemp("stores"))
    yield running
    running.stop()


@pytest.fixture(params=["memory", "valkey", "redis"])
async def open_any(request: pytest.FixtureRequest, servers: Servers) -> AsyncIterator[OpenStore]:
    """Opens stores of every kind in turn."""
    kind: str = request.param

    def make(**settings: Any) -> EventStore:
        if kind == "memory":
            return MemoryStore(servers.memory)
        return open_store(servers.url(kind), **{**QUICK, **settings})

    async with opened(make) as new:
        yield new


@pytest.fixture
def table() -> str:
    """A name that no other test uses."""
    return f"t{secrets.token_hex(8)}"


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A server of the test's own, to be ill-treated."""
    own = EmbeddedStore(tmp_path / "own")
    own.start()
    yield own
    if own.pid is not None:
        own.stop()


@pytest.fixture
async def open_own(embedded: EmbeddedStore) -> AsyncIterator[OpenStore]:
    """Opens stores on `embedded`."""

    def make(url: str | None = None, **settings: Any) -> EventStore:
        return open_store(url or embedded.url, **{**QUICK, **settings})

    async with opened(make) as new:
        yield new


def kill(pid: int | None) -> None:
    """End a process as a crash would, and wait until it is gone."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_gone(pid)


def wait_gone(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if not select.select([handle], [], [], PATIENCE_S)[0]:
            raise AssertionError(f"process {pid} is still there")
    finally:
        os.close(handle)
