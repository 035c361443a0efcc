"""Reads, and writes that may be repeated, over one connection: whoever asks does not wait for the others.

The client library takes a connection out of its pool for each exchange and reads its answer by several turns
of the event loop; here all commands go down one pipe, and each answer goes to whoever is next in line.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Lost
from redis.exceptions import RedisError

from server.ending import end
from server.store.link import FAILURES, is_reply
from server.store.pipe import Pipe, pack

_TRIES: Final = 2
_CLOSED: Final = "the store was closed"


class _Asked:
    """Commands on their way, and the answers that have come."""

    __slots__ = ("answers", "future", "number", "since")

    def __init__(self, number: int, future: asyncio.Future[list[Any]], since: float) -> None:
        self.number = number
        self.future = future
        self.since = since
        self.answers: list[Any] = []


class _Line(Pipe):
    """A pipe that knows when something came last."""

    heard = 0.0

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self.heard = asyncio.get_running_loop().time()
        super().data_received(data)


class Asks:
    """Asks one server, in order. What got no answer because the connection broke is asked once more.

    Args:
        connect: makes a connection.
        attempt_s: for how long a server may say nothing at all before the connection counts as broken.
    """

    def __init__(self, connect: Callable[[], AbstractConnection], attempt_s: float) -> None:
        self._connect = connect
        self._attempt_s = attempt_s
        self._waiting: deque[_Asked] = deque()
        self._opening: asyncio.Task[_Line] | None = None
        self._connection: AbstractConnection | None = None
        self._line: _Line | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._closed = False

    async def ask(self, commands: Sequence[tuple[str | bytes | int, ...]]) -> list[Any]:
        """The answers to ``commands``, none of which may block; a refusal is an answer, a `RedisError`.

        Raises:
            RedisError, OSError, TimeoutError: no answer came, twice.
        """
        if not commands:
            return []
        packed = b"".join(map(pack, commands))
        for left in reversed(range(_TRIES)):
            try:
                return await self._once(packed, len(commands))
            except FAILURES:
                if not left or self._closed:
                    raise
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Ask nothing more; who waits for an answer gets none."""
        self._closed = True
        if self._opening is not None:
            await end(self._opening)
        self._broke(Lost(_CLOSED))
        await self._drop()
        if self._patience is not None:
            self._patience.cancel()

    async def _once(self, packed: bytes, number: int) -> list[Any]:
        line = self._line
        if line is None or line.broken:
            line = await self._opened()
        loop = asyncio.get_running_loop()
        asked = _Asked(number, loop.create_future(), loop.time())
        self._waiting.append(asked)
        line.send(packed)
        if self._patience is None:
            self._patience = loop.call_at(asked.since + self._attempt_s, self._overdue)
        return await asked.future

    async def _opened(self) -> _Line:
        """A new connection: one attempt for all who want one, or each would fail in its turn."""
        if self._closed:
            raise Lost(_CLOSED)
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), name="store-asks")
            self._opening.add_done_callback(self._ended)
        opening = self._opening
        await asyncio.wait([opening])
        if opening.cancelled():
            raise Lost(_CLOSED)
        line = opening.result()
        if line is not self._line or line.broken:
            raise Lost("the store closed the connection")
        return line

    def _ended(self, opening: asyncio.Task[_Line]) -> None:
        self._opening = None
        if not opening.cancelled():
            opening.exception()  # whoever wanted it may have gone

    async def _open(self) -> _Line:
        await self._drop()
        connection = self._connect()
        try:
            async with asyncio.timeout(self._attempt_s):
                await connection.connect()  # type: ignore[no-untyped-call]
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        self._connection = connection
        self._line = line = _Line(connection)
        line.taker, line.ended = self._answered, self._broke
        return line

    def _answered(self, reply: Any) -> None:
        if not self._waiting:
            self._broke(RedisError("an answer without a question"))
        elif isinstance(reply, RedisError) and not is_reply(reply):
            self._broke(reply)
        else:
            asked = self._waiting[0]
            asked.answers.append(reply)
            if len(asked.answers) == asked.number:
                self._waiting.popleft()
                if not asked.future.done():  # else whoever asked has gone
                    asked.future.set_result(asked.answers)

    def _overdue(self) -> None:
        self._patience = None
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        heard = 0.0 if self._line is None else self._line.heard
        until = max(self._waiting[0].since, heard) + self._attempt_s
        if loop.time() < until:
            self._patience = loop.call_at(until, self._overdue)
        else:
            self._broke(TimeoutError())

    def _broke(self, error: Exception) -> None:
        """No more answers come over this connection."""
        line, self._line = self._line, None
        if line is not None:
            line.taker = line.ended = None
            line.abort()
        waiting, self._waiting = self._waiting, deque()
        for asked in waiting:
            if not asked.future.done():
                asked.future.set_exception(error)

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)
