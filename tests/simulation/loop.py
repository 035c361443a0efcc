"""An event loop whose time is made up: it jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any


class Stuck(Exception):
    """Nothing is left to run: everybody waits for something that nobody will do."""


class _NoWaiting(selectors.DefaultSelector):
    """Never waits for files; the time that it was asked to wait is added to the loop's clock."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck
        if timeout > 0:
            self.loop.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs callbacks in the order of their times, and those of one time in the order of their making."""

    def __init__(self) -> None:
        selector = _NoWaiting()
        selector.loop = self
        self.now = 0.0
        super().__init__(selector)

    def time(self) -> float:
        """Seconds since the simulation began."""
        return self.now
