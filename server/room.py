"""A room: one table in one process. Everything that concerns it happens in order, one job at a time.

A room holds nothing that the log does not hold; it may be dropped at any moment and loaded again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from domain import table as tables
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.events import Commit, EventCodec
from domain.registry import codec, games, table_codec
from domain.table import AnyGame, RematchOpened, SeatLeft, Table, TableOpened
from projections import frame
from projections.viewer import Viewer
from server import metrics
from server.feed import Attachment, Feed
from server.forget import removes_names
from server.hearing import Unheard, Unseen
from server.jobs import MOST_JOBS, UNREADABLE, Call, HistoryLost, Job, NoSuchTable, fail
from server.owner import Owner, Told
from server.store.base import Entry, HistoryBroken
from server.wire import Presence, Said, ToClient
from server.writer import Writer

log = structlog.get_logger(__name__)

RECENT = 64
"""Commits kept in memory beyond a table's delay; older ones are read from the store."""


class Room:
    """The state of one table as this process knows it, its viewers, and the only writer of it here.

    Args:
        owner: the process.
        ident: the table's id; it need not exist.
    """

    def __init__(self, owner: Owner, ident: str) -> None:
        self.owner = owner
        self.id = ident
        self.live: Feed | None = None
        self.delayed: Feed | None = None
        self.watched = False
        self.recent: deque[Told] = deque()
        self.last: Entry | None = None
        self._game: AnyGame | None = None
        self._codec: EventCodec = table_codec()
        self._unheard = Unheard()
        self._unseen = (Unseen(), Unseen())  # of the live and of the delayed feed
        self._jobs: deque[Job] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._appending = False
        self._stash: list[tuple[Entry, int]] = []
        self.writer = Writer(self)

    # --- jobs ---------------------------------------------------------------------------------------

    @property
    def at_rest(self) -> bool:
        """Whether the table is loaded and nothing is under way."""
        return self._worker is None and not self._appending and self.live is not None

    @property
    def busy(self) -> bool:
        """Whether it must be kept: jobs wait or run, somebody watches, an outcome is unknown."""
        return self.running or self.watched or self.writer.unsettled

    @property
    def running(self) -> bool:
        """Whether jobs wait or run."""
        return self._worker is not None or self._appending or bool(self._jobs)

    def post(self, job: Job) -> None:
        """Do ``job`` after all that were posted before."""
        if len(self._jobs) >= MOST_JOBS:
            job.fail("unavailable", "too many commands wait for this table; try again shortly")
            return
        self._jobs.append(job)
        if self._worker is None and not self._appending:
            self._worker = asyncio.create_task(self._work())

    def go_on(self, first: Sequence[Job] = ()) -> None:
        """An append outside of any job has ended: do what waits, ``first`` before the rest."""
        self._jobs.extendleft(reversed(first))
        if self._jobs and self._worker is None:
            self._worker = asyncio.create_task(self._work())
        elif self._worker is None:
            self.owner.settled(self)

    async def call(self, run: Callable[[Room], Awaitable[Any]]) -> Any:
        """Do ``run`` in its turn and give its result. Raises what it raises."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.post(Call(run, done))
        return await done

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

    @property
    def table(self) -> Table:
        """The table as it is. Only after `ready`."""
        if self.live is None:
            raise NoSuchTable(self.id)
        return self.live.table

    @property
    def game(self) -> AnyGame:
        """The table's game. Only after `ready`."""
        if self._game is None:
            raise NoSuchTable(self.id)
        return self._game

    def feed(self, viewer: Viewer) -> Feed:
        """The feed that ``viewer`` may see."""
        feed = self.live if viewer >= 0 or self.delayed is None else self.delayed
        if feed is None:
            raise NoSuchTable(self.id)
        return feed

    def attachments(self) -> list[Attachment]:
        """Everybody who watches this table through this process."""
        feeds = (feed for feed in (self.live, self.delayed) if feed is not None)
        return [attachment for feed in feeds for attachment in feed.attachments()]

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
        decode = self._codec.decode
        commits = [first, *(decode(version, at_ms, data) for version, at_ms, data in entries[1:])]
        table = tables.fold(self.game, commits)
        assert table is not None
        self.writer.remember(*commits)
        self.last = entries[-1]
        self.owner.store.caught_up(self.id, self.last)
        self.live = Feed(table)
        self._unseen = (Unseen(), Unseen())
        if table.spectators.delay:
            behind = tables.fold(self.game, commits[: _visible(table)])
            assert behind is not None
            delayed = self.delayed = Feed(behind)
            for commit in commits[behind.version :]:
                behind = tables.apply(self.game, behind, commit)
                self._keep(commit, behind, frame.waiting(behind))
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

    def decode(self, entry: Entry) -> Commit:
        """The commit of a stored entry. Raises `UnknownEvent` or `CorruptLog`."""
        return self._codec.decode(entry.version, entry.at_ms, entry.data)

    def _keep(self, commit: Commit, table: Table, waiting: tuple[int, ...]) -> None:
        self.recent.append(Told(commit, table.status, waiting))
        if len(self.recent) > RECENT + table.spectators.delay:
            self.recent.popleft()

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

    def lost(self, how: str, *, wanted: bool = False) -> HistoryLost:
        """The log is not what was told of it: forget it, send the viewers away, tell the operator."""
        if not wanted:
            known = None if self.live is None else self.table.version
            log.error("history_lost", table=self.id, known=known, found=how)
        self.reset("resync_required")
        self._unheard = Unheard()
        self.owner.lost(self)
        return HistoryLost(f"{self.id}: {how}")

    def hold(self) -> None:
        """An append begins: what is heard meanwhile waits until its outcome is known."""
        self._appending = True

    def release(self) -> None:
        """The append has ended."""
        self._appending = False
        stash, self._stash = self._stash, []
        for entry, after_ms in stash:
            self.hear(entry, after_ms)

    def hear(self, entry: Entry, after_ms: int) -> None:
        """A commit that the store tells of; maybe one that is known already.

        Args:
            after_ms: when the commit before it was stored.
        """
        if self._appending:
            self._stash.append((entry, after_ms))
        elif self.live is not None:
            last = self.last
            elsewhere = last is not None and entry.version == last.version + 1 and after_ms != last.at_ms
            try:
                if elsewhere or removes_names(entry, self.decode):
                    self.behind()  # it follows on something else than what is known here
                else:
                    self.receive(entry)
            except Exception as error:  # noqa: BLE001 - some viewers may have been told, and others not
                self._broken(error)

    def receive(self, entry: Entry, *, mine: bool = False) -> None:
        """Take the next commit of the log; one further on means that some are missing.

        Args:
            mine: this process made it.
        """
        head = self.table.version
        if entry.version == head + 1:
            commit = self.decode(entry)
            table = tables.apply(self.game, self.table, commit)
            self.last = entry
            self.push(commit, table, mine=mine)
        elif entry.version > head:
            self.post(Call(Room.catch_up, None))

    async def catch_up(self) -> None:
        """Read what is new, if the table is loaded. Raises as `refresh`."""
        if self.live is not None:
            await self.refresh()

    def behind(self) -> None:
        """The store says that the log is not what was told: read."""
        self.post(Call(Room.catch_up, None))

    def _broken(self, error: Exception) -> None:
        fault = None if isinstance(error, UNREADABLE) else error
        log.error("table_unreadable", table=self.id, reason=str(error), exc_info=fault)
        self.reset("closed")

    def reset(self, reason: str) -> None:
        """Forget everything, and tell all viewers why they see nothing more."""
        for attachment in self.attachments():
            metrics.RESYNCS.inc()
            attachment.sink.drop(self.id, reason)
        self.live = self.delayed = self._game = self.last = None
        self.recent.clear()
        self.writer.forget()
        self._codec = table_codec()

    # --- commits ------------------------------------------------------------------------------------

    def push(self, commit: Commit, table: Table, *, mine: bool) -> None:
        """Take a stored commit and tell all viewers; ``table`` is what it led to."""
        was, before = self.table, self.feed(-1).table
        self.writer.remember(commit)
        assert self.live is not None
        self.live.advance(commit, table)
        self._unseen[0].tell(self.live)
        self._keep(commit, table, self.live.sight.waiting)
        if self.delayed is not None:
            self._advance_delayed(table)
        for event in commit.events:
            if isinstance(event, SeatLeft):
                self._revoke(event)
            elif isinstance(event, RematchOpened):
                self.owner.rematch(self)
        after = self.feed(-1).table
        if (before.status, before.seats) != (after.status, after.seats):
            self.owner.changed(self, mine)
        self.owner.advanced(self, was, mine)

    def _advance_delayed(self, table: Table) -> None:
        feed = self.delayed
        assert feed is not None
        visible = _visible(table)
        for told in [told for told in self.recent if feed.table.version < told.commit.version <= visible]:
            feed.advance(told.commit, tables.apply(self.game, feed.table, told.commit))
        self._catch_up_talk(feed)
        self._unseen[1].tell(feed)

    def told(self, said: Said) -> None:
        """Somebody talked at this table: tell the viewers, those behind a delay in their time."""
        if self.live is not None:
            self.live.broadcast(said)
        if self.delayed is not None:
            self._unheard.add(said)
            self._catch_up_talk(self.delayed)

    def _catch_up_talk(self, feed: Feed) -> None:
        for said in self._unheard.due(feed.table.version):
            feed.broadcast(said)

    def broadcast(self, message: ToClient) -> None:
        """Send one message to everybody who watches this table through this process."""
        for feed in filter(None, (self.live, self.delayed)):
            feed.broadcast(message)

    def tell_presence(self, message: Presence) -> None:
        """A seat is connected, or no more: tell those who may know that somebody sits there."""
        for feed, unseen in zip((self.live, self.delayed), self._unseen, strict=True):
            if feed is None:
                continue
            if not message.connected and (feed is self.live or feed.table.seats[message.seat]):
                feed.broadcast(message)
            unseen.hear(message)
            unseen.tell(feed)

    def _revoke(self, event: SeatLeft) -> None:
        assert self.live is not None
        for attachment in list(self.live.viewers.get(event.seat, [])):
            attachment.sink.drop(self.id, "removed" if event.reason == "removed" else "revoked")


def _visible(table: Table) -> int:
    """The version that spectators may see."""
    return table.version if table.over else max(1, table.version - table.spectators.delay)
