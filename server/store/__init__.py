"""The event store: the log of every table, and news of it.

`open_store(url)` gives one for this process; `EventStore` says what it promises.
"""

from __future__ import annotations

from typing import Any

from server.store.base import (
    Appended,
    Entry,
    EventStore,
    HistoryBroken,
    OutcomeUnknown,
    StoreUnavailable,
    VersionTaken,
    WeakStore,
)
from server.store.link import Settings
from server.store.memory import MemoryBackend, MemoryStore
from server.store.redis_streams import RedisStore

__all__ = [
    "Appended",
    "Entry",
    "EventStore",
    "HistoryBroken",
    "MemoryBackend",
    "MemoryStore",
    "OutcomeUnknown",
    "RedisStore",
    "Settings",
    "StoreUnavailable",
    "VersionTaken",
    "WeakStore",
    "open_store",
]

_REDIS = ("redis", "rediss", "unix", "valkey", "valkeys")


def open_store(url: str, **settings: Any) -> EventStore:
    """The store that a URL names; call `listen`, then `start`.

    Args:
        url: `redis://`, `rediss://` (TLS), `unix:///path/of/socket`, `valkey://` and `valkeys://` (the same
            as the first two), or `memory://`, which is empty, private and forgotten at the end.
        settings: fields of `Settings`; those of a real server mean nothing to `memory://`.

    Raises:
        ValueError: another kind of URL.
    """
    scheme, found, _ = url.partition("://")
    if found and scheme == "memory":
        return MemoryStore()
    if found and scheme in _REDIS:
        return RedisStore(url, Settings(**settings))
    raise ValueError(f"a store's URL begins with memory:// or one of {', '.join(_REDIS)}, not {scheme!r}")
