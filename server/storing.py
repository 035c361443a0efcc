"""The sync part of a room's writer: the usual act, from its decision to its news.

Apart from `server.writer` because it is compiled, and what waits is not (see `scripts/compile`). What every
move goes through are functions: methods of classes with interpreted subclasses are looked up by name.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, final

import structlog
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.events import By, Command, Commit, encode_commit
from domain.table import Decision
from server import metrics
from server.jobs import Job, fail
from server.owner import Unsettled
from server.showing import (
    Showing,
    command_hash,
    game_of,
    go_on,
    has_stand_ins,
    hold,
    pushed,
    release,
    remember,
    table_of,
)
from server.store.base import Appended, Entry, OutcomeUnknown, VersionTaken, entry_of

if TYPE_CHECKING:
    from server.acting import ActJob
    from server.room import Room

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 0.5


@mypyc_attr(allow_interpreted_subclasses=True)
class Storing:
    """Remembers which commands were answered, and stores and tells a decision.

    Args:
        room: the room; this works only in its jobs, and outside of them while it is `at_rest`.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._shown: Showing = room
        self.ids: dict[int, int] = {}
        self._unsettled: Unsettled | None = None

    @property
    def unsettled(self) -> bool:
        """Whether the outcome of an append is unknown."""
        return self._unsettled is not None

    def forget(self) -> None:
        """The room starts anew."""
        self.ids.clear()
        self._unsettled = None

    def remember(self, *commits: Commit) -> None:
        """Keep in mind which commands these commits answered."""
        for commit in commits:
            remember(self.ids, commit)

    def _again(self, job: Job) -> Job:
        """``job``, to be done when what another process has made is read."""
        raise NotImplementedError

    def _settle_later(self, pause_s: float) -> None:
        """Find out about an append whose outcome is unknown, in ``pause_s`` or a little less."""
        raise NotImplementedError


@final
@mypyc_attr(acyclic=True)
class _UnderWay:
    """An act that the store was sent; called with what became of it."""

    __slots__ = ("_append", "_began", "_command", "_decision", "_job", "_seat", "_writer")

    def __init__(
        self, writer: Storing, job: ActJob, seat: int, command: Command, decision: Decision, append: Unsettled
    ) -> None:
        self._writer = writer
        self._job = job
        self._seat = seat
        self._command = command
        self._decision = decision
        self._append = append
        self._began = time.perf_counter()

    def __call__(self, answer: Appended | Exception) -> None:
        writer, job, append = self._writer, self._job, self._append
        room = writer._shown
        first: list[Job] = []
        try:
            if isinstance(answer, Exception):
                not_stored(writer, append, answer)
                first = [writer._again(job)]
            else:
                entry = entry_of((append.version, answer.at_ms, append.data))
                commit = is_stored(writer, entry, self._seat, self._decision, self._command, self._began)
                job.stored(room, commit)
        except Exception as error:  # noqa: BLE001 - every job gets an answer
            fail(job, error, room.id)
        finally:
            release(room)
            go_on(room, first)


def begin(writer: Storing, job: ActJob, seat: int) -> bool:
    """Do an act without a task, where nothing is out of the ordinary; else give False and do nothing.

    Only in a room `at_rest`. If the append does not go the usual way, ``job`` gets its answer, or is done
    again in its turn.
    """
    room = writer._shown
    table = table_of(room)
    command = job.command()
    if writer._unsettled is not None or command_hash(seat, command) in writer.ids:
        return False
    if table.clock is not None or has_stand_ins(room, table):
        return False  # somebody has to be asked to look in time, which is not decided twice
    try:
        decision = job.decide(room, seat, table.seats[seat], table)
        after = decision.table
        if (after.seats is not table.seats or after.status != "playing") and room.owner.expected(
            table, after
        ) is not None:
            return False
        append = prepared(writer, seat, decision, command)
    except Exception:  # noqa: BLE001 - in its turn the job is told, also of what is a fault of a game
        return False  # what is refused may be right in a state that another process has made
    hold(room)
    under_way = _UnderWay(writer, job, seat, command, decision, append)
    room.owner.store.append_soon(room.id, append.version, append.data, append.after_ms, under_way)
    return True


def prepared(writer: Storing, by: By, decision: Decision, command: Command | None) -> Unsettled:
    """The append of a decision to the log as the room knows it."""
    last = writer._shown.last
    assert last is not None
    return Unsettled(last.version + 1, encode_commit(by, decision.events, command), last.at_ms, command)


def not_stored(writer: Storing, append: Unsettled, error: Exception) -> None:
    """An append has failed. Raises what its job is told, unless another process was faster."""
    room = writer._shown
    if isinstance(error, VersionTaken):
        metrics.CONFLICTS.inc()
        if error.head < append.version - 1:
            raise room.lost(f"it ends at {error.head}") from error
        return
    if isinstance(error, OutcomeUnknown):
        metrics.UNKNOWN.inc()
        if room.live is not None:
            writer._unsettled = append
            writer._settle_later(FIRST_PAUSE_S)
    raise error


def is_stored(
    writer: Storing, entry: Entry, by: By, decision: Decision, command: Command | None, began: float
) -> Commit:
    """A decision is stored as ``entry``: tell the viewers. Gives the commit.

    Raises:
        OutcomeUnknown: it is stored, and could not be told.
    """
    now = time.perf_counter()
    metrics.APPEND.observe(now - began)
    commit = Commit(entry.version, entry.at_ms, by, decision.events, command)
    room = writer._shown
    try:
        table = tables.sealed(game_of(room), table_of(room), decision.table, commit)
        room.last = entry
        if command is not None:
            writer.ids[command_hash(by, command)] = entry.version
        pushed(room, commit, table, True)
    except Exception as error:
        # It is stored all the same: whoever repeats the id is told so from the log.
        log.exception("commit_not_told", table=room.id, version=commit.version)
        room.reset("closed")
        raise OutcomeUnknown(f"{room.id}: version {commit.version} is stored, and was not told") from error
    metrics.FANOUT.observe(time.perf_counter() - now)
    return commit
