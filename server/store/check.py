"""Does a server keep what it acknowledges? Asked once, at the start."""

from __future__ import annotations

import logging
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ResponseError

_log = logging.getLogger(__name__)

_WANTED = {
    "appendonly": ("yes", "without the append-only file a restart forgets acknowledged entries"),
    "appendfsync": ("always", "an entry would be acknowledged before it is on the disk"),
    "maxmemory-policy": ("noeviction", "any other policy deletes whole tables when memory is short"),
}
_OLDEST = (7, 0)


async def is_cluster(client: Redis) -> bool:
    """Whether the server is one of a cluster. Raises RedisError."""
    info: dict[str, Any] = await client.info("cluster")
    return bool(int(info.get("cluster_enabled", 0)))


async def weaknesses(client: Redis) -> list[str]:
    """What is wrong with the server, each with its remedy; empty if it is fit. Raises RedisError."""
    info: dict[str, Any] = await client.info()
    found = []
    version = tuple(int(part) for part in str(info.get("redis_version", "0.0")).split(".")[:2])
    if version < _OLDEST:
        found.append(
            f"version {info.get('redis_version')} lacks functions and sharded channels: use Redis 7 or Valkey"
        )
    if info.get("role") != "master":
        found.append(f"the server is a {info.get('role', 'unknown')}: give the address of the primary")
    try:
        config = await client.config_get("append*", "maxmemory-policy", "aof-load-truncated")
    except ResponseError as error:
        return [*found, f"its settings cannot be seen (CONFIG GET: {error}): allow it, or ask its operator"]
    for name, (wanted, why) in _WANTED.items():
        if config.get(name) != wanted:
            found.append(f"{name} is {config.get(name, 'unknown')}: set `{name} {wanted}`; {why}")
    if config.get("aof-load-truncated") != "no":
        _log.warning(
            "the store has aof-load-truncated yes: after a crash it may drop its last entries "
            "and start as if nothing had happened; set `aof-load-truncated no`"
        )
    return found
