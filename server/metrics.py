"""What the operator can see of a process: counters and gauges for Prometheus, no secrets, no tables."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

if TYPE_CHECKING:
    from server.service import Service
    from server.ws import Endpoint

_FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

COMMANDS = Counter("facedown_commands", "Commands of seats, by outcome", ["game", "outcome"])


class Durations:
    """A histogram for what happens at every move: `observe` only counts, `pour` hands the counts on.

    Args:
        name: of the metric.
        about: its help.
    """

    def __init__(self, name: str, about: str) -> None:
        self._histogram = Histogram(name, about, buckets=_FAST)
        self._bounds = [float(bound) for bound in _FAST]
        self._counts = [0] * (len(_FAST) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        """Count one that took so long."""
        bucket = 0
        for bound in self._bounds:
            if seconds <= bound:
                break
            bucket += 1
        self._counts[bucket] += 1
        self._sum += seconds

    def pour(self) -> None:
        """Show what was counted since."""
        counts, self._counts = self._counts, [0] * len(self._counts)
        total, self._sum = self._sum, 0.0
        for bucket, number in zip(self._histogram._buckets, counts, strict=True):
            if number:
                bucket.inc(number)
        self._histogram._sum.inc(total)


class Accepted:
    """The accepted commands of each game, counted likewise."""

    def __init__(self) -> None:
        self._games: defaultdict[str, int] = defaultdict(int)

    def count(self, game: str) -> None:
        """Count one."""
        self._games[game] += 1

    def pour(self) -> None:
        """Show what was counted since."""
        for game, number in self._games.items():
            COMMANDS.labels(game, "accepted").inc(number)
        self._games.clear()


APPEND = Durations("facedown_append_seconds", "From decision to acknowledgement")
FANOUT = Durations("facedown_fanout_seconds", "From acknowledgement to queued frames")
ACCEPTED = Accepted()
CONFLICTS = Counter("facedown_conflicts", "Appends that found their version taken by another process")
UNKNOWN = Counter("facedown_unknown_outcomes", "Appends whose outcome could not be told in time")
ATTACHES = Counter("facedown_attaches", "Attaches, by whether the viewer could resume", ["recovered"])
RESYNCS = Counter("facedown_resyncs", "Viewers cut off because a table's history was not what it had been")
SLOW = Counter("facedown_slow_readers", "Connections cut off because they did not read")
LIMITED = Counter("facedown_limited", "Messages and requests refused for their number, by kind", ["kind"])
TIMERS = Counter("facedown_timers", "Tables looked at because a deadline had come")
BOTS = Counter("facedown_bot_moves", "Moves made by bots")
ERRORS = Counter("facedown_errors", "Faults of the server itself; each has a line in the log")
CONNECTIONS = Gauge("facedown_connections", "Open WebSocket connections", multiprocess_mode="livesum")
ROOMS = Gauge("facedown_rooms", "Tables kept in memory", multiprocess_mode="livesum")
QUEUED = Gauge("facedown_queued_bytes", "Bytes that wait to be sent to viewers", multiprocess_mode="livesum")


def pour() -> None:
    """Show what was only counted until now; about once a second, for the other workers' pages."""
    for counted in (APPEND, FANOUT, ACCEPTED):
        counted.pour()


class Metrics:
    """The page at ``/metrics``.

    Args:
        service: the process.
        endpoint: its connections.
    """

    def __init__(self, service: Service, endpoint: Endpoint) -> None:
        self._service = service
        self._endpoint = endpoint

    def page(self) -> bytes:
        """The page; with several workers, of all of them."""
        pour()
        ROOMS.set(self._service.rooms)
        QUEUED.set(self._endpoint.queued_bytes)
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest()
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
