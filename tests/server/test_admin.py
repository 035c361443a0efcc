"""The operator's calls: all tables page by page, without their secrets, for nobody else."""

from __future__ import annotations

import json
from typing import Any

from tests.server.playing import played
from tests.support.clients import Http, client
from tests.support.server import Serve

OPERATOR = "operator-" * 5
LIST = "/v1/admin/tables"


async def pages(http: Http, query: str = "") -> list[dict[str, Any]]:
    """All tables, over all pages."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = await http.done(200, "GET", f"{LIST}?{query}{cursor}", token=OPERATOR)
        assert len(page["tables"]) <= 50
        assert page["unreadable"] == []
        found += page["tables"]
        if page["next"] is None:
            return found
        cursor = f"&cursor={page['next']}"


async def test_all_tables_are_listed_page_by_page_also_those_the_lobby_hides(serve: Serve) -> None:
    here = await serve(operator_token=OPERATOR, idle_tables=0)
    async with Http(here.url) as http:
        made = {(await http.table("mein-schatz", seats=2, listed=False))["table"] for _ in range(103)}
        seen = await pages(http)
        assert [one["table"] for one in seen] == sorted(made)
        assert {one["status"] for one in seen} == {"open"}
        assert (await http.done(200, "GET", "/v1/tables"))["tables"] == []


async def test_the_list_can_be_narrowed(serve: Serve) -> None:
    here = await serve(operator_token=OPERATOR)
    async with Http(here.url) as http:
        opened = (await http.table("oopsie", seats=4))["table"]
        playing, _, _ = await http.full("mein-schatz", 2)
        for query, wanted in (
            ("game=oopsie", {opened}),
            ("status=playing", {playing}),
            ("game=oopsie&status=playing", set()),
            ("game=trick-and-trade", set()),
        ):
            assert {one["table"] for one in await pages(http, query)} == wanted, query
        for code, query in (
            ("bad_message", "limit=3"),
            ("bad_message", "status=nope"),
            ("bad_message", "cursor=zzz"),
            ("bad_message", "cursor="),
            ("no_such_game", "game=chess"),
        ):
            http_status = 404 if code == "no_such_game" else 400
            await http.refused(http_status, code, "GET", f"{LIST}?{query}", token=OPERATOR)
            await http.refused(http_status, code, "GET", f"/v1/tables?{query}")


async def test_the_list_is_the_operators_and_holds_no_secret(serve: Serve) -> None:
    here = await serve(operator_token=OPERATOR)
    async with Http(here.url) as http, played(here.url, "trick-and-trade", 3) as game:
        await game.move(5)
        for token in (None, game.host, game.tokens[0], "x" * 43):
            await http.refused(401, "unauthorized", "GET", LIST, token=token)
        (seen,) = await pages(http)
        assert (seen["table"], seen["version"]) == (game.table, game.mirror.version)
        assert [seat["viewers"] for seat in seen["seats"]] == [1, 1, 1]
        text = json.dumps(seen)
        hands = [card for one in game.seats for card in _cards(one.tables[game.table].view)]
        assert hands
        for secret in (game.host, *game.tokens, *hands, "hash", "deal_key", "commitment", "entropy"):
            assert secret not in text


def _cards(view: Any) -> list[str]:
    return [card for hand in view["game"]["hands"] for card in hand if card is not None]


async def test_whoever_watches_a_table_that_is_closed_is_told_at_once(serve: Serve) -> None:
    here = await serve(operator_token=OPERATOR)
    async with Http(here.url) as http, played(here.url) as game, client(here.url) as watcher:
        await watcher.attach(game.table)
        await http.done(204, "DELETE", f"{LIST}/{game.table}", token=OPERATOR)
        for one in (watcher, *game.seats):
            await one.until(lambda one=one: one.tables[game.table].status == "abandoned")  # type: ignore[misc]
        (seen,) = await pages(http, "status=abandoned")
        assert seen["table"] == game.table
