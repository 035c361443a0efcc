"""Commits of a room's table that were made before: from memory, or else from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from domain import table as tables
from domain.events import Commit
from domain.table import Table
from projections import frame
from server.owner import Told

if TYPE_CHECKING:
    from server.room import Room


async def commit_of(room: Room, version: int) -> Commit:
    """The commit of one version. Raises as `Room.refresh`."""
    for told in room.recent:
        if told.commit.version == version:
            return told.commit
    entries = await room.owner.store.read(room.id, after=version - 1, limit=1)
    if not entries:
        raise room.lost(f"version {version} is gone")
    return room.decode(entries[0])


async def told_since(room: Room, version: int) -> list[Told]:
    """All commits from ``version`` on, with what was said after each. Raises as `Room.refresh`."""
    if room.recent and room.recent[0].commit.version <= version:
        return [told for told in room.recent if told.commit.version >= version]
    found: list[Told] = []
    table: Table | None = None
    for entry in await room.owner.store.read(room.id):
        commit = room.decode(entry)
        table = tables.apply(room.game, table, commit)
        if entry.version >= version:
            found.append(Told(commit, table.status, frame.waiting(table)))
    return found
