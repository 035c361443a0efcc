"""What is done once at the end of a turn of the event loop, however many ask for it."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Flushed(Protocol):
    """Something that holds back what it has to write."""

    def flush(self) -> None:
        """Write it."""


class Flushes:
    """Collects those who have something to write: one callback of the event loop for all of a turn."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Flushed] = []

    def add(self, one: Flushed) -> None:
        """Flush ``one`` soon, after those that were added before."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._run)
        self._waiting.append(one)

    def _run(self) -> None:
        waiting, self._waiting = self._waiting, []
        for place, one in enumerate(waiting):
            try:
                one.flush()
            except BaseException:
                # The event loop says what went wrong; the others are not to suffer from it.
                for other in waiting[place + 1 :]:
                    self.add(other)
                raise
