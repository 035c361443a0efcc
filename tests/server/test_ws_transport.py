"""The WebSocket below its messages: handshake, frame kinds, sizes, close codes."""

from __future__ import annotations

import asyncio
import json
import socket as socketlib
import struct
from typing import Any

import httpx
import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.frames import Opcode
from websockets.typing import Subprotocol

from tests.support.clients import Http, Kind, address, client, join
from tests.support.server import Running, Serve


async def subprotocol(url: str, *offered: str) -> str | None:
    """What the server chooses."""
    async with connect(address(url), subprotocols=[Subprotocol(name) for name in offered] or None) as socket:
        return socket.subprotocol


async def refusal(url: str, **options: Any) -> tuple[int, dict[str, Any]]:
    """Status and body of a handshake that must fail."""
    with pytest.raises(InvalidStatus) as caught:
        await connect(url, **options)
    response = caught.value.response
    return response.status_code, json.loads(response.body or b"{}")


async def test_the_first_known_subprotocol_wins(here: Running) -> None:
    pack, text = "facedown.v1.msgpack", "facedown.v1.json"
    assert await subprotocol(here.url, text, pack) == text
    assert await subprotocol(here.url, pack, text) == pack
    assert await subprotocol(here.url, "facedown.v9.json", "chat", pack, text) == pack


async def test_without_a_subprotocol_it_is_json(here: Running) -> None:
    async with connect(address(here.url)) as socket:
        assert socket.subprotocol is None
        await socket.send('{"type":"ping","id":"a"}')
        answer = await socket.recv()
        assert isinstance(answer, str)
        assert json.loads(answer)["id"] == "a"


@pytest.mark.parametrize("offered", [["chat"], ["facedown.v2.json"], ["FACEDOWN.V1.JSON"], ["a", "b"]])
async def test_only_unknown_subprotocols_are_refused(here: Running, offered: list[str]) -> None:
    status, body = await refusal(address(here.url), subprotocols=[Subprotocol(name) for name in offered])
    assert (status, body["code"]) == (400, "bad_message")


@pytest.mark.parametrize("query", ["?token=abc", "?a", "?a=1&b=2"])
async def test_any_query_is_refused(here: Running, query: str) -> None:
    status, body = await refusal(address(here.url) + query)
    assert (status, body["code"]) == (400, "bad_message")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/ws/", "/v1/nothing", "/v1/tables", "/healthz"])
async def test_there_is_no_websocket_elsewhere(here: Running, path: str) -> None:
    status, _ = await refusal(here.url.replace("http", "ws", 1) + path)
    assert status in (403, 404)


async def test_a_plain_request_to_the_websocket_is_an_error_with_a_code(http: Http) -> None:
    response = await http.ask("GET", "/v1/ws")
    assert response.status_code in (400, 404, 426)


async def test_text_is_not_taken_where_binary_was_agreed_on(here: Running, kind: Kind) -> None:
    one = await join(here.url, kind)
    await one.raw(b"\x80" if kind == "json" else "{}")
    assert (await one.end())[0] == 1003


async def test_a_message_just_too_large_is_refused_and_the_connection_lives(
    here: Running, kind: Kind
) -> None:
    async with client(here.url, kind) as one:
        frame = _padded(kind, 64 * 1024)
        await one.raw(frame)
        assert (await one.next("error"))["code"] == "bad_message"  # read, and refused for its unknown field
        await one.raw(_padded(kind, 64 * 1024 + 1))
        refused = await one.next("error", lambda error: error["code"] != "bad_message")
        assert refused["code"] == "too_large"
        assert (await one.ask({"type": "ping"}))["type"] == "pong"


async def test_a_message_too_large_is_measured_in_bytes(here: Running) -> None:
    async with client(here.url) as one:
        await one.raw('{"type":"ping","x":"' + "é" * (40 * 1024) + '"}')
        assert (await one.next("error"))["code"] == "too_large"


def _padded(kind: Kind, size: int) -> str | bytes:
    """A message of exactly so many bytes, with an id."""
    message = {"type": "ping", "pad": ""}
    for pad in range(size - 64, size):
        message["pad"] = "x" * pad
        frame = json.dumps(message) if kind == "json" else msgpack.packb(message)
        if len(frame) == size:
            return frame
    raise AssertionError(f"no message of {size} bytes")


async def test_a_frame_far_too_large_ends_the_connection(here: Running, kind: Kind) -> None:
    one = await join(here.url, kind)
    pad = "x" if kind == "json" else b"x"
    await one.raw(pad * (128 * 1024))
    assert (await one.next("error"))["code"] == "too_large"
    await one.raw(pad * (128 * 1024 + 1))
    assert (await one.end())[0] == 1009


async def test_the_size_of_a_fragmented_message_counts_as_a_whole(here: Running) -> None:
    one = await join(here.url)
    await one.socket.send(["x" * 60_000] * 3)
    assert (await one.end())[0] == 1009


async def test_a_fragmented_message_is_one_message(here: Running) -> None:
    async with client(here.url) as one:
        await one.socket.send(['{"type":', '"pi', 'ng"}'])
        await one.next("pong")


async def test_invalid_utf8_ends_the_connection(here: Running) -> None:
    one = await join(here.url)
    one.socket.protocol.send_text(b'{"type":"ping","id":"\xff\xfe"}')
    one.socket.transport.write(b"".join(one.socket.protocol.data_to_send()))
    assert (await one.end())[0] == 1007


async def test_a_frame_against_the_protocol_ends_only_its_connection(here: Running) -> None:
    async with client(here.url) as other:
        one = await join(here.url)
        one.socket.transport.write(b"\xff\xff\xff\xff\xff\xff")  # reserved bits, reserved opcode
        assert (await one.end())[0] == 1002
        assert (await other.ask({"type": "ping"}))["type"] == "pong"


async def test_pings_of_the_protocol_are_answered(here: Running) -> None:
    async with client(here.url) as one:
        async with asyncio.timeout(30):
            await (await one.socket.ping())


async def test_a_connection_that_answers_no_ping_is_closed(serve: Serve) -> None:
    here = await serve(ping_interval_s=0.1, idle_timeout_s=0.2)
    reader, writer = await _handshake(here.url)
    frames = []
    async with asyncio.timeout(30):
        while data := await _frame(reader):
            frames.append(data)
    writer.close()
    assert {opcode for opcode, _ in frames[:-1]} == {Opcode.PING}
    opcode, payload = frames[-1]
    assert opcode is Opcode.CLOSE
    assert struct.unpack("!H", payload[:2])[0] == 1008


async def test_a_connection_that_answers_pings_is_kept(serve: Serve) -> None:
    here = await serve(ping_interval_s=0.05, idle_timeout_s=10)
    async with client(here.url) as one:
        pings = 0

        def counted(frame: Any) -> bool:
            nonlocal pings
            pings += frame.opcode is Opcode.PING
            return False

        original = one.socket.protocol.recv_frame
        one.socket.protocol.recv_frame = lambda frame: (counted(frame), original(frame))[1]  # type: ignore[method-assign]
        async with asyncio.timeout(30):
            while pings < 3:
                await asyncio.sleep(0.01)
        assert (await one.ask({"type": "ping"}))["type"] == "pong"


async def _handshake(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection that never answers anything by itself."""
    where = httpx.URL(url)
    socket = socketlib.socket()
    socket.setsockopt(socketlib.SOL_SOCKET, socketlib.SO_RCVBUF, 4096)  # so that little is on its way unread
    socket.setblocking(False)
    await asyncio.get_running_loop().sock_connect(socket, (where.host, where.port))
    reader, writer = await asyncio.open_connection(sock=socket, limit=1024)
    writer.write(
        b"GET /v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 101 " in head
    return reader, writer


async def _frame(reader: asyncio.StreamReader) -> tuple[Opcode, bytes] | None:
    try:
        first, size = await reader.readexactly(2)
        if size == 126:
            (size,) = struct.unpack("!H", await reader.readexactly(2))
        return Opcode(first & 0x0F), await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def test_who_asks_for_pongs_and_reads_none_is_cut_off(here: Running) -> None:
    _, writer = await _handshake(here.url)
    with pytest.raises(ConnectionError):
        await _ping_for_ever(writer)
    writer.close()
    async with client(here.url) as other:
        assert (await other.ask({"type": "ping"}))["type"] == "pong"


async def _ping_for_ever(writer: asyncio.StreamWriter) -> None:
    ping = b"\x89\xfd" + bytes(4) + b"x" * 125
    async with asyncio.timeout(30):
        while True:
            writer.write(ping * 100)
            await writer.drain()
