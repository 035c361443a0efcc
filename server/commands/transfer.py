"""``facedown export`` and ``facedown import``: tables out of a store and into another one."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from domain.errors import CorruptLog, UnknownEvent
from server import transfer
from server.commands.common import MISUSED, counted, fail, note, settings_of
from server.embedded import EmbeddedStoreError, FolderInUse
from server.jobs import NoSuchTable
from server.run import store_for
from server.settings import Settings
from server.store import HistoryBroken, StoreUnavailable, WeakStore, open_store
from server.store.base import Archive

T = TypeVar("T")
_GZIP = b"\x1f\x8b"


def run_export(
    tables: list[str], target: str, env: Mapping[str, str], *, everything: bool, **options: object
) -> None:
    """Write tables to a file, or to standard output for ``-``; packed where its name ends in ``.gz``.

    Args:
        tables: their ids; none with ``everything``.
        env: the environment, which names the store.
        options: settings of the command line; None for those not given.
    """
    if everything == bool(tables):
        fail("name the tables to export, or all of them with --all", MISUSED)

    async def work(store: Archive) -> int:
        idents = await store.tables() if everything else list(dict.fromkeys(tables))
        with _written(target) as out:
            async for line in transfer.export(store, idents, secret=everything):
                out.write(line)
        return len(idents)

    number = with_store(env, options, work)
    note(f"exported {counted(number, 'table')}")
    note("(the file holds the deal keys of its tables, also of running games: keep it as safe as the store)")


def run_import(source: str, env: Mapping[str, str], **options: object) -> None:
    """Read tables from a file, or from standard input for ``-``, into a store: all of them or none."""

    async def work(store: Archive) -> tuple[int, int]:
        new = [found.table.id for found in transfer.read(file) if await transfer.missing(store, found)]
        file.seek(0)
        secret = transfer.secret_of(file.readline())
        if secret is not None and not await store.adopt(secret):
            note("this store has a secret of its own: requests with an idempotency key that were made at the")
            note("other store are not known here, so they should not be repeated")
        file.seek(0)
        stored = known = 0
        for found in transfer.read(file):
            if found.table.id in new and await transfer.restore(store, found):
                stored += 1
            else:
                known += 1
        return stored, known

    with _opened(source) as file:
        stored, known = with_store(env, options, work)
    note(f"imported {counted(stored, 'table')}" + (f"; {known} were there already" if known else ""))


def with_store(
    env: Mapping[str, str], options: Mapping[str, object], work: Callable[[Archive], Coroutine[Any, Any, T]]
) -> T:
    """Do ``work`` with the store that environment and options name. Ends the command where that fails."""
    settings = settings_of(env, options)

    async def connected(url: str) -> T:
        store = cast(Archive, open_store(url, allow_weak=settings.allow_weak_store))
        await store.start()
        try:
            return await work(store)
        finally:
            await store.close()

    try:
        with store_url(settings) as url:
            return asyncio.run(connected(url))
    except NoSuchTable as error:
        fail(f"there is no table {str(error)!r} in this store")
    except (UnknownEvent, CorruptLog, HistoryBroken) as error:
        fail(f"a table cannot be read: {error}; nothing was written")
    except (transfer.BadExport, transfer.Conflict) as error:
        fail(f"{error}; nothing was stored")
    except (EmbeddedStoreError, StoreUnavailable, WeakStore) as error:
        fail(str(error))


@contextlib.contextmanager
def store_url(settings: Settings) -> Iterator[str]:
    """The store that the settings name; an embedded one is started unless a server runs it already."""
    with contextlib.ExitStack() as stack:
        try:
            ready, _ = stack.enter_context(store_for(settings))
            url = ready.store
        except FolderInUse as used:
            url = used.url
        assert url is not None
        yield url


@contextlib.contextmanager
def _written(target: str) -> Iterator[IO[bytes]]:
    """A file that is there whole or not at all, for its owner alone."""
    if target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    except OSError as error:
        fail(f"{target} cannot be written: {error.strerror}")
    half = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


@contextlib.contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    """The unpacked content of a file, which can be read twice. May end the command."""
    with contextlib.ExitStack() as stack:
        try:
            if source == "-":
                file: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(sys.stdin.buffer, file)
                file.seek(0)
            else:
                file = stack.enter_context(Path(source).open("rb"))
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if packed:
                file = cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=file)))
            yield file
        except (OSError, EOFError, zlib.error) as error:
            fail(f"{source} cannot be read: {error}; nothing was stored")
