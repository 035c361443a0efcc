"""Commits that count only when replicas have them: wait for these, then tell of the commits."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from redis.exceptions import RedisError

from server.store.appends import Append
from server.store.link import Settings, explain
from server.store.pipe import Pipe, pack

_log = logging.getLogger(__name__)


def wait(settings: Settings) -> bytes:
    """What ends a batch: the server answers when enough replicas have it, or when it is too late."""
    number, ms = settings.replicas, round(settings.attempt_s * 800)
    if not number:
        return b""
    if settings.replicas_on_disk:
        return pack(("WAITAOF", 1, number, ms))
    return pack(("WAIT", number, ms))


async def have_it(pipe: Pipe, settings: Settings) -> bool:
    """Whether enough replicas have it, by the answer to `wait`. Raises as `Pipe.answer`."""
    reply = await pipe.answer()
    if isinstance(reply, RedisError):
        _log.error("the store cannot wait for replicas: %s", explain(reply))
        return False
    there = reply[1] if isinstance(reply, list) else reply
    return int(there) >= settings.replicas


async def publish(pipe: Pipe, held: Sequence[tuple[Append, Any]]) -> None:
    """Tell of what is replicated; what gets lost here is found by comparing heads.

    Args:
        held: each append with the answer of the server's function.
    """
    pipe.send(b"".join([append.news(reply[1]) for append, reply in held]))
    for _ in held:
        await pipe.answer()


def missing(appends: list[Append], *, elsewhere: bool) -> list[Append]:
    """The primary alone has these: still in doubt, for it may die. Gives which to send again.

    Args:
        elsewhere: it is one of a cluster, and whoever appends has to look where the table is now.
    """
    if appends:
        _log.warning("too few replicas have %d appends", len(appends))
    if not elsewhere:
        return appends
    for append in appends:
        append.fail("too few replicas have it", elsewhere=True)
    return []
