"""What can be read of tables: facts, the lobby, logs, single versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from domain.errors import Rejected
from domain.events import Commit
from domain.registry import games
from domain.table import Table
from projections import frame, history
from projections.digests import chained
from projections.facts import Facts, facts
from projections.viewer import REFEREE, SPECTATOR, Viewer, on_wire
from server import access
from server.jobs import UNREADABLE, NoSuchTable
from server.requests import At, Mine, MyFacts, Page
from server.room import Room

if TYPE_CHECKING:
    from server.service import Service

PAGE = 50


class Reader:
    """Answers every question about tables, as the asker may know it.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._store = service.store

    async def facts(self, ident: str, token: str | None = None) -> Facts:
        """The facts of a table, for a seat as they are, for everybody else as spectators may know them."""

        async def run(room: Room) -> Facts:
            await room.ready()
            viewer = SPECTATOR if token is None else access.viewer_of(room.table, token)
            return await self.facts_of(room, viewer)

        return await self._service.call(ident, run)

    async def facts_of(self, room: Room, viewer: Viewer) -> Facts:
        """The facts of a loaded room."""
        connected = (await self._store.present([room.id]))[0]
        return facts(room.feed(viewer).table, connected)

    async def listing(self, game: str | None, status: str | None, cursor: str | None) -> Page:
        """A page of the listed tables, newest first. Raises `Rejected` ``bad_message``, ``no_such_game``."""
        check_filters(game, status)
        found: list[Facts] = []
        while True:
            try:
                idents, cursor = await self._store.listing(game, status, cursor, PAGE - len(found))
            except ValueError as error:
                raise Rejected("bad_message", f"cursor: {error}") from None
            found += [entry for ident in idents if (entry := await self._listed(ident, status)) is not None]
            if cursor is None or len(found) >= PAGE:
                return Page(list(found), cursor)

    async def _listed(self, ident: str, status: str | None) -> Facts | None:
        try:
            entry = await self.facts(ident)
        except (NoSuchTable, Rejected, *UNREADABLE):
            return None
        if status is not None and entry.status != status:
            await self._store.index(ident, entry.created_ms, entry.game, entry.status)
            return None
        return entry

    async def mine(self, body: Mine) -> list[MyFacts]:
        """How it stands at each of the tables that the asker has tokens for, in the order asked."""
        return [await self._my(asked.table, asked.token) for asked in body.tables]

    async def _my(self, ident: str, token: str) -> MyFacts:
        async def run(room: Room) -> MyFacts:
            await room.ready()
            viewer = access.viewer_of(room.table, token)
            return MyFacts(
                table=ident,
                facts=await self.facts_of(room, viewer),
                viewer=on_wire(viewer),
                your_turn=viewer in frame.waiting(room.table),
            )

        try:
            return await self._service.call(ident, run)
        except NoSuchTable:
            return MyFacts(table=ident, code="no_such_table")
        except Rejected as refused:
            return MyFacts(table=ident, code=refused.code)
        except UNREADABLE:
            return MyFacts(table=ident, code="unavailable")

    async def log(
        self, ident: str, token: str | None, *, patches: bool, opened: bool = False
    ) -> list[dict[str, Any]]:
        """The lines of a table's log as the bearer may read it; ``opened``: all of a finished game.

        Each has its digest (see `projections.digests`).

        Raises:
            Rejected: ``unauthorized``, ``forbidden``, ``no_such_table``.
        """

        async def run(room: Room) -> tuple[Table, Viewer, list[Commit]]:
            await room.ready()
            viewer = access.viewer_of(room.table, token)
            if opened:
                viewer = self._referee(room.table)
            table = room.table if opened else room.feed(viewer).table
            commits = [room.decode(entry) for entry in await self._store.read(ident, limit=table.version)]
            return table, viewer, commits

        table, viewer, commits = await self._service.call(ident, run)
        lines = history.lines(commits, viewer, patches=patches)
        return list(chained([history.header(table, viewer), *lines]))

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
            commits = [room.decode(entry) for entry in await self._store.read(ident, limit=version)]
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

        return await self._service.call(ident, run)


def check_filters(game: str | None, status: str | None) -> None:
    """What a list of tables can be narrowed by. Raises `Rejected` ``no_such_game``, ``bad_message``."""
    if game is not None and game not in games():
        raise Rejected("no_such_game", f"there is no game {game!r}; games: {', '.join(games())}")
    if status is not None and status not in ("open", "playing", "finished", "abandoned"):
        raise Rejected("bad_message", "status: one of open, playing, finished, abandoned")
