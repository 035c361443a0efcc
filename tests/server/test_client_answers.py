"""Every message that carries an id is answered under it, also one that was not taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from server.commands.local import own_store, serving
from server.settings import Settings


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings that allow three messages and then next to none."""
    with own_store() as ready:
        yield ready.replaced(message_burst=3, message_rate_per_s=0.1)


@pytest.mark.parametrize("kind", ["json", "msgpack"])
async def test_a_message_that_is_too_large_or_comes_too_fast_is_answered_under_its_id(
    settings: Settings, kind: str
) -> None:
    def packed(**message: Any) -> str | bytes:
        if kind == "json":
            return json.dumps(message)
        return msgpack.packb(message)  # type: ignore[no-any-return]

    async with serving(settings) as url:
        address = f"ws{url.removeprefix('http')}/v1/ws"
        async with connect(address, subprotocols=[Subprotocol(f"facedown.v1.{kind}")]) as socket:
            await socket.send(packed(type="ping", id="large", more="x" * settings.max_message_bytes))
            for number in range(4):
                await socket.send(packed(type="ping", id=f"ping {number}"))
            await socket.send(packed(type="ping"))
            frames = [await socket.recv() for _ in range(6)]
    answers = [json.loads(f) if isinstance(f, str) else msgpack.unpackb(f) for f in frames]
    assert [(answer.get("id"), answer.get("code")) for answer in answers] == [
        ("large", "too_large"),
        ("ping 0", None),
        ("ping 1", None),
        ("ping 2", "rate_limited"),
        ("ping 3", "rate_limited"),
        (None, "rate_limited"),
    ]
