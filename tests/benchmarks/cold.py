"""How long a table takes to load: read its log from a real store, decode it, fold it."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from domain import table as tables
from domain.dealing import commitment
from domain.events import Commit, encode_commit
from server.embedded import EmbeddedStore
from server.room import Room
from server.run import settle_down
from server.store import open_store
from server.store.base import EventStore
from tests.benchmarks import trick
from tests.benchmarks.floor import KEY, opening


class _Owner:
    """What a room needs to load."""

    def __init__(self, store: EventStore) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return lambda *args: None


async def _fill(store: EventStore, ident: str, events: int) -> None:
    game = trick.EndlessTrick()
    table = None
    version = 0

    async def keep(by: int | str, decision: tables.Decision) -> tables.Table:
        nonlocal version
        version += 1
        appended = await store.append(ident, version, encode_commit(by, decision.events, None))
        return tables.sealed(
            game, table, decision.table, Commit(version, appended.at_ms, by, decision.events)
        )

    table = await keep("host", tables.decide_open(game, opening(ident)))
    for seat in range(trick.SEATS):
        table = await keep(
            seat,
            tables.decide_sit(
                game, table, seat=seat, name=f"Player {seat}", token_hash=bytes(32), entropy=None
            ),
        )
    table = await keep("server", tables.decide_start(game, table))
    while version < events:
        state: Any = table.state
        action = {"type": "play", "card": state.hands[state.next][0]}
        table = await keep(state.next, tables.decide_act(game, table, state.next, action))


async def _measure(url: str, events: int, times: int) -> list[float]:
    ident = commitment("cold", KEY)[:16]
    store = open_store(url)
    await store.start()
    await _fill(store, ident, events)
    found = []
    for _ in range(times):
        room: Any = Room(_Owner(store), ident)
        began = time.perf_counter()
        await room.load()
        found.append((time.perf_counter() - began) * 1000)
        assert room.table.version == events
    await store.close()
    return found


def cold_load(events: int = 2000, times: int = 30) -> dict[str, float]:
    """The median and the least time in milliseconds, from the read to the folded table."""
    trick.register()
    settle_down()
    with tempfile.TemporaryDirectory(prefix="facedown-bench-", ignore_cleanup_errors=True) as folder:
        store = EmbeddedStore(Path(folder))
        url = store.start()
        try:
            found = sorted(asyncio.run(_measure(url, events, times)))
        finally:
            store.stop()
    return {"events": events, "load_ms": found[len(found) // 2], "least_ms": found[0]}
