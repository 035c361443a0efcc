"""What the server can do, whoever asks: one method for each thing, over the rooms of this process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec
import structlog
from msgspec import UNSET

from domain import table as tables
from domain.actions import canonical
from domain.dealing import commitment
from domain.errors import Rejected
from domain.events import By, Command, Commit, encode_commit
from domain.registry import games
from domain.table import Decision, SeatTaken, Table, TableOpened
from projections import frame, history
from projections.facts import Facts, facts
from projections.viewer import REFEREE, SPECTATOR, Viewer, on_wire
from server import access
from server.jobs import NoSuchTable
from server.lobby import Lobby
from server.presence import PresenceBook
from server.requests import At, Created, CreateTable, Page, Seated, Sit
from server.room import Room
from server.settings import Settings
from server.store.base import Entry, EventStore, VersionTaken
from server.tokens import Derived, digest, is_table, is_token, new_epoch, new_key, new_table, new_token

log = structlog.get_logger(__name__)

PAGE = 50


class Service:
    """All tables as this process serves them.

    Args:
        store: the event store, not yet started.
        settings: the process's settings.
        clock_ms: the process's own clock in milliseconds since 1970; the store's time is derived from it.
    """

    def __init__(self, store: EventStore, settings: Settings, clock_ms: Callable[[], int]) -> None:
        self.store = store
        self.settings = settings
        self._clock_ms = clock_ms
        self._offset_ms = 0
        self._secret: bytes | None = None
        self._rooms: dict[str, Room] = {}
        self._idle: OrderedDict[str, Room] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.lobby = Lobby(self)
        self.presence = PresenceBook(self)

    async def start(self) -> None:
        """Connect to the store. Raises `server.store.base.WeakStore` or `StoreUnavailable`."""
        self.store.listen(self._on_commit, self._on_gap, self._on_signal)
        await self.store.start()
        self._offset_ms = await self.store.now_ms() - self._clock_ms()

    async def close(self) -> None:
        """Let running jobs end, then let go of the store."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.close()

    async def drained(self) -> None:
        """Wait until no job runs or waits in any room."""
        while any(room.running for room in self._rooms.values()):  # noqa: ASYNC110 - at the end only
            await asyncio.sleep(0.01)

    def now_ms(self) -> int:
        """The store's time, as far as this process knows it."""
        return self._clock_ms() + self._offset_ms

    # --- rooms --------------------------------------------------------------------------------------

    def room(self, ident: str) -> Room:
        """The room of a table, which need not exist. Raises `NoSuchTable` for what can be no id."""
        if not is_table(ident):
            raise NoSuchTable(ident)
        self._idle.pop(ident, None)
        room = self._rooms.get(ident)
        if room is None:
            room = self._rooms[ident] = Room(self, ident)
        return room

    def settled(self, room: Room) -> None:
        """Forget a room that does not exist, and those not used for longest when too many are idle."""
        if room.busy:
            return
        self._idle[room.id] = room
        self._idle.move_to_end(room.id)
        if room.live is None:
            del self._idle[room.id], self._rooms[room.id]
        while len(self._idle) > self.settings.idle_tables:
            ident, _ = self._idle.popitem(last=False)
            del self._rooms[ident]

    def changed(self, room: Room, mine: bool) -> None:
        """The public facts of a table changed: whoever wrote it puts it into the lobby."""
        if mine and room.feed(SPECTATOR).table.listed:
            self.spawn(self.lobby.publish(room.feed(SPECTATOR).table))

    def spawn(self, work: Any) -> None:
        """Run something in the background; it must not raise."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_commit(self, ident: str, entry: Entry) -> None:
        if (room := self._rooms.get(ident)) is not None:
            room.hear(entry)

    def _on_gap(self, ident: str, head: int) -> None:
        if (room := self._rooms.get(ident)) is not None:
            room.behind()

    def _on_signal(self, topic: str, payload: bytes) -> None:
        if topic == "lobby":
            self.lobby.hear(payload.decode())
        elif topic == "presence" and (told := self.presence.read(payload)) is not None:
            ident, message = told
            room = self._rooms.get(ident)
            for feed in (room.live, room.delayed) if room is not None else ():
                if feed is not None:
                    feed.broadcast(message)

    async def _derived(self, key: str, scope: str) -> Derived:
        if self._secret is None:
            self._secret = await self.store.secret()
        return Derived(self._secret, key, scope)

    # --- tables -------------------------------------------------------------------------------------

    async def create(self, body: CreateTable, key: str | None = None) -> Created:
        """Open a table.

        Args:
            key: the request's idempotency key; the same key again gives the same table.

        Raises:
            Rejected: ``no_such_game``, ``bad_options``, ``id_reused``.
        """
        game = games().get(body.game)
        if game is None:
            raise Rejected("no_such_game", f"there is no game {body.game!r}; games: {', '.join(games())}")
        seats = game.seats[0] if body.seats is UNSET else body.seats
        if seats not in game.seats:
            known = ", ".join(map(str, game.seats))
            message = f"seats: {game.title} is for {known}, not {seats}"
            raise Rejected("bad_options", message, {"option": "seats"})
        for option in ("clock", "on_timeout"):
            if getattr(body, option) is not None:
                raise Rejected("bad_options", f"{option}: clocks are not offered yet", {"option": option})
        options = game.parse_options(body.options, seats)
        derived = await self._derived(key, "tables") if key is not None else None
        ident = derived.table() if derived else new_table()
        host_token = derived.token("host") if derived else new_token()
        deal_key = new_key()
        opened = TableOpened(
            table=ident,
            game=game.name,
            seats=seats,
            options=msgspec.to_builtins(options),
            epoch=new_epoch(),
            listed=body.listed,
            spectators=body.spectators,
            reveal=body.reveal,
            autostart=body.autostart,
            commitment=commitment(ident, deal_key),
            deal_key=deal_key,
            host_hash=digest(host_token),
        )
        command = None
        if derived:
            command = Command(derived.command_id(), canonical(msgspec.to_builtins(body)), http=True)
        decision = tables.decide_open(game, opened)
        if body.listed:
            await self.store.index(ident, self.now_ms(), game.name, "open")
        try:
            await self.store.append(ident, 1, encode_commit("host", decision.events, command))
        except VersionTaken:
            if command is None:
                raise
            await self._same_request(ident, command)
            return Created(ident, host_token)
        if body.listed:
            await self.store.signal("lobby", ident.encode())
        return Created(ident, host_token)

    async def _same_request(self, ident: str, command: Command) -> None:
        async def check(room: Room) -> None:
            await room.ready()
            await room.writer.first_answer("host", command)
            if room.table.listed:
                await self.lobby.publish(room.feed(SPECTATOR).table)

        await self.room(ident).call(check)

    async def sit(self, ident: str, body: Sit, key: str | None = None) -> Seated:
        """Sit down. With a token of the client's own, or an idempotency key, it can be repeated.

        Raises:
            Rejected: ``bad_message``, ``seat_taken``, ``table_full``, ``not_found``, ``finished``,
                ``id_reused``.
        """
        name = access.clean_name(body.name)
        chosen = None if body.token is UNSET else body.token
        if chosen is not None and not is_token(chosen):
            wanted = "32 or more random bytes in base64url (43 characters or more)"
            raise Rejected("bad_message", f"token: {wanted} are needed")
        if body.entropy is not UNSET and not body.entropy.isprintable():
            raise Rejected("bad_message", "entropy: only printable characters are allowed")
        derived = await self._derived(key, f"seats {ident}") if key is not None else None
        token = chosen or (derived.token("seat") if derived else new_token())
        known = digest(token)
        command = None
        if derived or chosen:
            ident_of = derived.command_id() if derived else known.hex()[:32]
            fields = msgspec.structs.asdict(body)
            fields = {name: value for name, value in fields.items() if value is not UNSET and name != "token"}
            command = Command(ident_of, canonical({"type": "sit", **fields}), http=True)
        seat = None if body.seat is UNSET else body.seat
        entropy = None if body.entropy is UNSET else body.entropy

        async def run(room: Room) -> Seated:
            def decide(table: Table) -> Decision:
                if tables.seat_of(table, known) is not None or tables.is_host(table, known):
                    raise Rejected("id_reused", "this token is in use at this table; choose another one")
                return tables.decide_sit(
                    room.game, table, seat=seat, name=name, token_hash=known, entropy=entropy
                )

            commit = await room.writer.command(_seated, decide, command)
            taken = next(event for event in commit.events if isinstance(event, SeatTaken))
            there = room.table.seats[taken.seat]
            if there is None or there.token_hash != taken.token_hash:
                message = f"this sat down on seat {taken.seat} and has left; use a new token or key"
                raise Rejected("id_reused", message)
            await room.start_if_full()
            return Seated(taken.seat, token)

        return await self._call(ident, run)  # type: ignore[no-any-return]

    async def leave(self, ident: str, seat: int, token: str | None, key: str | None = None) -> None:
        """Free a seat: its player leaves, or the host removes them.

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``not_found``, ``finished``.
        """
        derived = await self._derived(key, f"leave {ident}") if key is not None else None
        action = {"type": "leave", "seat": seat}
        command = Command(derived.command_id(), action, http=True) if derived else None

        async def run(room: Room) -> None:
            await room.ready()
            if command is not None and await room.writer.first_answer("host", command) is not None:
                return
            removed = access.seat_or_host(room.table, token, seat)

            def decide(table: Table) -> Decision:
                access.seat_or_host(table, token, seat)
                return tables.decide_leave(room.game, table, seat=seat, removed=removed)

            await room.writer.command("host" if removed else seat, decide, command)

        await self._call(ident, run)

    async def start_game(self, ident: str, token: str | None, key: str | None = None) -> Facts:
        """Start the game, as the host. Raises `Rejected` ``already_started``, ``need_players``, ..."""
        derived = await self._derived(key, f"start {ident}") if key is not None else None
        command = Command(derived.command_id(), {"type": "start"}, http=True) if derived else None

        async def run(room: Room) -> Facts:
            await room.ready()
            access.require_host(room.table, token)

            def decide(table: Table) -> Decision:
                return tables.decide_start(room.game, table)

            await room.writer.command("host", decide, command)
            return await self._facts(room, SPECTATOR)

        return await self._call(ident, run)  # type: ignore[no-any-return]

    async def admit(self, ident: str, token: str | None, key: str | None = None) -> str:
        """Issue a spectator's token, as the host."""
        derived = await self._derived(key, f"spectators {ident}") if key is not None else None
        command = Command(derived.command_id(), {"type": "admit"}, http=True) if derived else None
        fresh = derived.token("spectator") if derived else new_token()

        async def run(room: Room) -> str:
            await room.ready()
            access.require_host(room.table, token)
            if room.table.spectators.who == "none":
                raise Rejected("forbidden", "this table was opened without spectators")

            def decide(table: Table) -> Decision:
                return tables.decide_admit(room.game, table, token_hash=digest(fresh))

            await room.writer.command("host", decide, command)
            return fresh

        return await self._call(ident, run)  # type: ignore[no-any-return]

    # --- reading ------------------------------------------------------------------------------------

    async def facts(self, ident: str, token: str | None = None) -> Facts:
        """The facts of a table, for a seat as they are, for everybody else as spectators may know them."""

        async def run(room: Room) -> Facts:
            await room.ready()
            viewer = SPECTATOR if token is None else access.viewer_of(room.table, token)
            return await self._facts(room, viewer)

        return await self._call(ident, run)  # type: ignore[no-any-return]

    async def _facts(self, room: Room, viewer: Viewer) -> Facts:
        connected = (await self.store.present([room.id]))[0]
        return facts(room.feed(viewer).table, connected)

    async def listing(self, game: str | None, status: str | None, cursor: str | None) -> Page:
        """A page of the listed tables, newest first. Raises `Rejected` ``bad_message``, ``no_such_game``."""
        if game is not None and game not in games():
            raise Rejected("no_such_game", f"there is no game {game!r}; games: {', '.join(games())}")
        if status is not None and status not in ("open", "playing", "finished", "abandoned"):
            raise Rejected("bad_message", "status: one of open, playing, finished, abandoned")
        found: list[Facts] = []
        while True:
            try:
                idents, cursor = await self.store.listing(game, status, cursor, PAGE - len(found))
            except ValueError as error:
                raise Rejected("bad_message", f"cursor: {error}") from None
            found += [entry for ident in idents if (entry := await self._listed(ident, status)) is not None]
            if cursor is None or len(found) >= PAGE:
                return Page(list(found), cursor)

    async def _listed(self, ident: str, status: str | None) -> Facts | None:
        try:
            entry = await self.facts(ident)
        except (NoSuchTable, Rejected):
            return None
        if status is not None and entry.status != status:
            await self.store.index(ident, entry.created_ms, entry.game, entry.status)
            return None
        return entry

    async def log(
        self, ident: str, token: str | None, *, patches: bool, opened: bool = False
    ) -> list[dict[str, Any]]:
        """The lines of a table's log as the bearer may read it; ``opened``: all of a finished game.

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``no_such_table``.
        """

        async def run(room: Room) -> tuple[Table, Viewer, list[Commit]]:
            await room.ready()
            viewer = access.viewer_of(room.table, token)
            if opened:
                viewer = self._referee(room.table)
            table = room.table if opened else room.feed(viewer).table
            commits = [room.decode(entry) for entry in await self.store.read(ident, limit=table.version)]
            return table, viewer, commits

        table, viewer, commits = await self._call(ident, run)
        return [history.header(table, viewer), *history.lines(commits, viewer, patches=patches)]

    def _referee(self, table: Table) -> Viewer:
        if not table.over:
            raise Rejected("forbidden", "the open log can be read when the game is over")
        if table.reveal == "never":
            raise Rejected("forbidden", "this table was opened with reveal: never")
        return REFEREE

    async def at(self, ident: str, version: int, token: str | None) -> At:
        """A table at one version, as the bearer may see it. Raises `Rejected` ``no_such_version``, ..."""

        async def run(room: Room) -> At:
            await room.ready()
            viewer = access.viewer_of(room.table, token)
            head = room.feed(viewer).table.version
            if not 1 <= version <= head:
                raise Rejected("no_such_version", f"this table has versions 1 to {head}", {"head": head})
            commits = [room.decode(entry) for entry in await self.store.read(ident, limit=version)]
            *_, (_, table) = history.states(commits)
            snapshot = frame.snapshot(table, viewer)
            return At(
                table=ident,
                viewer=on_wire(viewer),
                version=version,
                at_ms=table.at_ms,
                status=snapshot.status,
                view=snapshot.view,
                actions=snapshot.actions,
                waiting=snapshot.waiting,
            )

        return await self._call(ident, run)  # type: ignore[no-any-return]

    async def _call(self, ident: str, run: Any) -> Any:
        return await self.room(ident).call(run)


def _seated(decision: Decision) -> By:
    return next(event.seat for event in decision.events if isinstance(event, SeatTaken))
