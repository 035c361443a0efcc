"""Fixtures: a server in this process, and two processes that share a store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest

from server.embedded import EmbeddedStore
from tests.support.clients import Http
from tests.support.server import Running, Serve, ServerProcess, launch, serve, server_log
from tests.support.store import embedded
from tests.tables.sitting import UNLIMITED

__all__ = ["embedded", "launch", "serve", "server_log"]


@pytest.fixture
async def here(serve: Serve) -> Running:
    """A server in this process with an empty memory store."""
    return await serve(**UNLIMITED)


@pytest.fixture
async def http(here: Running) -> AsyncIterator[Http]:
    """The HTTP API of `here`."""
    async with Http(here.url) as api:
        yield api


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of two server processes that share a store."""
    folder = tmp_path_factory.mktemp("pair")
    with EmbeddedStore(folder / "store") as store, contextlib.ExitStack() as stack:
        processes = [ServerProcess(folder / name, store, **UNLIMITED) for name in ("one", "two")]
        for process in processes:
            stack.callback(process.end)
            asyncio.run(process.start())
        yield processes[0].url, processes[1].url
