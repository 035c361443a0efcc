"""Jobs of a room, and what clients are told when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from domain.errors import CorruptLog, Rejected, UnknownEvent
from server import metrics
from server.store.base import HistoryBroken, OutcomeUnknown, StoreUnavailable

if TYPE_CHECKING:
    from server.room import Room

log = structlog.get_logger(__name__)


UNREADABLE = (UnknownEvent, CorruptLog, HistoryBroken)
"""What a log raises that this server cannot read: that table is unavailable here, and no other."""


MOST_JOBS = 10_000
"""How many jobs may wait for one table."""


class NoSuchTable(Exception):
    """The store has no such table."""


class HistoryLost(StoreUnavailable):
    """The log of a table is not what this process has told of it: shorter, or another one."""


class Revoked(Exception):
    """The seat that a command is for belongs to another token now."""


class Job(Protocol):
    """Something to be done with a room. It answers its client itself, in every case."""

    async def run(self, room: Room) -> None:
        """Do it. Exceptions become a `fail`."""

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """It could not be done."""


class Call:
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
        case HistoryLost():
            return Rejected("resync_required", "the table's history is not what it was: attach anew")
        case StoreUnavailable():
            return Rejected("unavailable", "the store cannot be reached now; nothing has changed; try again")
        case UnknownEvent() | CorruptLog() | HistoryBroken():
            log.error("table_unreadable", table=table, reason=str(error))
            return Rejected("unavailable", "this table cannot be read by this server now")
    metrics.ERRORS.inc()
    log.error("job_failed", table=table, exc_info=error)
    return Rejected("unavailable", "the server could not do this; nothing has changed")


def fail(job: Job, error: Exception, table: str) -> None:
    """Tell a job's client of an exception."""
    told = refusal(error, table)
    job.fail(told.code, told.message, told.detail)
