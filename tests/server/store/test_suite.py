"""What every store promises: one suite for the memory store and for real servers."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from server.store import Appended, MemoryBackend, MemoryStore, StoreUnavailable, VersionTaken, open_store
from tests.support.store import OpenStore, eventually


async def test_an_append_can_be_read(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    before_ms = await store.now_ms()
    first = await store.append(table, 1, b"one")
    second = await store.append(table, 2, b"two\r\n\x00\xff")
    entries = await store.read(table)
    assert [(entry.version, entry.data) for entry in entries] == [(1, b"one"), (2, b"two\r\n\x00\xff")]
    assert [entry.at_ms for entry in entries] == [first.at_ms, second.at_ms]
    assert before_ms <= first.at_ms <= second.at_ms <= await store.now_ms()
    assert not first.repeated
    assert not second.repeated


async def test_an_empty_entry_is_an_entry(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    await store.append(table, 1, b"")
    assert [entry.data for entry in await store.read(table)] == [b""]


async def test_another_entry_at_a_taken_version_is_refused(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    await store.append(table, 1, b"one")
    await store.append(table, 2, b"two")
    for version in (1, 2):
        with pytest.raises(VersionTaken) as refused:
            await store.append(table, version, b"other")
        assert refused.value.head == 2
    assert [entry.data for entry in await store.read(table)] == [b"one", b"two"]


async def test_a_gap_is_refused(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    with pytest.raises(VersionTaken) as refused:
        await store.append(table, 2, b"two")
    assert refused.value.head == 0
    await store.append(table, 1, b"one")
    with pytest.raises(VersionTaken) as refused:
        await store.append(table, 3, b"three")
    assert refused.value.head == 1
    assert await store.heads([table]) == [1]


async def test_versions_begin_at_one(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    with pytest.raises(ValueError, match="begin at 1"):
        await store.append(table, 0, b"zero")


async def test_the_same_append_again_changes_nothing(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    other, _ = await open_any()
    first = await store.append(table, 1, b"one")
    await store.append(table, 2, b"two")
    assert await store.append(table, 1, b"one") == Appended(first.at_ms, repeated=True)
    assert await other.append(table, 1, b"one") == Appended(first.at_ms, repeated=True)
    assert await store.heads([table]) == [2]


async def test_the_same_append_on_another_history_is_another_one(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    first = await store.append(table, 1, b"one")
    second = await store.append(table, 2, b"two", first.at_ms)
    again = await store.append(table, 2, b"two", first.at_ms)
    assert (again.at_ms, again.repeated) == (second.at_ms, True)
    with pytest.raises(VersionTaken) as taken:
        await store.append(table, 2, b"two", first.at_ms + 1)
    assert taken.value.head == 2
    assert (await store.append(table, 2, b"two")).repeated


async def test_of_many_writers_at_one_version_one_wins(open_any: OpenStore, table: str) -> None:
    stores = [(await open_any())[0] for _ in range(3)]
    outcomes = await asyncio.gather(
        *(stores[i % 3].append(table, 1, b"writer %d" % i) for i in range(50)), return_exceptions=True
    )
    winners = [i for i, outcome in enumerate(outcomes) if isinstance(outcome, Appended)]
    assert len(winners) == 1
    assert [entry.data for entry in await stores[0].read(table)] == [b"writer %d" % winners[0]]
    losers = [outcome for outcome in outcomes if isinstance(outcome, VersionTaken)]
    assert [loser.head for loser in losers] == [1] * 49


async def test_writers_who_try_again_leave_no_gap_and_no_double(open_any: OpenStore, table: str) -> None:
    stores = [(await open_any())[0] for _ in range(2)]

    async def add(store: int, name: bytes) -> None:
        version = 1
        while True:
            try:
                await stores[store].append(table, version, name)
            except VersionTaken as taken:
                version = taken.head + 1
            else:
                return

    names = [b"%d" % i for i in range(30)]
    await asyncio.gather(*(add(i % 2, name) for i, name in enumerate(names)))
    entries = await stores[0].read(table)
    assert [entry.version for entry in entries] == list(range(1, 31))
    assert sorted(entry.data for entry in entries) == sorted(names)
    times = [entry.at_ms for entry in entries]
    assert times == sorted(times)


async def test_reading_begins_and_ends_where_asked(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    for version in range(1, 8):
        await store.append(table, version, b"%d" % version)
    assert [entry.version for entry in await store.read(table, after=3)] == [4, 5, 6, 7]
    assert [entry.version for entry in await store.read(table, after=3, limit=2)] == [4, 5]
    assert await store.read(table, after=7) == []
    assert await store.read(table, after=99) == []


async def test_heads_of_many_tables(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    await store.append(f"{table}-a", 1, b"one")
    await store.append(f"{table}-b", 1, b"one")
    await store.append(f"{table}-b", 2, b"two")
    assert await store.heads([f"{table}-{name}" for name in "abc"]) == [1, 2, 0]
    assert await store.heads([]) == []


async def test_commits_reach_those_who_watch(open_any: OpenStore, table: str) -> None:
    writer, own = await open_any()
    watcher, heard = await open_any()
    await writer.append(table, 1, b"early")
    assert await watcher.watch(table) == 1
    assert await writer.watch(table) == 1
    for version in range(2, 40):
        await writer.append(table, version, b"%d\n" % version)
    await heard.until(lambda: heard.versions(table)[-1:] == [39])
    await own.until(lambda: own.versions(table)[-1:] == [39])
    stored = {entry.version: entry for entry in await writer.read(table, after=1)}
    for one in (heard, own):
        # In order, each once, as stored. News may get lost where a connection does, so not always all.
        assert one.versions(table) == sorted(set(one.versions(table)))
        assert len(one.commits) > 20
        assert all(entry == stored[entry.version] for _, entry in one.commits)


async def test_commits_reach_nobody_else(open_any: OpenStore, table: str) -> None:
    writer, _ = await open_any()
    watcher, heard = await open_any()
    await watcher.watch(table)
    await watcher.watch(f"{table}-end")
    await watcher.unwatch(table)
    await writer.append(table, 1, b"one")
    await writer.append(f"{table}-other", 1, b"one")
    await writer.append(f"{table}-end", 1, b"one")
    await heard.until(lambda: bool(heard.versions(f"{table}-end")))
    assert heard.versions(table) == heard.versions(f"{table}-other") == []


async def test_watching_again_after_a_while(open_any: OpenStore, table: str) -> None:
    store, heard = await open_any()
    assert await store.watch(table) == 0
    await store.unwatch(table)
    await store.append(table, 1, b"one")
    assert await store.watch(table) == 1
    assert await store.watch(table) == 1
    await store.append(table, 2, b"two")
    await heard.until(lambda: heard.versions(table) == [2])


async def test_a_listener_that_fails_hears_the_next(open_any: OpenStore, table: str) -> None:
    store, heard = await open_any()
    told: list[int] = []

    def fail(_: str, entry: object, after_ms: int) -> None:
        told.append(1)
        raise RuntimeError("a listener's own fault")

    store.listen(fail, heard._gap, heard._signal)
    await store.watch(table)
    await store.append(table, 1, b"one")
    await store.append(table, 2, b"two")
    await store.signal("after", table.encode())
    await heard.until(lambda: ("after", table.encode()) in heard.signals)
    await heard.until(lambda: len(told) == 2)


async def test_signals_reach_all(open_any: OpenStore, table: str) -> None:
    one, heard_one = await open_any()
    _, heard_two = await open_any()
    await one.signal("lobby", table.encode() + b"\n\x00")
    for heard in (heard_one, heard_two):
        await heard.until(lambda heard=heard: ("lobby", table.encode() + b"\n\x00") in heard.signals)  # type: ignore[misc]


async def test_the_secret_is_shared(open_any: OpenStore) -> None:
    one, _ = await open_any()
    two, _ = await open_any()
    secret = await one.secret()
    assert len(secret) == 32
    assert secret == await two.secret() == await one.secret()


async def test_the_listing_has_pages(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    game = secrets.token_hex(4)
    ages = {f"{table}-{i}": 1000 + i // 2 for i in range(7)}  # several of the same age
    for name, created_ms in ages.items():
        await store.index(name, created_ms, game, "open")
    newest_first = sorted(ages, key=lambda name: (ages[name], name), reverse=True)
    seen: list[str] = []
    cursor = None
    sizes = []
    while True:
        page, cursor = await store.listing(game, "open", cursor, 3)
        seen += page
        sizes.append(len(page))
        if cursor is None:
            break
    assert seen == newest_first
    assert sizes == [3, 3, 1]
    assert await store.listing(game, None, None, 7) == (newest_first, None)
    page, cursor = await store.listing(None, None, None, 1)
    assert len(page) == 1


async def test_a_cursor_stays_good_when_its_table_is_gone(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    game = secrets.token_hex(4)
    names = [f"{table}-{i}" for i in range(4)]
    for created_ms, name in enumerate(names):
        await store.index(name, created_ms, game, "open")
    page, cursor = await store.listing(game, None, None, 2)
    assert page == [names[3], names[2]]
    assert cursor == f"2-{names[2]}"
    await store.unindex(names[2])
    await store.index(f"{table}-new", 99, game, "open")
    assert await store.listing(game, None, cursor, 5) == ([names[1], names[0]], None)


async def test_the_listing_moves_with_the_table(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    game = secrets.token_hex(4)
    await store.index(table, 5, game, "open")
    await store.index(table, 5, game, "playing")
    await store.index(table, 5, game, "playing")
    assert await store.listing(game, "open", None, 9) == ([], None)
    assert await store.listing(game, "playing", None, 9) == ([table], None)
    assert await store.listing(game, None, None, 9) == ([table], None)
    assert table in (await store.listing(None, "playing", None, 500))[0]
    await store.unindex(table)
    await store.unindex(table)
    assert await store.listing(game, None, None, 9) == ([], None)


@pytest.mark.parametrize("cursor", ["", "x", "1", "-t", "1-", "1-a b", "1-{a}", "9" * 40 + "-t", "(1-t", "+"])
async def test_a_foreign_cursor_is_refused(open_any: OpenStore, cursor: str) -> None:
    store, _ = await open_any()
    with pytest.raises(ValueError, match="cursor"):
        await store.listing(None, None, cursor, 5)


async def test_names_that_would_break_a_key_are_refused(open_any: OpenStore) -> None:
    store, _ = await open_any()
    for name in ("", "a b", "a{b}", "a\nb", "x" * 200):
        with pytest.raises(ValueError, match="name"):
            await store.append(name, 1, b"one")


async def test_presence_is_per_process(open_any: OpenStore, table: str) -> None:
    one, _ = await open_any()
    two, _ = await open_any()
    await one.set_present(table, 0, True)
    await one.set_present(table, 2, True)
    await two.set_present(table, 2, True)
    assert await two.present([table, f"{table}-other"]) == [{0, 2}, set()]
    await one.set_present(table, 2, False)
    assert await one.present([table]) == [{0, 2}]
    await two.set_present(table, 2, False)
    await two.set_present(table, 2, False)
    assert await one.present([table]) == [{0}]
    await one.close()
    assert await two.present([table]) == [set()]


async def test_a_closed_store_says_so(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.append(table, 1, b"one")
    await store.close()


async def test_cancelling_one_append_leaves_the_others(open_any: OpenStore, table: str) -> None:
    store, _ = await open_any()
    tasks = [asyncio.create_task(store.append(f"{table}-{i}", 1, b"one")) for i in range(40)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, Appended) for outcome in outcomes[1::2])
    # What was cancelled may be stored or not; the same append again settles it.
    for i in range(0, 40, 2):
        await store.append(f"{table}-{i}", 1, b"one")
    assert await store.heads([f"{table}-{i}" for i in range(40)]) == [1] * 40


async def test_time_never_runs_back_in_a_log(table: str) -> None:
    times = iter([5000, 4000, 4500, 6000])
    store = MemoryStore(MemoryBackend(clock=lambda: next(times)))
    await store.start()
    stamped = [(await store.append(table, version, b"x")).at_ms for version in range(1, 5)]
    assert stamped == [5000, 5000, 5000, 6000]
    await store.close()


def test_a_url_of_another_kind_is_refused() -> None:
    for url in ("http://localhost", "localhost:6379", "memory", ""):
        with pytest.raises(ValueError, match="URL begins with"):
            open_store(url)


async def test_a_memory_store_by_url(table: str) -> None:
    store = open_store("memory://")
    await store.start()
    await store.append(table, 1, b"one")
    await eventually(lambda: _has_head(store, table))
    await store.close()


async def _has_head(store: object, table: str) -> bool:
    assert isinstance(store, MemoryStore)
    return await store.heads([table]) == [1]
