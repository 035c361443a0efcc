"""Appends over one connection: those that wait at the same moment travel together.

While one batch is on its way the next collects, so that many writers share one round trip and one flush
to disk. Every append gets its own answer: one that is refused fails alone.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable
from typing import Any

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from server.store import keys
from server.store.base import Appended, OutcomeUnknown, StoreUnavailable, VersionTaken
from server.store.health import Health
from server.store.link import APPEND, FAILURES, LIBRARY, STORE, Settings, explain, is_missing_function
from server.store.pipe import Pipe, pack, pack_parts

_log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
# The commands without their six arguments: three keys, then version, data and the time before.
_APPEND = b"*9\r\n" + pack_parts(("FCALL", APPEND, 3))
_STORE = b"*9\r\n" + pack_parts(("FCALL", STORE, 3))
# After these answers the server at the other end is not, or no longer, the one that takes this write.
MOVED_ON = ("READONLY", "MASTERDOWN", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN")


class Elsewhere(Exception):
    """In a cluster: another server may take the append now. `doubtful`: it may have been stored already."""

    def __init__(self, why: str, doubtful: bool) -> None:
        super().__init__(why)
        self.doubtful = doubtful


class _Job:
    """One append that waits for its answer. `doubtful`: it was sent, and no answer came."""

    __slots__ = ("after_ms", "data", "doubtful", "future", "table", "version")

    def __init__(self, table: str, version: int, data: bytes, after_ms: int | None, doubtful: bool) -> None:
        self.table = keys.check_name(table)
        self.version = version
        self.data = data
        self.after_ms = after_ms
        self.future: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self.doubtful = doubtful

    def command(self, *, quiet: bool) -> bytes:
        """What is sent; `quiet`: without the news."""
        after = "" if self.after_ms is None else self.after_ms
        table = self.table
        beside = keys.fence(table) if quiet else keys.news(table)
        parts = pack_parts((keys.log(table), keys.gone(table), beside, self.version, self.data, after))
        return (_STORE if quiet else _APPEND) + parts

    def news(self, at_ms: int) -> bytes:
        """What is sent when the entry has been stored quietly."""
        after_ms = self.after_ms or 0
        payload = b"%d %d %d\n%b" % (self.version, at_ms, after_ms, self.data)
        return pack(("SPUBLISH", keys.news(self.table), payload))

    def expire(self) -> None:
        """The time for settling has passed."""
        if self.future.done():
            return
        what = f"{self.table}: version {self.version}"
        if self.doubtful:
            self.future.set_exception(OutcomeUnknown(f"{what}: no answer"))
        else:
            self.future.set_exception(StoreUnavailable(f"{what} could not be sent in time"))


class Writer:
    """Sends appends to one server and settles what became of them.

    An append without an answer (a timeout, a lost connection) is sent again, the very same, until it is
    answered or the time for settling has passed. The function on the server makes that harmless.

    Args:
        connect: makes a connection.
        health: while it says that the server is away, nothing new is sent; what is in doubt is.
        others: the server is one of a cluster, so what cannot be settled here ends with Elsewhere at once.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        settings: Settings,
        health: Health | None = None,
        others: bool = False,
    ) -> None:
        self._connect = connect
        self._others = others
        self._health = health or Health("the store", _no_probe)
        self._settings = settings
        self._waiting: deque[_Job] = deque()
        self._wake = asyncio.Event()
        self._connection: AbstractConnection | None = None
        self._pipe: Pipe | None = None
        self._failures = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to send. Needs a running event loop."""
        self._task = asyncio.create_task(self._run(), name="store-writer")

    async def close(self) -> None:
        """Stop sending; every append still waiting ends with OutcomeUnknown or StoreUnavailable."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        for job in self._waiting:
            self._fail(job, "the store was closed", True)
        self._waiting.clear()
        await self._drop()

    async def append(
        self,
        table: str,
        version: int,
        data: bytes,
        after_ms: int | None = None,
        *,
        until: float | None = None,
        doubtful: bool = False,
    ) -> Appended:
        """See `EventStore.append`.

        Args:
            until: when to give up, in the event loop's time; None: after the time for settling.
            doubtful: the same append was sent before, elsewhere, and never answered.

        Raises:
            Elsewhere: only in a cluster.
        """
        job = _Job(table, version, data, after_ms, doubtful)
        if self._task is None:
            self._fail(job, "the store is not started, or closed")
            return job.future.result()
        if until is None:
            until = asyncio.get_running_loop().time() + self._settings.settle_s
        if not doubtful and not self._others:
            self._health.check()
        self._waiting.append(job)
        self._wake.set()
        expiry = asyncio.get_running_loop().call_at(until, job.expire)
        try:
            return await job.future
        finally:
            expiry.cancel()
            job.future.cancel()  # tells the sender that nobody waits any more

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            batch = self._take()
            if self._health.away:
                batch = self._refuse(batch, "it does not answer")
            if not batch:
                if not self._waiting:
                    self._wake.clear()
                continue
            try:
                again = await self._exchange(batch)
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed(batch))
                raise
            except Exception:  # noqa: BLE001 - the others still want their answers
                _log.exception("an append failed in an unexpected way")
                await self._drop()
                again = batch
            self._waiting.extendleft(reversed(again))
            if again:
                await self._pause()
            else:
                self._failures = 0

    def _take(self) -> list[_Job]:
        batch: list[_Job] = []
        while self._waiting and len(batch) < self._settings.batch:
            job = self._waiting.popleft()
            if not job.future.done():
                batch.append(job)
        return batch

    async def _exchange(self, batch: list[_Job]) -> list[_Job]:
        """Send a batch once and hand out the answers. Returns the jobs that have to be sent again."""
        try:
            pipe = await self._connected()
        except FAILURES as error:
            self._health.failed(error)
            return self._refuse(batch, explain(error))
        again: list[_Job] = []
        answered = 0
        load = moved = False
        quiet = self._settings.replicas > 0
        held: list[tuple[_Job, Any]] = []
        before = [job.doubtful for job in batch]
        for job in batch:
            job.doubtful = True
        try:
            async with asyncio.timeout(self._settings.attempt_s):
                pipe.send(b"".join([job.command(quiet=quiet) for job in batch]) + self._wait)
                for job, doubtful in zip(batch, before, strict=True):
                    reply = await pipe.answer()
                    answered += 1
                    if not isinstance(reply, RedisError):
                        if quiet and reply[0]:
                            held.append((job, reply))
                        else:
                            self._settle(job, reply)
                        continue
                    # An error is an answer: this attempt stored nothing. An earlier one may have.
                    job.doubtful = doubtful
                    missing = is_missing_function(reply)
                    load |= missing
                    gone = reply.status_code in MOVED_ON
                    moved |= gone
                    if missing or (doubtful and not (gone and self._others)):
                        again.append(job)
                    else:
                        self._fail(job, explain(reply), gone)
                if quiet and not await self._replicated(pipe):
                    again += self._unreplicated([job for job, _ in held])
                    held = []
                for job, reply in held:
                    self._settle(job, reply)
                if held:
                    await self._publish(pipe, held)
        except FAILURES as error:
            unanswered = [job for job, _ in held if not job.future.done()] + batch[answered:]
            _log.warning("no answer from the store about %d appends: %s", len(unanswered), explain(error))
            moved = True
            if isinstance(error, (TimeoutError, RedisTimeoutError)):
                self._health.failed(error)
            if self._others:
                for job in unanswered:
                    self._fail(job, explain(error), True)
            else:
                again += unanswered
        if load and not moved:
            try:
                async with asyncio.timeout(self._settings.attempt_s):
                    await load_library(pipe)
            except FAILURES as error:
                moved = True
                again = self._refuse(again, explain(error))
        if moved:
            await self._drop()
        return again

    @property
    def _wait(self) -> bytes:
        """Ends a batch: the server answers when enough replicas have it, or when it is too late."""
        replicas, ms = self._settings.replicas, round(self._settings.attempt_s * 800)
        if not replicas:
            return b""
        if self._settings.replicas_on_disk:
            return pack(("WAITAOF", 1, replicas, ms))
        return pack(("WAIT", replicas, ms))

    async def _replicated(self, pipe: Pipe) -> bool:
        reply = await pipe.answer()
        if isinstance(reply, RedisError):
            _log.error("the store cannot wait for replicas: %s", explain(reply))
            return False
        there = reply[1] if isinstance(reply, list) else reply
        return int(there) >= self._settings.replicas

    def _unreplicated(self, jobs: list[_Job]) -> list[_Job]:
        """The primary alone has these: still in doubt, for it may die. Gives which to send again."""
        if jobs:
            _log.warning("too few replicas have %d appends", len(jobs))
        if not self._others:
            return jobs
        for job in jobs:
            self._fail(job, "too few replicas have it", True)
        return []

    @staticmethod
    async def _publish(pipe: Pipe, held: list[tuple[_Job, Any]]) -> None:
        """Tell of what is replicated; what gets lost here is found by comparing heads."""
        pipe.send(b"".join([job.news(reply[1]) for job, reply in held]))
        for _ in held:
            await pipe.answer()

    @staticmethod
    def _settle(job: _Job, reply: Any) -> None:
        if job.future.done():
            return
        outcome, at_ms, head = reply
        if outcome:
            job.future.set_result(Appended(at_ms, repeated=outcome == 2))
        else:
            job.future.set_exception(VersionTaken(job.table, job.version, head))

    def _fail(self, job: _Job, why: str, gone: bool = False) -> None:
        if job.future.done():
            return
        why = f"{job.table}: version {job.version}: {why}"
        if gone and self._others:
            job.future.set_exception(Elsewhere(why, job.doubtful))
        else:
            job.future.set_exception(OutcomeUnknown(why) if job.doubtful else StoreUnavailable(why))

    def _refuse(self, batch: list[_Job], why: str) -> list[_Job]:
        """Nothing of this batch was sent now: fail what never was; return what still has to be settled."""
        for job in batch:
            if self._others or not job.doubtful:
                self._fail(job, f"the store cannot be reached: {why}", True)
        return [job for job in batch if not job.future.done()]

    async def _connected(self) -> Pipe:
        if self._pipe is None or self._pipe.broken:
            await self._drop()
            connection = self._connect()
            async with asyncio.timeout(self._settings.attempt_s):
                try:
                    await connection.connect()  # type: ignore[no-untyped-call]
                except BaseException:
                    await connection.disconnect(nowait=True)
                    raise
            self._connection = connection
            self._pipe = Pipe(connection)
        return self._pipe

    async def _drop(self) -> None:
        connection, self._connection, self._pipe = self._connection, None, None
        if connection is not None:
            await connection.disconnect(nowait=True)

    async def _pause(self) -> None:
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        await asyncio.sleep(longest * random.uniform(0.5, 1.0))  # noqa: S311


async def _no_probe() -> None:
    """Take a server that did not answer for one that does."""


async def load_library(pipe: Pipe) -> None:
    """Teach the server our functions. Harmless if it knows them already."""
    pipe.send(pack(("FUNCTION", "LOAD", "REPLACE", LIBRARY)))
    answer = await pipe.answer()
    if isinstance(answer, RedisError):
        raise answer
