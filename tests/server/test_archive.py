"""Archived tables: out of the store, still there for everybody, and never begun anew."""

from __future__ import annotations

import asyncio
import gzip
import os
import random
from pathlib import Path
from typing import cast

import pytest
from redis.asyncio import Redis

from domain.errors import CorruptLog
from domain.events import encode_commit
from server.archive import Archived, Folder
from server.embedded import EmbeddedStore
from server.store import Entry, MemoryStore, StoreUnavailable, VersionTaken, open_store
from server.store.base import Archive
from tests.server.playing import played
from tests.support.clients import PATIENCE_S, Http, chosen, client
from tests.support.play import new
from tests.support.server import Serve, launch, serve, server_log
from tests.support.store import OpenStore, embedded, eventually, open_any, open_own, servers

__all__ = ["embedded", "launch", "open_any", "open_own", "serve", "server_log", "servers"]


def finished(ident: str = "testtable") -> list[Entry]:
    """The log of a game that was played to its end."""
    playout = new("trinket-trove", 2).play(random.Random(4))
    return [
        Entry(commit.version, commit.at_ms, encode_commit(commit.by, commit.events, commit.command))
        for commit in playout.commits
    ]


LOG = finished()
TABLE = "testtable"


async def stored(open_any: OpenStore, folder: Path) -> tuple[Archived, Archive]:
    """A store with a finished game in it, which nobody else uses."""
    opened, _ = await open_any()
    inner = cast(Archive, opened)
    await inner.bury(TABLE, *await end(inner), 0)  # what an earlier test has left
    await inner.restore(TABLE, LOG)
    return Archived(inner, Folder(folder)), inner


async def end(inner: Archive) -> tuple[int, int]:
    entries = await inner.read(TABLE)
    return (entries[-1].version, entries[-1].at_ms) if entries else (0, 0)


async def test_an_archived_table_reads_as_before(open_any: OpenStore, tmp_path: Path) -> None:
    store, inner = await stored(open_any, tmp_path)
    assert await store.keep(TABLE)
    assert await inner.read(TABLE) == []
    assert await store.read(TABLE) == LOG
    assert await store.read(TABLE, 3, 2) == LOG[3:5]
    assert await store.read(TABLE, len(LOG)) == []
    assert await store.heads([TABLE]) == [len(LOG)]
    assert await store.keep(TABLE), "once more is harmless"
    assert Folder(tmp_path).read(TABLE) == LOG


async def test_the_versions_of_an_archived_table_are_not_used_again(
    open_any: OpenStore, tmp_path: Path
) -> None:
    store, inner = await stored(open_any, tmp_path)
    await store.keep(TABLE)
    for version in (1, 2, len(LOG), len(LOG) + 1):
        with pytest.raises(VersionTaken) as taken:
            await inner.append(TABLE, version, b"another")
        assert taken.value.head == len(LOG)
    with pytest.raises(VersionTaken):
        await store.append(TABLE, 1, b"another")
    with pytest.raises(VersionTaken):
        await store.append(TABLE, len(LOG) + 1, b"another", LOG[-1].at_ms - 1)
    assert await store.read(TABLE) == LOG


async def test_a_table_that_goes_on_comes_back(open_any: OpenStore, tmp_path: Path) -> None:
    store, inner = await stored(open_any, tmp_path)
    await store.keep(TABLE)
    added = await store.append(TABLE, len(LOG) + 1, b"a rematch", LOG[-1].at_ms)
    assert not added.repeated
    assert [entry.version for entry in await inner.read(TABLE)] == list(range(1, len(LOG) + 2))
    assert await inner.read(TABLE, 0, len(LOG)) == LOG


async def test_a_log_that_goes_on_meanwhile_stays(open_any: OpenStore, tmp_path: Path) -> None:
    _, inner = await stored(open_any, tmp_path)
    assert not await inner.bury(TABLE, len(LOG) - 1, LOG[-2].at_ms, 0)
    assert not await inner.bury(TABLE, len(LOG), LOG[-1].at_ms + 1, 0)
    assert await inner.read(TABLE) == LOG


async def test_a_table_that_is_archived_elsewhere_is_unavailable_not_unknown(
    open_any: OpenStore, tmp_path: Path
) -> None:
    store, inner = await stored(open_any, tmp_path / "here")
    await store.keep(TABLE)
    other = Archived(inner, Folder(tmp_path / "there"))
    with pytest.raises(StoreUnavailable, match="archived"):
        await other.read(TABLE)
    assert await other.read("nosuchtable") == []


def test_a_damaged_file_is_noticed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(TABLE, LOG)
    file = folder.file(TABLE)
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    for damaged in (
        lines[:-1],
        lines[:5] + lines[6:],
        [*lines[:3], lines[3].replace(b"seat", b"seta"), *lines[4:]],
    ):
        file.write_bytes(gzip.compress(b"".join(damaged)))
        with pytest.raises(CorruptLog, match=TABLE):
            folder.read(TABLE)
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(CorruptLog):
        folder.read(TABLE)


def test_a_log_that_makes_no_sense_is_not_archived(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with pytest.raises(CorruptLog):
        folder.write("anothertable", LOG)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_old_files_are_removed_when_they_have_been_kept_long_enough(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(TABLE, LOG)
    assert folder.sweep(3600) == 0
    os.utime(folder.file(TABLE), (0, 0))
    assert folder.sweep(3600) == 1
    assert not folder.has(TABLE)


async def play(http: Http, url: str) -> tuple[str, str, list[str]]:
    """A game that a few moves and the host's leave end."""
    table, host, tokens = await http.full("trick-and-trade", 3)
    rng = random.Random(table)
    async with client(url) as one:
        seats: list[int] = []
        for token in tokens:
            answer = await one.attach(table, token)
            seats = answer["waiting"]
            if answer["viewer"]["seat"] in seats:
                break
        answer = await one.act(table, chosen(rng, one.tables[table].actions))
        assert answer["type"] == "accepted"
    for seat, token in enumerate(tokens):
        await http.done(204, "DELETE", f"/v1/tables/{table}/seats/{seat}", token=token)
    return table, host, tokens


async def archived(folder: Path, table: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not Folder(folder).has(table):
            await asyncio.sleep(0.02)


async def test_every_way_of_reading_finds_an_archived_table(
    embedded: EmbeddedStore, serve: Serve, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    running = await serve(open_store(embedded.url), archive=archive, archive_after_hours=0.0, idle_tables=0)
    async with Http(running.url) as http:
        table, _, tokens = await play(http, running.url)
        header, lines = await http.log(table)
        await archived(tmp_path / "archive", table)

        async def buried() -> bool:
            async with Redis.from_url(embedded.url) as admin:
                return not await admin.exists(f"fd:{{{table}}}:log")

        await eventually(buried)
        assert await http.log(table) == (header, lines)
        facts = await http.facts(table)
        assert (facts["status"], facts["version"]) == ("abandoned", header["version"])
        for version in (1, header["version"]):
            at = await http.done(200, "GET", f"/v1/tables/{table}/at/{version}")
            assert at["version"] == version
        async with client(running.url) as one:
            answer = await one.attach(table)
            assert (answer["type"], answer["version"]) == ("attached", header["version"])
            answer = await one.act(table, {"type": "play", "card": "nev-1"})
            assert answer["code"] == "forbidden"
        listed = await http.done(200, "GET", "/v1/tables?status=abandoned")
        assert table not in {entry["table"] for entry in listed["tables"]}
        assert tokens


async def test_an_act_at_a_table_that_was_archived_meanwhile_is_stored_once(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Archived(MemoryStore(), Folder(tmp_path))
    here = await serve(store)
    async with played(here.url) as game:
        await game.move(2)
        assert await store.keep(game.table)
        before = len(await store.read(game.table))
        answer = await game.mover.act(game.table, game.action())
        assert (answer["type"], answer["version"]) == ("accepted", before + 1)
        await game.move(3)
        there = await store.inner.read(game.table)
        assert [entry.version for entry in there] == list(range(1, before + 1 + 1 + 3))
        assert await store.keep(game.table)

        def stale(self: Folder, table: str) -> bool:
            raise PermissionError(table)

        with monkeypatch.context() as patched:
            patched.setattr(Folder, "has", stale)
            answer = await game.mover.act(game.table, game.action())
            assert (answer["type"], answer["code"]) == ("error", "unavailable")
        await game.move(1)
