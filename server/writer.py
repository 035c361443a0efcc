"""The writer of a room: decide, store, tell; exactly once, whatever the store answers."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from domain.errors import Rejected
from domain.events import By, Command, Commit
from domain.table import Decision, Table
from server.jobs import Call, HistoryLost, Job
from server.owner import Unsettled
from server.past import commit_of
from server.showing import Author, command_hash, hold, release
from server.store.base import Entry, OutcomeUnknown, StoreUnavailable, VersionTaken
from server.storing import Storing, is_stored, not_stored, prepared

if TYPE_CHECKING:
    from server.room import Room

_LONGEST_PAUSE_S = 4.0


class Writer(Storing):
    """Does what has to wait: looks for first answers, tries again, settles."""

    async def first_answer(self, by: Author, command: Command) -> Commit | None:
        """The commit that answered this id before, or None.

        Raises:
            Rejected: ``id_reused``: it answered another action.
        """
        version = self.ids.get(command_hash(by, command))
        if version is None:
            return None
        there = self._room.table.seats[by] if isinstance(by, int) and not command.http else None
        if there is not None and version < there.since:
            return None  # whoever sat here before used this id
        commit = await commit_of(self._room, version)
        known = commit.command
        if known is None or (known.id, known.http) != (command.id, command.http):
            return None
        if not command.http and commit.by != by:
            return None
        if not _same(known.action, command.action):
            what = "this key or token belongs to another request"  # its id was made from it: nobody knows it
            if not command.http:
                what = f"the id {command.id!r} belongs to another action"
            raise Rejected(
                "id_reused", f"{what} of yours (version {version}); use a new one", {"version": version}
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
        try:
            await self._settle()
        except HistoryLost:
            raise
        except StoreUnavailable as error:
            assert self._unsettled is not None
            if command is not None and command == self._unsettled.command:
                raise OutcomeUnknown(str(error)) from error  # this very command may be stored
            raise
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
        room = self._room
        append = prepared(self, by, decision, command)
        # From here on what is heard waits: it may be this very commit, made by another process.
        hold(room)
        try:
            if (at_ms := room.owner.expected(room.table, decision.table)) is not None:
                await room.owner.expect(room.id, at_ms)
            began = time.perf_counter()
            try:
                entry = await self._store(append)
            except (VersionTaken, OutcomeUnknown) as error:
                not_stored(self, append, error)
            else:
                commit = is_stored(self, entry, by, decision, command, began)
                if stored is not None:
                    stored(commit)
                return commit
        finally:
            release(room)
        await room.refresh()
        return None

    async def _store(self, append: Unsettled) -> Entry:
        """Do an append. Raises as `server.store.base.EventStore.append`."""
        room, version, data = self._room, append.version, append.data
        appended = await room.owner.store.append(room.id, version, data, append.after_ms)
        return Entry(version, appended.at_ms, data)

    async def _settle(self) -> None:
        """Find out about an append whose outcome is unknown, by the same append; nothing is built before."""
        append, room = self._unsettled, self._room
        if append is None:
            return
        hold(room)
        try:
            if room.table.version < append.version:
                room.receive(await self._store(append), mine=True)
        except VersionTaken:
            pass  # what stands there is read below
        finally:
            release(room)
        if room.table.version < append.version:
            await room.refresh()
        self._unsettled = None

    def _settle_later(self, pause_s: float) -> None:
        """Settle also when nobody repeats the command, so that the viewers learn what became of it."""

        async def settle(room: Room) -> None:
            try:
                await self._settle()
            except (OutcomeUnknown, StoreUnavailable):
                if self.unsettled:
                    self._settle_later(min(2 * pause_s, _LONGEST_PAUSE_S))

        def post() -> None:
            if self.unsettled:
                self._room.post(Call(settle, None))

        # Not all tables at once, when a store comes back.
        jitter = random.uniform(0.5, 1.0)  # noqa: S311
        asyncio.get_running_loop().call_later(pause_s * jitter, post)

    def _again(self, job: Job) -> Job:
        return _Again(job)


class _Again:
    """A job whose append found its version taken: once more, with what another process has made."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.fail = job.fail

    async def run(self, room: Room) -> None:
        """Read what is new, then do it."""
        await room.catch_up()
        await self._job.run(room)


# Not by ==, for which 1, 1.0 and True are the same.
_bytes = msgspec.msgpack.Encoder(order="sorted").encode


def _same(known: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether two actions are the same, as far as the first is still known (see `server.forget`)."""
    if known.get("type") == "sit" and known.get("name", "") is None:
        asked = {**asked, "name": None}
    return _bytes(known) == _bytes(asked)
