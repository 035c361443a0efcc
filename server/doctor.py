"""What an operator wants to know of a store before trusting it with games."""

from __future__ import annotations

import secrets
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.store import keys
from server.store.check import Check, examine, is_cluster
from server.store.link import APPEND, FAILURES, LIBRARY, Address, Link, Settings, explain

TRIES = 20
SLOW_MS = 20.0
"""An append that takes longer than this makes moves feel slow."""
SHOWN = 5


async def diagnose(url: str, settings: Settings, replicas: int = 0) -> list[Check]:
    """Look at a store: at each primary, if it is a cluster.

    Writes a log of its own and deletes it again. Raises nothing for a store that is away: that is a finding.

    Args:
        url: as for `open_store`.
        replicas: how many replicas must have a commit before it counts as stored.
    """
    link = Link(url, settings)
    client = link.client()
    try:
        checks = [Check("reachable", link.name)]
        if not await is_cluster(client):
            return [*checks, *await _server(client, replicas)]
        slots = await client.execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
        places = {Address(master[0].decode() or link.host, int(master[1])) for _, _, master, *_ in slots}
        covered = sum(last - first + 1 for first, last, *_ in slots)
        if covered < 16384:
            advice = "some tables cannot be reached: see CLUSTER INFO"
            checks.append(Check("cluster", f"{covered} of 16384 slots served", "refuse", advice))
        else:
            checks.append(Check("cluster", f"{len(places)} primaries"))
        for place in sorted(places):
            one = link.at(place).client()
            try:
                where = f"{place.host}:{place.port} "
                checks += [check._replace(name=where + check.name) for check in await _server(one, replicas)]
            finally:
                await one.aclose(close_connection_pool=True)
        return checks
    except FAILURES as error:
        return [
            Check("reachable", explain(error), "refuse", f"start the store at {link.name}, or name another")
        ]
    finally:
        await client.aclose(close_connection_pool=True)


async def _server(client: Redis, replicas: int) -> list[Check]:
    checks = await examine(client, replicas)
    if any(check.name in ("version", "role") and check.verdict == "refuse" for check in checks):
        return checks  # nothing can be written there
    return [
        *checks,
        await _functions(client),
        await _round_trip(client),
        await _append(client),
        await _logs(client),
    ]


async def _functions(client: Redis) -> Check:
    name = LIBRARY.partition("name=")[2].split()[0]
    found = await client.function_list(library=name, withcode=True)
    if not found:
        await client.function_load(LIBRARY, replace=True)
        return Check("functions", f"{name} was missing and is loaded now")
    if LIBRARY.encode() not in _flat(found):
        advice = "another release of the server shares this store: fine during an upgrade only"
        return Check("functions", f"{name} in another text", "warn", advice)
    return Check("functions", f"{name} is loaded")


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [inner for pair in value.items() for part in pair for inner in _flat(part)]
    if isinstance(value, list):
        return [inner for part in value for inner in _flat(part)]
    return [value]


async def _median_ms(act: Callable[[int], Awaitable[object]]) -> float:
    times = []
    for number in range(TRIES):
        began = time.perf_counter()
        await act(number)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def _round_trip(client: Redis) -> Check:
    return Check("round trip", f"{await _median_ms(lambda _: client.ping()):.1f} ms")


async def _append(client: Redis) -> Check:
    # Any key will do on a single server; on one of a cluster, a slot that it serves.
    table = await _table_here(client)
    three = (keys.log(table), keys.gone(table), keys.news(table))

    async def append(number: int) -> object:
        return await client.execute_command("FCALL", APPEND, 3, *three, number + 1, b"x" * 300, "")  # type: ignore[no-untyped-call]

    try:
        taken_ms = await _median_ms(append)
        outcome, *_ = await client.execute_command("FCALL", APPEND, 3, *three, TRIES, b"x" * 300, "")  # type: ignore[no-untyped-call]
    except RedisError as error:
        return Check("append", explain(error), "refuse", "no move can be stored")
    finally:
        await client.unlink(keys.log(table))
    if int(outcome) != 2:
        return Check("append", "stored twice", "refuse", "an append that is repeated must change nothing")
    if taken_ms > SLOW_MS:
        advice = "moves wait for the store's disk: use a faster one"
        return Check("append", f"{taken_ms:.1f} ms", "warn", advice)
    return Check("append", f"{taken_ms:.1f} ms")


async def _table_here(client: Redis) -> str:
    while True:
        table = f"doctor{secrets.token_hex(6)}"
        try:
            await client.exists(keys.log(table))
        except RedisError as error:
            if getattr(error, "status_code", None) != "MOVED":
                raise
        else:
            return table


async def _logs(client: Redis) -> Check:
    """Whether every log holds as many entries as its head says."""
    number = 0
    holed: list[str] = []
    batch: list[bytes] = []
    async for key in client.scan_iter(match="fd:{*}:log", count=1000, _type="stream"):
        batch.append(key)
        if len(batch) == 500:
            holed += await _holed(client, batch)
            number, batch = number + len(batch), []
    holed += await _holed(client, batch)
    number += len(batch)
    if holed:
        shown = ", ".join(holed[:SHOWN]) + (", ..." if len(holed) > SHOWN else "")
        advice = f"these cannot be played on: restore them from a backup: {shown}"
        return Check("logs", f"{len(holed)} of {number} have holes", "refuse", advice)
    return Check("logs", f"{number}, all without a gap")


async def _holed(client: Redis, names: Sequence[bytes]) -> list[str]:
    async with client.pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.xlen(name)
            pipeline.xrevrange(name, count=1)
        found = await pipeline.execute()
    return [
        keys.table_of(name)
        for name, length, last in zip(names, found[::2], found[1::2], strict=True)
        if last and int(last[0][0].partition(b"-")[0]) != length
    ]


def rows(checks: Sequence[Check]) -> list[str]:
    """The checks as the lines of a table."""
    name = max(len(check.name) for check in checks)
    found = max(len(check.found) for check in checks)
    return [
        f"{check.verdict:<7} {check.name:<{name}}  {check.found:<{found}}  {check.advice}".rstrip()
        for check in checks
    ]
