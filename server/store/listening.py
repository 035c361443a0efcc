"""What a connection for news brings, as it comes.

Apart from `server.store.subscriber` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, final

from mypy_extensions import mypyc_attr
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from server.store import keys
from server.store.base import Entry, OnCommit, OnSignal
from server.store.link import Settings
from server.store.pipe import Pipe
from server.store.watched import Watched

_log = logging.getLogger(__name__)

_SIGNALS = keys.SIGNALS.encode()


@mypyc_attr(allow_interpreted_subclasses=True)
class Listening:
    """What of a `server.store.subscriber.Subscriber` needs no task."""

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        settings: Settings,
        on_commit: OnCommit,
        on_signal: OnSignal,
        on_ready: Callable[[], None],
        on_trouble: Callable[[], None],
        watched: Watched | None = None,
    ) -> None:
        self._connect = connect
        self._settings = settings
        self._on_commit = on_commit
        self._on_signal = on_signal
        self._on_ready = on_ready
        self._on_trouble = on_trouble
        self._watched = watched
        self._standing: dict[bytes, asyncio.Event] = {}  # per wanted channel: does its subscription stand
        self._asked: Counter[bytes] = Counter()  # subscriptions sent and not confirmed yet
        self._ready = asyncio.Event()
        self._pipe: Pipe | None = None
        self._failures = 0
        self._heard = True
        self._task: asyncio.Task[None] | None = None

    @final
    def _take(self, message: Any) -> None:
        self._heard = True
        self._failures = 0
        if type(message) is list and len(message) == 3 and message[0] == b"smessage":
            if self._watched is None or not self._watched.is_stale(message[1], message[2]):
                self._told(message[1], message[2])
            return
        match message:
            case [b"ssubscribe", channel, _]:
                self._asked[channel] -= 1
                if self._asked[channel] <= 0:
                    del self._asked[channel]
                    if channel in self._standing:
                        self._standing[channel].set()
                self._check_ready()
            case [b"sunsubscribe", channel, _] if channel in self._standing and not self._asked[channel]:
                # Not our wish: the channel moved to another node.
                raise RedisError("the server dropped a subscription")
            case RedisError():
                raise message

    @final
    def _told(self, channel: bytes, payload: bytes) -> None:
        """A commit or a signal."""
        head, _, rest = payload.partition(b"\n")
        if channel == _SIGNALS:
            self._tell(self._on_signal, head.decode(), rest)
        elif channel in self._standing:
            version, at_ms, after_ms = head.split()
            entry = Entry(int(version), int(at_ms), rest)
            self._tell(self._on_commit, keys.table_of(channel), entry, int(after_ms))

    @final
    def _tell(self, callback: Callable[..., None], *args: Any) -> None:
        try:
            callback(*args)
        except Exception:  # noqa: BLE001 - a listener must not stop the news
            _log.exception("a listener of the store failed")

    def _check_ready(self) -> None:
        if not self._ready.is_set() and all(standing.is_set() for standing in self._standing.values()):
            self._ready.set()
            self._on_ready()
