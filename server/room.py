"""A room: one table in one process. Everything that concerns it happens in order, one job at a time.

A room holds nothing that the log does not hold; it may be dropped at any moment and loaded again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

import structlog

from domain import table as tables
from domain.actions import canonical
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.events import By, Command, Commit, EventCodec, encode_commit
from domain.registry import codec, games, table_codec
from domain.table import AnyGame, Decision, SeatLeft, Table, TableOpened
from projections import frame
from projections.viewer import Viewer
from server.feed import Attachment, Feed
from server.store.base import Entry, EventStore, HistoryBroken, OutcomeUnknown, StoreUnavailable, VersionTaken

log = structlog.get_logger(__name__)

RECENT = 64
"""Commits kept in memory beyond a table's delay; older ones are read from the store."""
MOST_JOBS = 10_000


class Job(Protocol):
    """Something to be done with a room. It answers its client itself, in every case."""

    async def run(self, room: Room) -> None:
        """Do it. Exceptions become a `fail`."""

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """It could not be done."""


class Told(NamedTuple):
    """A commit with what its table's state said after it."""

    commit: Commit
    status: str
    waiting: tuple[int, ...]


class NoSuchTable(Exception):
    """The store has no such table."""


class Owner(Protocol):
    """What a room needs of its process."""

    store: EventStore

    def settled(self, room: Room) -> None:
        """The room has no more jobs."""

    def changed(self, room: Room, mine: bool) -> None:
        """What the public may know of the table has changed; ``mine``: by a commit of this process."""


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
        self._game: AnyGame | None = None
        self._codec: EventCodec = table_codec()
        self._ids: dict[int, int] = {}
        self._jobs: deque[Job] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._appending = False
        self._stash: list[Entry] = []
        self._unsettled: tuple[int, bytes] | None = None

    # --- jobs ---------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether it must be kept: jobs wait or run, somebody watches, an outcome is unknown."""
        return self.running or self.watched or self._unsettled is not None

    @property
    def running(self) -> bool:
        """Whether jobs wait or run."""
        return self._worker is not None or bool(self._jobs)

    def post(self, job: Job) -> None:
        """Do ``job`` after all that were posted before."""
        if len(self._jobs) >= MOST_JOBS:
            job.fail("unavailable", "too many commands wait for this table; try again shortly")
            return
        self._jobs.append(job)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def call(self, run: Callable[[Room], Awaitable[Any]]) -> Any:
        """Do ``run`` in its turn and give its result. Raises what it raises."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.post(_Call(run, done))
        return await done

    async def _work(self) -> None:
        try:
            while self._jobs:
                job = self._jobs.popleft()
                try:
                    await job.run(self)
                except Exception as error:  # noqa: BLE001 - every job gets an answer, the worker lives on
                    _fail(job, error, self.id)
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
            await self._load()
        elif fresh:
            await self._refresh()
        await self.start_if_full()

    async def start_if_full(self) -> None:
        """Start a table whose last seat was taken; also one where a process died in between."""
        table = self.table
        if table.status != "open" or not table.autostart or None in table.seats:
            return
        try:
            await self.command("server", lambda table: tables.decide_start(self.game, table))
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

    async def _load(self) -> None:
        entries = await self.owner.store.read(self.id)
        if not entries:
            raise NoSuchTable(self.id)
        table: Table | None = None
        for entry in entries:
            table = self._fold(table, entry)
        assert table is not None
        self.live = Feed(table)
        delay = table.spectators.delay
        if delay:
            behind: Table | None = None
            for entry in entries[: _visible(table)]:
                behind = tables.apply(self.game, behind, self.decode(entry))
            assert behind is not None
            self.delayed = Feed(behind)

    def _fold(self, table: Table | None, entry: Entry) -> Table:
        commit = self.decode(entry)
        table = self._open(commit) if table is None else tables.apply(self.game, table, commit)
        self._remember(commit)
        self._keep(commit, table)
        return table

    def _open(self, commit: Commit) -> Table:
        first = commit.events[0] if commit.events else None
        if not isinstance(first, TableOpened):
            raise CorruptLog("version 1 does not open a table")
        game = games().get(first.game)
        if game is None:
            raise UnknownEvent(f"the game {first.game!r} is not known to this version of the server")
        self._game, self._codec = game, codec(first.game)
        return tables.apply(game, None, commit)

    def decode(self, entry: Entry) -> Commit:
        """The commit of a stored entry. Raises `UnknownEvent` or `CorruptLog`."""
        return self._codec.decode(entry.version, entry.at_ms, entry.data)

    def _keep(self, commit: Commit, table: Table) -> None:
        self.recent.append(Told(commit, table.status, frame.waiting(table)))
        if len(self.recent) > RECENT + table.spectators.delay:
            self.recent.popleft()

    async def _refresh(self) -> bool:
        before = self.table.version
        for entry in await self.owner.store.read(self.id, after=before):
            self._receive(entry)
        return self.table.version > before

    def hear(self, entry: Entry) -> None:
        """A commit that the store tells of; maybe one that is known already."""
        if self._appending:
            self._stash.append(entry)
        elif self.live is not None:
            try:
                self._receive(entry)
            except (UnknownEvent, CorruptLog) as error:
                self._broken(error)

    def _receive(self, entry: Entry) -> None:
        head = self.table.version
        if entry.version == head + 1:
            commit = self.decode(entry)
            self._push(commit, tables.apply(self.game, self.table, commit), mine=False)
        elif entry.version > head:
            self.post(_Call(Room._catch_up, None))

    async def _catch_up(self) -> None:
        if self.live is not None:
            await self._refresh()

    def behind(self) -> None:
        """The store says that the log has grown beyond what was told: read."""
        self.post(_Call(Room._catch_up, None))

    def _broken(self, error: Exception) -> None:
        log.error("table_unreadable", table=self.id, reason=str(error))
        self.reset("closed")

    def reset(self, reason: str) -> None:
        """Forget everything, and tell all viewers why they see nothing more."""
        for attachment in self.attachments():
            attachment.sink.drop(self.id, reason)
        self.live = self.delayed = self._game = None
        self.recent.clear()
        self._ids.clear()
        self._codec = table_codec()

    # --- commits ------------------------------------------------------------------------------------

    def _push(self, commit: Commit, table: Table, *, mine: bool) -> None:
        before = self.feed(-1).table
        self._remember(commit)
        self._keep(commit, table)
        assert self.live is not None
        self.live.advance(commit, table)
        if self.delayed is not None:
            self._advance_delayed(table)
        for event in commit.events:
            if isinstance(event, SeatLeft):
                self._revoke(event)
        after = self.feed(-1).table
        if (before.status, before.seats) != (after.status, after.seats):
            self.owner.changed(self, mine)

    def _advance_delayed(self, table: Table) -> None:
        feed = self.delayed
        assert feed is not None
        visible = _visible(table)
        for told in [told for told in self.recent if feed.table.version < told.commit.version <= visible]:
            feed.advance(told.commit, tables.apply(self.game, feed.table, told.commit))

    def _revoke(self, event: SeatLeft) -> None:
        assert self.live is not None
        for attachment in list(self.live.viewers.get(event.seat, [])):
            attachment.sink.drop(self.id, "removed" if event.reason == "removed" else "revoked")

    def _remember(self, commit: Commit) -> None:
        if commit.command is not None:
            self._ids[_hash(commit.by, commit.command)] = commit.version

    async def first_answer(self, by: By | Callable[[Decision], By], command: Command) -> Commit | None:
        """The commit that answered this id before, or None.

        Raises:
            Rejected: ``id_reused``: it answered another action.
        """
        version = self._ids.get(_hash(by, command))
        if version is None:
            return None
        there = self.table.seats[by] if isinstance(by, int) and not command.http else None
        if there is not None and version < there.since:
            return None  # whoever sat here before used this id
        commit = await self.commit(version)
        known = commit.command
        if known is None or (known.id, known.http) != (command.id, command.http):
            return None
        if not command.http and commit.by != by:
            return None
        if known.action != command.action:
            raise Rejected(
                "id_reused",
                f"the id {command.id!r} belongs to another action of yours (version {version}); use a new id",
                {"version": version},
            )
        return commit

    async def commit(self, version: int) -> Commit:
        """The commit of one version, from memory or from the store."""
        for told in self.recent:
            if told.commit.version == version:
                return told.commit
        entries = await self.owner.store.read(self.id, after=version - 1, limit=1)
        if not entries:
            raise CorruptLog(f"version {version} is gone")
        return self.decode(entries[0])

    async def told_since(self, version: int) -> list[Told]:
        """All commits from ``version`` on, with what was said after each."""
        if self.recent and self.recent[0].commit.version <= version:
            return [told for told in self.recent if told.commit.version >= version]
        found: list[Told] = []
        table: Table | None = None
        for entry in await self.owner.store.read(self.id):
            commit = self.decode(entry)
            table = tables.apply(self.game, table, commit)
            if entry.version >= version:
                found.append(Told(commit, table.status, frame.waiting(table)))
        return found

    async def command(
        self,
        by: By | Callable[[Decision], By],
        decide: Callable[[Table], Decision],
        command: Command | None = None,
        stored: Callable[[Commit], None] | None = None,
    ) -> Commit:
        """Decide, store, tell; again with the newer state whenever another process was faster.

        Args:
            by: who commands, or what tells it from the decision.
            decide: gives the decision for a state, or raises `Rejected`.
            command: the id and the action, if it has an id.
            stored: called with the commit directly after the viewers were told, before anything else.

        Raises:
            Rejected, NoSuchTable, StoreUnavailable, OutcomeUnknown
        """
        if self.live is None:
            await self._load()
        await self._settle()
        fresh = False
        while True:
            try:
                if command is not None and (first := await self.first_answer(by, command)) is not None:
                    if stored is not None:
                        stored(first)
                    return first
                decision = decide(self.table)
            except Rejected:
                # What looks wrong may be right in a state that another process has made.
                if fresh or not await self._refresh():
                    raise
                fresh = True
                continue
            commit = await self._append(by(decision) if callable(by) else by, decision, command, stored)
            if commit is not None:
                return commit

    async def _append(
        self, by: By, decision: Decision, command: Command | None, stored: Callable[[Commit], None] | None
    ) -> Commit | None:
        version = self.table.version + 1
        data = encode_commit(by, decision.events, command)
        self._appending = True
        try:
            appended = await self.owner.store.append(self.id, version, data)
            commit = Commit(version, appended.at_ms, by, decision.events, command)
            self._push(commit, tables.sealed(self.game, self.table, decision.table, commit), mine=True)
            if stored is not None:
                stored(commit)
            return commit
        except VersionTaken as taken:
            if taken.head < self.table.version:
                self._history_lost(taken)
                raise StoreUnavailable("the table's history is shorter than it was") from taken
        except OutcomeUnknown:
            self._unsettled = (version, data)
            self._settle_later()
            raise
        finally:
            self._appending = False
            stash, self._stash = self._stash, []
            for entry in stash:
                self.hear(entry)
        await self._refresh()
        return None

    def _history_lost(self, taken: VersionTaken) -> None:
        log.error("history_lost", table=self.id, known=self.table.version, found=taken.head)
        self.reset("resync_required")

    async def _settle(self) -> None:
        """Find out about an append whose outcome is unknown, by the same append; nothing is built before."""
        if self._unsettled is None:
            return
        version, data = self._unsettled
        if self.table.version < version:
            try:
                appended = await self.owner.store.append(self.id, version, data)
            except VersionTaken:
                await self._refresh()
            else:
                self._receive(Entry(version, appended.at_ms, data))
        self._unsettled = None

    def _settle_later(self) -> None:
        async def settle(room: Room) -> None:
            try:
                await room._settle()
            except OutcomeUnknown:
                self._settle_later()

        asyncio.get_running_loop().call_later(1.0, lambda: self.post(_Call(settle, None)))


class _Call:
    """A job whose caller waits for its result (or, without ``done``, for nothing)."""

    def __init__(self, run: Callable[[Room], Awaitable[Any]], done: asyncio.Future[Any] | None) -> None:
        self._run = run
        self._done = done

    async def run(self, room: Room) -> None:
        try:
            result = await self._run(room)
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits
            if self._done is None or self._done.done():
                log.warning("table_job_failed", table=room.id, reason=repr(error))
            else:
                self._done.set_exception(error)
        else:
            if self._done is not None and not self._done.done():
                self._done.set_result(result)

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(Rejected(code, message, detail))


def refusal(error: Exception, table: str) -> Rejected:
    """What a client is told of an exception; what is not the client's doing is logged."""
    match error:
        case Rejected():
            return error
        case NoSuchTable():
            return Rejected("no_such_table", f"there is no table {table[:40]!r}")
        case OutcomeUnknown():
            return Rejected(
                "outcome_unknown",
                "the store did not answer in time: the command may be stored or not;"
                " repeat it with the same id",
            )
        case StoreUnavailable():
            return Rejected("unavailable", "the store cannot be reached now; nothing has changed; try again")
        case UnknownEvent() | CorruptLog() | HistoryBroken():
            log.error("table_unreadable", table=table, reason=str(error))
            return Rejected("unavailable", "this table cannot be read by this server now")
    log.error("job_failed", table=table, exc_info=error)
    return Rejected("unavailable", "the server could not do this; nothing has changed")


def _fail(job: Job, error: Exception, table: str) -> None:
    told = refusal(error, table)
    job.fail(told.code, told.message, told.detail)


def _hash(by: By | Callable[[Decision], By], command: Command) -> int:
    return hash(("http" if command.http else by, command.id))


def _visible(table: Table) -> int:
    """The version that spectators may see."""
    return table.version if table.over else max(1, table.version - table.spectators.delay)


def seat_command(ident: str, action: dict[str, Any]) -> Command:
    """The command of an ``act`` message."""
    return Command(ident, canonical(action))
