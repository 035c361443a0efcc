"""Your-turn notices: one webhook that the operator names, told when the table waits for a person.

Only the operator's setting says where; nothing that a player or a table sends can make the server
call an address. A notice is told once and may get lost: it is a convenience, not a record.
"""

from __future__ import annotations

import asyncio
import urllib.request
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from domain.table import Table
from projections import frame
from server.ending import end

if TYPE_CHECKING:
    from server.room import Room
    from server.service import Service

log = structlog.get_logger(__name__)

MOST_WAITING = 1000
TIMEOUT_S = 5.0


class Notice(msgspec.Struct, frozen=True):
    """What the webhook receives as JSON by POST; times in milliseconds since 1970."""

    table: str
    game: str
    seat: int
    name: str
    version: int
    at_ms: int


class _Nowhere(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: notices go to the operator's address and to no other."""

    def redirect_request(self, *args: Any) -> None:
        """Nothing is asked instead."""


_opener = urllib.request.build_opener(_Nowhere)


class Notices:
    """Tells the webhook of each turn that begins for a person.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._url = service.settings.turn_webhook
        self._queue: asyncio.Queue[Notice] = asyncio.Queue(MOST_WAITING)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to tell, if the operator wants it."""
        if self._url is not None:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Tell no more."""
        if self._task is not None:
            await end(self._task)

    @property
    def calls(self) -> bool:
        """Whether there is anybody to be told."""
        return self._task is not None

    def advanced(self, room: Room, before: Table) -> None:
        """This process has stored a commit that led from ``before`` to the room's table."""
        after = room.table
        already = set(frame.waiting(before)) - _actors(room)
        for seat in frame.waiting(after):
            there = after.seats[seat]
            if there is None or there.bot or seat in already:
                continue
            notice = Notice(after.id, after.game, seat, there.name, after.version, after.at_ms)
            try:
                self._queue.put_nowait(notice)
            except asyncio.QueueFull:
                log.warning("notice_dropped", table=after.id, seat=seat)

    async def _run(self) -> None:
        while True:
            notice = await self._queue.get()
            try:
                await asyncio.to_thread(self._post, notice)
            except Exception as error:  # noqa: BLE001 - whatever it answers, the next notice is tried
                log.warning("notice_failed", table=notice.table, reason=str(error))

    def _post(self, notice: Notice) -> None:
        assert self._url is not None
        request = urllib.request.Request(  # noqa: S310 - the operator's own address, checked to be http(s)
            self._url,
            data=msgspec.json.encode(notice),
            headers={"Content-Type": "application/json", "User-Agent": "facedown"},
        )
        _opener.open(request, timeout=TIMEOUT_S).close()


def _actors(room: Room) -> set[int]:
    """Who acted in the room's last commit: their next turn is a new one."""
    by = room.recent[-1].commit.by if room.recent else None
    return {by} if isinstance(by, int) else set()
