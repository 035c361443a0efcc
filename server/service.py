"""One process's share of the server: its rooms, its store, and what they tell each other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog

from domain import table as tables
from domain.table import Table
from projections.viewer import SPECTATOR
from server.archive import Archived
from server.bots import Bots
from server.flushes import Flushes
from server.jobs import NoSuchTable
from server.lobby import Lobby
from server.notices import Notices
from server.presence import PresenceBook
from server.quick import QuickJoin
from server.reading import Reader
from server.room import Room
from server.settings import Settings
from server.store.base import Entry, EventStore
from server.tables import Tables
from server.talk import Talk
from server.timers import Timers, earliest
from server.tokens import Derived, is_table

log = structlog.get_logger(__name__)

T = TypeVar("T")


class Service:
    """All tables as this process serves them.

    Args:
        store: the event store, not yet started.
        settings: the process's settings.
        archive: the same store, if it archives tables.
        clock_ms: the process's own clock in milliseconds since 1970; the store's time is derived from it.
    """

    def __init__(
        self,
        store: EventStore,
        settings: Settings,
        clock_ms: Callable[[], int],
        archive: Archived | None = None,
    ) -> None:
        self.store = store
        self.archive = archive
        self.settings = settings
        self._clock_ms = clock_ms
        self._offset_ms = 0
        self._secret: bytes | None = None
        self._rooms: dict[str, Room] = {}
        self._idle: OrderedDict[str, Room] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.stopping = False
        """Whether new commands are refused, because the process ends."""
        self.tables = Tables(self)
        self.reader = Reader(self)
        self.lobby = Lobby(self)
        self.presence = PresenceBook(self)
        self.talk = Talk(self)
        self.quick = QuickJoin(self)
        self.bots = Bots(self)
        self.timers = Timers(self)
        self.notices = Notices(self)
        self.tells_turns = settings.turn_webhook is not None
        self.flushes = Flushes()

    async def start(self) -> None:
        """Connect to the store. Raises `server.store.base.WeakStore` or `StoreUnavailable`."""
        self.store.listen(self._on_commit, self._on_gap, self._on_signal)
        await self.store.start()
        await self.synchronise()
        self.timers.start()
        self.presence.start()
        self.notices.start()

    async def close(self) -> None:
        """Let running jobs end, then let go of the store."""
        await self.timers.stop()
        await self.presence.stop()
        await self.notices.stop()
        await self.bots.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.close()

    async def drained(self) -> None:
        """Wait until no job runs or waits in any room."""
        while any(room.running for room in self._rooms.values()):  # noqa: ASYNC110 - at the end only
            await asyncio.sleep(0.01)

    async def synchronise(self) -> None:
        """Learn the store's time anew: both clocks may drift or be set. Raises `StoreUnavailable`."""
        self._offset_ms = await self.store.now_ms() - self._clock_ms()

    def now_ms(self) -> int:
        """The store's time, as far as this process knows it."""
        return self._clock_ms() + self._offset_ms

    # --- rooms --------------------------------------------------------------------------------------

    def room(self, ident: str) -> Room:
        """The room of a table, which need not exist. Raises `NoSuchTable` for what can be no id."""
        room = self._rooms.get(ident)
        if room is None:
            if not is_table(ident):
                raise NoSuchTable(ident)
            room = self._rooms[ident] = Room(self, ident)
        else:
            self._idle.pop(ident, None)
        return room

    @property
    def rooms(self) -> int:
        """How many tables are in memory."""
        return len(self._rooms)

    def known(self, ident: str) -> Room | None:
        """The room of a table if this process has one."""
        return self._rooms.get(ident)

    def watched(self) -> list[str]:
        """The tables that somebody watches through this process."""
        return [ident for ident, room in self._rooms.items() if room.watched]

    def settled(self, room: Room) -> None:
        """Forget a room that does not exist, and those not used for longest when too many are idle."""
        if room.busy or self._rooms.get(room.id) is not room:
            return  # in use, or one that was dropped before and has only finished what it had begun
        self._idle[room.id] = room
        self._idle.move_to_end(room.id)
        if room.live is None:
            del self._idle[room.id], self._rooms[room.id]
        while len(self._idle) > self.settings.idle_tables:
            ident, dropped = self._idle.popitem(last=False)
            del self._rooms[ident]
            dropped.reset("closed")  # its parts know each other: the collector would come late for so much

    async def call(self, ident: str, run: Callable[[Room], Awaitable[T]]) -> T:
        """Do ``run`` in the table's room, in its turn. Raises what it raises, and `NoSuchTable`."""
        return await self.room(ident).call(run)  # type: ignore[no-any-return]

    def expected(self, before: Table, table: Table) -> int | None:
        """See `server.owner.Owner.expected`."""
        if not table.over:
            return earliest(before, table, self.now_ms())
        return None if self.archive is None else self.now_ms() + self.settings.archive_after_ms

    async def expect(self, table: str, at_ms: int) -> None:
        """See `server.owner.Owner.expect`."""
        await self.timers.expect(table, at_ms)

    def lost(self, room: Room) -> None:
        """A log has changed behind our back: what is due in it now may stand in no index."""
        self.spawn(self.timers.soon(room.id))

    def advanced(self, room: Room, before: Table) -> None:
        """A room has a new commit of this process: move the bots, and tell whose turn it is."""
        if tables.stand_ins(room.table):
            self.bots.look(room)
        if self.notices.calls:
            self.notices.advanced(room, before)

    def rematch(self, room: Room) -> None:
        """A rematch was agreed on: tell its viewers when the table is there."""
        if room.attachments():
            self.spawn(self.tables.follow(room))

    def changed(self, room: Room, mine: bool) -> None:
        """The public facts of a table changed: whoever wrote it puts it into the lobby."""
        if mine and room.feed(SPECTATOR).table.listed:
            self.spawn(self.lobby.publish(room.feed(SPECTATOR).table))

    def spawn(self, work: Any) -> None:
        """Run something in the background; it must not raise."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_commit(self, ident: str, entry: Entry, after_ms: int) -> None:
        if (room := self._rooms.get(ident)) is not None:
            room.hear(entry, after_ms)

    def _on_gap(self, ident: str, head: int) -> None:
        if (room := self._rooms.get(ident)) is not None:
            room.behind()

    def _on_signal(self, topic: str, payload: bytes) -> None:
        if topic == "lobby":
            self.lobby.hear(payload.decode())
        elif topic == "talk":
            self.talk.hear(payload)
        elif topic == "presence":
            self.presence.hear(payload)
        elif topic == "look" and (room := self._rooms.get(payload.decode())) is not None:
            room.behind()

    async def derived(self, key: str | None, scope: str) -> Derived | None:
        """What belongs to an idempotency key in a scope; None without a key."""
        if key is None:
            return None
        if self._secret is None:
            self._secret = await self.store.secret()
        return Derived(self._secret, key, scope)
