"""The pipe to a server, against a server that answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvloop
from redis.asyncio import Connection
from redis.exceptions import ConnectionError as Lost
from redis.exceptions import InvalidResponse, ReadOnlyError, ResponseError

from server.store.pipe import Pipe, pack

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def piped(answer: Answer) -> AsyncIterator[Pipe]:
    """A pipe to a server of one connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    connection = Connection(host="127.0.0.1", port=port, protocol=2, driver_info=None)
    await connection.connect()  # type: ignore[no-untyped-call]
    try:
        yield Pipe(connection)
    finally:
        await connection.disconnect(nowait=True)
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("command", [("PING",), ("SET", "ключ", b"\r\n\x00", 12), ("X", "", b"")])
def test_commands_are_packed_as_the_library_packs_them(command: tuple[Any, ...]) -> None:
    assert pack(command) == b"".join(Connection().pack_command(*command))


async def test_answers_come_in_order_however_they_are_cut() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(14)
        for byte in b":1\r\n*2\r\n:2\r\n$1\r\nx\r\n+OK\r\n":
            writer.write(bytes([byte]))
            await writer.drain()
        await reader.read()

    async with piped(answer) as pipe:
        pipe.send(pack(("PING",)))
        assert [await pipe.answer() for _ in range(3)] == [1, [2, b"x"], b"OK"]


async def test_a_refusal_is_an_answer() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"-READONLY no\r\n-ERR what\r\n:3\r\n")
        await reader.read()

    async with piped(answer) as pipe:
        first, second, third = [await pipe.answer() for _ in range(3)]
        assert isinstance(first, ReadOnlyError)
        assert first.status_code == "READONLY"
        assert isinstance(second, ResponseError)
        assert third == 3
        assert not pipe.broken


async def test_a_lost_connection_ends_the_wait_after_what_has_come() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b":1\r\n:2")

    async with piped(answer) as pipe:
        assert await pipe.answer() == 1
        with pytest.raises(Lost):
            await pipe.answer()
        assert pipe.broken


async def test_what_is_no_answer_breaks_the_pipe() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()

    async with piped(answer) as pipe:
        with pytest.raises(InvalidResponse):
            await pipe.answer()
        assert pipe.broken


def test_nothing_is_raised_where_nothing_can_be_sent() -> None:
    """uvloop refuses to write to what is closed; whoever waits for the answer is told."""

    async def go() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        async with piped(answer) as pipe:
            pipe.abort()
            pipe.send(pack(("PING",)))
            with pytest.raises(Lost):
                await pipe.answer()
            await asyncio.sleep(0)
            pipe.send(pack(("PING",)))

    uvloop.run(go())
