"""A log that this server cannot read: its table is unavailable here, everything else goes on."""

from __future__ import annotations

import msgspec
import pytest

from server.store import Entry, MemoryStore
from tests.server.playing import played
from tests.support.clients import Http, client
from tests.support.server import Serve

FROM_A_NEWER_SERVER = msgspec.msgpack.encode({"by": "host", "events": [{"type": "of_the_future"}]})
NO_COMMIT = b"nonsense"


class Deaf(MemoryStore):
    """A store whose news never arrive."""

    def _deliver(self, table: str, entry: Entry, after_ms: int) -> None:
        """Say nothing."""


@pytest.mark.parametrize("data", [FROM_A_NEWER_SERVER, NO_COMMIT], ids=["newer", "corrupt"])
@pytest.mark.parametrize("store", [MemoryStore, Deaf])
async def test_its_viewers_are_let_go_and_told_why(
    serve: Serve, data: bytes, store: type[MemoryStore]
) -> None:
    """Whether the commit is heard of or found when the table is next read."""
    behind = store()
    here = await serve(behind)
    async with played(here.url) as game, Http(here.url) as http, client(here.url) as one:
        await one.attach(game.table)
        await behind.append(game.table, 6, data)
        for path in ("", "/log", "/at/1"):
            await http.refused(503, "unavailable", "GET", f"/v1/tables/{game.table}{path}")
        for viewer in (one, *game.seats):
            gone = await viewer.next("detached")
            assert (gone["table"], gone["reason"]) == (game.table, "closed")
        assert (await one.attach(game.table))["code"] == "unavailable"
        assert (await one.act(game.table, {"type": "x"}))["code"] == "forbidden"
        assert (await one.ask({"type": "ping"}))["type"] == "pong"


async def test_it_spoils_no_list(serve: Serve) -> None:
    behind = MemoryStore()
    here = await serve(behind)
    async with Http(here.url) as http, client(here.url) as watching, client(here.url) as later:
        good, broken = (await http.table())["table"], (await http.table())["table"]
        token = (await http.sit(broken))["token"]
        listed = await watching.ask({"type": "watch_lobby"})
        assert {facts["table"] for facts in listed["tables"]} == {good, broken}
        await behind.append(broken, 3, FROM_A_NEWER_SERVER)
        await behind.signal("lobby", broken.encode())
        page = await http.done(200, "GET", "/v1/tables")
        assert [facts["table"] for facts in page["tables"]] == [good]
        listed = await later.ask({"type": "watch_lobby"})
        assert [facts["table"] for facts in listed["tables"]] == [good]
        await watching.next("lobby_change", lambda change: change.get("removed") == broken)
        await http.sit(good, "Ann")
        await watching.next("lobby_change", lambda change: "changed" in change)
        mine = {"tables": [{"table": broken, "token": token}, {"table": good, "token": token}]}
        answer = await http.done(200, "POST", "/v1/mine", mine)
        assert [entry["code"] for entry in answer["tables"]] == ["unavailable", "unauthorized"]
