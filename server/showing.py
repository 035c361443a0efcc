"""What a room knows of its table, and shows: the part of a room that waits for nothing.

Apart from `server.room` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast, final

import structlog
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.events import By, Command, Commit, EventCodec
from domain.registry import table_codec
from domain.table import AnyGame, Decision, RematchOpened, SeatLeft, Table
from projections.frame import Sight
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

Author = By | Callable[[Decision], By]

RECENT = 16
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
        self._manned: Any = None  # the seats, when the server plays none of them

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

    def _begin_work(self) -> None:
        """Do the jobs, in a task."""
        raise NotImplementedError

    @property
    @final
    def table(self) -> Table:
        """The table as it is. Only after `ready`."""
        return table_of(self)

    @property
    @final
    def game(self) -> AnyGame:
        """The table's game. Only after `ready`."""
        return game_of(self)

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
            remember(self.writer.ids, commit)
            pushed(self, commit, table, mine)
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


def table_of(room: Showing) -> Table:
    """The table as it is. Raises `NoSuchTable` where it is not loaded."""
    if room.live is None:
        raise NoSuchTable(room.id)
    return room.live.sight.table


def game_of(room: Showing) -> AnyGame:
    """The table's game. Raises `NoSuchTable` where the table is not loaded."""
    if room._game is None:
        raise NoSuchTable(room.id)
    return room._game


def sight_of(room: Showing) -> Sight:
    """The table as it is, as seats look at it. Raises `NoSuchTable` where it is not loaded."""
    if room.live is None:
        raise NoSuchTable(room.id)
    return room.live.sight


def at_rest(room: Showing) -> bool:
    """Whether the table is loaded and nothing is under way."""
    return room._worker is None and not room._appending and room.live is not None


def hold(room: Showing) -> None:
    """An append begins: what is heard meanwhile waits until its outcome is known."""
    room._appending = True


def release(room: Showing) -> None:
    """The append has ended."""
    room._appending = False
    if room._stash:
        stash, room._stash = room._stash, []
        for entry, after_ms in stash:
            room.hear(entry, after_ms)


def go_on(room: Showing, first: Sequence[Job] = ()) -> None:
    """An append outside of any job has ended: do what waits, ``first`` before the rest."""
    if first:
        room._jobs.extendleft(reversed(first))
    if room._worker is not None:
        return
    if room._jobs:
        room._begin_work()
    elif not room.watched:
        room.owner.settled(cast("Room", room))


def has_stand_ins(room: Showing, table: Table) -> bool:
    """Whether the server plays a seat of the room's table. Asked twice a move, and changes seldom."""
    if table.seats is room._manned:
        return False
    if tables.stand_ins(table):
        return True
    room._manned = table.seats
    return False


def remember(ids: dict[int, int], commit: Commit) -> None:
    """Keep in mind which command a commit answered."""
    if commit.command is not None:
        ids[command_hash(commit.by, commit.command)] = commit.version


def command_hash(by: Author, command: Command) -> int:
    """By what a command is known again."""
    return hash(("http" if command.http else by, command.id))


def keep(room: Showing, commit: Commit, table: Table, waiting: tuple[int, ...]) -> None:
    """Keep a commit in memory for those who come back, or who see it later."""
    recent = room.recent
    recent.append(Told(commit, table.status, waiting))
    if len(recent) > RECENT + table.spectators.delay:
        recent.popleft()


def pushed(room: Showing, commit: Commit, table: Table, mine: bool) -> None:
    """Tell all viewers of a stored commit; ``table`` is what it led to, ``mine``: by this process."""
    live = room.live
    assert live is not None
    before = live.sight
    delayed = room.delayed
    live.advance(commit, table)
    room._unseen[0].tell(live)
    sight = live.sight
    keep(room, commit, table, sight.waiting)
    was = before.table
    if delayed is not None:
        public = delayed.table
        room._advance_delayed(table)
        _noticed(room, commit, was, table, public, delayed.table, mine)
    elif before.seats is not sight.seats or not before.playing or not sight.playing:  # nearly never
        _noticed(room, commit, was, table, was, table, mine)
    if mine and (room.owner.tells_turns or has_stand_ins(room, table)):
        room.owner.advanced(room._whole, was)


def _noticed(
    room: Showing, commit: Commit, was: Table, table: Table, before: Table, after: Table, mine: bool
) -> None:
    """What follows from a commit that is no usual move; ``before`` and ``after`` are what the public sees."""
    if table.seats is not was.seats or table.next is not was.next:
        for event in commit.events:
            if isinstance(event, SeatLeft):
                room._revoke(event)
            elif isinstance(event, RematchOpened):
                room.owner.rematch(room._whole)
    if before.status != after.status or before.seats is not after.seats:
        room.owner.changed(room._whole, mine)


def visible(table: Table) -> int:
    """The version that spectators may see."""
    return table.version if table.over else max(1, table.version - table.spectators.delay)
