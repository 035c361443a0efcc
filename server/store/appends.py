"""An append that waits for its answer, and when it has waited for too long."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from functools import lru_cache
from typing import Any

from mypy_extensions import mypyc_attr

from server.store import keys
from server.store.base import Appended, OnAppended, OutcomeUnknown, StoreUnavailable, VersionTaken
from server.store.link import APPEND, STORE
from server.store.pipe import pack, pack_parts
from server.store.watched import Watched

_log = logging.getLogger(__name__)

# The commands without their six arguments: three keys, then version, data and the time before.
_APPEND = b"*9\r\n" + pack_parts(("FCALL", APPEND, 3))
_STORE = b"*9\r\n" + pack_parts(("FCALL", STORE, 3))


class Elsewhere(Exception):
    """In a cluster: another server may take the append now. `doubtful`: it may have been stored already."""

    def __init__(self, why: str, doubtful: bool) -> None:
        super().__init__(why)
        self.doubtful = doubtful


@lru_cache(4096)
def _begun(table: str, quiet: bool) -> bytes:
    """The command up to its keys; `quiet`: without the news."""
    beside = keys.fence(table) if quiet else keys.news(table)
    return (_STORE if quiet else _APPEND) + pack_parts((keys.log(table), keys.gone(table), beside))


@mypyc_attr(acyclic=True)
class Append:
    """One append.

    Args:
        table, version, data, after_ms: as of `EventStore.append`.
        answered: gets the outcome, or the exception; None once it has, or where nobody waits any more.
        doubtful: it was sent before, and no answer came.
        watched: is told before ``answered`` that it was stored.
    """

    __slots__ = ("after_ms", "answered", "before", "data", "doubtful", "table", "until", "version", "watched")

    def __init__(
        self,
        table: str,
        version: int,
        data: bytes,
        after_ms: int | None,
        answered: OnAppended,
        until: float,
        doubtful: bool,
        watched: Watched | None = None,
    ) -> None:
        self.table = table
        self.version = version
        self.data = data
        self.after_ms = after_ms
        self.answered: OnAppended | None = answered
        self.until = until
        self.doubtful = self.before = doubtful
        self.watched = watched

    def command(self, *, quiet: bool) -> bytes:
        """What is sent; `quiet`: without the news."""
        data = self.data
        version = b"%d" % self.version
        after = b"" if self.after_ms is None else b"%d" % self.after_ms
        return b"%b$%d\r\n%b\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (
            _begun(self.table, quiet),
            len(version),
            version,
            len(data),
            data,
            len(after),
            after,
        )

    def news(self, at_ms: int) -> bytes:
        """What is sent when the entry has been stored quietly."""
        after_ms = self.after_ms or 0
        payload = b"%d %d %d\n%b" % (self.version, at_ms, after_ms, self.data)
        return pack(("SPUBLISH", keys.news(self.table), payload))

    def sent(self) -> None:
        """It is on its way: until there is an answer, it may be stored."""
        self.before = self.doubtful
        self.doubtful = True

    def refused(self) -> None:
        """An error is an answer: the last attempt stored nothing. An earlier one may have."""
        self.doubtful = self.before

    def end(self, answer: Appended | Exception) -> None:
        """Hand out the outcome, unless that is done."""
        answered, self.answered = self.answered, None
        if answered is not None:
            try:
                answered(answer)
            except Exception:  # noqa: BLE001 - the others still want their answers
                _log.exception("an append's outcome could not be told")

    def settle(self, reply: Any) -> None:
        """The server's function has answered. Never raises, whatever that is."""
        try:
            outcome, at_ms, head = reply
        except (TypeError, ValueError):
            self.end(OutcomeUnknown(f"{self.table}: version {self.version}: the answer makes no sense"))
            return
        if outcome:
            if self.watched is not None and self.after_ms is not None:
                self.watched.stored(self.table, (self.version, at_ms), self.after_ms)
            self.end(Appended(at_ms, outcome == 2))
        else:
            self.end(VersionTaken(self.table, self.version, head))

    def fail(self, why: str, *, elsewhere: bool = False) -> None:
        """It cannot be stored now, or nobody can say.

        Args:
            elsewhere: another server of the cluster may take it.
        """
        why = f"{self.table}: version {self.version}: {why}"
        if elsewhere:
            self.end(Elsewhere(why, self.doubtful))
        else:
            self.end(OutcomeUnknown(why) if self.doubtful else StoreUnavailable(why))

    def expire(self) -> None:
        """The time for settling has passed."""
        what = f"{self.table}: version {self.version}"
        if self.doubtful:
            self.end(OutcomeUnknown(f"{what}: no answer"))
        else:
            self.end(StoreUnavailable(f"{what} could not be sent in time"))


class Expiries:
    """Ends appends whose time has passed: one timer for all, as nearly all are answered long before."""

    def __init__(self) -> None:
        self._waiting: deque[Append] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, append: Append) -> None:
        """End ``append`` when its time comes, if it has no answer by then."""
        waiting = self._waiting
        if waiting and append.until < waiting[-1].until:
            # One that was tried elsewhere before has less time left than those before it.
            asyncio.get_running_loop().call_at(append.until, append.expire)
            return
        waiting.append(append)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(append.until, self._due)

    def prune(self) -> None:
        """Forget those at the front that have their answers."""
        waiting = self._waiting
        while waiting and waiting[0].answered is None:
            waiting.popleft()

    def close(self) -> None:
        """End nothing more."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        loop = asyncio.get_running_loop()
        waiting = self._waiting
        # Whoever is told may append again: the timer still counts as set, so that it stays the only one.
        while waiting and (waiting[0].answered is None or waiting[0].until <= loop.time()):
            waiting.popleft().expire()
        self._timer = loop.call_at(waiting[0].until, self._due) if waiting else None
