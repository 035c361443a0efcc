"""Connections that send their request too slowly, or nothing, or read no answer, are not kept."""

from __future__ import annotations

import asyncio
import socket as sockets
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from server.limits import sender
from tests.support.clients import PATIENCE_S, Http, client
from tests.support.server import Running, Serve

HEAD = b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n"


async def _connected(here: Running) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    where = httpx.URL(here.url)
    assert where.port is not None
    return await asyncio.open_connection(where.host, where.port)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"G",
        HEAD,
        HEAD + b"\r\n",
        HEAD + b'\r\n{"game":',
        b"GET /v1/ws HTTP/1.1\r\nUpgrade: websocket\r\n",
    ],
    ids=["nothing", "a letter", "half a head", "no body", "half a body", "half a handshake"],
)
async def test_a_request_that_does_not_arrive_ends_its_connection(serve: Serve, sent: bytes) -> None:
    here = await serve(handshake_timeout_s=0.2)
    reader, writer = await _connected(here)
    writer.write(sent)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(ConnectionError):
            await _drained(reader)
    writer.close()


async def _drained(reader: asyncio.StreamReader) -> None:
    assert await reader.read() == b""
    raise ConnectionError


async def test_a_request_that_drips_is_no_better(serve: Serve) -> None:
    """The time counts from its beginning, not from the last byte."""
    here = await serve(handshake_timeout_s=0.3)
    _, writer = await _connected(here)

    async def drip() -> None:
        while True:
            writer.write(b"x" if dripped else HEAD)
            dripped.append(1)
            await writer.drain()
            await asyncio.sleep(0.01)

    dripped: list[int] = []
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(ConnectionError):
            await drip()
    writer.close()
    assert len(dripped) > 3


async def test_who_is_in_time_is_kept(serve: Serve) -> None:
    """Requests one after the other on one connection, and a WebSocket, outlive the limit by far."""
    here = await serve(handshake_timeout_s=0.3)
    async with Http(here.url) as http, client(here.url) as one:
        (socket,) = [made for made in [await _peer(http)] if made]
        for _ in range(8):
            await asyncio.sleep(0.1)
            assert await _peer(http) == socket, "another connection"
            assert (await one.ask({"type": "ping"}))["type"] == "pong"


async def _peer(http: Http) -> Any:
    response = await http.client.get("/healthz")
    assert response.status_code == 200
    return response.extensions["network_stream"].get_extra_info("client_addr")


async def test_who_reads_no_answers_is_given_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.patience.READING_S", 0.2)
    here = await serve(handshake_timeout_s=PATIENCE_S)
    for listening in here.server.servers[0].sockets:
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, 4096)
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.setblocking(False)
    where = httpx.URL(here.url)
    await asyncio.get_running_loop().sock_connect(raw, (where.host, where.port))
    reader, writer = await asyncio.open_connection(sock=raw, limit=1024)
    writer.write(b"GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
    connections = here.server.server_state.connections
    async with asyncio.timeout(PATIENCE_S):
        while not connections:
            await asyncio.sleep(0.01)
        while connections:
            await asyncio.sleep(0.01)
    writer.close()
    assert reader is not None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("::1", "::ffff:192.0.2.1", False),
        ("nonsense:", "nonsense:", True),
    ],
)
def test_limits_count_for_who_can_change_addresses_at_will(one: str, other: str, same: bool) -> None:
    whose: Callable[[str], str] = lambda address: sender({"client": (address, 1)})  # noqa: E731
    assert (whose(one) == whose(other)) is same


def test_who_has_no_address_counts_as_one() -> None:
    assert sender({"client": None}) == sender({}) == ""
