"""Several workers behind one port: one is killed, all are asked to stop, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from server.embedded import EmbeddedStore
from tests.e2e.players import Player, check_agreement, check_commands
from tests.support.clients import PATIENCE_S, Client, Closed, Http, Kind, join
from tests.support.server import Launch, ServerProcess, kill

ROUNDS = 10
GRACE_S = 5.0
OPERATOR = "operator-" * 5
KINDS: tuple[Kind, ...] = ("json", "msgpack")


def workers(server: ServerProcess) -> list[int]:
    """The workers that were started, in order; those of all runs of the server."""
    lines = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    return [line["pid"] for line in lines if line["event"] == "worker_started"]


async def told_to_go(viewer: Client, table: str) -> None:
    """The server said goodbye: first of the table, then of the connection."""
    assert (await viewer.end())[0] == 1012
    last = viewer.seen[-1]
    assert (last["type"], last["table"], last["reason"]) == ("detached", table, "shutdown")


async def test_a_worker_that_dies_is_replaced_and_all_drain_and_say_goodbye(launch: Launch) -> None:
    server = await launch(workers=2, shutdown_grace_s=GRACE_S, operator_token=OPERATOR)
    async with Http(server.url) as http:
        table, _, _ = await http.full("mein-schatz", 2)
    viewers = [await join(server.url, kind) for kind in KINDS * 3]
    for viewer in viewers:
        await viewer.attach(table)
    kill(workers(server)[0])
    await _until(lambda: len(workers(server)) == 3)
    there = []
    for viewer in viewers:
        try:
            await viewer.ask({"type": "ping"})
            there.append(viewer)
        except Closed:
            assert (await viewer.end())[0] == 1006
    async with Http(server.url) as http:
        await http.done(202, "POST", "/v1/admin/drain", token=OPERATOR)
    # Whichever worker answers: each connection may go to another one.
    ready = 0
    while ready < 10:
        async with Http(server.url) as http:
            ready = ready + 1 if (await http.ask("GET", "/readyz")).status_code == 503 else 0
    for viewer in there:
        assert (await viewer.ask({"type": "ping"}))["type"] == "pong", "who is there goes on"
    before = time.monotonic()
    assert await asyncio.to_thread(server.stop) == 0
    assert time.monotonic() - before < GRACE_S + 5
    for viewer in there:
        await told_to_go(viewer, table)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.mark.long
@pytest.mark.timeout(60 + 30 * ROUNDS)
async def test_workers_killed_and_stopped_under_load_lose_and_double_nothing(launch: Launch) -> None:
    server = await launch(workers=2, shutdown_grace_s=GRACE_S)
    url = [server.url]
    data = server.folder / "facedown-data"
    async with Http(server.url) as http:
        table, _, tokens = await http.full("oopsie", 4)
    players = [
        Player(
            lambda: url[0], table, token, kind=KINDS[seat % 2], seed=f"w{seat}", patient=True, pause_s=0.02
        )
        for seat, token in enumerate(tokens)
    ]
    done = asyncio.Event()

    async def moves(number: int) -> None:
        wanted = sum(len(player.accepted) for player in players) + number
        async with asyncio.timeout(2 * PATIENCE_S):
            while sum(len(player.accepted) for player in players) < wanted and not done.is_set():
                await asyncio.sleep(0.005)

    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.play())
        done.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(play())
        for number in range(ROUNDS):
            await moves(5)
            started = workers(server)
            kill(started[-1 - number % 2])
            await _until(lambda started=started: len(workers(server)) > len(started))  # type: ignore[misc]
            await moves(5)
            watchers = []
            for kind in KINDS * 2:
                watchers.append(await join(server.url, kind))
                await watchers[-1].attach(table)
            before = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            assert time.monotonic() - before < GRACE_S + 5, "the time to stop is bounded"
            for watcher in watchers:
                await told_to_go(watcher, table)
            await server.start()
            url[0] = server.url
    async with Http(server.url) as http:
        await check_agreement(http, table, players)
    await check_commands(EmbeddedStore(data).url, "oopsie", table, players)


@pytest.mark.long
async def test_a_server_stops_in_time_although_its_store_hangs(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    """Commands that wait for the store are given up when the grace is over; who sent them can ask again."""
    server = await launch("server", embedded.url, shutdown_grace_s=1.0)
    async with Http(server.url) as http:
        table, _, tokens = await http.full("mein-schatz", 2)
    seats = [await join(server.url, kind) for kind in KINDS]
    for seat, token in zip(seats, tokens, strict=True):
        await seat.attach(table, token)
    waiting = seats[0].tables[table].waiting[0]
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGSTOP)
    try:
        await seats[waiting].send({"type": "act", "id": "last", "table": table, "action": {"type": "draw"}})
        await seats[waiting].ask({"type": "ping"})
        before = time.monotonic()
        stopped = await asyncio.to_thread(server.stop)
        taken = time.monotonic() - before
    finally:
        os.kill(embedded.pid, signal.SIGCONT)
    assert stopped == 0
    assert taken < 10
    for seat in seats:
        assert (await seat.end())[0] == 1012
