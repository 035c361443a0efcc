"""Becoming a viewer and ceasing to be one."""

from __future__ import annotations

import pytest

from domain.registry import games
from tests.server.playing import played
from tests.support.clients import Http, Kind, Message, client, without_nulls
from tests.support.server import Running, Serve

NOWHERE = "aaaaaaaaaaaaaaaaaaaa"
NO_TOKEN = "A" * 43


async def test_everybody_is_told_who_they_are(here: Running, kind: Kind) -> None:
    async with Http(here.url) as http, client(here.url, kind) as one:
        table, host, tokens = await http.full(spectators={"who": "all"})
        guest = (await http.done(201, "POST", f"/v1/tables/{table}/spectators", token=host))["token"]
        spectator: Message = {"spectator": True}
        wanted = [(None, spectator), (host, spectator), (guest, spectator)]
        wanted += [(token, {"seat": seat}) for seat, token in enumerate(tokens)]
        for token, viewer in wanted:
            answer = await one.attach(table, token)
            assert answer["viewer"] == viewer
            assert (answer["version"], answer["status"], answer["recovered"]) == (6, "playing", False)
            assert set(answer["view"]) >= {"status", "seats", "game"}
            lead = answer["waiting"][0]
            assert bool(answer["actions"]) == (viewer == {"seat": lead})
            facts = await http.facts(table)
            assert (answer["epoch"], answer["at_ms"]) == (facts["epoch"], facts["at_ms"])


async def test_before_the_start_there_is_no_game(http: Http, here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        table = (await http.table())["table"]
        answer = await one.attach(table)
        assert (answer["version"], answer["status"], answer["waiting"]) == (1, "open", [])
        assert answer["view"]["game"] is None
        await http.sit(table, "Ann")
        mirror = await one.version(table, 2)
        assert mirror.view["seats"][0]["name"] == "Ann"


async def test_the_first_message_after_an_attach_is_its_answer(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        await one.send({"type": "attach", "id": "a", "table": game.table, "token": game.tokens[0]})
        await game.move(3)
        await one.version(game.table, game.mirror.version)
        first = next(message for message in one.seen if message.get("table") == game.table)
        assert first["type"] == "attached"


async def test_an_attach_without_an_id_is_answered_without_one(here: Running, http: Http, kind: Kind) -> None:
    table = (await http.table())["table"]
    async with client(here.url, kind) as one:
        await one.send({"type": "attach", "table": table})
        assert "id" not in await one.next("attached")
        await one.send({"type": "detach", "table": table})
        assert "id" not in await one.next("detached")


async def test_a_table_that_is_not_there_is_no_such_table(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for name in (NOWHERE, "short", "UPPERCASE00", "a/../b", "x" * 200, "", "täble000"):
            for more in ({}, {"token": NO_TOKEN}):
                answer = await one.ask({"type": "attach", "table": name, **more})
                assert (answer["type"], answer["code"], answer["table"]) == ("error", "no_such_table", name)


async def test_an_invalid_token_is_never_a_silent_spectator(here: Running, http: Http, kind: Kind) -> None:
    table, host, tokens = await http.full()
    async with client(here.url, kind) as one:
        for token in (NO_TOKEN, "x", host[:-1], tokens[0] + "A", tokens[0].swapcase(), f" {tokens[0]}"):
            answer = await one.attach(table, token)
            assert (answer["type"], answer["code"]) == ("error", "unauthorized")
        assert table not in one.tables


async def test_a_token_of_another_table_is_invalid(here: Running, http: Http) -> None:
    table, _, _ = await http.full()
    _, host, tokens = await http.full()
    async with client(here.url) as one:
        for token in (host, tokens[0]):
            assert (await one.attach(table, token))["code"] == "unauthorized"


@pytest.mark.parametrize("who", ["token", "none"])
async def test_a_table_without_free_spectators_wants_a_token(here: Running, http: Http, who: str) -> None:
    table, host, tokens = await http.full(spectators={"who": who})
    async with client(here.url) as one:
        assert (await one.attach(table))["code"] == "forbidden"
        assert (await one.attach(table, NO_TOKEN))["code"] == "unauthorized"
        assert (await one.attach(table, host))["viewer"] == {"spectator": True}
        assert (await one.attach(table, tokens[1]))["viewer"] == {"seat": 1}
        answer = await http.ask("POST", f"/v1/tables/{table}/spectators", token=host)
        assert answer.status_code == (201 if who == "token" else 403)
        if who == "token":
            assert (await one.attach(table, answer.json()["token"]))["viewer"] == {"spectator": True}


async def test_a_second_attach_replaces_the_first(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        await one.attach(game.table, game.tokens[0])
        await one.attach(game.table, game.tokens[1], views="none")
        await one.attach(game.table)
        await game.move(2)
        mirror = await one.version(game.table, 7)
        assert mirror.viewer == {"spectator": True}
        updates = [message["version"] for message in one.seen if message["type"] == "update"]
        assert updates == [6, 7]
        refused = await one.act(game.table, {"type": "play", "card": "x"})
        assert (refused["type"], refused["code"]) == ("error", "forbidden")


async def test_a_second_attach_that_fails_leaves_the_first(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        await one.attach(game.table, game.tokens[0])
        assert (await one.attach(game.table, NO_TOKEN))["code"] == "unauthorized"
        await game.move()
        assert (await one.version(game.table, 6)).viewer == {"seat": 0}


async def test_every_detach_is_answered(here: Running, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        await one.attach(game.table)
        for table in (game.table, game.table, NOWHERE, "no id", ""):
            answer = await one.ask({"type": "detach", "table": table})
            assert (answer["type"], answer["table"], answer["reason"]) == ("detached", table, "asked")
        await game.move()
        assert (await one.ask({"type": "ping"}))["type"] == "pong"
        assert not [message for message in one.seen if message["type"] == "update"]


async def test_a_command_sent_before_a_detach_is_answered_before_it(here: Running) -> None:
    async with played(here.url) as game:
        mover, table = game.mover, game.table
        await mover.send({"type": "act", "id": "move", "table": table, "action": game.action()})
        await mover.send({"type": "detach", "id": "bye", "table": table})
        await mover.until(lambda: "bye" in mover.answers)
        kinds = [message["type"] for message in mover.seen[-3:]]
        assert kinds == ["update", "accepted", "detached"]


async def test_a_connection_watches_so_many_tables_and_no_more(serve: Serve) -> None:
    here = await serve(max_attached_tables=3)
    async with Http(here.url) as http, client(here.url) as one:
        tables = [(await http.table())["table"] for _ in range(4)]
        for table in tables[:3]:
            assert (await one.attach(table))["type"] == "attached"
        assert (await one.attach(tables[3]))["code"] == "forbidden"
        assert (await one.attach(tables[0]))["type"] == "attached"
        await one.ask({"type": "detach", "table": tables[1]})
        assert (await one.attach(tables[3]))["type"] == "attached"
        # Refused attaches take no place.
        await one.ask({"type": "detach", "table": tables[0]})
        for _ in range(5):
            assert (await one.attach(NOWHERE))["code"] == "no_such_table"
            assert (await one.attach(tables[1], NO_TOKEN))["code"] == "unauthorized"
        assert (await one.attach(tables[0]))["type"] == "attached"


@pytest.mark.parametrize("name", list(games()))
async def test_patches_lead_to_the_full_view_at_every_version(here: Running, name: str) -> None:
    """For a seat and a spectator, with a null member counted as an absent one."""
    seats = games()[name].seats[-1]
    async with (
        played(here.url, name, seats) as game,
        client(here.url) as full,
        client(here.url) as patched,
        client(here.url, "msgpack") as bare,
    ):
        for token in (None, game.tokens[0]):
            await full.attach(game.table, token)
            await patched.attach(game.table, token, views="patch")
            await bare.attach(game.table, token, views="none")
            for _ in range(25):
                if game.over:
                    break
                version = (await game.move())["version"]
                mirrors = [await one.version(game.table, version) for one in (full, patched, bare)]
                assert without_nulls(mirrors[1].view) == without_nulls(mirrors[0].view)
                for mirror in mirrors[1:]:
                    for member in ("events", "actions", "waiting", "by", "at_ms", "status"):
                        told = mirror.updates[version][member]
                        assert told == mirrors[0].updates[version][member]
                assert "view" not in mirrors[2].updates[version]


async def test_a_finished_game_can_be_watched(here: Running) -> None:
    async with played(here.url, "trinket-trove", 2) as game, client(here.url) as one:
        await game.finish()
        answer = await one.attach(game.table, game.tokens[0])
        assert (answer["status"], answer["actions"], answer["waiting"]) == ("finished", [], [])
        assert answer["view"]["result"] == game.mirror.view["result"]
        finished = _finished(game.mirror.updates[answer["version"]])
        assert finished["places"] == answer["view"]["result"]["places"]
        assert len(finished["deal_key"]) == 64


def _finished(update: Message) -> Message:
    (event,) = [event for event in update["events"] if event["type"] == "finished"]
    return dict(event)
