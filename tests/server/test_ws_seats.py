"""Seats that are left, taken from their players, and who is connected."""

from __future__ import annotations

import asyncio
import contextlib

from server.store import Entry, MemoryBackend, MemoryStore
from server.wire import Presence
from tests.server.playing import played
from tests.support.clients import Http, Kind, client, join
from tests.support.server import Running, Serve


class Deaf(MemoryStore):
    """A store whose news never arrive."""

    def _deliver(self, table: str, entry: Entry, after_ms: int) -> None:
        """Say nothing."""


class Held(MemoryStore):
    """A store that can be made to wait before it watches a table."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = asyncio.Event()

    async def watch(self, table: str) -> int:
        """Watch, once the gate is open."""
        self.waiting.set()
        await self.gate.wait()
        return await super().watch(table)


async def test_who_leaves_is_told_and_loses_the_token(here: Running, http: Http, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one, client(here.url, kind) as watcher:
        await one.attach(game.table, game.tokens[1])
        await watcher.attach(game.table)
        await http.done(204, "DELETE", f"/v1/tables/{game.table}/seats/1", token=game.tokens[1])
        gone = await one.next("detached")
        assert (gone["table"], gone["reason"]) == (game.table, "revoked")
        assert "id" not in gone
        update = one.seen[-2]
        assert (update["version"], update["by"]) == (6, 1)
        assert {"type": "seat_left", "seat": 1, "reason": "left"} in update["events"]
        assert (await watcher.version(game.table, 6)).view["seats"][1].get("name") is None
        assert (await one.attach(game.table, game.tokens[1]))["code"] == "unauthorized"
        assert (await one.act(game.table, {"type": "x"}))["code"] == "forbidden"
        for method, path in (("GET", ""), ("GET", "/log"), ("GET", "/at/1"), ("DELETE", "/seats/1")):
            await http.refused(
                401, "unauthorized", method, f"/v1/tables/{game.table}{path}", token=game.tokens[1]
            )


async def test_whom_the_host_removes_is_told_so(here: Running, http: Http, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        await one.attach(game.table, game.tokens[1])
        await http.done(204, "DELETE", f"/v1/tables/{game.table}/seats/1", token=game.host)
        assert (await one.next("detached"))["reason"] == "removed"
        assert (one.seen[-2]["by"], one.seen[-2]["events"][0]["reason"]) == ("host", "removed")
        assert (await one.attach(game.table, game.tokens[1]))["code"] == "unauthorized"
        assert (await one.attach(game.table))["viewer"] == {"spectator": True}


async def test_the_next_player_of_a_seat_goes_on_with_a_token_of_their_own(here: Running, http: Http) -> None:
    async with played(here.url) as game, client(here.url) as one:
        seat = game.turn
        ident = (await game.move())["id"]
        await http.done(204, "DELETE", f"/v1/tables/{game.table}/seats/{seat}", token=game.tokens[seat])
        made = await http.sit(game.table, "Heir", seat=seat)
        assert made["seat"] == seat
        answer = await one.attach(game.table, made["token"])
        hand = answer["view"]["game"]["hands"][seat]
        assert hand
        assert None not in hand
        # The ids of whoever sat there before are not the heir's.
        refused = await one.act(game.table, {"type": "play", "card": hand[0]}, id=ident)
        assert refused["code"] == "not_your_turn"


async def test_a_token_that_moved_on_moves_nothing_for_the_seat_it_left(serve: Serve) -> None:
    """Here the connection's process has heard of nothing since."""
    backend = MemoryBackend()
    one, two = await serve(MemoryStore(backend)), await serve(Deaf(backend))
    async with Http(one.url) as http, client(two.url) as there:
        table, host, tokens = await http.full()
        path = f"/v1/tables/{table}/seats"
        seat = (await there.attach(table))["waiting"][0]
        elsewhere = (seat + 1) % 3
        await there.attach(table, tokens[seat])
        card = there.tables[table].actions[0]["card"]["one_of"][0]
        await http.done(204, "DELETE", f"{path}/{seat}", token=tokens[seat])
        await http.done(204, "DELETE", f"{path}/{elsewhere}", token=host)
        await http.sit(table, "Somebody else", seat=seat)
        await http.sit(table, "The same", seat=elsewhere, token=tokens[seat])
        answer = await there.act(table, {"type": "play", "card": card})
        assert (answer["type"], answer["code"]) == ("error", "forbidden")
        assert (await http.facts(table))["version"] == 9
        assert (await there.next("detached"))["reason"] == "revoked"


async def test_presence_tells_of_the_first_connection_and_of_the_last(here: Running) -> None:
    async with Http(here.url) as http, client(here.url) as watcher:
        table, _, tokens = await http.full()
        await watcher.attach(table)
        mirror = watcher.tables[table]
        assert [seat["connected"] for seat in (await http.facts(table))["seats"]] == [False] * 3
        first, second = await join(here.url), await join(here.url, "msgpack")
        await first.attach(table, tokens[1])
        await watcher.until(lambda: mirror.presence.get(1) is True)
        await second.attach(table, tokens[1])
        await first.drop()
        # The second connection is still there: the next that is told is its end.
        await second.ask({"type": "ping"})
        assert [seat["connected"] for seat in (await http.facts(table))["seats"]] == [False, True, False]
        assert mirror.presence == {1: True}
        await second.ask({"type": "detach", "table": table})
        await watcher.until(lambda: mirror.presence.get(1) is False)
        assert [seat["connected"] for seat in (await http.facts(table))["seats"]] == [False] * 3
        await second.attach(table, tokens[1])
        await watcher.until(lambda: mirror.presence.get(1) is True)
        await second.close()
        await watcher.until(lambda: mirror.presence.get(1) is False)
        assert mirror.version == 5


async def test_attaching_again_is_no_news_to_the_others(here: Running) -> None:
    """Every attach of a seat that was attached already told everybody twice that it is connected."""
    async with client(here.url) as watcher, client(here.url) as player:
        async with Http(here.url) as http:
            table, _, tokens = await http.full()
        await watcher.attach(table)
        for views in ("full", "patch", "none", "full"):
            await player.attach(table, tokens[1], views=views)
            await watcher.until(lambda: watcher.tables[table].presence.get(1) is True)
        await player.ask({"type": "detach", "table": table})
        await watcher.until(lambda: watcher.tables[table].presence.get(1) is False)
        told = [message["connected"] for message in watcher.seen if message["type"] == "presence"]
        assert told == [True, False]


async def test_who_is_removed_is_connected_no_more(here: Running, http: Http) -> None:
    async with played(here.url) as game:
        await game.seats[0].until(lambda: game.mirror.presence.get(1) is True)
        await http.done(204, "DELETE", f"/v1/tables/{game.table}/seats/1", token=game.host)
        await game.seats[0].until(lambda: game.mirror.presence.get(1) is False)


async def test_a_connection_lost_while_it_attaches_leaves_nobody_behind(serve: Serve) -> None:
    store = Held()
    here = await serve(store)
    async with Http(here.url) as http, client(here.url) as watcher:
        table, _, tokens = await http.full()
        store.gate.clear()
        one = await join(here.url)
        await one.send({"type": "attach", "table": table, "token": tokens[1]})
        await store.waiting.wait()
        await one.drop()
        async with asyncio.timeout(30):
            while len(here.app.state.endpoint._connections) > 1:
                await asyncio.sleep(0.001)
        store.gate.set()
        await watcher.attach(table)
        facts = await http.facts(table)
        assert facts["seats"][1]["connected"] is False
        assert len(here.service.room(table).attachments()) == 1


async def test_who_sits_down_is_connected_only_once_that_may_be_seen(here: Running) -> None:
    """A seat that a delayed spectator does not see taken yet is not told to be connected either."""
    async with Http(here.url) as http, client(here.url) as watcher, client(here.url) as player:
        table = (await http.table(seats=3, spectators={"delay": 5}))["table"]
        await watcher.attach(table)
        token = (await http.sit(table, "Ann"))["token"]
        await player.attach(table, token)
        await player.until(lambda: player.tables[table].presence.get(0) is True)
        facts = await http.facts(table)
        assert (facts["version"], facts["seats"][0]) == (
            1,
            {**facts["seats"][0], "name": None, "connected": False},
        )
        await watcher.ask({"type": "ping"})
        assert watcher.tables[table].presence == {}


async def test_a_delayed_spectator_is_told_who_is_connected_as_soon_as_it_sees_who_sits_there(
    serve: Serve,
) -> None:
    """The first process had viewers when they came; the second loads the table only afterwards."""
    backend = MemoryBackend()
    first, second = await serve(MemoryStore(backend)), await serve(MemoryStore(backend))
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(Http(first.url))
        made = await http.table(seats=4, spectators={"delay": 2}, autostart=False)
        table = made["table"]
        watcher = await stack.enter_async_context(client(first.url))
        await watcher.attach(table)
        players = []
        for name in ("Ann", "Bob"):
            player = await stack.enter_async_context(client(first.url))
            await player.attach(table, (await http.sit(table, name))["token"])
            players.append(player)
        for player in players:
            await player.until(lambda: all(players[0].tables[table].presence.get(seat) for seat in (0, 1)))
        late = await stack.enter_async_context(client(second.url))
        await late.attach(table)
        assert watcher.tables[table].presence == late.tables[table].presence == {}
        await players[1].drop()
        await players[0].until(lambda: players[0].tables[table].presence[1] is False)
        for name in ("Cy", "Dot"):  # each lets the spectators see one more of the seats taken before
            await http.sit(table, name)
        for one in (watcher, late):
            await one.version(table, 3)
            await one.until(lambda one=one: one.tables[table].presence)  # type: ignore[misc]
            await one.ask({"type": "ping"})
            assert one.tables[table].presence == {0: True}
            kinds = [(told["type"], told.get("version")) for told in one.seen]
            assert kinds.index(("update", 2)) < kinds.index(("presence", None))


async def test_who_is_connected_is_told_also_where_that_is_heard_before_who_sits_there(here: Running) -> None:
    """News of two kinds may overtake one another between processes."""
    async with Http(here.url) as http, client(here.url) as watcher:
        table = (await http.table(seats=3))["table"]
        await watcher.attach(table)
        room = here.service.room(table)
        for seat, connected in ((0, True), (1, True), (1, False)):
            room.tell_presence(Presence(table=table, seat=seat, connected=connected))
        await watcher.ask({"type": "ping"})
        assert watcher.tables[table].presence == {1: False}
        for name in ("Ann", "Bob"):
            await http.sit(table, name)
        await watcher.version(table, 3)
        await watcher.until(lambda: watcher.tables[table].presence == {0: True, 1: False})
