"""What is done once at the end of a turn of the event loop, however many ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Flushes:
    """Collects flushes of connections: one callback of the event loop for all of a turn."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []

    def add(self, flush: Callable[[], None]) -> None:
        """Call ``flush`` soon, after those that were added before."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._run)
        self._waiting.append(flush)

    def _run(self) -> None:
        waiting, self._waiting = self._waiting, []
        for place, flush in enumerate(waiting):
            try:
                flush()
            except BaseException:
                # The event loop says what went wrong; the others are not to suffer from it.
                for other in waiting[place + 1 :]:
                    self.add(other)
                raise
