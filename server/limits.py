"""How much one sender may do."""

from __future__ import annotations

from collections.abc import Callable


class Bucket:
    """A token bucket: ``burst`` at once, ``rate_per_s`` for long.

    Args:
        clock: a monotonic clock in seconds.
    """

    __slots__ = ("_burst", "_clock", "_level", "_rate", "_then")

    def __init__(self, burst: float, rate_per_s: float, clock: Callable[[], float]) -> None:
        self._burst = burst
        self._rate = rate_per_s
        self._clock = clock
        self._level = burst
        self._then = clock()

    def take(self, amount: float = 1) -> int:
        """Take ``amount``; 0 if that was allowed, else in how many milliseconds it would be.

        What was refused is not taken.
        """
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._then) * self._rate)
        self._then = now
        if self._level >= amount:
            self._level -= amount
            return 0
        return max(1, round((amount - self._level) / self._rate * 1000))
