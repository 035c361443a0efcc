"""A room: one table in one process. Everything that concerns it happens in order, one job at a time.

A room holds nothing that the log does not hold; it may be dropped at any moment and loaded again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from domain import table as tables
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.events import Commit
from domain.registry import codec, games
from domain.table import TableOpened
from projections import frame
from server.feed import Feed
from server.forget import removes_names
from server.hearing import Unseen
from server.jobs import Call, HistoryLost, NoSuchTable, fail
from server.owner import Owner
from server.showing import Showing, keep, visible
from server.store.base import HistoryBroken
from server.writer import Writer

log = structlog.get_logger(__name__)


class Room(Showing):
    """The state of one table as this process knows it, its viewers, and the only writer of it here.

    Args:
        owner: the process.
        ident: the table's id; it need not exist.
    """

    def __init__(self, owner: Owner, ident: str) -> None:
        super().__init__(owner, ident)
        self.writer: Writer = Writer(self)

    # --- jobs ---------------------------------------------------------------------------------------

    async def call(self, run: Callable[[Room], Awaitable[Any]]) -> Any:
        """Do ``run`` in its turn and give its result. Raises what it raises."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.post(Call(run, done))
        return await done

    def _begin_work(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._jobs:
                job = self._jobs.popleft()
                try:
                    await job.run(self)
                except Exception as error:  # noqa: BLE001 - every job gets an answer, the worker lives on
                    fail(job, error, self.id)
        finally:
            self._worker = None
            self.owner.settled(self)

    # --- state --------------------------------------------------------------------------------------

    async def ready(self, *, fresh: bool = True) -> None:
        """Load the table; ``fresh``: also read what other processes may have added.

        Raises:
            NoSuchTable, StoreUnavailable, HistoryBroken, UnknownEvent, CorruptLog
        """
        if self.live is None:
            await self.load()
        elif fresh:
            try:
                await self.refresh()
            except HistoryLost:
                await self.load()
        await self.start_if_full()

    async def start_if_full(self) -> None:
        """Start a table whose last seat was taken; also one where a process died in between."""
        table = self.table
        if table.status != "open" or not table.autostart or None in table.seats:
            return
        try:
            await self.writer.command("server", lambda table: tables.decide_start(self.game, table))
        except Rejected as refused:
            if refused.code not in ("already_started", "need_players", "finished"):
                raise

    async def watch(self) -> None:
        """Hear of the table's commits from now on."""
        if not self.watched:
            await self.owner.store.watch(self.id)
            self.watched = True

    async def unwatch(self) -> None:
        """Nobody watches any more."""
        if self.watched and not self.attachments():
            self.watched = False
            await self.owner.store.unwatch(self.id)

    async def load(self) -> None:
        """Read the whole log and fold it. Raises as `ready`."""
        entries = await self.owner.store.read(self.id)
        if not entries:
            raise NoSuchTable(self.id)
        first = self.decode(entries[0])
        self._open(first)
        commits = [first, *self._codec.decode_all(entries[1:])]
        table = tables.fold(self.game, commits)
        assert table is not None
        self.writer.remember(*commits)
        self.last = entries[-1]
        self.owner.store.caught_up(self.id, self.last)
        self.live = Feed(table)
        self._unseen = (Unseen(), Unseen())
        if table.spectators.delay:
            behind = tables.fold(self.game, commits[: visible(table)])
            assert behind is not None
            delayed = self.delayed = Feed(behind)
            for commit in commits[behind.version :]:
                behind = tables.apply(self.game, behind, commit)
                keep(self, commit, behind, frame.waiting(behind))
            self._unheard.load(await self.owner.store.said(self.id), delayed.table.version)
            self._unseen[1].load((await self.owner.store.present([self.id]))[0], delayed)

    def _open(self, commit: Commit) -> None:
        first = commit.events[0] if commit.events else None
        if not isinstance(first, TableOpened):
            raise CorruptLog("version 1 does not open a table")
        game = games().get(first.game)
        if game is None:
            raise UnknownEvent(f"the game {first.game!r} is not known to this version of the server")
        self._game, self._codec = game, codec(first.game)

    async def refresh(self) -> bool:
        """Read what other processes have added; gives whether there was anything.

        Raises:
            HistoryLost: what this room has told is not in the log any more; its viewers were sent away.
            StoreUnavailable, UnknownEvent, CorruptLog
        """
        last = self.last
        assert last is not None
        try:
            found = await self.owner.store.read(self.id, after=last.version - 1)
        except HistoryBroken as broken:
            raise self.lost(f"version {broken.expected} is missing") from broken
        if any(removes_names(entry, self.decode) for entry in found[1:]):
            raise self.lost("names were taken out of it", wanted=True)
        if not found or found[0] != last:
            raise self.lost(f"version {last.version} is {'another one' if found else 'gone'}")
        try:
            for entry in found[1:]:
                self.receive(entry)
            if self.last is not None:
                self.owner.store.caught_up(self.id, self.last)
        except Exception as error:
            self._broken(error)
            raise
        return self.table.version > last.version

    def behind(self) -> None:
        """The store says that the log is not what was told: read."""
        self.post(Call(Room.catch_up, None))

    async def catch_up(self) -> None:
        """Read what is new, if the table is loaded. Raises as `refresh`."""
        if self.live is not None:
            await self.refresh()
