"""Commands to one server and their answers in order, without a task or a timer for each.

The client library's own streams cost several turns of the event loop and some tens of microseconds an
exchange; here a batch is one write, and the answers that arrive together are taken together.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import hiredis
from redis._parsers.base import BaseParser
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Lost
from redis.exceptions import InvalidResponse, RedisError

from server.store.link import is_reply


class Pipe(asyncio.Protocol):
    """Takes over a connection that the client library has set up: address, TLS, login and database.

    Args:
        connection: connected, with nothing under way.
    """

    taker: Callable[[Any], None] | None = None
    """Called with each answer at once; while it is None, `answer` gives them. Must not raise."""

    ended: Callable[[Exception], None] | None = None
    """Called when nothing more can come, with why. Must not raise."""

    def __init__(self, connection: AbstractConnection) -> None:
        writer = connection._writer
        assert writer is not None
        self._transport = writer.transport
        self._reader = hiredis.Reader(protocolError=InvalidResponse, replyError=BaseParser.parse_error)
        self._answers: deque[Any] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._broken: Exception | None = None
        self._transport.set_protocol(self)

    @property
    def broken(self) -> bool:
        """Whether nothing more can be sent."""
        return self._broken is not None or self._transport.is_closing()

    def send(self, packed: bytes) -> None:
        """Write commands at once, or hand them to the kernel when it takes more.

        Where nothing more can be sent that shows in the answers: there are none.
        """
        if not self.broken:
            self._transport.write(packed)

    def abort(self) -> None:
        """Give the connection up at once."""
        self._transport.abort()

    async def answer(self) -> Any:
        """The next answer; a refusal of the server is a `RedisError` that is given, not raised.

        Raises:
            RedisError, OSError: no answer came, or none that can be understood.
        """
        while not self._answers:
            if self._broken is not None:
                raise self._broken
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        found = self._answers.popleft()
        if isinstance(found, RedisError) and not is_reply(found):
            raise found
        return found

    async def load(self, library: str) -> None:
        """Teach the server a library of functions. Harmless if it knows them already. Raises as `answer`."""
        self.send(pack(("FUNCTION", "LOAD", "REPLACE", library)))
        answer = await self.answer()
        if isinstance(answer, RedisError):
            raise answer

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        try:
            self._reader.feed(data)
            while (found := self._reader.gets()) is not False:
                if self.taker is None:
                    self._answers.append(found)
                else:
                    self.taker(found)
        except RedisError as error:
            self._end(error)
            self._transport.abort()
        if self._waiting is not None:
            self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._end(exc if isinstance(exc, OSError) else Lost("the store closed the connection"))
        self._wake()

    def _end(self, error: Exception) -> None:
        if self._broken is None:
            self._broken = error
            if self.ended is not None:
                self.ended(error)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def pack(command: tuple[str | bytes | int, ...]) -> bytes:
    """A command as the server reads it."""
    return b"*%d\r\n%b" % (len(command), pack_parts(command))


def pack_parts(parts: tuple[str | bytes | int, ...]) -> bytes:
    """Parts of a command, without the count of all."""
    packed = b""
    for part in parts:
        if type(part) is not bytes:
            part = str(part).encode()
        packed += b"$%d\r\n%b\r\n" % (len(part), part)
    return packed
