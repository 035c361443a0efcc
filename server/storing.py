"""The sync part of a room's writer: the usual act, from its decision to its news.

Apart from `server.writer` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, final

import structlog
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.events import By, Command, Commit, encode_commit
from domain.table import Decision, Table
from server import metrics
from server.jobs import Job, fail
from server.owner import Unsettled
from server.showing import Showing
from server.store.base import Appended, Entry, OutcomeUnknown, VersionTaken

if TYPE_CHECKING:
    from server.room import Room

log = structlog.get_logger(__name__)

Author = By | Callable[[Decision], By]

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

    @final
    def remember(self, *commits: Commit) -> None:
        """Keep in mind which commands these commits answered."""
        ids = self._ids
        for commit in commits:
            if commit.command is not None:
                ids[command_hash(commit.by, commit.command)] = commit.version

    @final
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
        room = self._shown
        table = room.table
        if self._unsettled is not None or command_hash(by, command) in self._ids:
            return False
        if table.clock is not None or tables.stand_ins(table):
            return False  # somebody has to be asked to look in time, which is not decided twice
        try:
            decision = decide(table)
            after = decision.table
            if (after.seats is not table.seats or after.over) and (
                room.owner.expected(table, after) is not None
            ):
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
                    first = [self._again(job)]
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

    @final
    def _prepared(self, by: By, decision: Decision, command: Command | None) -> Unsettled:
        last = self._shown.last
        assert last is not None
        return Unsettled(last.version + 1, encode_commit(by, decision.events, command), last.at_ms, command)

    @final
    def _not_stored(self, append: Unsettled, error: Exception) -> None:
        """An append has failed. Raises what its job is told, unless another process was faster."""
        room = self._shown
        if isinstance(error, VersionTaken):
            metrics.CONFLICTS.inc()
            if error.head < append.version - 1:
                raise room.lost(f"it ends at {error.head}") from error
            return
        if isinstance(error, OutcomeUnknown):
            metrics.UNKNOWN.inc()
            if room.live is not None:
                self._unsettled = append
                self._settle_later(FIRST_PAUSE_S)
        raise error

    @final
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

    @final
    def _tell(self, entry: Entry, commit: Commit, decision: Decision) -> None:
        room = self._shown
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

    def _again(self, job: Job) -> Job:
        """``job``, to be done when what another process has made is read."""
        raise NotImplementedError

    def _settle_later(self, pause_s: float) -> None:
        """Find out about an append whose outcome is unknown, in ``pause_s`` or a little less."""
        raise NotImplementedError


def command_hash(by: Author, command: Command) -> int:
    """By what a command is known again."""
    return hash(("http" if command.http else by, command.id))
