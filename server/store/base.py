"""What an event store promises: the log of every table, news of its commits, and three small indexes.

The store takes and gives bytes. It knows tables by name and commits by version; what a commit means is
no business of it. All times are milliseconds since 1970 by the store's own clock, whatever the clocks
of the server processes say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import msgspec


class Entry(NamedTuple):
    """One stored commit: its version (1, 2, 3, ...), when it was stored, and its bytes."""

    version: int
    at_ms: int
    data: bytes


entry_of: Callable[[tuple[int, int, bytes]], Entry] = partial(tuple.__new__, Entry)
"""An entry of its three parts. ``Entry(...)`` is a call of Python's, which takes several times as long."""


class Appended(msgspec.Struct, gc=False, frozen=True):
    """The outcome of an append: when the entry was stored.

    `repeated` says that the very same entry stood there already. That is so when the caller repeats an
    append, and may be so for a first one, when the store lost an answer and had to repeat it by itself.
    """

    at_ms: int
    repeated: bool


class VersionTaken(Exception):
    """Another entry stands there, or the version is not the next one, or another one stands before it.

    Nothing was stored.
    """

    def __init__(self, table: str, version: int, head: int) -> None:
        super().__init__(f"{table}: version {version} cannot be stored, the head is {head}")
        self.table = table
        self.version = version
        self.head = head


class OutcomeUnknown(Exception):
    """The time allowed has passed: the entry may be stored, or not, or be stored later.

    Only the same append again (same table, version and bytes) settles it. A read that shows nothing does
    not: the entry may still be on its way.
    """


class StoreUnavailable(Exception):
    """The store cannot be used now. The append certainly stored nothing, or the read was not made."""


class HistoryBroken(Exception):
    """The log of a table has a hole: it must not be played on. An operator has to look."""

    def __init__(self, table: str, expected: int, found: int) -> None:
        super().__init__(f"{table}: version {expected} should come next, found {found}")
        self.table = table
        self.expected = expected
        self.found = found


class WeakStore(Exception):
    """The store would not keep what it acknowledged. `findings` says what is wrong and how to mend it."""

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__("the store does not keep what it acknowledges:\n- " + "\n- ".join(findings))
        self.findings = tuple(findings)


OnAppended = Callable[["Appended | Exception"], None]
OnCommit = Callable[[str, Entry, int], None]
OnGap = Callable[[str, int], None]
OnSignal = Callable[[str, bytes], None]


def ignore(*_: object) -> None:
    """The callback until somebody listens."""


class EventStore(Protocol):
    """The log of all tables, shared by every server process. One instance per process and event loop."""

    async def start(self) -> None:
        """Connect and check the store.

        Raises:
            WeakStore: its settings would lose acknowledged entries.
            StoreUnavailable: it cannot be reached.
        """
        ...

    async def close(self) -> None:
        """Let go of everything. Appends still waiting end with OutcomeUnknown or StoreUnavailable."""
        ...

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """Store `data` as the next entry of the table's log; returns once it is durable.

        Args:
            table: name of the table.
            version: must be the head plus one; the first is 1.
            data: the entry. Appending the same bytes at the same version again is harmless.
            after_ms: when the entry before was stored, so that nothing is built on another history that
                has the same length; None: whenever.

        Raises:
            VersionTaken: another entry is there, `version` is not the next one, or `after_ms` is not right.
            OutcomeUnknown: nobody can say yet; the same append again settles it.
            StoreUnavailable: certainly not stored.
        """
        ...

    def append_soon(
        self, table: str, version: int, data: bytes, after_ms: int | None, answered: OnAppended
    ) -> None:
        """As `append`, for callers that do not wait: ``answered`` gets what it gives or raises, once.

        `VersionTaken` with a head just below ``version`` may mean that the table is archived: `append` brings
        it back.
        """
        ...

    async def read(self, table: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """The entries above version `after`, oldest first, at most `limit` of them (None: all).

        Raises:
            HistoryBroken: a version is missing.
            StoreUnavailable: the read could not be made.
        """
        ...

    async def heads(self, tables: Sequence[str]) -> list[int]:
        """The version of each table's last entry, 0 where there is none. Raises StoreUnavailable."""
        ...

    async def now_ms(self) -> int:
        """The store's clock. Raises StoreUnavailable."""
        ...

    async def watch(self, table: str) -> int:
        """From now on tell `on_commit` of every commit of the table, this process' own ones included.

        Returns the head at a moment when the subscription stood: read up to there, the rest is told.
        Watching twice is the same as once. Raises StoreUnavailable (and then does not watch).
        """
        ...

    def caught_up(self, table: str, entry: Entry) -> None:
        """Whoever watches the table has taken in everything up to this entry, the last that was read."""
        ...

    async def unwatch(self, table: str) -> None:
        """Stop telling of this table's commits."""
        ...

    def listen(self, on_commit: OnCommit, on_gap: OnGap, on_signal: OnSignal) -> None:
        """Name the callbacks, before `start`. They are called in order and must not block.

        Args:
            on_commit: (table, entry, after_ms) a commit of a watched table, and when the one before it was
                stored (0: it is the first). A hint: some may be missing or doubled, and what this very store
                appended is often left out.
            on_gap: (table, head) the log of a watched table is not what `on_commit` told: something up to
                its head was never told, or what was told last is not in it any more. It is told every few
                seconds until `caught_up`, so read.
            on_signal: (topic, payload) something sent by `signal` in any process, this one included.
        """
        ...

    async def signal(self, topic: str, payload: bytes) -> None:
        """Tell all processes something that may get lost. Never raises for an absent store."""
        ...

    async def secret(self) -> bytes:
        """32 random bytes, made once per store and the same in every process. Raises StoreUnavailable."""
        ...

    async def index(self, table: str, created_ms: int, game: str, status: str) -> None:
        """Put a table into the lobby index, or move it. The log stays the truth. Raises StoreUnavailable."""
        ...

    async def unindex(self, table: str) -> None:
        """Take a table out of the lobby index. Raises StoreUnavailable."""
        ...

    async def listing(
        self, game: str | None, status: str | None, cursor: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        """A page of the lobby index, newest first, and the cursor of the next page (None: no more).

        Args:
            game: only tables of this game; None: of any.
            status: only tables with this status; None: with any.
            cursor: where the previous page ended, as it was returned; None: from the newest.
            limit: tables in the page, at least 1.

        Raises:
            ValueError: the cursor is none of ours.
            StoreUnavailable: the read could not be made.
        """
        ...

    async def wake(self, table: str, at_ms: int) -> None:
        """See to it that `due` names the table at `at_ms` or before. Raises StoreUnavailable."""
        ...

    async def due(self, now_ms: int, lease_ms: int, limit: int) -> tuple[list[str], int | None]:
        """Take tables whose time has come: nobody else gets them before `now_ms + lease_ms`.

        Returns them, the longest due first, and when the next one is due (None: none is).
        Raises StoreUnavailable.
        """
        ...

    async def look_again(self, table: str, claimed_ms: int, at_ms: int | None) -> None:
        """Put off a table that `due` gave; None: take it out.

        Nothing changes where `wake` has named the table since, whatever the time: then it is due again when
        the lease is over.

        Args:
            claimed_ms: `now_ms + lease_ms` of the call of `due`.
            at_ms: when to name it next.

        Raises:
            StoreUnavailable
        """
        ...

    async def say(self, table: str, data: bytes, keep: int, expire_ms: int) -> None:
        """Keep one more piece of the table's talk, the last `keep` of them, until it falls silent for long.

        Raises StoreUnavailable.
        """
        ...

    async def said(self, table: str) -> list[bytes]:
        """The table's talk that is kept, oldest first. Raises StoreUnavailable."""
        ...

    async def set_present(self, table: str, seat: int, here: bool) -> None:
        """Mark a seat as connected to this process, or not any more.

        The mark is refreshed while it stands and vanishes within seconds of the process' death. Never
        raises for an absent store: the next refresh mends it.
        """
        ...

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        """The seats connected to any process, per table. Raises StoreUnavailable."""
        ...


class Archive(EventStore, Protocol):
    """A store whose tables can be moved into another one, as an operator does."""

    async def tables(self) -> list[str]:
        """The names of all tables, in order. Raises StoreUnavailable."""
        ...

    async def adopt(self, secret: bytes) -> bool:
        """Take over the `secret` of another store where this one has none yet; gives whether both are equal.

        Raises StoreUnavailable.
        """
        ...

    async def restore(self, table: str, entries: Sequence[Entry]) -> bool:
        """Store a whole log with its times, all of it or nothing; False where the table exists already.

        Args:
            entries: the versions from 1 on.

        Raises:
            StoreUnavailable: it may be stored or not; the same call again tells (False).
        """
        ...

    async def rewrite(self, table: str, entries: Sequence[Entry], data: bytes) -> Appended | None:
        """Put another log in the place of one that ends at the same version and time, and one entry after it.

        Nothing is told of it; the new head shows it to whoever looks.

        Args:
            entries: the versions from 1 on, with the times of those that are there.
            data: the entry that follows and says what was changed.

        Returns:
            When that entry was stored; None where the log ends elsewhere.

        Raises:
            StoreUnavailable: it may be done or not; the same call again tells.
        """
        ...

    async def unsay(self, table: str, data: Sequence[bytes]) -> None:
        """Take these pieces out of the table's talk. Raises StoreUnavailable."""
        ...

    async def compact(self) -> None:
        """Write the store's files anew, so that nothing is left in them of what was taken out.

        Raises StoreUnavailable: it cannot be done, or not to the end.
        """
        ...

    async def bury(self, table: str, head: int, at_ms: int, remember_ms: int) -> bool:
        """Take a log away and leave a note of its end: its versions are never used again.

        From then on `read` finds nothing, `heads` the head of the note, and an append is refused with
        `VersionTaken` until the log is restored.

        Args:
            head: where the log must end.
            at_ms: when that version was stored.
            remember_ms: how long the note stays; 0: for ever.

        Returns:
            Whether it is away now; False where it ends elsewhere.

        Raises:
            StoreUnavailable: it may be away or not; the same call again tells.
        """
        ...


class SoonByTask:
    """`EventStore.append_soon` for a store that has no quicker way than a task for each append."""

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """See `EventStore.append`."""
        raise NotImplementedError

    def append_soon(
        self, table: str, version: int, data: bytes, after_ms: int | None, answered: OnAppended
    ) -> None:
        """See `EventStore.append_soon`."""

        async def append() -> None:
            try:
                answer: Appended | Exception = await self.append(table, version, data, after_ms)
            except Exception as error:  # noqa: BLE001 - whoever waits is told
                answer = error
            answered(answer)

        task = asyncio.get_running_loop().create_task(append())
        _under_way.add(task)
        task.add_done_callback(_under_way.discard)


_under_way: set[asyncio.Task[None]] = set()


def check_contiguous(table: str, after: int, entries: Sequence[Entry]) -> None:
    """Raise HistoryBroken unless the entries are the versions after + 1, after + 2, ..."""
    for expected, entry in enumerate(entries, start=after + 1):
        if entry.version != expected:
            raise HistoryBroken(table, expected, entry.version)
