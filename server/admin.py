"""Calls of the operator, under ``/v1/admin``: look at tables without their secrets, close one, forget, drain.

They exist only where ``FACEDOWN_OPERATOR_TOKEN`` is set, and take it as a bearer token.
"""

from __future__ import annotations

import bisect
import hmac
import os
import signal
from typing import TYPE_CHECKING, Annotated, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from domain import table as tables
from domain.errors import Rejected
from domain.table import Decision, Table
from projections.viewer import SPECTATOR
from server.forget import Forgotten, NobodyThere, Whom, forget
from server.jobs import UNREADABLE, NoSuchTable
from server.reading import check_filters
from server.requests import Body
from server.room import Room
from server.routes import answered, bearer, body_of, query, reply
from server.store.base import Archive
from server.tokens import is_table

if TYPE_CHECKING:
    from server.service import Service
    from server.ws import Endpoint


class Forget(Body, frozen=True):
    """Whose name to take out: of everybody who sat on a seat, of a name, or both."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


PAGE = 50
"""How many tables a page of the list has at most."""
LOOKS = 500
"""How many tables are looked at for one page: a filter that fits few makes short pages, not long waits."""


class SeatNow(msgspec.Struct, frozen=True):
    """A seat as the operator sees it."""

    seat: int
    name: str | None
    bot: bool
    away: bool
    viewers: int


class TableNow(msgspec.Struct, frozen=True, kw_only=True):
    """A table as the operator sees it: how it stands, who is there, nothing of what is hidden."""

    table: str
    game: str
    status: str
    version: int
    created_ms: int
    at_ms: int
    paused: bool
    seats: tuple[SeatNow, ...]
    spectators: int
    waiting: tuple[int, ...]
    deadlines: dict[str, int]


class TablesNow(msgspec.Struct, frozen=True, kw_only=True):
    """A page of all tables in the store, in the order of their names.

    ``unreadable`` are those whose logs this process cannot read; ``next`` is the cursor of the next page.
    """

    tables: list[TableNow]
    unreadable: list[str]
    next: str | None


class Admin:
    """The operator's calls.

    Args:
        service: the process.
        endpoint: its connections.
    """

    def __init__(self, service: Service, endpoint: Endpoint) -> None:
        self._service = service
        self._endpoint = endpoint

    def routes(self) -> list[Route]:
        """All routes under ``/v1/admin``."""

        @answered
        async def inspect(api: object, request: Request) -> Response:
            self._check(request)
            return reply(await self._inspect(request.path_params["table"]))

        @answered
        async def close(api: object, request: Request) -> Response:
            self._check(request)
            await self._close(request.path_params["table"])
            return Response(status_code=204)

        @answered
        async def forget_name(api: object, request: Request) -> Response:
            self._check(request)
            asked = await body_of(request, Forget, self._service.settings.max_message_bytes)
            return reply({"tables": await self._forget(request.path_params["table"], asked)})

        @answered
        async def drain(api: object, request: Request) -> Response:
            self._check(request)
            self._endpoint.drain()
            if self._service.settings.workers > 1:
                os.kill(os.getppid(), signal.SIGUSR1)  # the parent tells the other workers
            return Response(status_code=202)

        @answered
        async def listed(api: object, request: Request) -> Response:
            self._check(request, "game", "status", "cursor")
            asked = request.query_params
            return reply(await self._list(asked.get("game"), asked.get("status"), asked.get("cursor")))

        @answered
        async def state(api: object, request: Request) -> Response:
            self._check(request)
            return reply(
                {
                    "pid": os.getpid(),
                    "connections": self._endpoint.number,
                    "rooms": self._service.rooms,
                    "draining": self._endpoint.draining,
                }
            )

        def route(path: str, handler: object, method: str) -> Route:
            async def endpoint(request: Request) -> Response:
                return await handler(None, request)  # type: ignore[operator, no-any-return]

            return Route(path, endpoint, methods=[method])

        return [
            route("/v1/admin", state, "GET"),
            route("/v1/admin/drain", drain, "POST"),
            route("/v1/admin/tables", listed, "GET"),
            route("/v1/admin/tables/{table}", inspect, "GET"),
            route("/v1/admin/tables/{table}", close, "DELETE"),
            route("/v1/admin/tables/{table}/forget", forget_name, "POST"),
        ]

    def _check(self, request: Request, *parameters: str) -> None:
        query(request, *parameters)
        token = bearer(request)
        wanted = self._service.settings.operator_token
        if token is None:
            raise Rejected("unauthorized", "this needs the operator's token")
        if wanted is None or not hmac.compare_digest(token.encode(), wanted.encode()):
            raise Rejected("unauthorized", "this is not the operator's token")

    async def _list(self, game: str | None, status: str | None, cursor: str | None) -> TablesNow:
        check_filters(game, status)
        if cursor is not None and not is_table(cursor):
            raise Rejected("bad_message", f"cursor: {cursor!r} is none that a page gave as next")
        names = sorted(await cast(Archive, self._service.store).tables())
        found: list[TableNow] = []
        unreadable = []
        first = bisect.bisect_right(names, cursor or "")
        last = first
        while last < len(names) and len(found) < PAGE and last - first < LOOKS:
            name = names[last]
            last += 1
            try:
                table = await self._inspect(name)
            except NoSuchTable:
                continue  # it was archived or deleted just now
            except UNREADABLE:
                unreadable.append(name)
                continue
            if game in (None, table.game) and status in (None, table.status):
                found.append(table)
        return TablesNow(
            tables=found, unreadable=unreadable, next=names[last - 1] if last < len(names) else None
        )

    async def _inspect(self, ident: str) -> TableNow:
        async def run(room: Room) -> TableNow:
            await room.ready()
            table = room.table
            watching = room.attachments()
            return TableNow(
                table=ident,
                game=table.game,
                status=table.status,
                version=table.version,
                created_ms=table.created_ms,
                at_ms=table.at_ms,
                paused=table.paused,
                seats=tuple(
                    SeatNow(
                        number,
                        there.name if there else None,
                        there is not None and there.bot,
                        there is not None and there.away,
                        sum(viewer.viewer == number for viewer in watching),
                    )
                    for number, there in enumerate(table.seats)
                ),
                spectators=sum(viewer.viewer == SPECTATOR for viewer in watching),
                waiting=tables.waiting(room.game, table),
                deadlines={str(seat): at for seat, at in tables.deadlines(table).items()},
            )

        return await self._service.call(ident, run)

    async def _forget(self, ident: str, asked: Forget) -> list[Forgotten]:
        if asked.seat is None and asked.name is None:
            raise Rejected("bad_message", "a seat or a name is needed, or both")
        store = cast(Archive, self._service.store)
        try:
            found = await forget(store, ident, Whom(asked.seat, asked.name))
        except NobodyThere:
            raise Rejected("not_found", "nobody to forget: no such person ever sat at this table") from None
        await store.compact()
        return found

    async def _close(self, ident: str) -> None:
        async def run(room: Room) -> None:
            await room.ready()

            def decide(table: Table) -> Decision:
                return tables.decide_expire(room.game, table, reason="closed by the operator")

            await room.writer.command("server", decide)

        await self._service.call(ident, run)
