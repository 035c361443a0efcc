"""Whole games over real connections that are lost at random, every command sent twice."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.players import Player, check_agreement
from tests.support.clients import Http, Kind
from tests.support.server import Serve

KINDS: tuple[Kind, ...] = ("json", "msgpack")
VIEWS = ("full", "patch")


@pytest.mark.parametrize("game", ["trick-and-trade", "trinket-trove", "oopsie"])
async def test_four_players_who_drop_out_see_the_same_game(serve: Serve, game: str) -> None:
    here = await serve()
    async with Http(here.url) as http:
        table, _, tokens = await http.full(game, 4)
        players = [
            Player(
                lambda: here.url,
                table,
                token,
                kind=KINDS[seat % 2],
                views=VIEWS[seat // 2],
                seed=f"{game}/{seat}",
                drop=0.15,
            )
            for seat, token in enumerate(tokens)
        ]
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.play())
        view = await check_agreement(http, table, players)
        assert view["result"]["places"]
        assert sum(player.drops for player in players) > 1
        header, lines = await http.log(table)
        moves = [line for line in lines if isinstance(line["by"], int) and line["version"] > 6]
        assert len(moves) == sum(len(player.accepted) for player in players)
        assert header["status"] == "finished"
