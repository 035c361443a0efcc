"""Servers and stores that are killed in mid-game: what was accepted is there, once; what was told is true."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from server.embedded import EmbeddedStore
from tests.e2e.players import Player, check_agreement, check_commands
from tests.support.clients import PATIENCE_S, Http, Kind, client, join
from tests.support.counts import LONG
from tests.support.server import Launch, kill

KINDS: tuple[Kind, ...] = ("json", "msgpack")
VIEWS = ("full", "patch")
KILLS = 20 if LONG else 2


def _players(url: list[str], table: str, tokens: list[str], seed: object) -> list[Player]:
    return [
        Player(
            lambda: url[0],
            table,
            token,
            kind=KINDS[seat % 2],
            views=VIEWS[seat // 2],
            seed=f"{seed}/{seat}",
            drop=0.02,
            patient=True,
        )
        for seat, token in enumerate(tokens)
    ]


@contextlib.asynccontextmanager
async def _playing(players: list[Player]) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.play())
        yield


async def _moves(players: list[Player], number: int) -> None:
    """Wait until so many commands were accepted, or all is over."""
    async with asyncio.timeout(2 * PATIENCE_S):
        while sum(len(player.accepted) for player in players) < number:
            if all(player.mirror is not None and player.mirror.status == "finished" for player in players):
                return
            await asyncio.sleep(0.002)


@pytest.mark.timeout(60 + 20 * KILLS)
async def test_a_server_killed_in_mid_game_loses_and_doubles_nothing(launch: Launch) -> None:
    server = await launch()
    url = [server.url]
    data = server.folder / "facedown-data"
    async with Http(server.url) as http:
        table, _, tokens = await http.full("oopsie", 4)
    players = _players(url, table, tokens, "server kills")
    async with _playing(players):
        for number in range(KILLS):
            await _moves(players, (number + 1) * 150 // KILLS)
            server.kill()
            await server.start()
            url[0] = server.url
    async with Http(server.url) as http:
        await check_agreement(http, table, players)
    await check_commands(EmbeddedStore(data).url, "oopsie", table, players)


@pytest.mark.timeout(60 + 20 * KILLS)
async def test_a_store_killed_in_mid_game_loses_and_doubles_nothing(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    servers = [await launch(name, embedded.url) for name in ("one", "two")]
    async with Http(servers[0].url) as http:
        table, _, tokens = await http.full("oopsie", 4)
    players = [
        player
        for number, server in enumerate(servers)
        for player in _players([server.url], table, tokens, "store kills")[number::2]
    ]
    async with _playing(players):
        for number in range(KILLS):
            await _moves(players, (number + 1) * 150 // KILLS)
            kill(embedded.pid)
            embedded.start()
    for server in servers:
        async with Http(server.url) as http:
            await check_agreement(http, table, players)
    await check_commands(embedded.url, "oopsie", table, players)


async def test_a_server_without_its_store_says_so_and_recovers(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    server = await launch("server", embedded.url)
    async with Http(server.url) as http:
        made = await http.table()
        kill(embedded.pid)
        refused = await http.refused(503, "unavailable", "GET", "/readyz")
        assert refused["message"]
        response = await http.ask("GET", f"/v1/tables/{made['table']}")
        assert response.status_code == 503
        assert int(response.headers["Retry-After"]) >= 1
        assert (await http.ask("GET", "/healthz")).status_code == 200
        embedded.start()
        async with asyncio.timeout(PATIENCE_S):
            while (await http.ask("GET", "/readyz")).status_code != 200:
                await asyncio.sleep(0.02)
        assert (await http.facts(made["table"]))["version"] == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_that_is_asked_to_stop_says_so_and_goes_on_where_it_was(
    launch: Launch, kind: Kind
) -> None:
    server = await launch()
    async with Http(server.url) as http:
        table, _, tokens = await http.full()
    one = await join(server.url, kind)
    await one.attach(table, tokens[0])
    mirror = one.tables[table]
    assert await asyncio.to_thread(server.stop) == 0
    assert (await one.end())[0] == 1012
    assert (one.seen[-1]["type"], one.seen[-1]["reason"]) == ("detached", "shutdown")
    await server.start()
    async with client(server.url, kind) as again:
        again.remember(mirror)
        answer = await again.attach(table, tokens[0], **mirror.resumable())
        assert (answer["recovered"], answer["head"]) == (True, 5)
