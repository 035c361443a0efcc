"""The OpenAPI description of the HTTP API."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from domain.registry import games
from server.catalogue import release
from server.schema import messages

_CODES = {
    400: "bad_message",
    401: "unauthorized",
    403: "forbidden",
    404: "no_such_table, no_such_game, no_such_version or not_found",
    409: "seat_taken, table_full, need_players, already_started, not_started, finished or id_reused",
    413: "too_large",
    422: "bad_options",
    429: "rate_limited",
    503: "unavailable or outcome_unknown",
}

_TABLE = {
    "name": "table",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[a-z0-9]{8,32}$"},
    "description": "the table's id",
}


_GAME = {
    "name": "game",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$"},
    "description": "name of the game",
}


def _path(name: str, about: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "description": about,
    }


def _query(name: str, about: str, **schema: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "schema": {"type": "string", **schema},
        "description": about,
    }


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 8, "maxLength": 64},
    "description": "an unguessable key; the same request with the same key gets the first answer",
}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(schema: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    return {kind: {"schema": schema}}


def _operation(
    summary: str,
    good: dict[int, Any],
    bad: tuple[int, ...],
    *,
    body: str | None = None,
    body_required: bool = True,
    parameters: tuple[dict[str, Any], ...] = (),
    secured: str = "",
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "responses": {
            **{
                str(status): {"description": "done", **({"content": content} if content else {})}
                for status, content in good.items()
            },
            **{str(status): _refused(status) for status in sorted({400, 403, *bad})},
        },
    }
    if parameters:
        operation["parameters"] = list(parameters)
    if body:
        operation["requestBody"] = {"required": body_required, "content": _content(_ref(body))}
    if secured:
        operation["security"] = [{"token": []}] if secured == "needed" else [{}, {"token": []}]
    return operation


def _of_host(summary: str, body: str | None = None) -> dict[str, Any]:
    return _operation(
        summary,
        {200: _content(_ref("Facts"))},
        (401, 403, 404, 409, 413, 503),
        body=body,
        body_required=body in ("PassHost", "Mute"),
        parameters=(_TABLE, _KEY),
        secured="needed",
    )


def _mine() -> dict[str, Any]:
    return {"type": "object", "properties": {"tables": {"type": "array", "items": _ref("MyFacts")}}}


def _paths() -> dict[str, Any]:
    lines = {"type": "string", "description": "JSON Lines: a header, then one line per version"}
    status = _query(
        "status", "only tables with this status", enum=["open", "playing", "finished", "abandoned"]
    )
    return {
        "/v1": {"get": _operation("Version, protocols, limits", {200: _content({"type": "object"})}, ())},
        "/v1/games": {"get": _operation("All games", {200: _content({"type": "object"})}, ())},
        "/v1/schema": {"get": _operation("Schemas of all messages", {200: _content({"type": "object"})}, ())},
        "/v1/openapi.json": {"get": _operation("This description", {200: _content({"type": "object"})}, ())},
        "/v1/asyncapi.json": {
            "get": _operation("The description of the WebSocket", {200: _content({"type": "object"})}, ())
        },
        "/v1/tables": {
            "get": _operation(
                "The lobby: listed tables, newest first, 50 a page",
                {200: _content(_ref("Page"))},
                (404, 503),
                parameters=(
                    _query("game", "only tables of this game"),
                    status,
                    _query("cursor", "where to go on: `next` of the page before", minLength=1),
                ),
            ),
            "post": _operation(
                "Open a table",
                {201: _content(_ref("Created"))},
                (404, 409, 413, 422, 503),
                body="CreateTable",
                parameters=(_KEY,),
            ),
        },
        "/v1/tables/{table}": {
            "get": _operation(
                "Facts of a table",
                {200: _content(_ref("Facts"))},
                (401, 404, 503),
                parameters=(_TABLE,),
                secured="optional",
            )
        },
        "/v1/tables/{table}/seats": {
            "post": _operation(
                "Sit down",
                {201: _content(_ref("Seated"))},
                (404, 409, 413, 503),
                body="Sit",
                parameters=(_TABLE, _KEY),
            )
        },
        "/v1/tables/{table}/seats/{seat}": {
            "delete": _operation(
                "Leave, or (the host) remove a player",
                {204: None},
                (401, 403, 404, 409, 503),
                parameters=(_TABLE, _path("seat", "number of the seat"), _KEY),
                secured="needed",
            )
        },
        "/v1/tables/{table}/start": {
            "post": _operation(
                "Start the game, as the host",
                {200: _content(_ref("Facts"))},
                (401, 403, 404, 409, 413, 503),
                body="Nothing",
                body_required=False,
                parameters=(_TABLE, _KEY),
                secured="needed",
            )
        },
        "/v1/tables/{table}/spectators": {
            "post": _operation(
                "Issue a spectator's token, as the host",
                {201: _content(_ref("Admitted"))},
                (401, 403, 404, 409, 413, 503),
                body="Nothing",
                body_required=False,
                parameters=(_TABLE, _KEY),
                secured="needed",
            )
        },
        "/v1/tables/{table}/bots": {
            "post": _operation(
                "Seat a bot, as the host",
                {201: _content({"type": "object", "properties": {"seat": {"type": "integer"}}})},
                (401, 403, 404, 409, 413, 422, 503),
                body="AddBot",
                parameters=(_TABLE, _KEY),
                secured="needed",
            )
        },
        "/v1/tables/{table}/host": {
            "post": _of_host("Make another player the host", body="PassHost"),
            "delete": _of_host("Give up hosting: the first player takes over, without any the table ends"),
        },
        "/v1/tables/{table}/mute": {
            "post": _of_host("Silence a seat or all spectators, or let them talk again", body="Mute")
        },
        "/v1/tables/{table}/talk": {
            "get": _operation(
                "What was said at the table lately, oldest first",
                {200: _content({"type": "object", "properties": {"talk": {"items": _ref("Said")}}})},
                (401, 403, 404, 503),
                parameters=(_TABLE,),
                secured="optional",
            )
        },
        "/v1/tables/{table}/pause": {
            "post": _of_host("Pause: the host at once, players when all have asked", body="Nothing")
        },
        "/v1/tables/{table}/resume": {
            "post": _of_host("Go on: the host at once, players when all have asked", body="Nothing")
        },
        "/v1/tables/{table}/rematch": {
            "post": _operation(
                "Open a table for the same players; the same one, however often it is asked",
                {201: _content(_ref("Rematched"))},
                (401, 403, 404, 409, 413, 503),
                body="Nothing",
                body_required=False,
                parameters=(_TABLE,),
                secured="needed",
            )
        },
        "/v1/games/{game}/quick": {
            "post": _operation(
                "Sit down wherever players with the same wishes wait",
                {201: _content(_ref("QuickSeat"))},
                (404, 409, 413, 422, 503),
                body="Quick",
                parameters=(_GAME, _KEY),
            )
        },
        "/v1/mine": {
            "post": _operation(
                "How it stands at tables of which one has tokens",
                {200: _content(_mine())},
                (413, 503),
                body="Mine",
            )
        },
        "/v1/tables/{table}/log": {
            "get": _operation(
                "The log as the bearer may read it",
                {200: _content(lines, "application/jsonl")},
                (401, 403, 404, 503),
                parameters=(
                    _TABLE,
                    _query("views", "patch: add the patch of the view, actions and waiting", enum=["patch"]),
                    _query("open", "true: all of a finished game, nothing hidden", enum=["true"]),
                ),
                secured="optional",
            )
        },
        "/v1/tables/{table}/at/{version}": {
            "get": _operation(
                "A table at one version, as the bearer may see it",
                {200: _content(_ref("At"))},
                (401, 403, 404, 503),
                parameters=(_TABLE, _path("version", "1 and up")),
                secured="optional",
            )
        },
        "/healthz": {"get": _operation("Whether the process lives", {200: _content({"type": "object"})}, ())},
        "/readyz": {"get": _operation("Whether it can serve", {200: _content({"type": "object"})}, (503,))},
    }


def _limited(paths: dict[str, Any]) -> dict[str, Any]:
    """What every change can be answered with, too: the address sends too much, or the server stops."""
    wait = {"description": "seconds until it may be tried again", "schema": {"type": "integer", "minimum": 1}}
    for operations in paths.values():
        for method, operation in operations.items():
            answers = operation["responses"]
            if method in ("post", "delete"):
                answers.update((str(status), _refused(status)) for status in (429, 503))
            for status in {"429", "503"} & set(answers):
                answers[status]["headers"] = {"Retry-After": wait}
    return paths


def _refused(status: int) -> dict[str, Any]:
    return {"description": _CODES[status], "content": _content(_ref("ApiError"))}


@cache
def description() -> bytes:
    """The whole description as JSON."""
    schemas = json.loads(json.dumps(messages()["$defs"]).replace("#/$defs/", "#/components/schemas/"))
    schemas["CreateTable"]["properties"]["game"]["examples"] = list(games())
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Facedown",
            "version": release(),
            "description": "Card games with hidden information. Games are played over the WebSocket "
            "at /v1/ws; see the schemas ToServer and ToClient.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": _limited(_paths()),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return json.dumps(document, ensure_ascii=False).encode()
