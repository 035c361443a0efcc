"""What a room knows of its table, and shows: the part of a room that waits for nothing.

Apart from `server.room` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast, final

import structlog
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.events import Commit, EventCodec
from domain.registry import table_codec
from domain.table import AnyGame, RematchOpened, SeatLeft, Table
from projections.viewer import Viewer
from server import metrics
from server.feed import Attachment, Feed
from server.forget import removes_names
from server.hearing import Unheard, Unseen
from server.jobs import MOST_JOBS, UNREADABLE, HistoryLost, Job, NoSuchTable
from server.owner import Owner, Told
from server.store.base import Entry
from server.wire import Presence, Said, ToClient

if TYPE_CHECKING:
    from server.room import Room
    from server.storing import Storing

log = structlog.get_logger(__name__)

RECENT = 64
"""Commits kept in memory beyond a table's delay; older ones are read from the store."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Showing:
    """A table as this process knows it, those who watch it, and the jobs that wait for it.

    Args:
        owner: the process.
        ident: the table's id; it need not exist.
    """

    writer: Storing

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

    @property
    @final
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

    @final
    def post(self, job: Job) -> None:
        """Do ``job`` after all that were posted before."""
        if len(self._jobs) >= MOST_JOBS:
            job.fail("unavailable", "too many commands wait for this table; try again shortly")
            return
        self._jobs.append(job)
        if self._worker is None and not self._appending:
            self._begin_work()

    @final
    def go_on(self, first: Sequence[Job] = ()) -> None:
        """An append outside of any job has ended: do what waits, ``first`` before the rest."""
        self._jobs.extendleft(reversed(first))
        if self._worker is not None:
            return
        if self._jobs:
            self._begin_work()
        elif not self.watched:
            self.owner.settled(self._whole)

    def _begin_work(self) -> None:
        """Do the jobs, in a task."""
        raise NotImplementedError

    @property
    @final
    def table(self) -> Table:
        """The table as it is. Only after `ready`."""
        if self.live is None:
            raise NoSuchTable(self.id)
        return self.live.table

    @property
    @final
    def game(self) -> AnyGame:
        """The table's game. Only after `ready`."""
        if self._game is None:
            raise NoSuchTable(self.id)
        return self._game

    @final
    def feed(self, viewer: Viewer) -> Feed:
        """The feed that ``viewer`` may see."""
        feed = self.live if viewer >= 0 or self.delayed is None else self.delayed
        if feed is None:
            raise NoSuchTable(self.id)
        return feed

    @property
    @final
    def _whole(self) -> Room:
        return cast("Room", self)

    def attachments(self) -> list[Attachment]:
        """Everybody who watches this table through this process."""
        feeds = (feed for feed in (self.live, self.delayed) if feed is not None)
        return [attachment for feed in feeds for attachment in feed.attachments()]

    @final
    def decode(self, entry: Entry) -> Commit:
        """The commit of a stored entry. Raises `UnknownEvent` or `CorruptLog`."""
        return self._codec.decode(entry.version, entry.at_ms, entry.data)

    @final
    def _keep(self, commit: Commit, table: Table, waiting: tuple[int, ...]) -> None:
        self.recent.append(Told(commit, table.status, waiting))
        if len(self.recent) > RECENT + table.spectators.delay:
            self.recent.popleft()

    def lost(self, how: str, *, wanted: bool = False) -> HistoryLost:
        """The log is not what was told of it: forget it, send the viewers away, tell the operator."""
        if not wanted:
            known = None if self.live is None else self.table.version
            log.error("history_lost", table=self.id, known=known, found=how)
        self.reset("resync_required")
        self._unheard = Unheard()
        self.owner.lost(self._whole)
        return HistoryLost(f"{self.id}: {how}")

    @final
    def hold(self) -> None:
        """An append begins: what is heard meanwhile waits until its outcome is known."""
        self._appending = True

    @final
    def release(self) -> None:
        """The append has ended."""
        self._appending = False
        stash, self._stash = self._stash, []
        for entry, after_ms in stash:
            self.hear(entry, after_ms)

    @final
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

    @final
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
            self.behind()

    def behind(self) -> None:
        """The store says that the log is not what was told: read."""
        raise NotImplementedError

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

    @final
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
                self.owner.rematch(self._whole)
        after = self.feed(-1).table
        if (before.status, before.seats) != (after.status, after.seats):
            self.owner.changed(self._whole, mine)
        self.owner.advanced(self._whole, was, mine)

    def _advance_delayed(self, table: Table) -> None:
        feed = self.delayed
        assert feed is not None
        head = visible(table)
        for told in [told for told in self.recent if feed.table.version < told.commit.version <= head]:
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


def visible(table: Table) -> int:
    """The version that spectators may see."""
    return table.version if table.over else max(1, table.version - table.spectators.delay)
