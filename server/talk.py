"""Talk at a table: short texts and reactions, apart from the log, to everybody or nobody.

There is no way to talk to one player alone. Viewers behind a delay hear what was said when they see the
version at which it was said, for it may tell of the game.
"""

from __future__ import annotations

import time
import unicodedata
from typing import TYPE_CHECKING

import msgspec
import structlog
from msgspec import UNSET

from domain.errors import Rejected
from domain.table import Table
from projections.viewer import SPECTATOR, Viewer, on_wire
from server import access
from server.acting import Answered
from server.hearing import KEPT_TALK, decoder
from server.limits import Bucket, Buckets
from server.room import Room
from server.wire import Heard, Said

if TYPE_CHECKING:
    from server.connection import Connection
    from server.service import Service

log = structlog.get_logger(__name__)

EXPIRE_MS = 30 * 24 * 3600 * 1000
BURST, RATE_PER_S = 5, 0.5
"""How much one connection may say, and one seat through however many connections."""
WATCHERS_BURST, WATCHERS_RATE_PER_S = 30, 5.0
"""How much all spectators of a table together may say."""
_ALLOWED_CONTROL = "\n"


def may_talk(table: Table, viewer: Viewer) -> None:
    """Refuse whoever may not talk here. Raises `Rejected` ``forbidden`` or ``muted``."""
    if table.talk == "none" or (table.talk == "seats" and viewer == SPECTATOR):
        who = "nobody" if table.talk == "none" else "only players"
        raise Rejected("forbidden", f"at this table {who} can talk")
    if viewer in table.muted:
        whom = "all spectators; you can watch on" if viewer == SPECTATOR else "you; you can play on"
        raise Rejected("muted", f"the host has muted {whom}, but not talk")


def clean_text(text: str) -> str:
    """A text as it is shown. Raises `Rejected` ``bad_message`` for what is empty or invisible."""
    text = unicodedata.normalize("NFC", text).strip()
    if not text:
        raise Rejected("bad_message", "text: there is nothing to read in it")
    for character in text:
        if unicodedata.category(character) in access.REFUSED and character != "\u200d":
            raise Rejected("bad_message", f"text: the character U+{ord(character):04X} is not allowed")
    return text


class Talk:
    """Keeps what is said and tells all processes.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._seats = Buckets(BURST, RATE_PER_S, time.monotonic)
        self._watchers = Buckets(WATCHERS_BURST, WATCHERS_RATE_PER_S, time.monotonic)

    def take(self, table: str, viewer: Viewer) -> int:
        """Count something that is to be said; 0 if that is allowed, else in how many ms it would be."""
        if viewer == SPECTATOR:
            return self._watchers.take(table)
        return self._seats.take(f"{table} {viewer}")

    async def say(self, said: Said) -> None:
        """Keep it, then tell everybody. Raises `server.store.base.StoreUnavailable`."""
        payload = msgspec.json.encode(said)
        await self._service.store.say(said.table, payload, KEPT_TALK, EXPIRE_MS)
        await self._service.store.signal("talk", payload)

    def hear(self, payload: bytes) -> None:
        """Another process, or this one, tells what was said."""
        try:
            said = decoder.decode(payload)
        except msgspec.DecodeError:
            return
        room = self._service.known(said.table)
        if room is not None:
            room.told(said)

    async def since(self, ident: str, token: str | None) -> list[Said]:
        """What was said at a table, as far as the bearer may hear it, oldest first."""

        async def run(room: Room) -> list[Said]:
            await room.ready()
            viewer = access.viewer_of(room.table, token)
            visible = room.feed(viewer).table.version
            kept = [decoder.decode(data) for data in await self._service.store.said(ident)]
            return [said for said in kept if said.version <= visible]

        return await self._service.call(ident, run)


def new_bucket() -> Bucket:
    """How much one connection may talk."""
    return Bucket(BURST, RATE_PER_S, time.monotonic)


class SayJob(Answered):
    """A job: say something at a table."""

    async def run(self, room: Room) -> None:
        """Judge, keep, tell, answer."""
        connection: Connection = self.connection
        message = self.message
        attachment = connection.attachments.get(room.id)
        if attachment is None:
            raise Rejected("forbidden", "attach to the table first")
        may_talk(room.table, attachment.viewer)
        wait_ms = connection.talk_bucket.take() or connection.service.talk.take(room.id, attachment.viewer)
        if wait_ms:
            text = f"too much talk; go on in {wait_ms} ms"
            raise Rejected("rate_limited", text, {"retry_after_ms": wait_ms})
        said = Said(
            table=room.id,
            by=on_wire(attachment.viewer),
            at_ms=connection.service.now_ms(),
            version=room.feed(attachment.viewer).table.version,
            text=UNSET if message.text is UNSET else clean_text(message.text),
            reaction=message.reaction,
        )
        await connection.service.talk.say(said)
        connection.tell(Heard(id=message.id, table=room.id))
