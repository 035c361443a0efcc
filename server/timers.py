"""What happens at a table when nobody does anything: clocks run out, bots move, tables expire.

The store's index of deadlines says only when to look at a table. It may be too early, never too late:
a look folds the log and lets the domain judge, then writes when to look next. A process that takes a
table from the index holds it for `LEASE_MS`; if it dies, another one takes it after that.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

from domain import table as tables
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.table import Decision, Table
from projections import frame
from server import metrics
from server.ending import end
from server.jobs import NoSuchTable
from server.room import Room
from server.settings import Settings
from server.store.base import HistoryBroken, OutcomeUnknown, StoreUnavailable

if TYPE_CHECKING:
    from server.service import Service

log = structlog.get_logger(__name__)

LEASE_MS = 5000
BACKSTOP_MS = 60_000
"""How long a table with clocks or bots goes without a look, although nothing seems to be due."""
AGAIN_MS = 600_000
"""After a failure that waiting will not mend: a full disk, a damaged file."""
LONGEST_SLEEP_S = 1.0
SYNCHRONISE_S = 30.0
"""How often a process compares its clock with the store's; also before it says that somebody's time is up."""
_NEVER = float("inf")
BATCH = 100


class Timers:
    """Looks at tables when their time has come.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._next_ms = _NEVER
        self._synchronise_s = 0.0
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._synchronise_s = asyncio.get_running_loop().time() + SYNCHRONISE_S
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            await end(self._task)

    async def expect(self, ident: str, at_ms: int) -> None:
        """See to it that some process looks at the table at ``at_ms`` or before.

        Called before an append with the earliest time that its commit can ask for. Raises
        `StoreUnavailable`.
        """
        await self._service.store.wake(ident, at_ms)
        if at_ms < self._next_ms:
            self._wake.set()

    async def soon(self, ident: str) -> None:
        """See to it that somebody looks at the table shortly, if the store can be told so."""
        with contextlib.suppress(StoreUnavailable):
            await self.expect(ident, self._service.now_ms() + LEASE_MS)

    async def _run(self) -> None:
        while True:
            try:
                await self._synchronise()
                self._wake.clear()
                self._next_ms = _NEVER  # what is expected from here on is looked for at once
                now = self._service.now_ms()
                due, following = await self._service.store.due(now, LEASE_MS, BATCH)
                for ident in due:
                    self._service.spawn(self._look(ident, now + LEASE_MS))
                sleep_s = 0.0 if len(due) == BATCH else LONGEST_SLEEP_S
                if following is not None:
                    sleep_s = min(sleep_s, max(0.0, (following - self._service.now_ms()) / 1000))
            except StoreUnavailable:
                sleep_s = LONGEST_SLEEP_S
            except Exception:
                log.exception("timers_failed")
                sleep_s = LONGEST_SLEEP_S
            sleep_s = max(0.005, sleep_s)
            self._next_ms = self._service.now_ms() + sleep_s * 1000
            # Not `wait_for`, which swallows (until Python 3.12) a cancellation that comes with the wake-up.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(sleep_s):
                    await self._wake.wait()

    async def _synchronise(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._synchronise_s:
            self._synchronise_s = now_s + SYNCHRONISE_S
            await self._service.synchronise()

    async def _look(self, ident: str, claimed_ms: int) -> None:
        metrics.TIMERS.inc()
        try:
            following = await self._service.call(ident, self._judge)
        except NoSuchTable:
            following = None
        except (StoreUnavailable, OutcomeUnknown):
            return  # the lease runs out, and somebody looks again
        except (UnknownEvent, CorruptLog, HistoryBroken, Rejected) as error:
            log.warning("table_not_judged", table=ident, reason=str(error))
            return
        try:
            await self._service.store.look_again(ident, claimed_ms, following)
        except StoreUnavailable:
            return
        if following is not None and following < self._next_ms:
            self._wake.set()

    async def _judge(self, room: Room) -> int | None:
        await room.ready()
        open_ms, game = self._service.settings.open_ms, room.game
        ends = list(tables.deadlines(room.table).values())
        if room.table.status == "open":
            ends.append(room.table.created_ms + open_ms)
        if min(ends, default=_NEVER) <= self._service.now_ms():
            await self._service.synchronise()
        now = self._service.now_ms()
        for seat, at in tables.deadlines(room.table).items():
            if at <= now:

                def judge(table: Table, seat: int = seat) -> Decision:
                    return tables.decide_timeout(game, table, seat=seat, now_ms=now)

                await self._try(room, judge)
        if (reason := self._expired(room.table, now)) is not None:
            await self._try(room, lambda table: tables.decide_expire(game, table, reason=reason))
        self._service.bots.look(room)
        if room.table.over:
            return await self._archive(room.table, now)
        return next_look(room.table, now, self._service.settings)

    def _expired(self, table: Table, now: int) -> str | None:
        """Why a table is to be abandoned, or None."""
        settings = self._service.settings
        if table.status == "open" and table.created_ms + settings.open_ms <= now:
            return "it never started"
        if table.status == "playing" and table.at_ms + settings.quiet_ms <= now:
            return "nobody played on"
        return None

    async def _archive(self, table: Table, now: int) -> int | None:
        """Archive a table that has been over for long enough. Gives when to look again."""
        archive = self._service.archive
        if archive is None:
            return None
        due = table.at_ms + self._service.settings.archive_after_ms
        if due > now:
            return due
        try:
            return None if await archive.keep(table.id) else now + LEASE_MS
        except (OSError, CorruptLog, UnknownEvent) as error:
            log.error("not_archived", table=table.id, reason=str(error))
            return now + AGAIN_MS

    async def _try(self, room: Room, decide: Callable[[Table], Decision]) -> None:
        try:
            await room.writer.command("clock", decide)
        except Rejected:
            return  # a move was faster, or another process


def next_look(table: Table, now: int, settings: Settings) -> int:
    """When a table that is not over must be looked at again (ms since 1970).

    Args:
        now: the time of the last look; what was due then has been judged.
        settings: how long a table may wait for its start, and for the next move.
    """
    if table.status == "open":
        return max(now + 1, table.created_ms + settings.open_ms)
    times = [max(now + 1, table.at_ms + settings.quiet_ms)]
    if table.paused:
        return times[0]
    times += [at if at > now else now + LEASE_MS for at in tables.deadlines(table).values()]
    if _bot_awaited(table):
        times.append(now + LEASE_MS)
    if table.clock is not None or tables.stand_ins(table):
        # A commit of a process that has died may land late, when its own look is long over.
        times.append(now + BACKSTOP_MS)
    return min(times)


def earliest(before: Table, table: Table, now: int) -> int | None:
    """The earliest time at which a commit made now can ask for a look; None where it cannot.

    Args:
        before: the table before the commit.
        table: the table that it leads to; its clocks are not moved yet.
        now: the time.
    """
    times = []
    if table.clock is not None:
        times.append(now + table.clock.move_ms)
        if before.paused and not table.paused:
            # A clock goes on where it stood, maybe close to its end.
            left = (
                table.clock.move_ms + bank - spent
                for bank, spent in zip(before.banks_ms, before.running, strict=True)
                if spent is not None
            )
            times.append(now + max(0, min(left, default=0)))
    if _bot_awaited(table):
        times.append(now + LEASE_MS)
    return min(times, default=None)


def _bot_awaited(table: Table) -> bool:
    """Whether the table waits for a bot: somebody must look, should the process that moves it die."""
    played = tables.stand_ins(table)
    return bool(played) and not set(played).isdisjoint(frame.waiting(table))
