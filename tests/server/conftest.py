"""Fixtures of the tests that talk to a running server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.clients import Http, Kind
from tests.support.server import Running, Serve, launch, serve, server_log

__all__ = ["here", "http", "kind", "launch", "serve", "server_log"]


@pytest.fixture
async def here(serve: Serve) -> Running:
    """A server in this process with an empty memory store."""
    return await serve()


@pytest.fixture
async def http(here: Running) -> AsyncIterator[Http]:
    """The HTTP API of `here`."""
    async with Http(here.url) as api:
        yield api


@pytest.fixture(params=["json", "msgpack"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each encoding in turn."""
    found: Kind = request.param
    return found
