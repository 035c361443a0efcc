"""The live list over two processes, and one's own tables."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.api import PATIENCE_S
from tests.support.clients import Client, Http, Message, client
from tests.tables.sitting import all_done, over, sitting


def changes(one: Client, table: str) -> list[tuple[str, Any]]:
    """What a watcher was told of a table: kind and facts."""
    told = []
    for message in one.seen:
        if message["type"] == "lobby_change":
            (kind,) = set(message) - {"type"}
            facts = message[kind]
            if (facts if kind == "removed" else facts["table"]) == table:
                told.append((kind, facts))
    return told


async def until_removed(one: Client, table: str) -> None:
    """Wait until a watcher was told that the table is gone."""
    await one.next("lobby_change", lambda change: change.get("removed") == table)


async def test_watchers_of_both_processes_follow_a_table_from_its_opening_to_its_end(
    pair: tuple[str, str],
) -> None:
    async with client(pair[0]) as one, client(pair[1], "msgpack") as two, client(pair[1]) as other:
        for watcher, more in ((one, {}), (two, {"game": "mein-schatz"}), (other, {"game": "oopsie"})):
            await watcher.ask({"type": "watch_lobby", **more})
        async with sitting(pair, "mein-schatz", 2, clock={"move_ms": 150}, on_timeout="forfeit") as game:
            await over(game.http[1], game.table)
            for watcher in (one, two):
                await until_removed(watcher, game.table)
                told = changes(watcher, game.table)
                kinds = [kind for kind, _ in told]
                assert (kinds[0], kinds[-1], kinds.count("added")) == ("added", "removed", 1)
                statuses = [facts["status"] for kind, facts in told if kind != "removed"]
                assert statuses == sorted(statuses)  # open, then playing
                versions = [facts["version"] for kind, facts in told if kind != "removed"]
                assert versions == sorted(versions)
            # Whoever watches another game hears nothing of it, here seen by what comes after.
            table = (await game.http[0].table("oopsie"))["table"]
            await other.next("lobby_change", lambda change: change.get("added", {}).get("table") == table)
            assert changes(other, game.table) == []


async def test_a_hundred_changes_at_once_end_in_the_same_list_everywhere(pair: tuple[str, str]) -> None:
    """What a watcher has put together from the changes is what somebody new is told."""
    async with client(pair[0]) as one, client(pair[1]) as two, Http(pair[0]) as left, Http(pair[1]) as right:
        known: dict[Client, dict[str, Message]] = {}
        for watcher in (one, two):
            answer = await watcher.ask({"type": "watch_lobby", "game": "thread-the-needle"})
            known[watcher] = {facts["table"]: facts for facts in answer["tables"]}

        async def live(http: Http, other: Http, number: int) -> str:
            made = await http.table("thread-the-needle", seats=2)
            table = str(made["table"])
            token = (await other.sit(table, f"Player {number}"))["token"]
            if number % 3 == 0:
                await http.done(204, "DELETE", f"/v1/tables/{table}/seats/0", token=token)
            if number % 3 == 1:
                await http.sit(table, "Second")
            if number % 5 == 0:
                await other.done(200, "DELETE", f"/v1/tables/{table}/host", token=made["host_token"])
            return table

        tables = await all_done(*(live(*((left, right) if n % 2 else (right, left)), n) for n in range(20)))

        def now(watcher: Client) -> dict[str, Any]:
            """What a watcher has put together of these tables."""
            there = dict(known[watcher])
            for message in watcher.seen:
                if message["type"] == "lobby_change":
                    (kind,) = set(message) - {"type"}
                    if kind == "removed":
                        there.pop(message[kind], None)
                    else:
                        there[message[kind]["table"]] = message[kind]
            return {table: _shown(facts) for table, facts in there.items() if table in tables}

        async with client(pair[1]) as fresh:
            answer = await fresh.ask({"type": "watch_lobby", "game": "thread-the-needle"})
            known[fresh] = {facts["table"]: facts for facts in answer["tables"]}
            assert len(now(fresh)) > 10
            # The last changes may reach somebody new later than the list.
            for watcher in (one, two):
                async with asyncio.timeout(PATIENCE_S):
                    while now(watcher) != now(fresh):
                        await asyncio.sleep(0.01)


def _shown(facts: Message) -> tuple[str, list[str | None]]:
    return facts["status"], [seat["name"] for seat in facts["seats"]]


async def test_unlisted_tables_appear_nowhere_and_can_be_played_by_link(pair: tuple[str, str]) -> None:
    async with client(pair[0]) as one, client(pair[1]) as two:
        for watcher in (one, two):
            await watcher.ask({"type": "watch_lobby"})
        async with sitting(
            pair, "mein-schatz", 2, listed=False, clock={"move_ms": 150}, on_timeout="forfeit"
        ) as game:
            for http in game.http:
                for query in ("", "?game=mein-schatz", "?status=open", "?status=playing"):
                    cursor = ""
                    while cursor is not None:
                        more = f"{query}{'&' if query else '?'}cursor={cursor}" if cursor else query
                        page = await http.done(200, "GET", f"/v1/tables{more}")
                        assert game.table not in [facts["table"] for facts in page["tables"]]
                        cursor = page["next"]
                assert (await http.facts(game.table))["listed"] is False
            await over(game.http[0], game.table)
            following = (await game.http[1].done(201, "POST", f"{game.path}/rematch", token=game.tokens[0]))[
                "next"
            ]
            shown = (await game.http[0].table("mein-schatz", seats=2))["table"]
            for watcher in (one, two):
                await watcher.next(
                    "lobby_change", lambda change: change.get("added", {}).get("table") == shown
                )
                assert changes(watcher, game.table) == changes(watcher, following) == []


async def test_mine_tells_through_either_process_where_it_is_one_s_turn(pair: tuple[str, str]) -> None:
    async with sitting(pair, "oopsie", 4) as all_choose, sitting(pair) as one_moves:
        (turn,) = one_moves.waiting
        asked = [
            {"table": game.table, "token": token}
            for game in (all_choose, one_moves)
            for token in (*game.tokens, game.host)
        ]
        for http in one_moves.http:
            told = (await http.done(200, "POST", "/v1/mine", {"tables": asked}))["tables"]
            assert [entry["your_turn"] for entry in told] == [
                *([True] * 4),
                False,
                *(seat == turn for seat in range(3)),
                False,
            ]
            assert [entry["viewer"] for entry in told[5:]] == [
                *({"seat": seat} for seat in range(3)),
                {"spectator": True},
            ]
        await one_moves.act(turn)
        await all_choose.act(2)
        path = f"{all_choose.path}/seats/0"
        await all_choose.http[0].done(204, "DELETE", path, token=all_choose.tokens[0])
        told = await asyncio.gather(
            *(http.done(200, "POST", "/v1/mine", {"tables": asked}) for http in one_moves.http)
        )
        for answer in told:
            tables = answer["tables"]
            assert (tables[0]["code"], tables[0]["your_turn"]) == ("unauthorized", False)
            assert [entry["your_turn"] for entry in tables[1:5]] == [True, False, True, False]
            assert not tables[5 + turn]["your_turn"]
            assert sum(entry["your_turn"] for entry in tables[5:8]) == 1
        # Paused games wait for nobody.
        await one_moves.http[0].done(200, "POST", f"{one_moves.path}/pause", token=one_moves.host)
        (answer,) = await all_done(one_moves.http[1].done(200, "POST", "/v1/mine", {"tables": asked[5:]}))
        assert not [entry for entry in answer["tables"] if entry["your_turn"]]
