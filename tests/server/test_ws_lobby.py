"""The live list of tables."""

from __future__ import annotations

import asyncio

import pytest

from server import lobby
from server.store import MemoryBackend, MemoryStore
from tests.server.playing import played
from tests.support.clients import Client, Http, Kind, Message, client, join
from tests.support.server import Running, Serve


async def watched(one: Client, **more: str) -> list[Message]:
    """The list as it is when one begins to watch."""
    answer = await one.ask({"type": "watch_lobby", **more})
    assert answer["type"] == "lobby"
    tables: list[Message] = answer["tables"]
    return tables


def changes(one: Client) -> list[tuple[str, str, str]]:
    """What was told since: kind, table, status."""
    told = []
    for message in one.seen:
        if message["type"] == "lobby_change":
            (kind,) = set(message) - {"type"}
            facts = message[kind]
            told.append((kind, facts, "") if kind == "removed" else (kind, facts["table"], facts["status"]))
    return told


async def test_the_list_has_listed_tables_that_live_newest_first(
    here: Running, http: Http, kind: Kind
) -> None:
    first = (await http.table())["table"]
    await http.table(listed=False)
    playing, _, _ = await http.full()
    async with client(here.url, kind) as one:
        tables = await watched(one)
        assert [facts["table"] for facts in tables] == [playing, first]
        assert tables[1] == await http.facts(first)


async def test_a_table_is_told_from_its_opening_to_its_end(here: Running) -> None:
    async with client(here.url) as one:
        assert await watched(one) == []
        async with played(here.url, "trinket-trove", 2) as game:
            await game.finish()
            await one.next("lobby_change", lambda change: change.get("removed") == game.table)
            told = changes(one)
            assert {table for _, table, _ in told} == {game.table}
            assert told[0] == ("added", game.table, "open")
            assert told[-1] == ("removed", game.table, "")
            assert ("changed", game.table, "playing") in told
            seen = [message["changed"] for message in one.seen if "changed" in message]
            assert [len([seat for seat in facts["seats"] if seat["name"]]) for facts in seen][-1] == 2
        async with client(here.url) as later:
            assert await watched(later) == []


async def test_one_game_only(here: Running, http: Http, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        assert await watched(one, game="oopsie") == []
        await http.table("trick-and-trade")
        table = (await http.table("oopsie"))["table"]
        await one.next("lobby_change")
        assert changes(one) == [("added", table, "open")]
        # A second watch replaces the first.
        tables = await watched(one, game="trick-and-trade")
        assert [facts["game"] for facts in tables] == ["trick-and-trade"]
        await http.sit(table, "Ann")
        await http.table("trick-and-trade")
        await one.until(lambda: len(changes(one)) > 1)
        assert [kind for kind, _, _ in changes(one)] == ["added", "added"]


async def test_an_unknown_game_is_no_such_game(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for game in ("chess", "", "Oopsie"):
            answer = await one.ask({"type": "watch_lobby", "game": game})
            assert (answer["type"], answer["code"]) == ("error", "no_such_game")


async def test_unwatch_is_always_answered_and_ends_it(here: Running, http: Http, kind: Kind) -> None:
    async with client(here.url, kind) as one, client(here.url) as other:
        for _ in range(2):
            assert (await one.ask({"type": "unwatch_lobby"}))["type"] == "lobby_unwatched"
        await watched(one)
        await watched(other)
        await one.ask({"type": "unwatch_lobby"})
        await http.table()
        await other.next("lobby_change")
        await one.ask({"type": "ping"})
        assert changes(one) == []


async def test_unlisted_tables_are_never_told(here: Running, http: Http) -> None:
    async with client(here.url) as one:
        await watched(one)
        table = (await http.table(listed=False))["table"]
        await http.sit(table)
        listed = (await http.table())["table"]
        await one.next("lobby_change")
        assert {table for _, table, _ in changes(one)} == {listed}


async def test_the_facts_of_a_table_with_a_delay_are_late(here: Running) -> None:
    async with Http(here.url) as http, client(here.url) as one:
        await watched(one)
        table = (await http.table(seats=3, spectators={"delay": 2}))["table"]
        await one.next("lobby_change", lambda change: "added" in change)
        for number in range(2):
            await http.sit(table, f"Player {number}")
        listed = (await http.done(200, "GET", "/v1/tables"))["tables"][0]
        assert (listed["version"], [seat["name"] for seat in listed["seats"]]) == (1, [None] * 3)
        await http.sit(table, "Player 2")  # and the start: version 5
        change = await one.next("lobby_change", lambda change: "changed" in change)
        assert change["changed"]["version"] <= 3
        assert change["changed"]["status"] == "open"


class Held(MemoryStore):
    """A store that can be made to wait before it lists tables."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = asyncio.Event()

    async def listing(
        self, game: str | None, status: str | None, cursor: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        """List, once the gate is open."""
        found = await super().listing(game, status, cursor, limit)
        self.waiting.set()
        await self.gate.wait()
        return found


async def test_who_is_cut_off_while_the_list_is_read_leaves_no_old_list_behind(serve: Serve) -> None:
    store = Held()
    here = await serve(store)
    async with Http(here.url) as http:
        gone = await join(here.url)
        store.gate.clear()
        await gone.send({"type": "watch_lobby", "id": "list"})
        await store.waiting.wait()
        (connection,) = here.app.state.endpoint._connections
        connection.cut()
        assert await gone.end() == (1008, "slow reader")
        store.gate.set()
        table = (await http.table())["table"]
        async with client(here.url) as one:
            assert [facts["table"] for facts in await watched(one)] == [table]


async def test_watching_and_unwatching_keep_their_order(serve: Serve) -> None:
    """Also where the list takes long to read: each is answered, and the last one counts."""
    store = Held()
    here = await serve(store)
    async with Http(here.url) as http, client(here.url) as one, client(here.url) as other:
        store.gate.clear()
        for number in range(3):
            await one.send({"type": "watch_lobby", "id": f"watch {number}"})
            await one.send({"type": "unwatch_lobby", "id": f"unwatch {number}"})
        await store.waiting.wait()
        await one.ask({"type": "ping"})
        store.gate.set()
        await one.until(lambda: "unwatch 2" in one.answers)
        told = [message["id"] for message in one.seen if message["type"] != "pong"]
        assert told == [f"{what} {number}" for number in range(3) for what in ("watch", "unwatch")]
        await watched(other)
        await http.table()
        await other.next("lobby_change")
        await one.ask({"type": "ping"})
        assert changes(one) == []


async def test_who_is_gone_before_the_list_is_read_is_not_watching(serve: Serve) -> None:
    store = Held()
    here = await serve(store)
    async with client(here.url) as other:
        store.gate.clear()
        await other.send({"type": "watch_lobby", "id": "list"})
        await store.waiting.wait()
        gone = await join(here.url)
        await gone.send({"type": "watch_lobby"})
        await gone.ask({"type": "ping"})
        await gone.drop()
        async with asyncio.timeout(30):
            while here.app.state.endpoint.number > 1:
                await asyncio.sleep(0.001)
        store.gate.set()
        await other.until(lambda: "list" in other.answers)
        await other.ask({"type": "unwatch_lobby"})
        assert not here.service.lobby._watchers


async def test_what_changed_without_a_word_is_told_before_long(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signals between processes may get lost; the list was wrong until the last watcher went."""
    monkeypatch.setattr(lobby, "REPAIR_S", 0.05)
    backend = MemoryBackend()
    watching, deaf = await serve(MemoryStore(backend)), await serve(MemoryStore(backend))

    async def lost(topic: str, payload: bytes) -> None:
        return None

    monkeypatch.setattr(deaf.service.store, "signal", lost)
    async with client(watching.url) as one, Http(deaf.url) as http:
        assert await watched(one) == []
        opened = await http.table()
        table = opened["table"]
        await one.next("lobby_change", lambda change: change.get("added", {}).get("table") == table)
        await http.client.delete(
            f"/v1/tables/{table}/host", headers={"Authorization": f"Bearer {opened['host_token']}"}
        )
        await one.next("lobby_change", lambda change: change.get("removed") == table)
