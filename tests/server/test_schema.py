"""The published schemas against what is really sent: every frame, every body, every event and view."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from domain.registry import games
from tests.server.playing import played
from tests.support.clients import CODES, Http, Message, client
from tests.support.server import Running


class Checker:
    """Validates by what `GET /v1/schema` says.

    Args:
        schema: the answer.
    """

    def __init__(self, schema: Message) -> None:
        Draft202012Validator.check_schema(schema)
        self.schema = schema
        self.by_type: dict[str, str] = {}
        for name, definition in schema["$defs"].items():
            tags = definition.get("properties", {}).get("type", {}).get("enum", [])
            self.by_type.update(dict.fromkeys(tags, name))
        self._cache: dict[str, Draft202012Validator] = {}

    def check(self, value: Any, name: str, among: Message | None = None, key: str = "") -> None:
        """Hold a value to a definition of the document, or to a schema of its own, remembered by a key."""
        if key + name not in self._cache:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self.schema["$defs"]} if among is None else among
            self._cache[key + name] = Draft202012Validator(schema)
        errors = [error.message[:300] for error in self._cache[key + name].iter_errors(value)]
        assert not errors, f"{name}: {errors[:3]}\n{str(value)[:500]}"

    def message(self, message: Message) -> None:
        """Hold a message to the definition of its type."""
        self.check(message, self.by_type[message["type"]])

    def inside(self, game: str, message: Message) -> None:
        """Hold the view and the events inside a message to the schemas of the game."""
        schemas = self.schema["games"][game]
        if view := (message.get("view") or {}).get("game"):
            self.check(view, "view", schemas["view"], game)
        for event in message.get("events", []):
            if event["type"] in self.by_type:
                self.check(event, self.by_type[event["type"]])
            else:
                self.check(event, "events", schemas["events"], game)


@pytest.fixture
async def checker(http: Http) -> Checker:
    """What the server publishes."""
    return Checker(await http.done(200, "GET", "/v1/schema"))


@pytest.mark.parametrize("name", list(games()))
async def test_a_whole_game_is_as_the_schemas_say(
    here: Running, http: Http, checker: Checker, name: str
) -> None:
    seats = games()[name].seats[0]
    async with (
        played(here.url, name, seats) as game,
        client(here.url, validate=checker.message) as watcher,
        client(here.url, "msgpack", validate=checker.message) as patched,
    ):
        await watcher.attach(game.table)
        await patched.attach(game.table, game.tokens[0], views="patch")
        for _ in range(60):
            if game.over:
                break
            await game.move()
        for one in game.seats:
            for message in one.seen:
                checker.message(message)
                checker.inside(name, message)
        for token in (None, game.tokens[0]):
            header, lines = await http.log(game.table, token)
            assert header["game"] == name
            for line in lines:
                checker.inside(name, line)
            at = await http.done(200, "GET", f"/v1/tables/{game.table}/at/{header['version']}", token=token)
            checker.check(at, "At")
            checker.inside(name, at)
            checker.check(await http.facts(game.table, token), "Facts")


async def test_everything_else_that_is_sent_is_as_the_schemas_say(
    here: Running, http: Http, checker: Checker
) -> None:
    """Lobby, presence, talk, errors, refusals, a rematch, and the end of a seat."""
    async with (
        played(here.url, "trinket-trove", 2) as game,
        client(here.url, validate=checker.message) as one,
        client(here.url, "msgpack", validate=checker.message) as two,
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
        wanted = set(_types(checker, "ToClient"))
        assert told == wanted, "some messages were never sent, or are not described"


async def test_bodies_over_http_are_as_the_schemas_say(http: Http, checker: Checker) -> None:
    made = await http.table()
    checker.check(made, "Created")
    path = f"/v1/tables/{made['table']}"
    checker.check(await http.sit(made["table"]), "Seated")
    checker.check(await http.done(201, "POST", f"{path}/spectators", token=made["host_token"]), "Admitted")
    checker.check(await http.done(200, "GET", "/v1/tables"), "Page")
    checker.check(await http.facts(made["table"]), "Facts")
    checker.check((await http.ask("GET", "/v1/tables/nowhere0")).json(), "ApiError")
    checker.check((await http.ask("POST", "/v1/tables", {"game": "chess"})).json(), "ApiError")
    checker.check({"game": "oopsie", "seats": 4}, "CreateTable")
    checker.check({"name": "Ann"}, "Sit")


async def test_the_schemas_refuse_what_is_wrong(checker: Checker) -> None:
    """A test of the test: they are strict where it matters."""
    for wrong in (
        {"type": "attach"},
        {"type": "attach", "table": 1},
        {"type": "act", "table": "t", "action": {}},
        {"type": "accepted", "id": "a", "table": "t"},
        {"type": "update", "table": "t"},
        {"type": "detached", "table": "t", "reason": "boredom"},
    ):
        with pytest.raises(AssertionError):
            checker.message(wrong)
    with pytest.raises(AssertionError):
        checker.inside("oopsie", {"events": [{"type": "no such event"}]})


async def test_the_list_of_codes_is_closed(checker: Checker) -> None:
    assert set(checker.schema["$defs"]["Code"]["enum"]) == CODES


def test_each_type_has_one_definition() -> None:
    from server.schema import messages

    checker = Checker(messages())
    assert {"attach", "act", "attached", "update", "finished", "seat_taken"} <= set(checker.by_type)


def _types(checker: Checker, union: str) -> list[str]:
    names = [entry["$ref"].rpartition("/")[2] for entry in checker.schema["$defs"][union]["oneOf"]]
    return [kind for kind, name in checker.by_type.items() if name in names]
