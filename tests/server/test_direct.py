"""The short way past ASGI: the same bytes, and every behaviour of the ASGI way."""

from __future__ import annotations

import pytest
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from server.framing import BINARY, TEXT, framed


def by_the_library(payload: bytes, *, text: bool) -> bytes:
    protocol = ServerProtocol()
    protocol.state = OPEN
    if text:
        protocol.send_text(payload)
    else:
        protocol.send_binary(payload)
    return b"".join(protocol.data_to_send())


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 1000, 65535, 65536, 100_000])
def test_a_frame_has_the_bytes_that_the_library_makes(length: int) -> None:
    payload = bytes(range(65, 91)) * (length // 26 + 1)
    payload = payload[:length]
    assert framed(TEXT, payload) == by_the_library(payload, text=True)
    assert framed(BINARY, payload) == by_the_library(payload, text=False)
