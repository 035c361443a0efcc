"""Real servers for tests: in this process on a free port, or as processes of their own that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
import structlog
from starlette.applications import Starlette

from server import logs
from server.app import create_app
from server.run import Server, config_for
from server.service import Service
from server.settings import Settings
from server.store import EventStore, MemoryStore
from tests.support.store import PATIENCE_S, wait_gone

ROOT = Path(__file__).parents[2]
_LOGGERS = ("", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "websockets")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43,}(?![A-Za-z0-9_-])")


def check_log(text: str) -> None:
    """No line of a server's log shows a traceback, or anything that looks like a token."""
    for line in text.splitlines():
        if '"logger": "httpx"' in line:
            continue  # a client in the same process
        assert "Traceback" not in line, f"a traceback in the log:\n{line}"
        assert "exc_info" not in line, f"an exception in the log:\n{line}"
        fault = re.search(r'"level": "(error|critical)", "logger": "(uvicorn|asyncio|starlette)', line)
        assert fault is None, f"a fault in the log:\n{line}"
        assert not _TOKEN.search(line), f"what looks like a token in the log:\n{line}"


def kill(pid: int | None) -> None:
    """End a process as a crash would, and wait until it is gone."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_gone(pid)


@pytest.fixture
def server_log() -> Iterator[io.StringIO]:
    """What servers in this process log, checked at the end; the logging of the process is put back."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(one.handlers[:], one.filters[:], one.level, one.propagate) for one in loggers]
    stream = io.StringIO()
    logs.configure("info", stream)
    yield stream
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    for one, (handlers, filters, level, propagate) in zip(loggers, before, strict=True):
        one.handlers[:], one.filters[:], one.propagate = handlers, filters, propagate
        one.setLevel(level)
    check_log(stream.getvalue())


@dataclass
class Running:
    """A server in this process."""

    url: str
    app: Starlette
    server: Server
    loop: asyncio.Task[None]

    @property
    def service(self) -> Service:
        """The service, for tests that look behind the wire."""
        service: Service = self.app.state.service
        return service

    async def stop(self) -> None:
        """Stop it as a signal would, and wait for it."""
        if not self.loop.cancelled():
            self.loop.cancel()
            await asyncio.wait([self.loop])
            await self.server.shutdown()


@contextlib.asynccontextmanager
async def running(settings: Settings, store: EventStore | None) -> AsyncIterator[Running]:
    """A server in this process, stopped at the end."""
    addresses: list[str] = []
    app = create_app(settings, store)
    server = Server(config_for(app, settings), app, settings.shutdown_grace_s, addresses.append)
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    # Step by step, not `serve`: that one would take the signals of the process that runs the tests.
    await server.startup()
    assert server.started, "the server did not start"
    url = addresses[0].replace("localhost", "127.0.0.1")
    here = Running(url, app, server, asyncio.create_task(server.main_loop()))
    try:
        yield here
    finally:
        await here.stop()


class Serve(Protocol):
    """Starts a server in this process; settings by name; without a store, one with an empty memory store."""

    async def __call__(self, store: EventStore | None = None, **settings: Any) -> Running: ...


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[Serve]:
    """Starts servers in this process; all are stopped at the end."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(store: EventStore | None = None, **settings: Any) -> Running:
            wanted = Settings(**{"port": 0, "store": "memory://", "shutdown_grace_s": 5.0, **settings})
            if store is None and wanted.store == "memory://":
                store = MemoryStore()
            return await stack.enter_async_context(running(wanted, store))

        yield start


@pytest.fixture
async def serve(server_log: io.StringIO) -> AsyncIterator[Serve]:
    """Starts servers in this process; all are stopped at the end and their log is checked."""
    async with serving() as start:
        yield start


class ServerProcess:
    """`facedown serve` as a process of its own, which can be killed and started again.

    Args:
        folder: where it runs; without a store its data are here.
        store: the URL of a store, or None for the embedded one.
        port: where it listens, also when it is started again; 0: a free port, each time another one.
        settings: further settings, as in `server.settings.Settings`.
    """

    def __init__(self, folder: Path, store: str | None = None, port: int = 0, **settings: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.url = ""
        self._store = store
        self._port = port
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    program: tuple[str, ...] = ("-c", "from server.cli import app; app()")
    """What Python runs."""

    @property
    def _log(self) -> Path:
        return self.folder / f"stderr-{self._starts:04}.log"

    @property
    def log(self) -> str:
        """Everything that it wrote to standard error, over all starts."""
        return "".join(file.read_text() for file in sorted(self.folder.glob("stderr-*.log")))

    async def start(self) -> None:
        """Start it and wait until it is ready."""
        assert self._process is None
        self._starts += 1
        self._process = self._run()
        async with asyncio.timeout(PATIENCE_S), httpx.AsyncClient() as http:
            while not await self._ready(http):
                assert self._process.poll() is None, f"the server ended:\n{self._log.read_text()}"
                await asyncio.sleep(0.02)

    def _run(self) -> subprocess.Popen[bytes]:
        variables = {f"FACEDOWN_{name.upper()}": str(value) for name, value in self._settings.items()}
        arguments = ["serve", "--port", str(self._port), *(["--store", self._store] if self._store else [])]
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, *self.program, *arguments],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def _ready(self, http: httpx.AsyncClient) -> bool:
        found = re.search(r"serves at (\S+)", self._log.read_text())
        if found is None:
            return False
        self.url = found[1].replace("localhost", "127.0.0.1")
        try:
            return (await http.get(f"{self.url}/readyz")).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """End it as a crash would."""
        process = self._take()
        process.kill()
        process.wait(PATIENCE_S)

    def stop(self) -> int:
        """Ask it to stop; gives its exit code."""
        process = self._take()
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE_S)
            raise AssertionError(f"the server does not stop:\n{self._log.read_text()[-2000:]}") from None

    @property
    def pid(self) -> int | None:
        """Its process, None when it does not run."""
        return self._process.pid if self._process else None

    def _take(self) -> subprocess.Popen[bytes]:
        process, self._process = self._process, None
        assert process is not None
        return process

    def end(self) -> None:
        """Stop it if it runs, and check its log."""
        if self._process is not None:
            pid = self._process.pid
            try:
                self.stop()
            finally:
                wait_gone(pid)
        check_log(self.log)


class Launch(Protocol):
    """Starts a server process in a folder of its own."""

    async def __call__(
        self, name: str = "server", store: str | None = None, **settings: Any
    ) -> ServerProcess: ...


@pytest.fixture
async def launch(tmp_path: Path) -> AsyncIterator[Launch]:
    """Starts server processes; all are stopped at the end and their logs are checked."""
    processes: list[ServerProcess] = []

    async def start(name: str = "server", store: str | None = None, **settings: Any) -> ServerProcess:
        process = ServerProcess(tmp_path / name, store, **settings)
        processes.append(process)
        await process.start()
        return process

    yield start
    with contextlib.ExitStack() as stack:
        for process in processes:
            stack.callback(process.end)
