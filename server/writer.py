"""The writer of a room: decide, store, tell; exactly once, whatever the store answers."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import structlog

from domain import table as tables
from domain.actions import canonical
from domain.errors import Rejected
from domain.events import By, Command, Commit, encode_commit
from domain.table import Decision, Table
from server import metrics
from server.jobs import Call, HistoryLost, Job, fail
from server.past import commit_of
from server.store.base import Appended, Entry, OutcomeUnknown, StoreUnavailable, VersionTaken

if TYPE_CHECKING:
    from server.room import Room

log = structlog.get_logger(__name__)

Author = By | Callable[[Decision], By]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 4.0


class Unsettled(NamedTuple):
    """An append; to settle what became of it, it is done again as it is."""

    version: int
    data: bytes
    after_ms: int
    command: Command | None

    async def store(self, room: Room) -> Entry:
        """Do it. Raises as `server.store.base.EventStore.append`."""
        appended = await room.owner.store.append(room.id, self.version, self.data, self.after_ms)
        return Entry(self.version, appended.at_ms, self.data)


class Writer:
    """Remembers which commands were answered, and appends new ones.

    Args:
        room: the room; the writer works only in its jobs.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._ids: dict[int, int] = {}
        self._unsettled: Unsettled | None = None

    @property
    def unsettled(self) -> bool:
        """Whether the outcome of an append is unknown."""
        return self._unsettled is not None

    def forget(self) -> None:
        """The room starts anew."""
        self._ids.clear()
        self._unsettled = None

    def remember(self, *commits: Commit) -> None:
        """Keep in mind which commands these commits answered."""
        ids = self._ids
        for commit in commits:
            if commit.command is not None:
                ids[_hash(commit.by, commit.command)] = commit.version

    async def first_answer(self, by: Author, command: Command) -> Commit | None:
        """The commit that answered this id before, or None.

        Raises:
            Rejected: ``id_reused``: it answered another action.
        """
        version = self._ids.get(_hash(by, command))
        if version is None:
            return None
        there = self._room.table.seats[by] if isinstance(by, int) and not command.http else None
        if there is not None and version < there.since:
            return None  # whoever sat here before used this id
        commit = await commit_of(self._room, version)
        known = commit.command
        if known is None or (known.id, known.http) != (command.id, command.http):
            return None
        if not command.http and commit.by != by:
            return None
        if not _same(known.action, command.action):
            what = "this key or token belongs to another request"  # its id was made from it: nobody knows it
            if not command.http:
                what = f"the id {command.id!r} belongs to another action"
            raise Rejected(
                "id_reused", f"{what} of yours (version {version}); use a new one", {"version": version}
            )
        return commit

    async def command(
        self,
        by: Author,
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
        if self._room.live is None:
            await self._room.load()
        try:
            await self._settle()
        except HistoryLost:
            raise
        except StoreUnavailable as error:
            assert self._unsettled is not None
            if command is not None and command == self._unsettled.command:
                raise OutcomeUnknown(str(error)) from error  # this very command may be stored
            raise
        fresh = False
        while True:
            try:
                if command is not None and (first := await self.first_answer(by, command)) is not None:
                    if stored is not None:
                        stored(first)
                    return first
                decision = decide(self._room.table)
            except Rejected:
                # What looks wrong may be right in a state that another process has made.
                if fresh or not await self._room.refresh():
                    raise
                fresh = True
                continue
            commit = await self._append(by(decision) if callable(by) else by, decision, command, stored)
            if commit is not None:
                return commit

    def begin(
        self,
        job: Job,
        by: By,
        decide: Callable[[Table], Decision],
        command: Command,
        stored: Callable[[Commit], None],
    ) -> bool:
        """As `command`, without a task, where nothing is out of the ordinary; else give False and do nothing.

        Only of a room `at_rest`. If the append does not go the usual way, ``job`` gets its answer, or is
        done again in its turn.
        """
        room = self._room
        table = room.table
        if self._unsettled is not None or _hash(by, command) in self._ids:
            return False
        if table.clock is not None or tables.stand_ins(table):
            return False  # somebody has to be asked to look in time, which is not decided twice
        try:
            decision = decide(table)
            if room.owner.expected(table, decision.table) is not None:
                return False
            append = self._prepared(by, decision, command)
        except Exception:  # noqa: BLE001 - in its turn the job is told, also of what is a fault of a game
            return False  # what is refused may be right in a state that another process has made
        room.hold()
        began = time.perf_counter()

        def answered(answer: Appended | Exception) -> None:
            first: list[Job] = []
            try:
                if isinstance(answer, Exception):
                    self._not_stored(append, answer)
                    first = [_Again(job)]
                else:
                    entry = Entry(append.version, answer.at_ms, append.data)
                    self._stored(entry, by, decision, command, stored, began)
            except Exception as error:  # noqa: BLE001 - every job gets an answer
                fail(job, error, room.id)
            finally:
                room.release()
                room.go_on(first)

        room.owner.store.append_soon(room.id, append.version, append.data, append.after_ms, answered)
        return True

    async def _append(
        self, by: By, decision: Decision, command: Command | None, stored: Callable[[Commit], None] | None
    ) -> Commit | None:
        room = self._room
        append = self._prepared(by, decision, command)
        # From here on what is heard waits: it may be this very commit, made by another process.
        room.hold()
        try:
            if (at_ms := room.owner.expected(room.table, decision.table)) is not None:
                await room.owner.expect(room.id, at_ms)
            began = time.perf_counter()
            try:
                entry = await append.store(room)
            except (VersionTaken, OutcomeUnknown) as error:
                self._not_stored(append, error)
            else:
                return self._stored(entry, by, decision, command, stored, began)
        finally:
            room.release()
        await room.refresh()
        return None

    def _prepared(self, by: By, decision: Decision, command: Command | None) -> Unsettled:
        last = self._room.last
        assert last is not None
        return Unsettled(last.version + 1, encode_commit(by, decision.events, command), last.at_ms, command)

    def _not_stored(self, append: Unsettled, error: Exception) -> None:
        """An append has failed. Raises what its job is told, unless another process was faster."""
        room = self._room
        if isinstance(error, VersionTaken):
            metrics.CONFLICTS.inc()
            if error.head < append.version - 1:
                raise room.lost(f"it ends at {error.head}") from error
            return
        if isinstance(error, OutcomeUnknown):
            metrics.UNKNOWN.inc()
            if room.live is not None:
                self._unsettled = append
                self._settle_later(_FIRST_PAUSE_S)
        raise error

    def _stored(
        self,
        entry: Entry,
        by: By,
        decision: Decision,
        command: Command | None,
        stored: Callable[[Commit], None] | None,
        began: float,
    ) -> Commit:
        now = time.perf_counter()
        metrics.APPEND.observe(now - began)
        commit = Commit(entry.version, entry.at_ms, by, decision.events, command)
        self._tell(entry, commit, decision)
        metrics.FANOUT.observe(time.perf_counter() - now)
        if stored is not None:
            stored(commit)
        return commit

    def _tell(self, entry: Entry, commit: Commit, decision: Decision) -> None:
        room = self._room
        try:
            table = tables.sealed(room.game, room.table, decision.table, commit)
            room.last = entry
            room.push(commit, table, mine=True)
        except Exception as error:
            # It is stored all the same: whoever repeats the id is told so from the log.
            log.exception("commit_not_told", table=room.id, version=commit.version)
            room.reset("closed")
            raise OutcomeUnknown(
                f"{room.id}: version {commit.version} is stored, and was not told"
            ) from error

    async def _settle(self) -> None:
        """Find out about an append whose outcome is unknown, by the same append; nothing is built before."""
        append, room = self._unsettled, self._room
        if append is None:
            return
        room.hold()
        try:
            if room.table.version < append.version:
                room.receive(await append.store(room), mine=True)
        except VersionTaken:
            pass  # what stands there is read below
        finally:
            room.release()
        if room.table.version < append.version:
            await room.refresh()
        self._unsettled = None

    def _settle_later(self, pause_s: float) -> None:
        """Settle also when nobody repeats the command, so that the viewers learn what became of it."""

        async def settle(room: Room) -> None:
            try:
                await self._settle()
            except (OutcomeUnknown, StoreUnavailable):
                if self.unsettled:
                    self._settle_later(min(2 * pause_s, _LONGEST_PAUSE_S))

        def post() -> None:
            if self.unsettled:
                self._room.post(Call(settle, None))

        # Not all tables at once, when a store comes back.
        jitter = random.uniform(0.5, 1.0)  # noqa: S311
        asyncio.get_running_loop().call_later(pause_s * jitter, post)


class _Again:
    """A job whose append found its version taken: once more, with what another process has made."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.fail = job.fail

    async def run(self, room: Room) -> None:
        """Read what is new, then do it."""
        await room.catch_up()
        await self._job.run(room)


# Not by ==, for which 1, 1.0 and True are the same.
_bytes = msgspec.msgpack.Encoder(order="sorted").encode


def _same(known: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether two actions are the same, as far as the first is still known (see `server.forget`)."""
    if known.get("type") == "sit" and known.get("name", "") is None:
        asked = {**asked, "name": None}
    return _bytes(known) == _bytes(asked)


def _hash(by: Author, command: Command) -> int:
    return hash(("http" if command.http else by, command.id))


def seat_command(ident: str, action: dict[str, Any]) -> Command:
    """The command of an ``act`` message."""
    return Command(ident, canonical(action))
