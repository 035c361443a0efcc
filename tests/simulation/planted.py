"""Faults planted into the server, so that the simulation can show that it would notice them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from domain.events import By, Command, Commit
from domain.table import Decision
from server import acting, storing, writer
from server.owner import Unsettled
from server.room import Room
from server.store.base import Entry, OutcomeUnknown, StoreUnavailable
from server.writer import Writer
from tests.simulation.store import SimStore

_store = Writer._store


async def _again_at_the_end(self: Writer, append: Unsettled) -> Entry:
    """A client of the store that repeats a write by itself, without a version of its own."""
    try:
        return await _store(self, append)
    except OutcomeUnknown:
        store, table = self._room.owner.store, self._room.id
        version = (await store.heads([table]))[0] + 1
        appended = await store.append(table, version, append.data)
        return Entry(version, appended.at_ms, append.data)


async def _settled_by_reading(self: Writer, append: Unsettled) -> Entry:
    """Takes what a read shows for the truth about a write that may be on its way."""
    try:
        return await _store(self, append)
    except OutcomeUnknown:
        found = await self._room.owner.store.read(self._room.id, after=append.version - 1, limit=1)
        if found and found[0].data == append.data:
            return found[0]
        raise StoreUnavailable("it is not there") from None


async def _told_first(self: Writer, append: Unsettled) -> Entry:
    """Tells the viewers, then stores."""
    entry = Entry(append.version, self._room.last.at_ms if self._room.last else 0, append.data)
    self._room.receive(entry, mine=True)
    await _store(self, append)
    return entry


def _told_already(
    self: Writer, entry: Entry, by: By, decision: Decision, command: Command | None, began: float
) -> Commit:
    """The viewers were told before."""
    return Commit(entry.version, entry.at_ms, by, decision.events, command)


def _by_its_job(*_: Any) -> bool:
    """Every append is made where the fault is."""
    return False


async def _never_seen(self: Writer, *_: Any) -> None:
    """No command was ever answered before."""


async def _nothing_compared(self: SimStore) -> None:
    """Lost news stays lost."""


def _not_held(room: Room) -> None:
    """What is heard during an append is told at once."""


async def _believed(self: Room) -> bool:
    """Reads what is new, whatever the log holds below."""
    before = self.table.version
    for entry in await self.owner.store.read(self.id, after=before):
        self.receive(entry)
    return self.table.version > before


_ONE_WAY: tuple[Any, str, Any] = (acting, "begin", _by_its_job)
_PATCHES: dict[str, list[tuple[Any, str, Any]]] = {
    "retrying-writer": [_ONE_WAY, (Writer, "_store", _again_at_the_end)],
    "no-id-check": [(Writer, "first_answer", _never_seen)],
    "told-before-stored": [
        _ONE_WAY,
        (Writer, "_store", _told_first),
        (writer, "is_stored", _told_already),
    ],
    "settled-by-reading": [_ONE_WAY, (Writer, "_store", _settled_by_reading)],
    "no-head-comparison": [(SimStore, "compare", _nothing_compared)],
    "not-held": [(writer, "hold", _not_held), (storing, "hold", _not_held)],
    "history-believed": [(Room, "refresh", _believed)],
}
FAULTS = tuple(_PATCHES)
LOSSES = ("history-believed",)
"""Those of them that show only where the store comes back with an older state."""


@contextlib.contextmanager
def planted(name: str | None) -> Iterator[None]:
    """The server with a fault, or without."""
    with contextlib.ExitStack() as stack:
        for owner, method, fault in _PATCHES[name] if name else ():
            stack.enter_context(mock.patch.object(owner, method, fault))
        yield
