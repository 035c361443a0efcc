"""JSON Schemas, generated from the types that the server runs on."""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from domain.events import Event, event_name
from domain.game import Game
from domain.registry import games
from domain.table import TABLE_EVENTS
from domain.visibility import HIDDEN, PUBLIC, audiences
from projections.facts import Facts
from projections.registry import projection
from projections.views import View
from server import requests
from server.wire import CODES, TO_CLIENT, TO_SERVER

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class ApiError(msgspec.Struct, frozen=True):
    """The body of every response that is no success."""

    code: str
    message: str
    detail: dict[str, Any] | UnsetType = UNSET


def _masked(kind: Any) -> Any:
    """The type of a value of which a viewer may know only a part: members of lists may be None."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return list[Union[_masked(args[0]), None]]  # type: ignore[misc]  # noqa: UP007
    if origin is list:
        return list[Union[_masked(args[0]), None]]  # type: ignore[misc]  # noqa: UP007
    if origin in (Union, types.UnionType):
        return Union[tuple(_masked(arg) for arg in args)]  # noqa: UP007
    return kind


@cache
def shown_type(kind: type[Event]) -> type[msgspec.Struct]:
    """An event as viewers receive it: secret fields are not there, what may be hidden is optional."""
    hints = get_type_hints(kind)
    fields: list[Any] = []
    optional: list[Any] = []
    for field, audience in audiences(kind).items():
        declared = hints[field]
        if not audience.referee:
            continue
        allows_none = type(None) in get_args(declared)
        if audience is PUBLIC and not allows_none:
            fields.append((field, declared))
            continue
        shown = declared if audience is PUBLIC else _masked(declared)
        rest = tuple(arg for arg in (get_args(shown) if allows_none else (shown,)) if arg is not type(None))
        optional.append((field, Union[(*rest, UnsetType)], UNSET))
    return msgspec.defstruct(
        kind.__name__,
        [*fields, *optional],
        tag=event_name(kind),
        tag_field="type",
        namespace={"__doc__": kind.__doc__},
        kw_only=True,
    )


def _defs(kinds: list[Any]) -> dict[str, Any]:
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    named: dict[str, Any] = dict(components)
    for kind, schema in zip(kinds, schemas, strict=True):
        if "$ref" not in schema:
            named[kind.__name__] = schema
    return named


def _document(main: Any, title: str) -> dict[str, Any]:
    schema = msgspec.json.schema(main)
    return {"$schema": DIALECT, "title": title, **schema}


def game_schemas(game: Game[Any, Any]) -> dict[str, Any]:
    """The schemas of a game: its options, its view, its events as viewers receive them."""
    shown = [shown_type(kind) for kind in game.events if kind.known_to is not HIDDEN]
    return {
        "options": _document(game.options, f"Options of {game.title}"),
        "view": _document(projection(game.name).view_type, f"View of {game.title}"),
        "events": _document(Union[tuple(shown)], f"Events of {game.title}"),  # noqa: UP007
    }


@cache
def messages() -> dict[str, Any]:
    """All messages of the WebSocket, and what HTTP requests and responses hold."""
    http = [
        requests.CreateTable,
        requests.Sit,
        requests.Nothing,
        requests.AddBot,
        requests.PassHost,
        requests.Mute,
        requests.Quick,
        requests.QuickSeat,
        requests.Rematched,
        requests.Mine,
        requests.MyFacts,
        requests.Created,
        requests.Seated,
        requests.Admitted,
        requests.Page,
        requests.At,
        Facts,
        View,
        ApiError,
    ]
    shown = [shown_type(kind) for kind in TABLE_EVENTS]
    defs = _defs([*TO_SERVER, *TO_CLIENT, *http, *shown])
    defs["Code"] = {"title": "Code", "enum": list(CODES)}
    defs["ToServer"] = {"oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in TO_SERVER]}
    defs["ToClient"] = {"oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in TO_CLIENT]}
    defs["TableEvent"] = {"oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in shown]}
    return {
        "$schema": DIALECT,
        "title": "Facedown, protocol 1",
        "oneOf": [{"$ref": "#/$defs/ToServer"}, {"$ref": "#/$defs/ToClient"}],
        "$defs": defs,
        "games": {name: game_schemas(game) for name, game in games().items()},
    }
