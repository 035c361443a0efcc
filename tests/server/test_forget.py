"""A person's name is taken out of stored tables: everywhere, for good, and the log still proves the deal."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from typer.testing import CliRunner

from domain.events import Command, encode_commit
from domain.registry import codec
from domain.table import REMOVED_NAME, NameRemoved, SeatTaken
from projections import history
from projections.digests import chained
from projections.facts import facts
from projections.rehearsal import rehearse
from projections.verify import check
from projections.viewer import REFEREE
from server import transfer
from server.archive import Archived, Folder
from server.cli import app
from server.embedded import EmbeddedStore
from server.forget import Forgotten, NobodyThere, Whom, forget
from server.jobs import NoSuchTable
from server.store import Entry, MemoryStore, StoreUnavailable, open_store
from server.store.base import Archive
from tests.support.play import new
from tests.support.store import OpenStore, embedded, open_any, servers

__all__ = ["embedded", "open_any", "servers"]

TABLE = "testtable"


def logged(ident: str = TABLE) -> list[Entry]:
    """A game that was played to its end. The request by which seat 1 was taken is known by its key."""
    playout = new("trinket-trove", 2).play(random.Random(4))
    entries = []
    for commit in playout.commits:
        command = commit.command
        for event in commit.events:
            if isinstance(event, SeatTaken) and event.seat == 1:
                action = {"type": "sit", "name": event.name, "seat": 1, "entropy": None}
                command = Command("of its key", action, http=True)
        entries.append(Entry(commit.version, commit.at_ms, encode_commit(commit.by, commit.events, command)))
    return entries


LOG = logged()


async def stored(open_any: OpenStore) -> Archive:
    """A store with a finished game in it, which nobody else uses."""
    store = cast(Archive, (await open_any())[0])
    there = await store.read(TABLE)
    if there:
        await store.bury(TABLE, there[-1].version, there[-1].at_ms, 0)
    await store.restore(TABLE, LOG)
    return store


def names(entries: Sequence[Entry]) -> list[str | None]:
    return [seat.name if seat else None for seat in transfer.folded(entries).seats]


def verified(entries: list[Entry]) -> None:
    """The log proves the deal and follows the rules, as whoever downloads it finds."""
    table = transfer.folded(entries)
    commits = [codec(table.game).decode(*entry) for entry in entries]
    lines = chained([history.header(table, REFEREE), *(history.lines(commits, REFEREE, patches=False))])
    told = [json.loads(json.dumps(msgspec.to_builtins(line))) for line in lines]
    report, log = check(list(enumerate(told, start=1)))
    assert log is not None
    rehearse(log, report)
    assert report.proven, report.findings
    assert report.last_digest is not None


async def test_a_name_goes_and_everything_else_stays(open_any: OpenStore) -> None:
    store = await stored(open_any)
    assert names(LOG) == ["Player 0", "Player 1"]
    assert await forget(store, TABLE, Whom(name="Player 1")) == [Forgotten(TABLE, 1)]
    there = await store.read(TABLE)
    assert names(there) == ["Player 0", REMOVED_NAME]
    assert not [entry for entry in there if b"Player 1" in entry.data]
    assert [entry[:2] for entry in there[:-1]] == [entry[:2] for entry in LOG]
    changed = [one.version for one, other in zip(there, LOG, strict=False) if one != other]
    sat_at = next(entry.version for entry in LOG if b"Player 1" in entry.data)
    assert changed == [1, sat_at], "only the opening, for its epoch, and the sitting down"
    before, after = transfer.folded(LOG), transfer.folded(there)
    assert after.epoch != before.epoch
    assert (after.version, after.status) == (before.version + 1, "finished")
    assert after.at_ms >= before.at_ms
    assert [seat.token_hash for seat in after.seats if seat] == [
        seat.token_hash for seat in before.seats if seat
    ]
    assert facts(after).seats[1].name == REMOVED_NAME
    last = codec(after.game).decode(*there[-1])
    assert last.events == (NameRemoved(1, sat_at),)
    verified(LOG)
    verified(there)
    assert await forget(store, TABLE, Whom(name="Player 1")) == []
    assert await forget(store, TABLE, Whom(seat=1)) == []
    assert await store.read(TABLE) == there, "once more is harmless"


async def test_whose_name_is_said_exactly(open_any: OpenStore) -> None:
    store = await stored(open_any)
    for nobody in (Whom(name="Player"), Whom(0, "Player 1"), Whom(2), Whom(77)):
        with pytest.raises(NobodyThere):
            await forget(store, TABLE, nobody)
    assert await store.read(TABLE) == LOG
    with pytest.raises(NoSuchTable):
        await forget(store, "nosuchtable", Whom(name="Player 1"))
    with pytest.raises(NoSuchTable):
        await forget(store, "no id!", Whom(name="Player 1"))
    assert await forget(store, TABLE, Whom(seat=0)) == [Forgotten(TABLE, 1)]
    assert names(await store.read(TABLE)) == [REMOVED_NAME, "Player 1"]
    assert await forget(store, TABLE, Whom(0, "Player 0")) == [], "as when it is repeated"
    for nobody in (Whom(1, "Player 0"), Whom(77)):
        with pytest.raises(NobodyThere):
            await forget(store, TABLE, nobody)


def test_the_command_says_where_nobody_was_to_be_forgotten(embedded: EmbeddedStore) -> None:
    async def fill() -> None:
        store = cast(Archive, open_store(embedded.url))
        await store.start()
        await store.restore(TABLE, LOG)
        await store.close()

    asyncio.run(fill())
    for arguments, code, words in (
        ((TABLE, "--seat", "77"), 1, f"nobody to forget: no such person ever sat at {TABLE}"),
        ((TABLE, "--name", "Ada"), 1, f"nobody to forget: no such person ever sat at {TABLE}"),
        (("--all", "--name", "Ada"), 0, "nobody of this name is left at any of 1 table\n"),
        ((TABLE, "--seat", "1"), 0, "names were taken out of 1 table,"),
        ((TABLE, "--seat", "1"), 0, "names were taken out of 0 tables,"),
    ):
        done = CliRunner().invoke(app, ["forget", *arguments, "--data", str(embedded.folder)])
        assert (done.exit_code, words in done.stderr) == (code, True), (arguments, done.output)


async def test_a_log_is_written_anew_only_where_it_ends_as_it_was_read(open_any: OpenStore) -> None:
    store = await stored(open_any)
    other = [entry._replace(data=b"other") for entry in LOG]
    assert await store.rewrite(TABLE, other[:-1], b"note") is None
    assert await store.rewrite(TABLE, [*other[:-1], LOG[-1]._replace(at_ms=1)], b"note") is None
    assert await store.rewrite("nosuchtable", other, b"note") is None
    assert await store.read(TABLE) == LOG
    done = await store.rewrite(TABLE, other, b"note")
    assert done is not None
    assert not done.repeated
    again = await store.rewrite(TABLE, other, b"note")
    assert again is not None
    assert again.repeated
    assert await store.read(TABLE) == [*other, Entry(len(LOG) + 1, done.at_ms, b"note")]
    assert again.at_ms == done.at_ms >= LOG[-1].at_ms


async def test_archived_tables_are_changed_in_their_files(open_any: OpenStore, tmp_path: Path) -> None:
    inner = await stored(open_any)
    folder = Folder(tmp_path)
    store, other = Archived(inner, folder, 1000.0), Archived(inner, folder, 1000.0)
    assert await store.keep(TABLE)
    assert await other.read(TABLE) == LOG, "another process has it in memory now"
    written = folder.file(TABLE).stat().st_mtime
    assert await forget(cast(Archive, store), TABLE, Whom(seat=1)) == [Forgotten(TABLE, 1)]
    assert await inner.read(TABLE) == [], "it is archived as before"
    there = folder.read(TABLE)
    assert names(there) == ["Player 0", REMOVED_NAME]
    verified(there)
    assert await other.read(TABLE) == await store.read(TABLE) == there
    assert await other.heads([TABLE]) == [len(LOG) + 1]
    assert folder.file(TABLE).stat().st_mtime == written, "it is kept no longer than it would have been"
    # What goes on goes on from the changed log.
    await other.append(TABLE, len(LOG) + 2, b"a rematch", there[-1].at_ms)
    assert (await inner.read(TABLE))[:-1] == there


async def test_a_file_that_was_left_behind_is_changed_too(open_any: OpenStore, tmp_path: Path) -> None:
    inner = await stored(open_any)
    folder = Folder(tmp_path)
    store = cast(Archive, Archived(inner, folder))
    folder.write(TABLE, LOG)
    assert await forget(store, TABLE, Whom(name="Player 0")) == [Forgotten(TABLE, 1)]
    assert names(folder.read(TABLE)) == names(await inner.read(TABLE)) == [REMOVED_NAME, "Player 1"]


class Breaking:
    """A store that is away from the n-th write on, done or not."""

    def __init__(self, inner: Any, writes: int, done: bool) -> None:
        self._inner = inner
        self._left = writes
        self._done = done

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in ("rewrite", "unsay", "wake", "restore", "bury"):
            return found

        async def write(*args: Any) -> Any:
            self._left -= 1
            if self._left >= 0:
                return await found(*args)
            if self._done:
                await found(*args)
            raise StoreUnavailable("it broke off")

        return write


@pytest.mark.parametrize("filed", [False, True])
@pytest.mark.parametrize("done", [False, True])
async def test_a_run_that_broke_off_is_finished_by_another_one(
    tmp_path: Path, filed: bool, done: bool
) -> None:
    broke_off = 0
    for writes in range(6):
        inner: Any = MemoryStore()
        await inner.start()
        await inner.restore(TABLE, LOG)
        folder = Folder(tmp_path / str(writes))
        if filed:
            await Archived(inner, folder).keep(TABLE)
        try:
            broken = Archived(cast(Archive, Breaking(inner, writes, done)), folder)
            await forget(cast(Archive, broken), TABLE, Whom(name="Player 1"))
        except StoreUnavailable:
            broke_off += 1
        store = Archived(inner, folder)
        await forget(cast(Archive, store), TABLE, Whom(name="Player 1"))
        there = await store.read(TABLE)
        assert names(there) == ["Player 0", REMOVED_NAME], writes
        verified(there)
        assert not filed or names(folder.read(TABLE)) == ["Player 0", REMOVED_NAME], writes
        events = [codec("trinket-trove").decode(*entry).events for entry in there]
        assert sum(isinstance(event, NameRemoved) for more in events for event in more) == 1
    assert broke_off >= (4 if filed else 2)
