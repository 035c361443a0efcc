"""The index of deadlines, at every kind of store: it may name a table too early, never too late."""

from __future__ import annotations

import pytest

from server.store import EventStore
from tests.support.store import OpenStore

LEASE_MS = 5000


@pytest.fixture
async def store(open_any: OpenStore) -> EventStore:
    """A store whose index of deadlines is empty."""
    opened, _ = await open_any()
    far = 10**14
    left, _ = await opened.due(far, LEASE_MS, 1000)
    for table in left:
        await opened.look_again(table, far + LEASE_MS, None)
    return opened


async def test_a_table_is_named_when_its_time_has_come(store: EventStore, table: str) -> None:
    await store.wake(table, 2000)
    assert await store.due(1999, LEASE_MS, 10) == ([], 2000)
    assert await store.due(2000, LEASE_MS, 10) == ([table], 2000 + LEASE_MS)


async def test_the_earliest_time_counts(store: EventStore, table: str) -> None:
    await store.wake(table, 3000)
    await store.wake(table, 2000)
    await store.wake(table, 4000)
    assert (await store.due(0, LEASE_MS, 10))[1] == 2000


async def test_whoever_takes_a_table_holds_it_for_the_lease(store: EventStore, table: str) -> None:
    await store.wake(table, 1000)
    assert (await store.due(1000, LEASE_MS, 10))[0] == [table]
    assert (await store.due(1000 + LEASE_MS, LEASE_MS, 10))[0] == []
    assert (await store.due(1001 + LEASE_MS, LEASE_MS, 10))[0] == [table]


async def test_a_table_is_put_off_or_taken_out(store: EventStore, table: str) -> None:
    await store.wake(table, 1000)
    await store.due(1000, LEASE_MS, 10)
    await store.look_again(table, 1000 + LEASE_MS, 90_000)
    assert await store.due(89_999, LEASE_MS, 10) == ([], 90_000)
    await store.due(90_000, LEASE_MS, 10)
    await store.look_again(table, 90_000 + LEASE_MS, None)
    assert await store.due(10**12, LEASE_MS, 10) == ([], None)


@pytest.mark.parametrize("at_ms", [2000, 1000 + LEASE_MS, 80_000])
async def test_a_time_named_during_a_look_is_not_lost(store: EventStore, table: str, at_ms: int) -> None:
    await store.wake(table, 1000)
    await store.due(1000, LEASE_MS, 10)
    await store.wake(table, at_ms)
    await store.look_again(table, 1000 + LEASE_MS, None)
    # Whoever looked may have looked before the commit that made this time necessary.
    named, _ = await store.due(max(at_ms, 1001 + LEASE_MS), LEASE_MS, 10)
    assert named == [table]


async def test_a_look_that_lasted_too_long_changes_nothing(store: EventStore, table: str) -> None:
    await store.wake(table, 1000)
    await store.due(1000, LEASE_MS, 10)
    await store.due(1001 + LEASE_MS, LEASE_MS, 10)  # somebody else has it now
    await store.look_again(table, 1000 + LEASE_MS, None)
    assert (await store.due(2000 + 2 * LEASE_MS, LEASE_MS, 10))[0] == [table]


async def test_at_most_so_many_are_taken_and_the_rest_comes_next(store: EventStore, table: str) -> None:
    tables = {f"{table}-{number}" for number in range(40)}
    for name in tables:
        await store.wake(name, 1000)
    taken: set[str] = set()
    while named := (await store.due(1000, LEASE_MS, 3))[0]:
        assert not taken & set(named)
        taken |= set(named)
    assert taken == tables
