"""Quick join: players who want the same meet, however many ask at once and wherever they ask.

Tables for quick players form a row for each wish (game, seats, options). The ids of the row follow from
the store's secret, so every process finds the same ones without asking another; a table is opened by
the append of its first commit, which only one process wins, and filled before the next is opened.

A request that can be repeated (by its idempotency key, or a token of the client's own) leaves a trail of
the tables where it was tried: repeated later, when others wait elsewhere, it finds its seat again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from domain.errors import Rejected
from domain.table import Table
from projections.facts import Facts
from server.jobs import NoSuchTable
from server.requests import QuickSeat, Sit
from server.room import Room
from server.sitting import Sitter
from server.tokens import Derived

if TYPE_CHECKING:
    from server.service import Service

_FULL = ("table_full", "seat_taken", "finished", "already_started")
MOST_TRIES = 1000
TRAIL_MS = 24 * 3600 * 1000
"""How long a quick request can be repeated."""


class _Tried(msgspec.Struct, frozen=True, array_like=True):
    wish: str
    table: str


class QuickJoin:
    """Finds a seat for quick players.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._begin: dict[str, int] = {}

    async def seat(self, opening: dict[str, Any], sit: Sit, key: str | None) -> QuickSeat:
        """A seat at a table of this kind. Raises as `server.tables.Tables.sit`."""
        wishes = [opening["game"], opening["seats"], opening["options"]]
        wish = msgspec.json.encode(wishes, order="sorted").decode()
        trail = await self._trail(opening["game"], sit, key)
        if trail is not None and (found := await self._found_again(trail, wish, sit, key)) is not None:
            return found
        for entry in await self._waiting(opening):
            if (found := await self._try(entry.table, sit, key, wish, trail)) is not None:
                return found
        number = await self._first(wish)
        for place in range(number, number + MOST_TRIES):
            ident = await self._ident(wish, place)
            await self._service.tables.open_hosted_by_first(opening, ident)
            if (found := await self._try(ident, sit, key, wish, trail)) is not None:
                self._begin[wish] = place
                return found
        raise Rejected("unavailable", "no seat could be found; try again")

    async def _waiting(self, opening: dict[str, Any]) -> list[Facts]:
        """Listed tables of this kind on which somebody waits, the oldest first."""
        page = await self._service.reader.listing(opening["game"], "open", None)

        async def suits(ident: str) -> bool:
            async def run(room: Room) -> bool:
                await room.ready()
                return _suits(room.table, opening)

            return await self._service.call(ident, run)

        return [entry for entry in reversed(page.tables) if await suits(entry.table)]

    async def _trail(self, game: str, sit: Sit, key: str | None) -> str | None:
        """Where the store keeps the trail of a request; None for one that cannot be repeated."""
        mark = key if key is not None or sit.token is UNSET else sit.token
        derived = await self._service.derived(mark, f"quick trail {game}")
        return None if derived is None else derived.table()

    async def _tried(self, trail: str) -> list[_Tried]:
        kept = await self._service.store.said(trail)
        return list(dict.fromkeys(msgspec.json.decode(entry, type=_Tried) for entry in kept))

    async def _found_again(self, trail: str, wish: str, sit: Sit, key: str | None) -> QuickSeat | None:
        for tried in await self._tried(trail):
            if tried.wish != wish:
                message = "this key or token belongs to a request for another kind of table; use a new one"
                raise Rejected("id_reused", message)
            if await self._sat(tried.table, sit, key):
                return await self._sit(tried.table, sit, key)
        return None

    async def _sat(self, ident: str, sit: Sit, key: str | None) -> bool:
        sitter = Sitter(sit, await self._service.derived(key, f"seats {ident}"))

        async def run(room: Room) -> bool:
            await room.ready()
            assert sitter.command is not None
            return await room.writer.first_answer("server", sitter.command) is not None

        try:
            return await self._service.call(ident, run)
        except NoSuchTable:
            return False

    async def _try(
        self, ident: str, sit: Sit, key: str | None, wish: str, trail: str | None
    ) -> QuickSeat | None:
        if trail is None:
            return await self._sit(ident, sit, key)
        # The same request may be under way elsewhere: both try what either of them has found, in one order.
        entry = msgspec.json.encode(_Tried(wish, ident))
        await self._service.store.say(trail, entry, MOST_TRIES, TRAIL_MS)
        for tried in await self._tried(trail):
            if (found := await self._sit(tried.table, sit, key)) is not None:
                return found
        return None

    async def _sit(self, ident: str, sit: Sit, key: str | None) -> QuickSeat | None:
        try:
            seated = await self._service.tables.sit(ident, sit, key)
        except Rejected as refused:
            if refused.code in _FULL:
                return None
            raise
        return QuickSeat(ident, seated.seat, seated.token)

    async def _ident(self, wish: str, number: int) -> str:
        derived = await self._service.derived(f"{wish} {number}", "quick")
        assert isinstance(derived, Derived)
        return derived.table()

    async def _first(self, wish: str) -> int:
        """The last table of the row that exists: the only one that may have a free seat."""
        number = self._begin.get(wish, 0)
        step = 1
        while await self._exists(wish, number + step):
            number += step
            step *= 2
        while step > 1:
            step //= 2
            if await self._exists(wish, number + step):
                number += step
        return number

    async def _exists(self, wish: str, number: int) -> bool:
        return (await self._service.store.heads([await self._ident(wish, number)]))[0] > 0


def _suits(table: Table, opening: dict[str, Any]) -> bool:
    return (
        table.status == "open"
        and table.autostart
        and table.clock is None
        and None in table.seats
        and any(there is not None and not there.bot for there in table.seats)
        and len(table.seats) == opening["seats"]
        and msgspec.to_builtins(table.options) == opening["options"]
    )
