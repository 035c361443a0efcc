"""Copies the folder of a store while it runs, so that another server can start from the copy.

The store takes no writes for the moment in which its files are opened: they hold whole commands up to the
sizes that they have then, and only ever grow. They are not replaced by new ones before the copy is made.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.disk import sync
from server.store.check import is_cluster
from server.store.link import FAILURES, Link, Settings, explain

_LOOK_S = 0.05
_PAUSE_MS = 2000
_REWRITE = "auto-aof-rewrite-percentage"


class BackupFailed(Exception):
    """There is no copy; the text says why."""


async def backup(url: str, archive: Path | None, target: Path) -> int:
    """Copy a store's append-only files, then the archived tables, into a new folder. Gives the bytes copied.

    Every commit that was acknowledged before the call is in the copy.

    Args:
        url: as for `open_store`; a store on this machine, whose folder can be read.
        archive: the folder of archived tables, if there is one.
        target: must not exist; what `FACEDOWN_DATA` can name afterwards.

    Raises:
        BackupFailed
    """
    half = target.with_name(f".{target.name}-half")
    client = Link(url, Settings()).client()
    try:
        _begin(target, half)
        number = await _copy_store(client, half)
        # After the store: a table that moves over meanwhile is in both, and never in neither.
        number += await asyncio.to_thread(_copy_archive, archive, half / "archive")
        half.rename(target)
        sync(target.parent)
    except FAILURES as error:
        raise BackupFailed(explain(error)) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
        await client.aclose(close_connection_pool=True)
    return number


def _begin(target: Path, half: Path) -> None:
    if target.exists():
        raise BackupFailed(f"{target} is there already: name a new folder")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(mode=0o700, parents=True)


async def _copy_store(client: Redis, target: Path) -> int:
    if await is_cluster(client):
        raise BackupFailed("this is a server of a cluster; facedown export --all writes its tables to a file")
    found = await client.config_get("dir", "appendonly", "appenddirname")
    if found["appendonly"] != "yes":
        raise BackupFailed("this store has no append-only file")
    folder = Path(str(found["dir"])) / str(found["appenddirname"])
    async with _not_replaced(client):
        with contextlib.ExitStack() as stack:
            files = await _opened(client, folder, stack)
            return await asyncio.to_thread(_copy_files, files, target / folder.name)


@contextlib.asynccontextmanager
async def _not_replaced(client: Redis) -> AsyncIterator[None]:
    """Meanwhile the store does not write its files anew by itself."""
    before = (await client.config_get(_REWRITE))[_REWRITE]
    await client.config_set(_REWRITE, 0)
    try:
        yield
    finally:
        await client.config_set(_REWRITE, str(before))


async def _opened(client: Redis, folder: Path, stack: contextlib.ExitStack) -> dict[IO[bytes], int]:
    """The files, and how much of each to copy."""
    while True:
        await client.client_pause(_PAUSE_MS, all=False)
        try:
            # What was acknowledged before is written: the answer to the pause came after it.
            files: dict[IO[bytes], int] = {
                stack.enter_context(file.open("rb")): file.stat().st_size for file in _in(folder)
            }
            info = await client.info("persistence")
        finally:
            with contextlib.suppress(RedisError):
                await client.client_unpause()
        if not int(info["aof_rewrite_in_progress"]) and not int(info["aof_rewrite_scheduled"]):
            return files
        stack.close()
        await asyncio.sleep(_LOOK_S)


def _in(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file()]


def _copy_files(files: dict[IO[bytes], int], target: Path) -> int:
    target.mkdir(mode=0o700)
    for source, size in files.items():
        with (target / Path(source.name).name).open("wb") as copy:
            _copy(source, copy, size)
            copy.flush()
            os.fsync(copy.fileno())
    sync(target)
    return sum(files.values())


def _copy(source: IO[bytes], copy: IO[bytes], left: int) -> None:
    while left:
        piece = source.read(min(left, 1 << 20))
        if not piece:
            raise OSError(f"{source.name} has become shorter")
        copy.write(piece)
        left -= len(piece)


def _copy_archive(source: Path | None, target: Path) -> int:
    number = 0
    for file in source.glob("*/*.jsonl.gz") if source else ():
        copy = target / file.parent.name / file.name
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            shutil.copy2(file, copy)
        except FileNotFoundError:
            continue  # it had been kept for long enough
        with copy.open("rb") as handle:
            os.fsync(handle.fileno())
        number += copy.stat().st_size
    return number
