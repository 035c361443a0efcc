"""News of commits and signals over one connection that subscribes anew whenever it had to reconnect."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any

from server.ending import end
from server.store.base import StoreUnavailable
from server.store.link import FAILURES, explain
from server.store.listening import Listening
from server.store.pipe import Pipe, pack

_log = logging.getLogger(__name__)

_LONGEST_PAUSE_S = 1.0


class Subscriber(Listening):
    """Tells of the commits of watched channels and of signals. What is missed while it reconnects is lost.

    The sharded channels of several tables may live on different slots, so each is asked for by a command
    of its own.

    Args:
        connect: makes a connection.
        on_commit: called for each commit of a watched table.
        on_signal: called for each signal.
        on_ready: called when all subscriptions stand, at first and after each reconnection.
        on_trouble: called when the connection failed or the server sent a channel away.
        watched: knows which news tell nothing new, so that they need not be read.
    """

    async def start(self) -> None:
        """Connect and wait until all subscriptions stand. Raises StoreUnavailable if that takes too long."""
        self._task = asyncio.create_task(self._run(), name="store-subscriber")
        try:
            async with asyncio.timeout(self._settings.attempt_s):
                await self._ready.wait()
        except TimeoutError:
            await self.close()
            raise StoreUnavailable("the store does not let us subscribe") from None

    async def close(self) -> None:
        """Stop telling."""
        if self._task is not None:
            await end(self._task)
            self._task = None

    async def watch(self, channel: bytes) -> None:
        """Returns when the subscription stands. Raises StoreUnavailable if that takes long; it may yet."""
        await self.want(channel)
        standing = self._standing.get(channel) or asyncio.Event()
        try:
            async with asyncio.timeout(self._settings.attempt_s):
                await standing.wait()
        except TimeoutError:
            raise StoreUnavailable(f"{channel.decode()} cannot be watched now") from None

    async def want(self, channel: bytes) -> None:
        """Like `watch`, without waiting."""
        if channel not in self._standing:
            self._standing[channel] = asyncio.Event()
            self._ask([channel])

    async def unwatch(self, channel: bytes) -> None:
        """News still on its way is dropped."""
        if self._standing.pop(channel, None) is not None:
            self._send([("SUNSUBSCRIBE", channel)])

    async def beat(self) -> None:
        """Called every few seconds: a connection silent since the last beat is given up for a new one."""
        if self._pipe is None:
            return
        if not self._heard:
            _log.warning("the store's news connection is silent: reconnecting")
            self._pipe.abort()
            return
        self._heard = False
        self._send([("PING",)])

    async def _run(self) -> None:
        while True:
            connection = self._connect()
            try:
                async with asyncio.timeout(self._settings.attempt_s):
                    await connection.connect()  # type: ignore[no-untyped-call]
                self._heard = True
                await self._listen(Pipe(connection))
            except FAILURES as error:
                level = (
                    logging.DEBUG if self._failures else logging.WARNING
                )  # one warning, not one per attempt
                _log.log(level, "the store's news connection failed: %s", explain(error))
            except Exception:  # noqa: BLE001 - a new connection starts afresh
                _log.exception("the store's news could not be understood")
            finally:
                self._pipe = None
                self._ready.clear()
                self._asked.clear()
                for standing in self._standing.values():
                    standing.clear()
                await connection.disconnect(nowait=True)
            self._on_trouble()
            self._failures = min(self._failures + 1, 10)
            pause_s = min(_LONGEST_PAUSE_S, 0.01 * 2**self._failures)
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311

    async def _listen(self, pipe: Pipe) -> None:
        """Take messages as they come, until the connection ends. Raises what ended it."""
        end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def ended(error: Exception) -> None:
            if not end.done():
                end.set_exception(error)

        def take(message: Any) -> None:
            try:
                self._take(message)
            except Exception as error:  # noqa: BLE001 - it is raised below
                ended(error)

        pipe.taker, pipe.ended = take, ended
        self._pipe = pipe
        self._ask(list(self._standing))
        self._check_ready()
        try:
            await end
        finally:
            pipe.taker = pipe.ended = None

    def _ask(self, channels: list[bytes]) -> None:
        if self._pipe is not None:
            self._asked.update(channels)
            self._send([("SSUBSCRIBE", channel) for channel in channels])

    def _send(self, commands: list[tuple[bytes | str, ...]]) -> None:
        """Send without waiting for answers. A failure shows at the reading end, which then reconnects."""
        if self._pipe is not None and commands:
            self._pipe.send(b"".join([pack(command) for command in commands]))
