"""What can be done with tables from outside a game: open, sit, leave, start, pause, play again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import structlog
from msgspec import UNSET

from domain import table as tables
from domain.actions import canonical
from domain.dealing import commitment
from domain.errors import Rejected
from domain.events import By, Command, Event, encode_commit
from domain.registry import games
from domain.table import Decision, SeatTaken, Table, TableOpened
from projections.facts import Facts
from projections.viewer import SPECTATOR
from server import access
from server.bots import require_policy
from server.requests import AddBot, Created, CreateTable, Mute, Quick, QuickSeat, Rematched, Seated, Sit
from server.room import Room
from server.sitting import Sitter
from server.store.base import VersionTaken
from server.tokens import digest, new_epoch, new_key, new_table, new_token
from server.wire import Rematch

if TYPE_CHECKING:
    from server.service import Service

log = structlog.get_logger(__name__)


class Tables:
    """Everything that changes a table from outside its game.

    Methods raise `Rejected` with the codes of the wire contract, `server.jobs.NoSuchTable`, and what
    the store raises. ``key`` is the request's idempotency key: the same key again gives the first
    answer, with another request ``id_reused``.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    # --- open ---------------------------------------------------------------------------------------

    async def create(self, body: CreateTable, key: str | None = None) -> Created:
        """Open a table. Raises `Rejected` ``no_such_game``, ``bad_options``, ``id_reused``."""
        opening = self.checked(body)
        derived = await self._service.derived(key, "tables")
        ident = derived.table() if derived else new_table()
        host_token = derived.token("host") if derived else new_token()
        command = None
        if derived:
            request = canonical(msgspec.to_builtins(body))
            command = Command(derived.command_id(), request, http=True)
        await self._open(opening, ident, digest(host_token), command)
        return Created(ident, host_token)

    def checked(self, body: CreateTable) -> dict[str, Any]:
        """The fields of `TableOpened` that a request settles. Raises `Rejected`."""
        game = games().get(body.game)
        if game is None:
            raise Rejected(
                "no_such_game", f"there is no game {body.game[:40]!r}; games: {', '.join(games())}"
            )
        seats = game.seats[0] if body.seats is UNSET else body.seats
        if seats not in game.seats:
            known = ", ".join(map(str, game.seats))
            message = f"seats: {game.title} is for {known}, not {seats}"
            raise Rejected("bad_options", message, {"option": "seats"})
        clock = body.clock
        if clock is not None and clock.move_ms + clock.bank_ms < 100:
            raise Rejected("bad_options", "clock: a seat needs 100 ms at least", {"option": "clock"})
        return {
            "game": game.name,
            "seats": seats,
            "options": msgspec.to_builtins(game.parse_options(body.options, seats)),
            "listed": body.listed,
            "spectators": body.spectators,
            "reveal": body.reveal,
            "autostart": body.autostart,
            "clock": clock,
            "on_timeout": body.on_timeout,
            "talk": body.talk,
        }

    async def _open(
        self,
        opening: dict[str, Any],
        ident: str,
        host_hash: bytes,
        command: Command | None,
        *more: Event,
    ) -> None:
        deal_key = new_key()
        opened = TableOpened(
            **opening,
            table=ident,
            epoch=new_epoch(),
            commitment=commitment(ident, deal_key),
            deal_key=deal_key,
            host_hash=host_hash,
        )
        game = games()[opened.game]
        decision = tables.decide_open(game, opened, *more)
        store = self._service.store
        # The index first: a listed table without a log is skipped, a log without an index is lost.
        if opened.listed:
            await store.index(ident, self._service.now_ms(), opened.game, "open")
        await self._service.timers.expect(ident, self._service.now_ms() + self._service.settings.open_ms)
        try:
            await store.append(ident, 1, encode_commit("host", decision.events, command))
        except VersionTaken:
            await self._service.call(ident, lambda room: self._same_request(room, command))
            return
        if opened.listed:
            await store.signal("lobby", ident.encode())

    async def open_hosted_by_first(self, opening: dict[str, Any], ident: str) -> None:
        """Open a table whose first player will be the host, unless it is there already."""
        if not await self._exists(ident):
            await self._open(opening, ident, b"", None)

    async def _same_request(self, room: Room, command: Command | None) -> None:
        await room.ready()
        if command is not None:
            await room.writer.first_answer("host", command)
        public = room.feed(SPECTATOR).table
        if public.listed:
            await self._service.lobby.publish(public)

    # --- seats --------------------------------------------------------------------------------------

    async def sit(self, ident: str, body: Sit, key: str | None = None) -> Seated:
        """Sit down. With a token of the client's own, or an idempotency key, it can be repeated.

        Raises:
            Rejected: ``bad_message``, ``seat_taken``, ``table_full``, ``not_found``, ``finished``,
                ``id_reused``.
        """
        sitter = Sitter(body, await self._service.derived(key, f"seats {ident}"))

        async def run(room: Room) -> Seated:
            commit = await room.writer.command(_seated, sitter.decide(room), sitter.command)
            taken = next(event for event in commit.events if isinstance(event, SeatTaken))
            there = room.table.seats[taken.seat]
            if there is None or there.token_hash != taken.token_hash:
                message = f"this sat down on seat {taken.seat} and has left; use a new token or key"
                raise Rejected("id_reused", message)
            await room.start_if_full()
            return Seated(taken.seat, sitter.token)

        return await self._service.call(ident, run)

    async def quick(self, game: str, body: Quick, key: str | None = None) -> QuickSeat:
        """Sit down at a listed table of ``game`` that waits for players, or open one.

        Requests with the same seats and options meet. Raises as `create` and `sit`.
        """
        opening = self.checked(CreateTable(game=game, seats=body.seats, options=body.options))
        sit = Sit(name=body.name, entropy=body.entropy, token=body.token)
        derived = await self._service.derived(key, f"quick {game}")
        Sitter(sit, derived)  # refuses what is wrong before a table is opened for it
        return await self._service.quick.seat(opening, sit, key)

    async def add_bot(self, ident: str, body: AddBot, token: str | None, key: str | None = None) -> Seated:
        """Seat a bot, as the host; its ``token`` is empty. Raises as `sit`, and ``bad_options``."""
        seat = None if body.seat is UNSET else body.seat
        action = canonical({"type": "bot", "policy": body.policy, "seat": seat})

        async def run(room: Room) -> Seated:
            def decide(table: Table) -> Decision:
                access.require_host(table, token)
                require_policy(room.game, body.policy)
                return tables.decide_sit(
                    room.game,
                    table,
                    seat=seat,
                    name=_bot_name(table),
                    token_hash=b"",
                    entropy=None,
                    policy=body.policy,
                )

            command = await self._http(ident, "bots", key, action)
            commit = await room.writer.command("host", decide, command)
            taken = next(event for event in commit.events if isinstance(event, SeatTaken))
            await room.start_if_full()
            return Seated(taken.seat, "")

        return await self._service.call(ident, run)

    async def leave(self, ident: str, seat: int, token: str | None, key: str | None = None) -> None:
        """Free a seat: its player leaves, or the host removes them.

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``not_found``, ``finished``.
        """
        command = await self._http(ident, "leave", key, {"type": "leave", "seat": seat})

        async def run(room: Room) -> None:
            await room.ready()
            if command is not None and await room.writer.first_answer("host", command) is not None:
                return
            removed = access.seat_or_host(room.table, token, seat)

            def decide(table: Table) -> Decision:
                access.seat_or_host(table, token, seat)
                return tables.decide_leave(room.game, table, seat=seat, removed=removed)

            await room.writer.command("host" if removed else seat, decide, command)

        await self._service.call(ident, run)

    # --- host ---------------------------------------------------------------------------------------

    async def start(self, ident: str, token: str | None, key: str | None = None) -> Facts:
        """Start the game, as the host. Raises `Rejected` ``already_started``, ``need_players``, ..."""

        def decide(room: Room, table: Table) -> Decision:
            return tables.decide_start(room.game, table)

        return await self._as_host(ident, token, key, "start", decide)

    async def admit(self, ident: str, token: str | None, key: str | None = None) -> str:
        """Issue a spectator's token, as the host. Raises `Rejected` ``forbidden``, ``finished``, ..."""
        derived = await self._service.derived(key, f"spectators {ident}")
        fresh = derived.token("spectator") if derived else new_token()

        def decide(room: Room, table: Table) -> Decision:
            if table.spectators.who == "none":
                raise Rejected("forbidden", "this table was opened without spectators")
            return tables.decide_admit(room.game, table, token_hash=digest(fresh))

        await self._as_host(ident, token, key, "spectators", decide)
        return fresh

    async def pass_host(self, ident: str, seat: int, token: str | None, key: str | None = None) -> Facts:
        """Make another player the host. Raises `Rejected` ``not_found``, ``finished``, ..."""

        def decide(room: Room, table: Table) -> Decision:
            return tables.decide_pass_host(room.game, table, seat=seat)

        return await self._as_host(ident, token, key, "host", decide, seat=seat)

    async def host_leaves(self, ident: str, token: str | None, key: str | None = None) -> Facts:
        """The host gives up hosting: the first player takes over, without any the table ends."""

        def decide(room: Room, table: Table) -> Decision:
            return tables.decide_host_leave(room.game, table)

        return await self._as_host(ident, token, key, "host leaves", decide)

    async def mute(self, ident: str, body: Mute, token: str | None, key: str | None = None) -> Facts:
        """Silence a seat or all spectators, or let them talk again, as the host."""
        seat = None if body.seat is UNSET else body.seat

        def decide(room: Room, table: Table) -> Decision:
            return tables.decide_mute(room.game, table, seat=seat, muted=body.muted)

        return await self._as_host(ident, token, key, "mute", decide, seat=seat, muted=body.muted)

    async def _as_host(
        self,
        ident: str,
        token: str | None,
        key: str | None,
        what: str,
        decide: Callable[[Room, Table], Decision],
        **fields: Any,
    ) -> Facts:
        command = await self._http(ident, what, key, {"type": what, **fields})

        async def run(room: Room) -> Facts:
            await room.ready()
            if command is None or await room.writer.first_answer("host", command) is None:
                access.require_host(room.table, token)

                def checked(table: Table) -> Decision:
                    access.require_host(table, token)
                    return decide(room, table)

                await room.writer.command("host", checked, command)
            return await self._service.reader.facts_of(room, SPECTATOR)

        return await self._service.call(ident, run)

    # --- pause, rematch -----------------------------------------------------------------------------

    async def pause(self, ident: str, token: str | None, *, resume: bool, key: str | None = None) -> Facts:
        """Pause the game, or go on: the host at once, seats when all their players have asked.

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``not_started``, ``finished``, ``paused``,
                ``illegal_action``.
        """
        what = "resume" if resume else "pause"
        command = await self._http(ident, what, key, {"type": what})
        judge = tables.decide_resume if resume else tables.decide_pause

        async def run(room: Room) -> Facts:
            await room.ready()
            seat = access.host_or_seat(room.table, token)

            def decide(table: Table) -> Decision:
                return judge(room.game, table, seat=access.host_or_seat(table, token))

            await room.writer.command("host" if seat is None else seat, decide, command)
            return await self._service.reader.facts_of(room, SPECTATOR)

        return await self._service.call(ident, run)

    async def rematch(self, ident: str, token: str | None) -> Rematched:
        """Open a table for the same players, with their seats and tokens; once, whoever asks how often.

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``not_started``, ``already_started``,
                ``need_players``.
        """
        derived = await self._service.derived(ident, "rematch")
        assert derived is not None

        async def run(room: Room) -> Table:
            await room.ready()
            seat = access.host_or_seat(room.table, token)
            if room.table.next is None:

                def decide(table: Table) -> Decision:
                    return tables.decide_rematch(room.game, table, following=derived.table())

                await room.writer.command("host" if seat is None else seat, decide, _REMATCH)
            return room.table

        return Rematched(await self._open_rematch(await self._service.call(ident, run)))

    async def _open_rematch(self, old: Table) -> str:
        assert old.next is not None
        if not await self._exists(old.next):
            opening = {name: getattr(old, name) for name in _KEPT}
            options = msgspec.to_builtins(old.options)
            opening |= {"seats": len(old.seats), "options": options, "previous": old.id}
            await self._open(opening, old.next, old.host_hash, None, *tables.taken_over(old))
        await self._service.call(old.next, _ready)
        return old.next

    async def follow(self, room: Room) -> None:
        """Tell the viewers of a room of its rematch, once that table is there.

        Every process with viewers opens it: whoever stored the rematch may have died since.
        """
        old = room.table
        try:
            following = await self._open_rematch(old)
        except Exception as error:  # noqa: BLE001 - whoever asks for the rematch again opens it
            log.warning("rematch_not_opened", table=old.id, reason=repr(error))
            return
        room.broadcast(Rematch(table=old.id, next=following))

    async def _exists(self, ident: str) -> bool:
        return (await self._service.store.heads([ident]))[0] > 0

    async def _http(self, ident: str, what: str, key: str | None, action: dict[str, Any]) -> Command | None:
        derived = await self._service.derived(key, f"{what} {ident}")
        return None if derived is None else Command(derived.command_id(), canonical(action), http=True)


_KEPT = ("game", "listed", "spectators", "reveal", "autostart", "clock", "on_timeout", "talk")
_REMATCH = Command("rematch", {"type": "rematch"}, http=True)


async def _ready(room: Room) -> None:
    await room.ready()


def _seated(decision: Decision) -> By:
    return next(event.seat for event in decision.events if isinstance(event, SeatTaken))


def _bot_name(table: Table) -> str:
    taken = {there.name for there in table.seats if there is not None}
    return next(name for number in range(1, 100) if (name := f"Bot {number}") not in taken)
