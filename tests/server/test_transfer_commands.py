"""The commands `facedown export` and `facedown import`, with real stores."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from server.cli import app
from server.embedded import EmbeddedStore
from server.store import Entry, open_store
from tests.server.test_transfer import FINISHED, TABLES
from tests.support.store import embedded

__all__ = ["embedded"]


async def _fill(url: str) -> None:
    store: Any = open_store(url)
    await store.start()
    for ident, log in TABLES.items():
        await store.restore(ident, log)
    await store.close()


async def _secret(url: str) -> bytes:
    store: Any = open_store(url)
    await store.start()
    secret: bytes = await store.secret()
    await store.close()
    return secret


async def _found(url: str) -> dict[str, list[Entry]]:
    store: Any = open_store(url)
    await store.start()
    found = {ident: await store.read(ident) for ident in await store.tables()}
    await store.close()
    return found


def run(*arguments: str, **more: Any) -> Any:
    done = CliRunner().invoke(app, list(arguments), **more)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def target(tmp_path: Path) -> EmbeddedStore:
    return EmbeddedStore(tmp_path / "target")


def test_the_commands_move_everything_between_real_stores(
    embedded: EmbeddedStore, target: EmbeddedStore, tmp_path: Path
) -> None:
    """Out of the store of a running server, into a folder that does not exist yet, packed."""
    asyncio.run(_fill(embedded.url))
    file = tmp_path / "all.jsonl.gz"
    done = run("export", "--all", "--to", str(file), "--data", str(embedded.folder))
    assert done.exit_code == 0, done.output
    assert "3 tables" in done.output
    assert file.stat().st_mode & 0o077 == 0
    assert len(gzip.decompress(file.read_bytes())) > 2 * file.stat().st_size
    for number in (3, 0):
        done = run("import", str(file), "--data", str(target.folder))
        assert done.exit_code == 0, done.output
        assert f"imported {number} tables" in done.output
    with target as url:
        assert asyncio.run(_found(url)) == TABLES
        assert asyncio.run(_secret(url)) == asyncio.run(_secret(embedded.url))


def test_the_commands_refuse_what_is_wrong(
    embedded: EmbeddedStore, target: EmbeddedStore, tmp_path: Path
) -> None:
    asyncio.run(_fill(embedded.url))
    data = ("--data", str(embedded.folder))
    assert run("export", *data).exit_code == 2
    assert run("export", "--all", "x" * 10, *data).exit_code == 2
    file = tmp_path / "none.jsonl"
    done = run("export", "nosuchtable", "--to", str(file), *data)
    assert done.exit_code == 1
    assert "no table 'nosuchtable'" in done.output
    assert list(tmp_path.glob("*none*")) == []
    assert run("export", "--all", "--to", str(tmp_path / "no" / "file"), *data).exit_code == 1
    assert run("import", str(tmp_path / "no-file")).exit_code == 1
    half = gzip.compress(b"x" * 100)[:-9]
    assert run("import", "-", *data, input=half).exit_code == 1
    done = run("export", FINISHED.table.id, *data)
    assert done.stderr.splitlines()[-2:] == [
        "exported 1 table",
        "(the file holds the deal keys of its tables, also of running games: keep it as safe as the store)",
    ]
    lines = done.stdout_bytes.splitlines(keepends=True)
    assert len(lines) == len(FINISHED.commits) + 3
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2')
    with target as url:
        done = run("import", "-", "--store", url, input=b"".join(lines))
        assert done.exit_code == 1
        assert "line 8: " in done.output
        assert "nothing was stored" in done.output
        assert asyncio.run(_found(url)) == {}
