"""Two hundred spectators that stopped reading: all are cut off, and nobody who plays or reads is slowed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket as sockets
import statistics
import time

import httpx
import pytest

from tests.attack.frames import TEXT, UPGRADE, frame
from tests.faults.results import Results
from tests.server.playing import Played, played
from tests.support.clients import PATIENCE_S, Http, client
from tests.support.server import Serve

READERS = 200
MOST_TIMES = 10.0
"""How much longer a move may take with them: far below what waiting for any of them would cost."""


async def _stopped(url: str, table: str) -> sockets.socket:
    """A spectator whose system takes in next to nothing, and who reads no more than the handshake."""
    where, loop = httpx.URL(url), asyncio.get_running_loop()
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await loop.sock_connect(raw, (where.host, where.port))
    await loop.sock_sendall(raw, "\r\n".join(["GET /v1/ws HTTP/1.1", "Host: x", *UPGRADE, "", ""]).encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += await loop.sock_recv(raw, 1)
    assert b" 101 " in head
    await loop.sock_sendall(raw, frame(TEXT, json.dumps({"type": "attach", "table": table}).encode()))
    return raw


async def _moves_ms(game: Played, number: int) -> list[float]:
    """How long each of the next moves takes until everybody who plays has heard of it."""
    taken: list[float] = []
    while len(taken) < number and not game.over:
        before = time.perf_counter()
        await game.move()
        taken.append((time.perf_counter() - before) * 1000)
    return taken


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_two_hundred_that_stopped_reading_slow_nobody(serve: Serve, results: Results) -> None:
    here = await serve(queue_bytes=64 * 1024, queue_messages=10)
    for listening in here.server.servers[0].sockets:
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, 4096)
    endpoint = here.app.state.endpoint
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(Http(here.url))
        alone: list[float] = []
        for _ in range(2):
            async with played(here.url, "oopsie", 4) as game:
                alone += await _moves_ms(game, 40)
        game = await stack.enter_async_context(played(here.url, "oopsie", 4))
        watcher = await stack.enter_async_context(client(here.url))
        await watcher.attach(game.table)
        for _ in range(READERS):
            stack.callback((await _stopped(here.url, game.table)).close)
        async with asyncio.timeout(PATIENCE_S):
            while len(here.service.room(game.table).attachments()) < READERS + 5:
                await asyncio.sleep(0.01)
        beside: list[float] = []
        most = 0
        while not game.over:
            beside += await _moves_ms(game, 1)
            most = max(most, endpoint.queued_bytes)
        await watcher.version(game.table, game.mirror.version)
        assert watcher.tables[game.table].status == "finished"
        async with asyncio.timeout(PATIENCE_S):
            while endpoint.number > 5:
                await asyncio.sleep(0.01)
        assert most <= (READERS + 5) * 2 * 64 * 1024
        page = (await http.client.get("/metrics")).text
        cut = re.findall(r"^facedown_slow_readers_total (\S+)$", page, re.MULTILINE)
        assert float(cut[0]) >= READERS
        quick, slow = statistics.median(alone), statistics.median(beside)
        assert slow < MOST_TIMES * quick + 20, f"{quick:.1f} ms alone, {slow:.1f} ms beside them"
    results.add("spectators that stopped reading", READERS, len(beside), game.mirror.version)
