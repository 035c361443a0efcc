"""The writer of a room: decide, store, tell; exactly once, whatever the store answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from domain import table as tables
from domain.actions import canonical
from domain.errors import Rejected
from domain.events import By, Command, Commit, encode_commit
from domain.table import Decision, Table
from server import metrics
from server.jobs import Call
from server.store.base import Entry, OutcomeUnknown, StoreUnavailable, VersionTaken

if TYPE_CHECKING:
    from server.room import Room

log = structlog.get_logger(__name__)

Author = By | Callable[[Decision], By]


class Writer:
    """Remembers which commands were answered, and appends new ones.

    Args:
        room: the room; the writer works only in its jobs.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._ids: dict[int, int] = {}
        self._unsettled: tuple[int, bytes] | None = None

    @property
    def unsettled(self) -> bool:
        """Whether the outcome of an append is unknown."""
        return self._unsettled is not None

    def forget(self) -> None:
        """The room starts anew."""
        self._ids.clear()
        self._unsettled = None

    def remember(self, commit: Commit) -> None:
        """Keep in mind which command a commit answered."""
        if commit.command is not None:
            self._ids[_hash(commit.by, commit.command)] = commit.version

    async def first_answer(self, by: Author, command: Command) -> Commit | None:
        """The commit that answered this id before, or None.

        Raises:
            Rejected: ``id_reused``: it answered another action.
        """
        version = self._ids.get(_hash(by, command))
        if version is None:
            return None
        there = self._room.table.seats[by] if isinstance(by, int) and not command.http else None
        if there is not None and version < there.since:
            return None  # whoever sat here before used this id
        commit = await self._room.commit(version)
        known = commit.command
        if known is None or (known.id, known.http) != (command.id, command.http):
            return None
        if not command.http and commit.by != by:
            return None
        if _bytes(known.action) != _bytes(command.action):
            raise Rejected(
                "id_reused",
                f"the id {command.id!r} belongs to another action of yours (version {version}); use a new id",
                {"version": version},
            )
        return commit

    async def command(
        self,
        by: Author,
        decide: Callable[[Table], Decision],
        command: Command | None = None,
        stored: Callable[[Commit], None] | None = None,
    ) -> Commit:
        """Decide, store, tell; again with the newer state whenever another process was faster.

        Args:
            by: who commands, or what tells it from the decision.
            decide: gives the decision for a state, or raises `Rejected`.
            command: the id and the action, if it has an id.
            stored: called with the commit directly after the viewers were told, before anything else.

        Raises:
            Rejected, NoSuchTable, StoreUnavailable, OutcomeUnknown
        """
        if self._room.live is None:
            await self._room.load()
        await self._settle()
        fresh = False
        while True:
            try:
                if command is not None and (first := await self.first_answer(by, command)) is not None:
                    if stored is not None:
                        stored(first)
                    return first
                decision = decide(self._room.table)
            except Rejected:
                # What looks wrong may be right in a state that another process has made.
                if fresh or not await self._room.refresh():
                    raise
                fresh = True
                continue
            commit = await self._append(by(decision) if callable(by) else by, decision, command, stored)
            if commit is not None:
                return commit

    async def _append(
        self, by: By, decision: Decision, command: Command | None, stored: Callable[[Commit], None] | None
    ) -> Commit | None:
        version = self._room.table.version + 1
        data = encode_commit(by, decision.events, command)
        await self._room.owner.before_append(decision.table)
        began = time.perf_counter()
        self._room.hold()
        try:
            appended = await self._room.owner.store.append(self._room.id, version, data)
            commit = Commit(version, appended.at_ms, by, decision.events, command)
            table = tables.sealed(self._room.game, self._room.table, decision.table, commit)
            stored_at = time.perf_counter()
            metrics.APPEND.observe(stored_at - began)
            self._room.push(commit, table, mine=True)
            metrics.FANOUT.observe(time.perf_counter() - stored_at)
            if stored is not None:
                stored(commit)
            return commit
        except VersionTaken as taken:
            metrics.CONFLICTS.inc()
            if taken.head < self._room.table.version:
                self._history_lost(taken)
                raise StoreUnavailable("the table's history is shorter than it was") from taken
        except OutcomeUnknown:
            metrics.UNKNOWN.inc()
            self._unsettled = (version, data)
            self._settle_later()
            raise
        finally:
            self._room.release()
        await self._room.refresh()
        return None

    def _history_lost(self, taken: VersionTaken) -> None:
        log.error("history_lost", table=self._room.id, known=self._room.table.version, found=taken.head)
        self._room.reset("resync_required")

    async def _settle(self) -> None:
        """Find out about an append whose outcome is unknown, by the same append; nothing is built before."""
        if self._unsettled is None:
            return
        version, data = self._unsettled
        if self._room.table.version < version:
            try:
                appended = await self._room.owner.store.append(self._room.id, version, data)
            except VersionTaken:
                await self._room.refresh()
            else:
                self._room.receive(Entry(version, appended.at_ms, data))
        self._unsettled = None

    def _settle_later(self) -> None:
        async def settle(room: Room) -> None:
            try:
                await self._settle()
            except OutcomeUnknown:
                self._settle_later()

        asyncio.get_running_loop().call_later(1.0, lambda: self._room.post(Call(settle, None)))


# Not by ==, for which 1, 1.0 and True are the same.
_bytes = msgspec.msgpack.Encoder(order="sorted").encode


def _hash(by: Author, command: Command) -> int:
    return hash(("http" if command.http else by, command.id))


def seat_command(ident: str, action: dict[str, Any]) -> Command:
    """The command of an ``act`` message."""
    return Command(ident, canonical(action))
