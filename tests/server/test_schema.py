"""The published schemas against what is really sent: every frame, every body, every event and view."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import jsonschema_rs
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from domain.registry import games
from tests.server.playing import played
from tests.support.clients import CODES, Http, Message, client, join
from tests.support.contract import Mismatch, contract
from tests.support.server import Running


@pytest.fixture
async def published(http: Http) -> Message:
    """What the server publishes."""
    found: Message = await http.done(200, "GET", "/v1/schema")
    return found


async def test_every_test_goes_by_what_is_really_published(http: Http, published: Message) -> None:
    described = await http.done(200, "GET", "/v1/openapi.json")
    assert (contract().published, contract().described) == (published, described)
    jsonschema_rs.meta.validate(published)
    for schemas in published["games"].values():
        for one in schemas.values():
            jsonschema_rs.meta.validate(one)


@pytest.mark.parametrize("name", list(games()))
async def test_a_whole_game_is_as_the_schemas_say(here: Running, http: Http, name: str) -> None:
    """What any test receives is held to the schemas by `tests.support.contract`; here that is everything."""
    seats = games()[name].seats[0]
    async with (
        played(here.url, name, seats) as game,
        client(here.url, validate=contract().message) as watcher,
        client(here.url, "msgpack", validate=contract().message) as patched,
    ):
        await watcher.attach(game.table)
        await patched.attach(game.table, game.tokens[0], views="patch")
        for _ in range(60):
            if game.over:
                break
            await game.move()
        for token in (None, game.tokens[0]):
            header, lines = await http.log(game.table, token)
            assert header["game"] == name
            assert lines[-1]["events"]
            await http.done(200, "GET", f"/v1/tables/{game.table}/at/{header['version']}", token=token)
            await http.facts(game.table, token)


async def test_everything_else_that_is_sent_is_as_the_schemas_say(here: Running, http: Http) -> None:
    """Lobby, presence, talk, errors, refusals, a rematch, and the end of a seat."""
    async with (
        played(here.url, "trinket-trove", 2) as game,
        client(here.url, validate=contract().message) as one,
        client(here.url, "msgpack", validate=contract().message) as two,
    ):
        for there in (one, two):
            await there.ask({"type": "watch_lobby"})
            await there.attach(game.table, game.tokens[0])
            await there.act(game.table, {"type": "no such thing"}, if_version=1)
            await there.act("aaaaaaaaaaaa", {"type": "no such thing"})
            await there.attach(game.table, "A" * 43)
            await there.ask({"type": "say", "table": game.table, "text": "hello"})
            await there.ask({"type": "say", "table": game.table, "reaction": "clap"})
            await there.ask({"type": "ping"})
            await there.attach(game.table, game.tokens[game.turn])
            await there.act(game.table, game.action())
            for seat in game.seats:
                await seat.version(game.table, there.tables[game.table].version)
        await game.finish()
        await http.done(201, "POST", f"/v1/tables/{game.table}/rematch", token=game.host)
        made = await http.table("trick-and-trade")
        token = (await http.sit(made["table"]))["token"]
        await one.attach(made["table"], token)
        await http.done(204, "DELETE", f"/v1/tables/{made['table']}/seats/0", token=made["host_token"])
        await one.next("detached")
        await one.next("rematch")
        await one.ask({"type": "unwatch_lobby"})
        await one.ask({"type": "detach", "table": game.table})
        told = {message["type"] for message in (*one.seen, *two.seen)}
        wanted = set(_types("ToClient"))
        assert told == wanted, "some messages were never sent, or are not described"


WRONG: list[tuple[str, Callable[[Message], object]]] = [
    ("a field is missing", lambda told: told.pop("version")),
    ("a field has another type", lambda told: told.update(waiting="0")),
    ("the message is of no known type", lambda told: told.update(type="atached")),
    ("a member of the table's view is wrong", lambda told: told["view"].update(seats=None)),
    ("a member of the game's view is missing", lambda told: told["view"]["game"].pop("front")),
    ("a member of the game's view is wrong", lambda told: told["view"]["game"].update(plays=[{"seat": 0}])),
]


@pytest.mark.parametrize("wrong", [wrong for _, wrong in WRONG], ids=[about for about, _ in WRONG])
async def test_a_wrong_frame_fails_the_test_that_receives_it(
    here: Running, wrong: Callable[[Message], object]
) -> None:
    """A test of the test: a server that answers as ours did, but for one thing."""
    async with played(here.url) as game, client(here.url) as honest:
        answer = await honest.attach(game.table)
    assert answer["view"]["game"]["front"]
    async with _saying(answer) as url, client(url) as one:
        assert (await one.attach(game.table))["type"] == "attached"
    wrong(answer)
    async with _saying(answer) as url:
        one = await join(url)
        with pytest.raises(Mismatch):
            await one.attach(game.table)
        with pytest.raises(Mismatch):
            await one.close()


@contextlib.asynccontextmanager
async def _saying(answer: Message) -> AsyncIterator[str]:
    """A server that gives one answer to whatever is asked."""

    async def talk(socket: ServerConnection) -> None:
        async for asked in socket:
            await socket.send(json.dumps(answer | {"id": json.loads(asked)["id"]}))

    subprotocol = Subprotocol("facedown.v1.json")
    async with serve(talk, "127.0.0.1", 0, subprotocols=[subprotocol]) as server:
        yield f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


async def test_a_wrong_body_fails_the_test_that_receives_it(http: Http) -> None:
    facts = f"/v1/tables/{(await http.table())['table']}"
    at, log = f"{facts}/at/1", f"{facts}/log"
    wrong: list[tuple[str, str, int, str]] = [
        ("GET", facts, 200, await _altered(http, facts, "seats", 3)),
        ("GET", at, 200, await _altered(http, at, "waiting", "shut")),
        ("GET", facts, 418, '{"code": "forbidden", "message": "no tea"}'),
        ("GET", facts, 404, '{"code": "no_such_table"}'),
        ("GET", "/v1/nowhere", 404, '{"error": "none"}'),
        ("DELETE", f"{facts}/seats/0", 204, "{}"),
    ]
    for method, path, status, body in wrong:
        with pytest.raises(Mismatch):
            contract().response(method, path, status, "application/json", body.encode())
    lines = (await http.ask("GET", log)).content
    contract().response("GET", log, 200, "application/jsonl", lines)
    for real, false in ((b'"seats":', b'"chairs":'), (b'"table_opened"', b'"table_found"')):
        assert real in lines
        with pytest.raises(Mismatch):
            contract().response("GET", log, 200, "application/jsonl", lines.replace(real, false))


async def _altered(http: Http, path: str, name: str, value: Any) -> str:
    body = await http.done(200, "GET", path)
    assert name in body
    return json.dumps(body | {name: value})


def test_what_clients_send_is_described_as_well() -> None:
    contract().named({"game": "oopsie", "seats": 4}, "CreateTable")
    contract().named({"name": "Ann"}, "Sit")
    for wrong in (
        {"type": "attach"},
        {"type": "attach", "table": 1},
        {"type": "act", "table": "t", "action": {}},
        {"type": "accepted", "id": "a", "table": "t"},
        {"type": "update", "table": "t"},
        {"type": "detached", "table": "t", "reason": "boredom"},
    ):
        with pytest.raises(Mismatch):
            contract().message(wrong)


def test_the_list_of_codes_is_closed() -> None:
    assert set(contract().published["$defs"]["Code"]["enum"]) == CODES


def test_each_type_has_one_definition() -> None:
    named = contract().by_type
    assert {"attach", "act", "attached", "update", "finished", "seat_taken"} <= set(named)


def _types(union: str) -> list[str]:
    names = [entry["$ref"].rpartition("/")[2] for entry in contract().published["$defs"][union]["oneOf"]]
    return [kind for kind, name in contract().by_type.items() if name in names]
