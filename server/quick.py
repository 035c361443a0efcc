"""Quick join: players who want the same meet, however many ask at once and wherever they ask.

Tables for quick players form a row for each wish (game, seats, options). The ids of the row follow from
the store's secret, so every process finds the same ones without asking another; a table is opened by
the append of its first commit, which only one process wins, and filled before the next is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from domain.errors import Rejected
from domain.table import Table
from projections.facts import Facts
from server.requests import QuickSeat, Sit
from server.room import Room
from server.tokens import Derived

if TYPE_CHECKING:
    from server.service import Service

_FULL = ("table_full", "seat_taken", "finished", "already_started")
MOST_TRIES = 1000


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
        for entry in await self._waiting(opening):
            if (found := await self._try(entry.table, sit, key)) is not None:
                return found
        wishes = [opening["game"], opening["seats"], opening["options"]]
        wish = msgspec.json.encode(wishes, order="sorted").decode()
        number = await self._first(wish)
        for place in range(number, number + MOST_TRIES):
            ident = await self._ident(wish, place)
            await self._service.tables.open_hosted_by_first(opening, ident)
            if (found := await self._try(ident, sit, key)) is not None:
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

    async def _try(self, ident: str, sit: Sit, key: str | None) -> QuickSeat | None:
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
