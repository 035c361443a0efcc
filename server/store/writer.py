"""Appends over one connection: those that wait at the same moment travel together.

While one batch is on its way the next collects, so that many writers share one round trip and one flush
to disk. Every append gets its own answer: one that is refused fails alone.

As long as every answer is an outcome, no task is needed: batches are sent and answers handed out as they
come. Whatever else happens is left to a task, which connects, sends again and settles.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any

from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from server.ending import end
from server.store import replicas
from server.store.appends import Append
from server.store.base import Appended
from server.store.flight import Flight
from server.store.link import FAILURES, LIBRARY, explain, is_missing_function
from server.store.pipe import Pipe

_log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
# After these answers the server at the other end is not, or no longer, the one that takes this write.
MOVED_ON = ("READONLY", "MASTERDOWN", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN")


class Writer(Flight):
    """Sends appends to one server and settles what became of them.

    An append without an answer (a timeout, a lost connection) is sent again, the very same, until it is
    answered or the time for settling has passed. The function on the server makes that harmless.

    Args:
        connect: makes a connection.
        health: while it says that the server is away, nothing new is sent; what is in doubt is.
        others: the server is one of a cluster, so what cannot be settled here ends with Elsewhere at once.
    """

    def start(self) -> None:
        """Begin to send. Needs a running event loop."""
        self._task = asyncio.create_task(self._run(), name="store-writer")

    async def close(self) -> None:
        """Stop sending; every append still waiting ends with OutcomeUnknown or StoreUnavailable."""
        if self._task is not None:
            await end(self._task)
            self._task = None
        self._land()
        for append in (*self._waiting, *(append for append, _ in self._odd)):
            append.fail("the store was closed", elsewhere=self._others)
        self._waiting.clear()
        self._expiries.close()
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
        future: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()

        def answered(answer: Appended | Exception) -> None:
            if future.done():
                return
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        append = self.append_soon(table, version, data, after_ms, answered, until=until, doubtful=doubtful)
        try:
            return await future
        finally:
            append.answered = None  # tells the sender that nobody waits any more

    # --- the task -----------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            batch: list[Append] = []
            odd, self._odd = self._odd, []
            try:
                if self._stumbled:
                    self._stumbled = False
                    await self._pause()
                again = await self._mended(odd)
                if not again:
                    batch = self._take()
                    if self._health.away:
                        batch = self._refuse(batch, "it does not answer")
                    if batch:
                        again = await self._exchange(batch)
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed([append for append, _ in odd] + batch))
                raise
            except Exception:  # noqa: BLE001 - the others still want their answers
                _log.exception("an append failed in an unexpected way")
                await self._drop()
                again = [append for append, _ in odd] + batch
            self._waiting.extendleft(reversed(again))
            if again:
                await self._pause()
                continue
            self._failures = 0
            self._expiries.prune()
            if not self._waiting:
                self._wake.clear()
                self._rest()

    async def _exchange(self, batch: list[Append]) -> list[Append]:
        """Send a batch once and hand out the answers. Returns the appends that have to be sent again."""
        try:
            pipe = await self._connected()
        except FAILURES as error:
            self._health.failed(error)
            return self._refuse(batch, explain(error))
        lost: list[Append] = []
        odd: list[tuple[Append, RedisError]] = []
        answered = 0
        broken = False
        quiet = self._settings.replicas > 0
        held: list[tuple[Append, Any]] = []
        for append in batch:
            append.sent()
        try:
            async with asyncio.timeout(self._settings.attempt_s):
                pipe.send(
                    b"".join([append.command(quiet=quiet) for append in batch])
                    + replicas.wait(self._settings)
                )
                for append in batch:
                    reply = await pipe.answer()
                    answered += 1
                    if isinstance(reply, RedisError):
                        odd.append((append, reply))
                    elif quiet and reply[0]:
                        held.append((append, reply))
                    else:
                        append.settle(reply)
                if quiet and not await replicas.have_it(pipe, self._settings):
                    lost = replicas.missing([append for append, _ in held], elsewhere=self._others)
                    held = []
                for append, reply in held:
                    append.settle(reply)
                if held:
                    await replicas.publish(pipe, held)
        except FAILURES as error:
            lost = [append for append, _ in held if append.answered] + batch[answered:]
            _log.warning("no answer from the store about %d appends: %s", len(lost), explain(error))
            broken = True
            if isinstance(error, (TimeoutError, RedisTimeoutError)):
                self._health.failed(error)
            if self._others:
                for append in lost:
                    append.fail(explain(error), elsewhere=True)
                lost = []
        return await self._mended(odd, broken) + lost

    async def _mended(self, odd: list[tuple[Append, RedisError]], broken: bool = False) -> list[Append]:
        """Judge appends that were answered by an error, and mend what that tells. Gives what to send again.

        Args:
            broken: no more answers come over this connection.
        """
        again: list[Append] = []
        load = False
        for append, reply in odd:
            append.refused()
            missing = is_missing_function(reply)
            load |= missing
            gone = reply.status_code in MOVED_ON
            broken |= gone
            if missing or (append.before and not (gone and self._others)):
                again.append(append)
            else:
                append.fail(explain(reply), elsewhere=gone and self._others)
        if load and not broken:
            try:
                async with asyncio.timeout(self._settings.attempt_s):
                    await (await self._connected()).load(LIBRARY)
            except FAILURES as error:
                broken = True
                again = self._refuse(again, explain(error))
        if broken:
            await self._drop()
        return again

    def _refuse(self, batch: list[Append], why: str) -> list[Append]:
        """Nothing of this batch was sent now: fail what never was; return what still has to be settled."""
        for append in batch:
            if self._others or not append.doubtful:
                append.fail(f"the store cannot be reached: {why}", elsewhere=self._others)
        return [append for append in batch if append.answered]

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
