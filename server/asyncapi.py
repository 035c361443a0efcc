"""The AsyncAPI description of the WebSocket."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from server.catalogue import release
from server.schema import messages
from server.wire import TO_CLIENT, TO_SERVER, ToClient, ToServer

ADDRESS = "/v1/ws"


def _name(kind: type[ToServer] | type[ToClient]) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def _message(kind: type[ToServer] | type[ToClient]) -> dict[str, Any]:
    return {
        "name": _name(kind),
        "title": kind.__name__,
        "summary": (kind.__doc__ or "").strip().splitlines()[0],
        "contentType": "application/json",
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
    }


def _operation(action: str, kinds: tuple[Any, ...], summary: str) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": "#/channels/socket"},
        "summary": summary,
        "messages": [{"$ref": f"#/channels/socket/messages/{kind.__name__}"} for kind in kinds],
    }


@cache
def description() -> bytes:
    """The whole description as JSON, AsyncAPI 3.0."""
    kinds: tuple[type[ToServer] | type[ToClient], ...] = (*TO_SERVER, *TO_CLIENT)
    schemas = json.loads(json.dumps(messages()["$defs"]).replace("#/$defs/", "#/components/schemas/"))
    document = {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Facedown",
            "version": release(),
            "description": "The messages of the WebSocket at /v1/ws. facedown.v1.json carries them as "
            "JSON in text frames, facedown.v1.msgpack as MessagePack in binary frames.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {
            "socket": {
                "address": ADDRESS,
                "messages": {
                    kind.__name__: {"$ref": f"#/components/messages/{kind.__name__}"} for kind in kinds
                },
            }
        },
        "operations": {
            "fromClient": _operation("receive", TO_SERVER, "What clients send"),
            "toClient": _operation("send", TO_CLIENT, "What the server sends"),
        },
        "components": {"schemas": schemas, "messages": {kind.__name__: _message(kind) for kind in kinds}},
    }
    return json.dumps(document, ensure_ascii=False).encode()
