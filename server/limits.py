"""How much one sender may do."""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any


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
        level = self._level + (now - self._then) * self._rate
        if level > self._burst:
            level = self._burst
        self._then = now
        if level >= amount:
            self._level = level - amount
            return 0
        self._level = level
        return max(1, round((amount - level) / self._rate * 1000))


class Buckets:
    """A bucket for each address; those not used for longest are forgotten, which refills them.

    Args:
        burst, rate_per_s, clock: of each `Bucket`.
        most: how many addresses are remembered.
    """

    def __init__(
        self, burst: float, rate_per_s: float, clock: Callable[[], float], most: int = 10_000
    ) -> None:
        self._each = (burst, rate_per_s, clock)
        self._most = most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str) -> int:
        """As `Bucket.take`, from the bucket of ``address``."""
        bucket = self._buckets.pop(address, None) or Bucket(*self._each)
        self._buckets[address] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket.take()


class Places:
    """How many connections each address has.

    Args:
        most: allowed for one address.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Take a place, if there is one."""
        if self._taken[address] >= self._most:
            return False
        self._taken[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Give a place back."""
        self._taken[address] -= 1
        if self._taken[address] <= 0:
            del self._taken[address]


def sender(scope: Mapping[str, Any]) -> str:
    """Whose limits a request or a connection counts for, by its ASGI scope.

    Of an IPv6 address the network of 64 bits, which is the least that one customer has: they may use another
    address each time. An IPv4 address in the clothes of an IPv6 one is itself. Without an address: "".
    """
    client = scope.get("client")
    if not client:
        return ""
    text = str(client[0])
    if ":" not in text:
        return text
    try:
        address = ipaddress.IPv6Address(text.partition("%")[0])
    except ValueError:
        return text
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
