"""What the operator can see of a process: counters and gauges for Prometheus, no secrets, no tables."""

from __future__ import annotations

import os
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
APPEND = Histogram("facedown_append_seconds", "From decision to acknowledgement", buckets=_FAST)
FANOUT = Histogram("facedown_fanout_seconds", "From acknowledgement to queued frames", buckets=_FAST)
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
        ROOMS.set(self._service.rooms)
        QUEUED.set(self._endpoint.queued_bytes)
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest()
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
