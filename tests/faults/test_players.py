"""Whole games by several players at two servers, while something breaks again and again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from server.embedded import EmbeddedStore
from tests.faults.games import MOVES, Game, opened_game
from tests.faults.results import TIMES, Results
from tests.faults.troubles import (
    TROUBLES,
    Victims,
    store_hangs_for_longer_than_any_limit,
)
from tests.support.faults import fault_proxy
from tests.support.server import Launch


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


async def new_game(victims: Victims, seed: str) -> Game:
    return await opened_game(victims.servers, victims.embedded.url, seed)


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
        versions = await game.through(TIMES, lambda: TROUBLES[name](victims))
        results.add(name, TIMES, game.accepted, versions)


@pytest.mark.long
@pytest.mark.timeout(240)
async def test_a_store_that_hangs_for_longer_than_any_limit(
    embedded: EmbeddedStore, launch: Launch, results: Results
) -> None:
    times = 5
    async with two_servers(embedded, launch) as victims:
        game = await new_game(victims, "hang")
        versions = await game.through(times, lambda: store_hangs_for_longer_than_any_limit(victims))
        results.add("store hangs for longer than any limit", times, game.accepted, versions)
