"""What is really sent against what the server publishes: every frame and every body that a test receives.

A message, a view, an event or a body that does not match `GET /v1/schema` or `GET /v1/openapi.json` fails
the test that received it. The validators are compiled once for each process, and only as they are needed.
"""

from __future__ import annotations

import contextlib
import json
import re
from functools import cache
from typing import Any

import httpx
import jsonschema_rs

from server import openapi, schema

Message = dict[str, Any]

games: dict[str, str] = {}
"""The games of the tables that this process has heard of."""


class Mismatch(AssertionError):
    """Something was sent that is not as the published schemas say."""


class Contract:
    """Validates by the published documents.

    Args:
        published: what `GET /v1/schema` gives.
        described: what `GET /v1/openapi.json` gives.
    """

    def __init__(self, published: Message, described: Message) -> None:
        self.published = published
        self.described = described
        self._defs = published["$defs"]
        self.by_type: dict[str, str] = {}
        for name, definition in self._defs.items():
            tags = definition.get("properties", {}).get("type", {}).get("enum", [])
            self.by_type.update(dict.fromkeys(tags, name))
        self._games: dict[str, Message] = published["games"]
        self._events = {game: _by_tag(schemas["events"]) for game, schemas in self._games.items()}
        self._paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), operations)
            for path, operations in described["paths"].items()
        ]
        self._compiled: dict[Any, jsonschema_rs.Validator] = {}

    # --- messages -----------------------------------------------------------------------------------

    def message(self, message: Message) -> None:
        """Hold a message, in either direction, to the definition of its type."""
        self.named(message, self.by_type.get(message["type"], "ToClient"))

    def received(self, message: Message) -> None:
        """Hold a message of the server to the schemas, with the view and the events inside it."""
        self.message(message)
        if game := self._game(message):
            self.inside(game, message)

    def inside(self, game: str, message: Message) -> None:
        """Hold the view and the events inside a message to the schemas of the game."""
        if view := (message.get("view") or {}).get("game"):
            self._check(view, (game, "view"), lambda: self._games[game]["view"])
        for event in message.get("events", ()):
            kind = event["type"]
            if kind in self.by_type:
                self.named(event, self.by_type[kind])
            else:
                self._check(event, (game, kind), lambda kind=kind: self._events[game].get(kind, False))

    def _game(self, message: Message) -> str | None:
        """The game of the table that a message is about, as far as it has been heard of."""
        learn(message)
        for event in message.get("events", ()):
            if event["type"] == "table_opened":
                games[message["table"]] = event["game"]
        table = message.get("table", "")
        if table not in games and (message.get("view") or {}).get("game"):
            fitting = self._fitting(message)
            if len(fitting) == 1:
                games[table] = fitting[0]
        game = games.get(table)
        return game if game in self._games else None

    def _fitting(self, message: Message) -> list[str]:
        """The games that a table that somebody else opened may be of: several where views are alike."""
        found = []
        for game in self._games:
            with contextlib.suppress(Mismatch):
                self.inside(game, message)
                found.append(game)
        if not found:
            raise Mismatch(f"no game has such a view and such events: {str(message)[:500]}")
        return found

    def named(self, value: Any, name: str) -> None:
        """Hold a value to one of the definitions of `GET /v1/schema`."""
        self._check(value, name, lambda: {"$ref": f"#/$defs/{name}", "$defs": self._defs})

    # --- HTTP ---------------------------------------------------------------------------------------

    def response(self, method: str, path: str, status: int, kind: str, content: bytes) -> None:
        """Hold a response to what is described for its request.

        Args:
            path: with or without a query.
            kind: its content type.
        """
        if method == "HEAD" or not content:
            return
        kind = kind.partition(";")[0]
        operation = self._operation(method, path.partition("?")[0])
        if operation is None or status == 405:
            if kind == "application/json" and status >= 400:
                self.named(json.loads(content), "ApiError")
            return
        described = operation["responses"].get(str(status))
        if described is None:
            raise Mismatch(f"{method} {path}: the status {status} is not described: {content[:200]!r}")
        if kind == "application/jsonl" and status == 200:
            self._log(content)
        if kind != "application/json":
            return
        body = json.loads(content)
        learn(body)
        found = described.get("content", {}).get("application/json")
        if found is None:
            raise Mismatch(f"{method} {path}: no body is described for {status}: {content[:200]!r}")
        self._check(
            body,
            ("body", json.dumps(found["schema"])),
            lambda: {**found["schema"], "components": self.described["components"]},
        )
        if "view" in body and (game := self._game(body)):
            self.inside(game, body)

    def _operation(self, method: str, path: str) -> Message | None:
        for pattern, operations in self._paths:
            if pattern.fullmatch(path):
                found: Message | None = operations.get(method.lower())
                return found
        return None

    def _log(self, content: bytes) -> None:
        header, *lines = [json.loads(line) for line in content.splitlines()]
        games[header["table"]] = header["game"]
        if header.get("open"):
            return  # with nothing hidden: these are the stored events
        for line in lines:
            self.inside(header["game"], line)

    def _check(self, value: Any, key: Any, made: Any) -> None:
        if (validator := self._compiled.get(key)) is None:
            validator = self._compiled[key] = jsonschema_rs.validator_for(made())
        if not validator.is_valid(value):
            errors = [
                f"{error.instance_path}: {error.message[:300]}" for error in validator.iter_errors(value)
            ]
            raise Mismatch(f"not as {key} says: {errors[:3]}\n{str(value)[:500]}")


def _by_tag(union: Message) -> dict[str, Message]:
    """The schema of each event of a game."""
    found: dict[str, Message] = {}
    for name, definition in union.get("$defs", {}).items():
        for tag in definition.get("properties", {}).get("type", {}).get("enum", []):
            found[tag] = {"$ref": f"#/$defs/{name}", "$defs": union["$defs"]}
    return found


def learn(told: Any) -> None:
    """Remember which game is played at the tables that a message or a body tells of."""
    if isinstance(told, list):
        for one in told:
            learn(one)
    elif isinstance(told, dict):
        if isinstance(told.get("game"), str) and isinstance(told.get("table"), str):
            games[told["table"]] = told["game"]
        for name in ("tables", "added", "changed"):
            learn(told.get(name))


@cache
def contract() -> Contract:
    """What the server of this checkout publishes; that it really publishes this is tested."""
    return Contract(json.loads(json.dumps(schema.messages())), json.loads(openapi.description()))


def checked(method: str, path: str, response: httpx.Response) -> None:
    """Hold a response to what is described for its request."""
    if (method, path, response.status_code) == ("POST", "/v1/tables", 201):
        games[response.json()["table"]] = json.loads(response.request.content)["game"]
    kind = response.headers.get("content-type", "")
    contract().response(method, path, response.status_code, kind, response.content)
