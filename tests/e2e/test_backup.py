"""Backups that are taken while games are played, and what comes back from them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from typer.testing import CliRunner

from server.cli import app
from server.embedded import EmbeddedStore
from tests.faults.test_history import Table, seated
from tests.support.clients import Http
from tests.support.server import ROOT, Launch


async def facedown(*arguments: str) -> tuple[int, str]:
    """Run a command; gives its exit code and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from server.cli import app; app()", *arguments),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


async def done(*arguments: str) -> None:
    """Run a command that must succeed."""
    code, said = await facedown(*arguments)
    assert code == 0, said


@contextlib.asynccontextmanager
async def kept_busy(there: Table) -> AsyncIterator[None]:
    """Moves are made all the time at another table of the same server."""
    async with Http(there.server.url) as http:
        table, _, tokens = await http.full("trinket-trove", 4)
    other = Table(there.server, table, tokens[:4])
    await other.attach()
    over = asyncio.Event()

    async def play() -> None:
        while not over.is_set() and other.clients[-1].tables[table].status == "playing":
            await other.moves(1)

    playing = asyncio.create_task(play())
    try:
        yield
    finally:
        over.set()
        await playing
        await other.close()


async def come_back(there: Table, launch: Launch, data: Path) -> list[Any]:
    """The first server is gone; everybody goes to one that starts from the copy."""
    there.server.kill()
    for client in there.clients:
        await client.end()
    there.server = await launch("copy", None, data=data)
    return list(await there.resume())


async def test_a_server_starts_from_a_copy_that_was_taken_while_another_one_ran(
    launch: Launch, tmp_path: Path
) -> None:
    there = await seated(launch, None)
    data = there.server.folder / "facedown-data"
    async with kept_busy(there):
        # The files are written anew now and then: a copy must have those that belong together.
        async with Redis.from_url(EmbeddedStore(data).url) as admin:
            await admin.bgrewriteaof()
        before = await there.moves(3)
        async with Http(there.server.url) as http:
            _, known = await http.log(there.table)
            archived = data / "archive" / "ab" / "abtable.jsonl.gz"
            archived.parent.mkdir(parents=True)
            archived.write_bytes(b"as it is")
            await done("backup", str(tmp_path / "backup"), "--data", str(data))
            async with Redis.from_url(EmbeddedStore(data).url) as admin:
                assert (await admin.config_get("auto-aof-*"))["auto-aof-rewrite-percentage"] == "100"
        head = await there.moves(4)
    assert (tmp_path / "backup" / "archive" / "ab" / "abtable.jsonl.gz").read_bytes() == b"as it is"
    answers = await come_back(there, launch, tmp_path / "backup")
    assert {(answer["recovered"], answer["version"]) for answer in answers} == {(False, before)}
    assert head > before
    async with Http(there.server.url) as http:
        assert (await http.log(there.table))[1] == known
    assert await there.moves(3) == before + 3
    await there.close()


@pytest.mark.long
async def test_copies_taken_one_after_the_other_all_have_what_was_acknowledged_before(
    launch: Launch, tmp_path: Path
) -> None:
    there = await seated(launch, None)
    data = there.server.folder / "facedown-data"
    heads = []
    async with kept_busy(there):
        for number in range(3):
            heads.append(await there.moves(2))
            copying = asyncio.create_task(
                done("backup", str(tmp_path / f"backup-{number}"), "--data", str(data))
            )
            await there.moves(2)
            await copying
    for number, head in enumerate(heads):
        with EmbeddedStore(tmp_path / f"backup-{number}") as url:
            async with Redis.from_url(url) as admin:
                length = await admin.xlen(f"fd:{{{there.table}}}:log")
        assert head <= length <= head + 2
    await there.close()


def test_what_cannot_be_copied_is_said(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    for arguments, what in (
        ((str(target), "--data", str(tmp_path / "data")), "there already"),
        ((str(tmp_path / "new"), "--store", "redis://127.0.0.1:1"), "Connect"),
        ((str(tmp_path / "new"), "--store", "memory://"), "memory://"),
    ):
        run = CliRunner().invoke(app, ["backup", *arguments])
        assert run.exit_code in (1, 2), run.output
        assert what in run.output
    assert list(target.iterdir()) == []
    assert not (tmp_path / "new").exists()


@pytest.mark.long
@pytest.mark.parametrize("name", ["tables.jsonl", "tables.jsonl.gz"])
async def test_games_go_on_at_an_empty_store_into_which_an_export_was_read(
    launch: Launch, tmp_path: Path, name: str
) -> None:
    there = await seated(launch, None)
    async with Http(there.server.url) as http:
        asked = ("POST", "/v1/tables", {"game": "mein-schatz"})
        opened = await http.done(201, *asked, key="one-request-of-many")
        before = await there.moves(3)
        header, lines = await http.log(there.table)
        data = there.server.folder / "facedown-data"
        await done("export", "--all", "--to", str(tmp_path / name), "--data", str(data))
    await there.moves(2)
    await done("import", str(tmp_path / name), "--data", str(tmp_path / "new"))
    answers = await come_back(there, launch, tmp_path / "new")
    assert {(answer["recovered"], answer["version"]) for answer in answers} == {(False, before)}
    async with Http(there.server.url) as http:
        assert await http.log(there.table) == (header, lines)
        listed = (await http.done(200, "GET", "/v1/tables"))["tables"]
        assert {entry["table"] for entry in listed} == {there.table, opened["table"]}
        # The secret came along: a request is still known by its key, and answered as before.
        assert await http.done(201, *asked, key="one-request-of-many") == opened
    assert await there.moves(4) == before + 4
    await there.close()
