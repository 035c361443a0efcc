"""Faults that are put upon running servers and stores, each for a moment."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.embedded import EmbeddedStore
from tests.support.faults import FaultProxy
from tests.support.server import ServerProcess, kill


@dataclass
class Victims:
    """What can be ill-treated: the store, the network before it, and the servers behind that."""

    embedded: EmbeddedStore
    proxy: FaultProxy
    servers: list[ServerProcess] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(1))


async def _stop_for_a_moment(pid: int | None, seconds: float) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(seconds)
    os.kill(pid, signal.SIGCONT)


async def store_hangs(victims: Victims) -> None:
    """SIGSTOP and SIGCONT of the store."""
    await _stop_for_a_moment(victims.embedded.pid, victims.rng.uniform(0.05, 1.0))


async def store_hangs_for_longer_than_any_limit(victims: Victims) -> None:
    """SIGSTOP of the store until every limit of the servers has passed."""
    await _stop_for_a_moment(victims.embedded.pid, 7.0)


async def store_is_killed(victims: Victims) -> None:
    """SIGKILL of the store, which is started again."""
    kill(victims.embedded.pid)
    await asyncio.sleep(victims.rng.uniform(0.0, 0.3))
    victims.embedded.start()


async def server_hangs(victims: Victims) -> None:
    """SIGSTOP and SIGCONT of a server."""
    await _stop_for_a_moment(victims.rng.choice(victims.servers).pid, victims.rng.uniform(0.05, 1.0))


async def server_is_killed(victims: Victims) -> None:
    """SIGKILL of a server, which is started again."""
    server = victims.rng.choice(victims.servers)
    server.kill()
    await server.start()


async def replies_get_lost(victims: Victims) -> None:
    """The answer to an append is lost, and the connection with it."""
    victims.proxy.swallow_reply = b"facedown_1_append"
    await asyncio.sleep(0.05)


async def requests_get_lost(victims: Victims) -> None:
    """An append is lost on its way, and the connection with it."""
    victims.proxy.swallow_request = b"facedown_1_append"
    await asyncio.sleep(0.05)


async def network_is_slow(victims: Victims) -> None:
    """Every piece of data takes its time, each another."""
    victims.proxy.slow_s = 0.03
    await asyncio.sleep(0.3)
    victims.proxy.slow_s = 0.0


async def network_breaks(victims: Victims) -> None:
    """All connections to the store are cut; new ones are refused for a moment."""
    victims.proxy.refuse = True
    victims.proxy.cut()
    await asyncio.sleep(victims.rng.uniform(0.0, 0.3))
    victims.proxy.refuse = False


async def network_falls_silent(victims: Victims) -> None:
    """All connections to the store stay, and nothing goes through them any more."""
    victims.proxy.stall()
    await asyncio.sleep(0.2)


async def client_kill_storms(victims: Victims) -> None:
    """CLIENT KILL of all connections at the store, ten times in a tenth of a second."""
    async with Redis.from_url(victims.embedded.url) as admin:
        for _ in range(10):
            for kind in ("normal", "pubsub"):
                await admin.client_kill_filter(_type=kind, skipme=True)
            await asyncio.sleep(0.01)


async def _set(victims: Victims, name: str, bad: str, good: str) -> None:
    async with Redis.from_url(victims.embedded.url) as admin:
        await admin.config_set(name, bad)
        await asyncio.sleep(victims.rng.uniform(0.05, 0.3))
        await admin.config_set(name, good)


async def store_is_full(victims: Victims) -> None:
    """Appends are refused: OOM."""
    await _set(victims, "maxmemory", "1", "0")


async def too_few_replicas(victims: Victims) -> None:
    """Appends are refused: NOREPLICAS."""
    await _set(victims, "min-replicas-to-write", "1", "0")


async def store_is_read_only(victims: Victims) -> None:
    """The store is a replica for a moment: READONLY."""
    async with Redis.from_url(victims.embedded.url) as admin:
        await admin.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]
        await asyncio.sleep(victims.rng.uniform(0.05, 0.3))
        await admin.execute_command("REPLICAOF", "NO", "ONE")  # type: ignore[no-untyped-call]


async def functions_are_gone(victims: Victims) -> None:
    """FUNCTION FLUSH: the store has forgotten our functions."""
    async with Redis.from_url(victims.embedded.url) as admin:
        try:
            await admin.function_flush()
        except RedisError:
            return
    await asyncio.sleep(0.02)


Trouble = Callable[[Victims], Awaitable[None]]

TROUBLES: dict[str, Trouble] = {
    trouble.__name__.replace("_", " "): trouble
    for trouble in (
        store_hangs,
        store_is_killed,
        server_hangs,
        server_is_killed,
        replies_get_lost,
        requests_get_lost,
        network_is_slow,
        network_breaks,
        network_falls_silent,
        client_kill_storms,
        store_is_full,
        too_few_replicas,
        store_is_read_only,
        functions_are_gone,
    )
}
