"""Whoever waits for a store can be cancelled at any moment, or nothing could ever be closed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from tests.support.store import OpenStore


async def test_no_call_swallows_a_cancellation(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    went_on: list[str] = []
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "read": lambda: store.read(table),
        "heads": lambda: store.heads([table]),
        "now": store.now_ms,
        "append": lambda: store.append(table, 1, b"the same again"),
        "watch": lambda: store.watch(table),
    }

    async def ask(name: str) -> None:
        task = asyncio.current_task()
        assert task is not None
        while not task.cancelling():
            await calls[name]()
            await asyncio.sleep(0)
        went_on.append(name)

    rng = random.Random(1)
    for _ in range(25):
        tasks = [asyncio.create_task(ask(name)) for name in calls for _ in range(6)]
        await asyncio.sleep(rng.random() * 0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert went_on == []
    assert [entry.data for entry in await store.read(table)] == [b"the same again"]
