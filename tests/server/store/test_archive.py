"""Moving whole tables into a store: the memory store and real servers."""

from __future__ import annotations

from typing import Any

from server.store import Entry
from tests.support.store import OpenStore

ENTRIES = [Entry(1, 1000, b"one"), Entry(2, 1000, b"two\r\n\x00\xff"), Entry(3, 5000, b"")]


async def test_a_whole_log_is_restored_with_its_times(open_any: OpenStore, table: str) -> None:
    store: Any = (await open_any())[0]
    assert await store.restore(table, ENTRIES)
    assert await store.read(table) == ENTRIES
    assert await store.heads([table]) == [3]
    assert table in await store.tables()
    appended = await store.append(table, 4, b"four")
    assert appended.at_ms >= 5000
    assert len(await store.read(table)) == 4


async def test_a_table_that_exists_is_left_alone(open_any: OpenStore, table: str) -> None:
    store: Any = (await open_any())[0]
    await store.append(table, 1, b"here")
    assert not await store.restore(table, ENTRIES)
    assert [entry.data for entry in await store.read(table)] == [b"here"]


async def test_a_secret_is_adopted_once(open_any: OpenStore) -> None:
    """Where there is one already (here perhaps by another test) it stays."""
    store: Any = (await open_any())[0]
    own = await store.secret()
    assert await store.adopt(own)
    other = bytes(byte ^ 1 for byte in own)
    await store.restore("t-adopting", ENTRIES)
    assert not await store.adopt(other)
    assert await store.secret() == own


async def test_all_tables_are_named_listed_or_not(open_any: OpenStore, table: str) -> None:
    store: Any = (await open_any())[0]
    names = [f"{table}-{number:04d}" for number in range(60)]
    before = set(await store.tables())
    for name in names:
        await store.restore(name, ENTRIES[:1])
    await store.say(names[0], b"talk is no log", 5, 10_000)
    found = await store.tables()
    assert found == sorted(found)
    assert set(found) - before == set(names)
