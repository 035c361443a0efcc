"""Archived tables: logs of finished games as files, so that the store keeps only what is played.

A file is an export of one table (`server.transfer`), packed by gzip; `facedown import` reads it. It is
written, flushed to the disk and read back before the log leaves the store, which keeps a note of the log's
end: versions are never used again. Whoever reads the table is given the file's entries, and whoever goes on
with it (by a rematch) brings the log back first. All servers of one store need the same folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import gzip
import os
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import structlog

from domain.errors import CorruptLog
from server import transfer
from server.disk import sync
from server.ending import end
from server.store.base import (
    Appended,
    Archive,
    Entry,
    SoonByTask,
    StoreUnavailable,
    VersionTaken,
)
from server.tokens import is_table

log = structlog.get_logger(__name__)

CACHED = 16
SWEEP_S = 3600.0
_TRY_AGAIN_S = 0.02
_SUFFIX = ".jsonl.gz"


class Folder:
    """The files. All methods block.

    Args:
        path: where they are; made when the first is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, table: str) -> Path:
        """The file of a table; it need not exist."""
        return self.path / table[:2] / f"{table}{_SUFFIX}"

    def tables(self) -> list[str]:
        """All tables that are archived here, in order."""
        return sorted(file.name.removesuffix(_SUFFIX) for file in self.path.glob(f"*/*{_SUFFIX}"))

    def has(self, table: str) -> bool:
        """Whether the table is archived here."""
        return is_table(table) and self.file(table).exists()

    def write(self, table: str, entries: Sequence[Entry]) -> None:
        """Write a file; when this returns it is on the disk, whole. Raises OSError."""
        target = self.file(table)
        target.parent.mkdir(parents=True, exist_ok=True)
        writer = transfer.Writer()
        handle, half = tempfile.mkstemp(prefix=f".{table}-", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as raw:
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
                    packed.write(writer.begin(None))
                    for line in writer.table(table, list(entries)):
                        packed.write(line)
                    packed.write(writer.end())
                raw.flush()
                os.fsync(raw.fileno())
            Path(half).replace(target)
        except BaseException:
            Path(half).unlink(missing_ok=True)
            raise
        for folder in (target.parent, self.path):
            sync(folder)

    def replace(self, table: str, entries: Sequence[Entry]) -> None:
        """Write a file in the place of another one, which counts as that old. Raises OSError."""
        old = self.file(table).stat().st_mtime
        self.write(table, entries)
        os.utime(self.file(table), (old, old))

    def age_s(self, table: str) -> float:
        """How long ago the file was written. Raises OSError."""
        return max(0.0, time.time() - self.file(table).stat().st_mtime)

    def stamp(self, table: str) -> tuple[int, int, int]:
        """What changes when the file does. Raises OSError."""
        there = self.file(table).stat()
        return there.st_ino, there.st_mtime_ns, there.st_size

    @contextlib.asynccontextmanager
    async def held(self, table: str) -> AsyncIterator[None]:
        """Nobody else moves this table into the folder, out of it, or changes its file. Raises OSError."""
        lock = self.file(table).parent / ".lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("a") as handle:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    # A thread that waited could be the one that the holder of the lock needs.
                    await asyncio.sleep(_TRY_AGAIN_S)
            yield

    def read(self, table: str) -> list[Entry]:
        """The entries of a file, all checked. Raises CorruptLog, OSError."""
        try:
            with gzip.open(self.file(table)) as packed:
                (found,) = transfer.read(packed)
        except (transfer.BadExport, EOFError, ValueError) as error:
            raise CorruptLog(f"{self.file(table)} is damaged: {error}") from error
        return found.entries

    def sweep(self, keep_s: float) -> int:
        """Remove files that were written longer ago than this. Gives how many."""
        before = time.time() - keep_s
        old = [file for file in self.path.glob(f"*/*{_SUFFIX}") if file.stat().st_mtime < before]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)


class Archived(SoonByTask):
    """A store that also knows the archived tables. Everything else is the inner store's.

    Args:
        inner: where the tables are played.
        folder: where they are archived.
        keep_s: how long files are kept; 0: for ever.
    """

    def __init__(self, inner: Archive, folder: Folder, keep_s: float = 0.0) -> None:
        self.inner = self._inner = inner
        self._folder = folder
        self._keep_s = keep_s
        self._cache: OrderedDict[str, tuple[tuple[int, int, int], list[Entry]]] = OrderedDict()
        self._sweeper: asyncio.Task[None] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def start(self) -> None:
        """See `EventStore.start`."""
        await self._inner.start()
        # No step between, for every move: at an archived table it finds the version taken.
        self.append_soon = self._inner.append_soon  # type: ignore[method-assign]
        if self._keep_s:
            self._sweeper = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """See `EventStore.close`."""
        if self._sweeper is not None:
            await end(self._sweeper)
        await self._inner.close()

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `EventStore.read`."""
        found = await self._inner.read(table, after, limit)
        if found:
            return found
        if not self._has(table):
            if after == 0 and (await self._inner.heads([table]))[0]:
                raise StoreUnavailable(f"{table} is archived, but not in {self._folder.path}")
            return []
        return [entry for entry in await self._entries(table) if entry.version > after][:limit]

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """See `EventStore.append`."""
        try:
            return await self._inner.append(table, version, data, after_ms)
        except VersionTaken as taken:
            if taken.head != version - 1 or not self._has(table):
                raise
            try:
                async with self.held(table):
                    entries = await self._entries(table)
                    if entries[-1].version != taken.head or after_ms not in (None, entries[-1].at_ms):
                        raise
                    await self._inner.restore(table, entries)
            except OSError as error:
                raise StoreUnavailable(f"{table} cannot be brought back: {error}") from error
            return await self._inner.append(table, version, data, after_ms)

    async def keep(self, table: str) -> bool:
        """Archive a table. Harmless if it is archived; False where its log has just gone on.

        Raises:
            StoreUnavailable: it is still in the store, or gone into the folder.
            OSError, CorruptLog, UnknownEvent: it cannot be written; it is still in the store.
        """
        async with self.held(table):
            entries = await self._inner.read(table)
            if entries:
                await self._written(table, entries)
                last = entries[-1]
                if not await self._inner.bury(table, last.version, last.at_ms, round(self._keep_s * 1000)):
                    return False
                log.info("archived", table=table, versions=last.version)
        await self._inner.unindex(table)
        return True

    def held(self, table: str) -> contextlib.AbstractAsyncContextManager[None]:
        """Nobody else archives the table or brings it back. Raises OSError."""
        return self._folder.held(table)

    def filed(self, table: str) -> list[Entry] | None:
        """What the file of a table holds, which may also be in the store again; None where there is none."""
        return self._folder.read(table) if self._folder.has(table) else None

    def refile(self, table: str, entries: Sequence[Entry]) -> None:
        """Change a file. Only for who holds the table. Raises OSError."""
        self._folder.replace(table, entries)

    async def replace(self, table: str, entries: Sequence[Entry], data: bytes) -> bool:
        """As `rewrite`, for a log that is archived. Only for who holds the table.

        Returns:
            Whether it is done; False where the log is in the store again.

        Raises:
            StoreUnavailable, OSError: it may be in the store now, changed, and in the file as it was.
        """
        left_s = max(1.0, self._keep_s - self._folder.age_s(table)) if self._keep_s else 0.0
        at_ms = max(await self._inner.now_ms(), entries[-1].at_ms)
        new = [*entries, Entry(len(entries) + 1, at_ms, data)]
        await self._inner.wake(table, at_ms)  # if this is not done to the end, it is archived once more
        if not await self._inner.restore(table, new):
            return False
        self._folder.replace(table, new)
        await self._inner.bury(table, len(new), at_ms, round(left_s * 1000))
        return True

    def _has(self, table: str) -> bool:
        try:
            return self._folder.has(table)
        except OSError as error:
            raise StoreUnavailable(f"nobody can say whether {table} is archived: {error}") from error

    async def _written(self, table: str, entries: list[Entry]) -> None:
        await asyncio.to_thread(self._folder.write, table, entries)
        if await asyncio.to_thread(self._folder.read, table) != entries:
            raise OSError(f"{self._folder.file(table)} does not hold what was written")

    async def _entries(self, table: str) -> list[Entry]:
        try:
            stamp = self._folder.stamp(table)
            known = self._cache.get(table)
            if known is None or known[0] != stamp:
                known = stamp, await asyncio.to_thread(self._folder.read, table)
                self._cache[table] = known
        except OSError as error:
            raise StoreUnavailable(f"{table} cannot be read from the archive: {error}") from error
        self._cache.move_to_end(table)
        while len(self._cache) > CACHED:
            self._cache.popitem(last=False)
        return known[1]

    async def _sweep(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                if number := await asyncio.to_thread(self._folder.sweep, self._keep_s):
                    log.info("archives_removed", number=number)
            await asyncio.sleep(SWEEP_S)
