"""Does a server keep what it acknowledges? Asked at the start, and by `facedown doctor`.

What is looked at, and what follows:

| looked at | right | else |
|---|---|---|
| version | 7.0 or newer | refuse |
| role | primary | refuse |
| appendonly | yes | refuse |
| appendfsync | always | refuse |
| no-appendfsync-on-rewrite | no | refuse |
| maxmemory-policy | noeviction | refuse |
| append-only file | the last write succeeded | refuse |
| settings | can be seen | refuse |
| replicas | as many as FACEDOWN_STORE_REPLICAS wants | refuse |
| aof-load-truncated | no | warn |
| rewriting | the last rewrite of the file succeeded | warn |
| memory | less than 80% of maxmemory, if one is set | warn |

Refusing can be overridden by FACEDOWN_ALLOW_WEAK_STORE.
"""

from __future__ import annotations

import logging
from typing import Any, Literal, NamedTuple

from redis.asyncio import Redis
from redis.exceptions import ResponseError

_log = logging.getLogger(__name__)

_WANTED = {
    "appendonly": ("yes", "without the append-only file a restart forgets acknowledged entries"),
    "appendfsync": ("always", "an entry would be acknowledged before it is on the disk"),
    "no-appendfsync-on-rewrite": (
        "no",
        "while the file is rewritten, entries would be acknowledged before they are on the disk",
    ),
    "maxmemory-policy": ("noeviction", "any other policy deletes whole tables when memory is short"),
}
_OLDEST = (7, 0)
_MUCH = 0.8

Verdict = Literal["ok", "warn", "refuse"]


class Check(NamedTuple):
    """One thing that was looked at: what was found, what follows, and what would mend it."""

    name: str
    found: str
    verdict: Verdict = "ok"
    advice: str = ""

    def __str__(self) -> str:
        return (
            f"{self.name} is {self.found}: {self.advice}" if self.advice else f"{self.name} is {self.found}"
        )


async def is_cluster(client: Redis) -> bool:
    """Whether the server is one of a cluster. Raises RedisError."""
    info: dict[str, Any] = await client.info("cluster")
    return bool(int(info.get("cluster_enabled", 0)))


async def weaknesses(client: Redis, replicas: int = 0) -> list[str]:
    """What is wrong with the server, each with its remedy; empty if it is fit. Raises RedisError.

    What is only to be warned of is logged.
    """
    checks = await examine(client, replicas)
    for check in checks:
        if check.verdict == "warn":
            _log.warning("the store: %s", check)
    return [str(check) for check in checks if check.verdict == "refuse"]


async def examine(client: Redis, replicas: int = 0) -> list[Check]:
    """Look at one server.

    Args:
        replicas: how many replicas must have a commit before it counts as stored.

    Raises:
        RedisError: it cannot be asked.
    """
    info: dict[str, Any] = await client.info()
    return [
        _version(info),
        _role(info),
        *await _settings(client),
        _file(info),
        _rewriting(info),
        _memory(info),
        *_replicas(info, replicas),
    ]


def _version(info: dict[str, Any]) -> Check:
    said = str(info.get("valkey_version") or info.get("redis_version", "0.0"))
    speaks = tuple(int(part) for part in str(info.get("redis_version", "0.0")).split(".")[:2])
    name = "Valkey" if "valkey_version" in info else "Redis"
    if speaks < _OLDEST:
        advice = "it lacks functions and sharded channels: use Redis 7 or Valkey"
        return Check("version", f"{name} {said}", "refuse", advice)
    return Check("version", f"{name} {said}")


def _role(info: dict[str, Any]) -> Check:
    role = str(info.get("role", "unknown"))
    if role != "master":
        return Check("role", role, "refuse", "give the address of the primary")
    return Check("role", "primary")


async def _settings(client: Redis) -> list[Check]:
    try:
        config = await client.config_get(*_WANTED, "aof-load-truncated")
    except ResponseError as error:
        advice = "allow CONFIG GET, or ask the operator of the store"
        return [Check("settings", f"hidden (CONFIG GET: {error})", "refuse", advice)]
    checks = []
    for name, (wanted, why) in _WANTED.items():
        found = str(config.get(name, "unknown"))
        if found == wanted:
            checks.append(Check(name, found))
        else:
            checks.append(Check(name, found, "refuse", f"set `{name} {wanted}`; {why}"))
    truncated = str(config.get("aof-load-truncated", "unknown"))
    if truncated == "no":
        return [*checks, Check("aof-load-truncated", truncated)]
    advice = (
        "set `aof-load-truncated no`; after a crash the store may drop its last entries and start as if "
        "nothing had happened"
    )
    return [*checks, Check("aof-load-truncated", truncated, "warn", advice)]


def _file(info: dict[str, Any]) -> Check:
    if int(info.get("loading", 0)):
        return Check("append-only file", "being loaded", "refuse", "wait until the store has started")
    status = str(info.get("aof_last_write_status", "ok"))
    if status != "ok":
        advice = "its last write failed: look for space and errors on the store's disk"
        return Check("append-only file", status, "refuse", advice)
    return Check("append-only file", "written")


def _rewriting(info: dict[str, Any]) -> Check:
    status = str(info.get("aof_last_bgrewrite_status", "ok"))
    if status != "ok":
        return Check("rewriting", status, "warn", "the append-only file grows on: look at the store's log")
    return Check("rewriting", "fine")


def _memory(info: dict[str, Any]) -> Check:
    used, most = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    megabytes = f"{used / 2**20:.0f} MB"
    if not most:
        return Check("memory", f"{megabytes}, no limit")
    found = f"{megabytes} of {most / 2**20:.0f} MB"
    if used > _MUCH * most:
        return Check("memory", found, "warn", "a full store takes no commits: raise maxmemory or archive")
    return Check("memory", found)


def _replicas(info: dict[str, Any], wanted: int) -> list[Check]:
    if info.get("role") != "master":
        return []
    there = int(info.get("connected_slaves", 0))
    if there < wanted:
        advice = f"FACEDOWN_STORE_REPLICAS wants {wanted}: no commit would count as stored"
        return [Check("replicas", str(there), "refuse", advice)]
    return [Check("replicas", str(there))]
