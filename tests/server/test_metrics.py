"""The page for Prometheus counts what happens, and tells nothing of whom."""

from __future__ import annotations

import re

from tests.server.playing import played
from tests.support.api import Http
from tests.support.server import Running

OPERATOR = "operator-" * 5


def figure(page: str, name: str) -> float:
    """A sample, summed over its labels."""
    return sum(
        float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", page, re.MULTILINE)
    )


async def test_a_game_is_counted_and_no_table_player_or_token_is_named(here: Running) -> None:
    async with Http(here.url) as http:
        before = (await http.client.get("/metrics")).text
        async with played(here.url, "trick-and-trade", 3) as game:
            await game.finish()
            page = (await http.client.get("/metrics")).text
        moves = figure(page, "facedown_commands_total") - figure(before, "facedown_commands_total")
        assert moves > 50
        appends = figure(page, "facedown_append_seconds_count") - figure(
            before, "facedown_append_seconds_count"
        )
        assert appends > moves
        assert game.table not in page
        assert "Player" not in page


async def test_bots_are_counted(here: Running) -> None:
    async with Http(here.url) as http:
        before = figure((await http.client.get("/metrics")).text, "facedown_bot_moves_total")
        made = await http.table("mein-schatz", seats=2)
        for _ in range(2):
            await http.done(
                201,
                "POST",
                f"/v1/tables/{made['table']}/bots",
                {"policy": "random"},
                token=made["host_token"],
            )
        while figure((await http.client.get("/metrics")).text, "facedown_bot_moves_total") < before + 3:
            pass


async def test_the_operator_looks_closes_and_drains_and_nobody_else(serve) -> None:  # type: ignore[no-untyped-def]
    here = await serve(operator_token=OPERATOR)
    async with Http(here.url) as http:
        table, host, tokens = await http.full()
        for token in (None, host, tokens[0], "x" * 43):
            await http.refused(401, "unauthorized", "GET", f"/v1/admin/tables/{table}", token=token)
        seen = await http.done(200, "GET", f"/v1/admin/tables/{table}", token=OPERATOR)
        assert (seen["status"], seen["game"], len(seen["seats"])) == ("playing", "trick-and-trade", 3)
        assert not {"hands", "deal_key", "host_hash", "view"} & set(seen)
        await http.done(204, "DELETE", f"/v1/admin/tables/{table}", token=OPERATOR)
        assert (await http.facts(table))["status"] == "abandoned"
        await http.done(202, "POST", "/v1/admin/drain", token=OPERATOR)
        assert (await http.client.get("/readyz")).status_code == 503
        assert (await http.client.get("/healthz")).status_code == 200


async def test_without_an_operator_there_are_no_such_calls(here: Running) -> None:
    async with Http(here.url) as http:
        await http.refused(404, "not_found", "GET", "/v1/admin", token=OPERATOR)
