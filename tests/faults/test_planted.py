"""Negative controls: the tests with real processes notice servers with a planted fault."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from server.embedded import EmbeddedStore
from tests.faults import planted
from tests.faults.games import MOVES, opened_game
from tests.faults.results import Results
from tests.faults.test_reconnect import attached
from tests.faults.troubles import (
    Victims,
    client_kill_storms,
    store_hangs_for_longer_than_any_limit,
    store_is_full,
)
from tests.support.clients import Http, chosen
from tests.support.faults import fault_proxy
from tests.support.server import ServerProcess

APPEND = b"facedown_1_append"
ENOUGH = 50
STUCK_S = 25.0  # longer than any trouble here: a game that has not moved for so long will not any more


class Noticed(Exception):
    """The suite has found that something is wrong; the text says what."""


async def a_game(victims: Victims, seed: str) -> None:
    """Players send all commands twice through what breaks; then the log is held against what they know."""
    game = await opened_game(victims.servers, victims.embedded.url, seed)

    async def moving() -> None:
        seen = -1
        while not game.over:
            if game.accepted == seen:
                raise Noticed(f"nobody has moved for {STUCK_S:.0f} s")
            seen = game.accepted
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STUCK_S):
                    while game.accepted == seen and not game.over:
                        await asyncio.sleep(0.05)

    troubles = [store_is_full, client_kill_storms, store_hangs_for_longer_than_any_limit]
    async with asyncio.TaskGroup() as group:
        group.create_task(moving())
        for player in game.players:
            group.create_task(player.play())
        for number in range(9):
            await game.moves((number + 1) * MOVES // 12)
            await troubles[number % 3](victims)
    await game.check()


async def an_append_in_doubt(victims: Victims, *, late: bool) -> None:
    """One whose request arrives late, or all of whose answers are lost, for longer than a server tries."""
    server = victims.servers[0]
    async with Http(server.url) as http:
        table, _, tokens = await http.full("trick-and-trade", 3)
        seats = [await attached(server, table, token) for token in tokens]
        (seat, *_) = seats[0].tables[table].waiting
        mover = seats[seat]
        action = chosen(victims.rng, mover.tables[table].actions)
        if late:
            victims.proxy.hold = APPEND
            answer = await mover.act(table, action, id="once")
            victims.proxy.release()
        else:
            victims.proxy.mute = APPEND
            asyncio.get_running_loop().call_later(7.0, setattr, victims.proxy, "mute", None)
            answer = await mover.act(table, action, id="once")
            while victims.proxy.mute is not None:
                await asyncio.sleep(0.05)
        mine = await _moves_of(http, table, seat)
        for one in seats:
            await one.close()
    if mine > 1:
        raise Noticed(f"one command is in the log {mine} times")
    if mine and answer.get("code") == "unavailable":
        raise Noticed("what was answered with unavailable is in the log")


async def _moves_of(http: Http, table: str, seat: int) -> int:
    """How many moves of a seat are in the log, once what is on its way has had time to arrive."""
    found = 0
    for _ in range(40):
        _, lines = await http.log(table)
        moves = [line for line in lines if line["by"] == seat]
        found = sum(line["events"][0]["type"] != "seat_taken" for line in moves)
        if found > 1:
            break
        await asyncio.sleep(0.05)
    return found


async def suite(folder: Path, embedded: EmbeddedStore, fault: str | None, seed: str) -> None:
    """One run against two servers, which may have a fault. Raises what it finds."""
    async with fault_proxy(embedded.url.removeprefix("unix://")) as proxy:
        victims = Victims(embedded, proxy)
        try:
            for name in ("one", "two"):
                server = ServerProcess(folder / seed / name, proxy.url)
                if fault is not None:
                    server.program = ("-m", "tests.faults.planted", fault)
                await server.start()
                victims.servers.append(server)
            await an_append_in_doubt(victims, late=True)
            await an_append_in_doubt(victims, late=False)
            await a_game(victims, seed)
        finally:
            for server in victims.servers:
                if server.pid is not None:
                    server.kill()


def _said(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = f"{type(error).__name__}: {error}".split("\n")[0].replace("|", "/")
    return text[:120]


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_servers_without_a_fault_pass(embedded: EmbeddedStore, tmp_path: Path) -> None:
    await suite(tmp_path, embedded, None, "sound")


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("fault", planted.FAULTS)
async def test_a_server_with_a_planted_fault_is_noticed(
    embedded: EmbeddedStore, tmp_path: Path, results: Results, fault: str
) -> None:
    for number in range(ENOUGH):
        try:
            await suite(tmp_path, embedded, fault, f"run {number}")
        except Exception as error:  # noqa: BLE001 - whatever shows that something is wrong
            results.planted(fault, "processes", f"run {number}: {_said(error)}")
            return
    pytest.fail(f"{ENOUGH} runs, and none noticed the fault {fault}")
