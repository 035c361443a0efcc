"""Whether a server answers at all, so that not everybody has to find out by waiting."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from server.ending import end
from server.store.base import StoreUnavailable
from server.store.link import FAILURES, explain

_log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5


async def _alive() -> None:
    """Take a server that did not answer for one that does."""


class Health:
    """Remembers that a server did not answer, and asks it again and again until it does.

    Meanwhile whoever wants something of it is refused at once. One probe at a time goes out, after pauses
    that grow and vary, so that many processes do not fall upon a server that has just come back.

    Args:
        name: the server, for the log.
        probe: asks the server for a sign of life. Raises RedisError, OSError or TimeoutError.
    """

    def __init__(self, name: str, probe: Callable[[], Awaitable[object]] = _alive) -> None:
        self._name = name
        self._probe = probe
        self._task: asyncio.Task[None] | None = None
        self._why = ""

    @property
    def away(self) -> bool:
        """Whether the last attempt to reach it failed, and no probe has since."""
        return self._task is not None

    def check(self) -> None:
        """Raise StoreUnavailable while it is away."""
        if self.away:
            raise self.refusal()

    def refusal(self) -> StoreUnavailable:
        """What whoever wants something is told while it is away."""
        return StoreUnavailable(f"{self._name} does not answer: {self._why}")

    def failed(self, error: BaseException) -> None:
        """It could not be reached, or did not answer in time."""
        if self._task is None:
            self._why = explain(error)
            _log.warning("the store is away: %s: %s", self._name, self._why)
            self._task = asyncio.create_task(self._watch(), name="store-probe")

    async def close(self) -> None:
        """Ask no more."""
        if self._task is not None:
            await end(self._task)
            self._task = None

    async def _watch(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311
            try:
                await self._probe()
            except FAILURES as error:
                self._why = explain(error)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            else:
                self._task = None
                _log.warning("the store is back: %s", self._name)
                return
