"""How the Redis store reaches its server: connections that never repeat a write by themselves."""

from __future__ import annotations

import asyncio
import importlib.resources
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

LIBRARY = importlib.resources.files(__package__).joinpath("functions.lua").read_text("utf-8")
APPEND, ARRIVE, BURY, DUE, HEAD, LOOK_AGAIN, NOW, PLACE, PRESENT, RESTORE, REWRITE, STORE, WAKE = (
    f"facedown_1_{name}"
    for name in (
        "append",
        "arrive",
        "bury",
        "due",
        "head",
        "look_again",
        "now",
        "place",
        "present",
        "restore",
        "rewrite",
        "store",
        "wake",
    )
)

FAILURES = (RedisError, OSError, TimeoutError)

_UPKEEP = 4
"""Connections of a client, at most: it serves what is done at the start, seldom, or by an operator."""

_ALIASES = {"valkey": "redis", "valkeys": "rediss"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set about a store. All times are seconds.

    Args:
        attempt_s: how long one attempt to reach the server may take.
        settle_s: how long an append is repeated in all before its outcome is given up as unknown.
        compare_s: how often the heads of watched tables are compared with what was delivered.
        presence_s: how long the marks of a dead process stand; living ones are renewed three times in it.
        batch: appends in one round trip, at most.
        replicas: how many replicas must have an append before it counts as stored and anybody hears of it.
        replicas_on_disk: they must have it in their append-only files, too.
        allow_weak: accept a server that may lose acknowledged entries.
    """

    attempt_s: float = 2.0
    settle_s: float = 5.0
    compare_s: float = 3.0
    presence_s: float = 15.0
    batch: int = 256
    replicas: int = 0
    replicas_on_disk: bool = False
    allow_weak: bool = False


class Address(NamedTuple):
    """Where a server of a cluster listens."""

    host: str
    port: int


class Link:
    """Makes connections to the server named by a URL."""

    def __init__(self, url: str, settings: Settings) -> None:
        scheme, colon, rest = url.partition(":")
        self._url = f"{_ALIASES.get(scheme, scheme)}{colon}{rest}"
        self.name = re.sub(r"//[^@/]*@", "//***@", url)
        # No timeout on the socket: whoever uses the connection sets one around the whole exchange.
        self._pool = ConnectionPool.from_url(
            self._url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=None,
            socket_connect_timeout=settings.attempt_s,
            driver_info=None,
        )
        self._settings = settings

    @property
    def host(self) -> str:
        """The host in the URL."""
        return urlsplit(self._url).hostname or "localhost"

    def at(self, address: Address) -> Link:
        """The way to another server, with the same credentials and options."""
        parts = urlsplit(self._url)
        user, at, _ = parts.netloc.rpartition("@")
        host = f"[{address.host}]" if ":" in address.host else address.host
        return Link(urlunsplit(parts._replace(netloc=f"{user}{at}{host}:{address.port}")), self._settings)

    def connection(self) -> AbstractConnection:
        """A connection of its own, not connected yet, without retries or time limits."""
        connection: AbstractConnection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        return connection

    def client(self) -> Redis:
        """A client for what is done at the start and now and then, and may be repeated: it tries twice."""
        pool = BlockingConnectionPool.from_url(
            self._url,
            protocol=2,
            retry=Retry(NoBackoff(), 1),
            socket_timeout=self._settings.attempt_s,
            socket_connect_timeout=self._settings.attempt_s,
            driver_info=None,
            max_connections=_UPKEEP,
            timeout=self._settings.attempt_s,
        )
        kind: Any = pool.connection_class
        pool.connection_class = _cancellable(kind)
        return Redis.from_pool(pool)


@cache
def _cancellable(kind: Any) -> Any:
    """A kind of connection whose users can always be cancelled.

    The library sends by `asyncio.wait_for`, which until Python 3.12 swallows a cancellation that comes with
    the end of what it waits for: a task that is to stop would go on for ever.
    """

    class Cancellable(kind):  # type: ignore[misc]
        async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
            task = asyncio.current_task()
            before = task.cancelling() if task else 0
            await super().send_packed_command(command, check_health)
            if task and task.cancelling() > before:
                await self.disconnect(nowait=True)  # nobody will read the answer
                raise asyncio.CancelledError

    return Cancellable


def is_reply(error: BaseException) -> bool:
    """Whether the error is the server's answer, as opposed to a connection that failed."""
    return isinstance(error, ResponseError) or (
        isinstance(error, RedisError) and getattr(error, "status_code", None) is not None
    )


def explain(error: BaseException) -> str:
    """What went wrong, for a log or a message."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def is_missing_function(error: Any) -> bool:
    """Whether the server does not know our functions (yet, or since someone flushed them)."""
    return isinstance(error, RedisError) and "Function not found" in str(error)
