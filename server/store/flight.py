"""Appends in flight: sent and answered without a task, as long as every answer is an outcome.

Apart from `server.store.writer` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, final

from mypy_extensions import mypyc_attr
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from server.store import keys
from server.store.appends import Append, Expiries
from server.store.base import OnAppended
from server.store.health import Health
from server.store.link import Settings, explain, is_reply
from server.store.pipe import Pipe
from server.store.watched import Watched

_log = logging.getLogger(__name__)


@mypyc_attr(allow_interpreted_subclasses=True)
class Flight:
    """What of a `server.store.writer.Writer` needs no task."""

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        settings: Settings,
        health: Health | None = None,
        others: bool = False,
    ) -> None:
        self._connect = connect
        self._others = others
        self._health = health or Health("the store")
        self._settings = settings
        self._waiting: deque[Append] = deque()
        self._flying: deque[Append] = deque()
        self._expiries = Expiries()
        self._wake = asyncio.Event()
        self._connection: AbstractConnection | None = None
        self._pipe: Pipe | None = None
        self._failures = 0
        self._task: asyncio.Task[None] | None = None
        self._by_task = True
        self._soon = False
        self._stumbled = False
        self._odd: list[tuple[Append, RedisError]] = []
        self._landing_s = 0.0
        self._patience: asyncio.TimerHandle | None = None

    def append_soon(
        self,
        table: str,
        version: int,
        data: bytes,
        after_ms: int | None,
        answered: OnAppended,
        *,
        until: float | None = None,
        doubtful: bool = False,
    ) -> Append:
        """As `append`, without waiting: ``answered`` gets what it gives or raises."""
        until = until or asyncio.get_running_loop().time() + self._settings.settle_s
        append = Append(table, version, data, after_ms, answered, until, doubtful)
        take_off(self, append)
        return append

    @final
    def _fly(self) -> None:
        """Send what waits; its answers come to `_answered`."""
        self._soon = False
        if self._by_task or self._flying:
            return
        pipe = self._pipe
        if pipe is None or pipe.broken or self._health.away:
            self._hand_over()
            return
        batch = self._take()
        if not batch:
            return
        for append in batch:
            append.sent()
        self._flying.extend(batch)
        pipe.send(b"".join([append.command(quiet=False) for append in batch]))
        loop = asyncio.get_running_loop()
        self._landing_s = loop.time() + self._settings.attempt_s
        if self._patience is None:
            self._patience = loop.call_at(self._landing_s, self._overdue)

    @final
    def _answered(self, reply: Any) -> None:
        if type(reply) is list and self._flying:  # nearly always
            self._flying.popleft().settle(reply)
            if not self._flying:
                self._landed()
            return
        if not self._flying:
            self._broke(RedisError("an answer without a question"))
            return
        if isinstance(reply, RedisError) and not is_reply(reply):
            self._broke(reply)
            return
        append = self._flying.popleft()
        if isinstance(reply, RedisError):
            append.refused()
            self._odd.append((append, reply))
        else:
            append.settle(reply)
        if not self._flying:
            self._landed()

    def _landed(self) -> None:
        """All that were sent have their answers."""
        self._expiries.prune()
        if self._odd:
            self._hand_over()
        elif self._waiting:
            self._fly()

    def _overdue(self) -> None:
        self._patience = None
        if not self._flying:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._landing_s:
            self._patience = loop.call_at(self._landing_s, self._overdue)
        else:
            self._broke(TimeoutError())

    def _broke(self, error: Exception) -> None:
        """No more answers come over this connection."""
        if self._by_task:
            return
        if self._flying:
            _log.warning("no answer from the store about %d appends: %s", len(self._flying), explain(error))
            self._stumbled = True
        if isinstance(error, TimeoutError):
            self._health.failed(error)
        self._land()
        if self._pipe is not None:
            self._pipe.abort()
        self._hand_over()

    def _land(self) -> None:
        """What is on its way will not be answered: it waits again, or goes elsewhere."""
        flying, self._flying = list(self._flying), deque()
        if self._others:
            for append in flying:
                append.fail("the connection was lost", elsewhere=True)
        else:
            self._waiting.extendleft(reversed(flying))

    def _hand_over(self) -> None:
        """The task goes on."""
        self._by_task = True
        if self._pipe is not None:
            self._pipe.taker = self._pipe.ended = None
        self._wake.set()

    def _rest(self) -> None:
        """Nothing waits, all is well: from now on it goes without the task."""
        if self._settings.replicas or self._pipe is None or self._pipe.broken:
            return
        self._pipe.taker, self._pipe.ended = self._answered, self._broke
        self._by_task = False

    @final
    def _take(self) -> list[Append]:
        batch: list[Append] = []
        while self._waiting and len(batch) < self._settings.batch:
            append = self._waiting.popleft()
            if append.answered is not None:
                batch.append(append)
        return batch


def take_off(flight: Flight, append: Append) -> None:
    """Send an append soon, with all that comes in the same turn of the event loop."""
    if flight._task is None:
        append.fail("the store is not started, or closed")
    elif not append.doubtful and not flight._others and flight._health.away:
        append.end(flight._health.refusal())
    else:
        flight._waiting.append(append)
        flight._expiries.add(append)
        if flight._by_task:
            flight._wake.set()
        elif not flight._soon and not flight._flying:
            flight._soon = True
            asyncio.get_running_loop().call_soon(flight._fly)


@final
class Quick:
    """The quickest way to append, for a store of one server.

    Args:
        flight: the server's.
        watched: hears of what was stored, before whoever appended it.
    """

    __slots__ = ("_flight", "_settle_s", "_watched")

    def __init__(self, flight: Flight, watched: Watched, settle_s: float) -> None:
        self._flight = flight
        self._watched = watched
        self._settle_s = settle_s

    def append(
        self, table: str, version: int, data: bytes, after_ms: int | None, answered: OnAppended
    ) -> None:
        """See `EventStore.append_soon`."""
        if table not in self._watched:
            keys.check_name(table)
        until = asyncio.get_running_loop().time() + self._settle_s
        take_off(self._flight, Append(table, version, data, after_ms, answered, until, False, self._watched))
