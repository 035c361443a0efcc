"""What a room needs of its process, and what it keeps of each commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from domain.events import Command, Commit
from domain.table import Table
from server.store.base import EventStore

if TYPE_CHECKING:
    from server.room import Room


class Told(msgspec.Struct, gc=False, frozen=True):
    """A commit with what its table's state said after it."""

    commit: Commit
    status: str
    waiting: tuple[int, ...]


class Unsettled(msgspec.Struct, gc=False, frozen=True):
    """An append; to settle what became of it, it is done again as it is."""

    version: int
    data: bytes
    after_ms: int
    command: Command | None


class Owner(Protocol):
    """What a room needs of its process, and what it keeps of each commit."""

    store: EventStore

    tells_turns: bool
    """Whether `advanced` has something to do at every commit, not only where the server plays a seat."""

    def settled(self, room: Room) -> None:
        """The room has no more jobs."""

    def expected(self, before: Table, table: Table) -> int | None:
        """When somebody must look at a table that a commit is about to lead from ``before`` to ``table``."""

    async def expect(self, table: str, at_ms: int) -> None:
        """See that somebody looks at a table then, or before. Raises `StoreUnavailable`."""

    def lost(self, room: Room) -> None:
        """The log of the room is another one than it was."""

    def advanced(self, room: Room, before: Table) -> None:
        """A commit of this process led from ``before`` to the room's table."""

    def rematch(self, room: Room) -> None:
        """The log of the room names the table of the rematch, which may not be there yet."""

    def changed(self, room: Room, mine: bool) -> None:
        """What the public may know of the table has changed; ``mine``: by a commit of this process."""
