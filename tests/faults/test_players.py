"""Whole games by several players at two servers, while something breaks again and again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable

import pytest

from server.embedded import EmbeddedStore
from tests.e2e.players import Player, check_agreement, check_commands
from tests.faults.results import TIMES, Results
from tests.faults.troubles import (
    TROUBLES,
    Victims,
    store_hangs_for_longer_than_any_limit,
)
from tests.support.clients import PATIENCE_S, Http
from tests.support.faults import fault_proxy
from tests.support.server import Launch

GAME, SEATS = "oopsie", 4
MOVES = 140  # a game has more


@contextlib.asynccontextmanager
async def two_servers(embedded: EmbeddedStore, launch: Launch) -> AsyncIterator[Victims]:
    """Two servers on one store, with a network between that can be ill-treated."""
    async with fault_proxy(embedded.url.removeprefix("unix://")) as proxy:
        victims = Victims(embedded, proxy)
        victims.servers = [await launch(name, proxy.url) for name in ("one", "two")]
        yield victims
        for server in victims.servers:  # while their store can still be reached
            if server.pid is not None:
                await asyncio.to_thread(server.stop)


class Game:
    """A table with its players, each of whom goes to whichever server it finds."""

    def __init__(self, victims: Victims, table: str, tokens: list[str], seed: str) -> None:
        self.victims = victims
        self.table = table
        self.players = [
            Player(
                self._some_url(f"{seed}/{seat}"),
                table,
                token,
                kind="json" if seat % 2 else "msgpack",
                views="full" if seat < 2 else "patch",
                seed=f"{seed}/{seat}",
                drop=0.02,
                patient=True,
            )
            for seat, token in enumerate(tokens)
        ]

    def _some_url(self, seed: str) -> Callable[[], str]:
        rng = random.Random(seed)
        return lambda: rng.choice(self.victims.servers).url

    @property
    def accepted(self) -> int:
        """How many commands were accepted."""
        return sum(len(player.accepted) for player in self.players)

    @property
    def over(self) -> bool:
        """Whether all players have seen the end."""
        return all(
            player.mirror is not None and player.mirror.status == "finished" for player in self.players
        )

    async def moves(self, number: int) -> None:
        """Wait until so many commands were accepted, or all is over."""
        async with asyncio.timeout(2 * PATIENCE_S):
            while self.accepted < number and not self.over:
                await asyncio.sleep(0.002)

    async def check(self) -> int:
        """Hold the log against what every player was told. Gives the head."""
        async with Http(self.victims.servers[0].url) as http:
            await check_agreement(http, self.table, self.players)
        await check_commands(self.victims.embedded.url, GAME, self.table, self.players)
        mirror = self.players[0].mirror
        assert mirror is not None
        return mirror.version


async def new_game(victims: Victims, seed: str) -> Game:
    async with Http(victims.servers[0].url) as http:
        table, _, tokens = await http.full(GAME, SEATS)
    return Game(victims, table, tokens, seed)


@pytest.mark.timeout(240)
async def test_a_game_goes_on_whatever_breaks(embedded: EmbeddedStore, launch: Launch) -> None:
    async with two_servers(embedded, launch) as victims:
        game = await new_game(victims, "everything")
        async with asyncio.TaskGroup() as group:
            for player in game.players:
                group.create_task(player.play())
            for number, trouble in enumerate(TROUBLES.values()):
                await game.moves((number + 1) * MOVES // len(TROUBLES))
                await trouble(victims)
        await game.check()


@pytest.mark.long
@pytest.mark.timeout(120 + 20 * TIMES)
@pytest.mark.parametrize("name", TROUBLES)
async def test_a_game_goes_on_however_often_it_breaks(
    embedded: EmbeddedStore, launch: Launch, results: Results, name: str
) -> None:
    async with two_servers(embedded, launch) as victims:
        game = await new_game(victims, name)
        async with asyncio.TaskGroup() as group:
            for player in game.players:
                group.create_task(player.play())
            for number in range(TIMES):
                await game.moves((number + 1) * MOVES // TIMES)
                await TROUBLES[name](victims)
        versions = await game.check()
        results.add(name, TIMES, game.accepted, versions)


@pytest.mark.long
@pytest.mark.timeout(240)
async def test_a_store_that_hangs_for_longer_than_any_limit(
    embedded: EmbeddedStore, launch: Launch, results: Results
) -> None:
    times = 5
    async with two_servers(embedded, launch) as victims:
        game = await new_game(victims, "hang")
        async with asyncio.TaskGroup() as group:
            for player in game.players:
                group.create_task(player.play())
            for number in range(times):
                await game.moves((number + 1) * MOVES // times)
                await store_hangs_for_longer_than_any_limit(victims)
        results.add("store hangs for longer than any limit", times, game.accepted, await game.check())
