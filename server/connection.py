"""One WebSocket connection, without the socket: frames in, frames out.

`server.ws` feeds `Connection.receive` and empties its outbox; everything else happens here, so that
tests need no sockets.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any

import structlog
from msgspec import UNSET

from domain import table as tables
from domain.errors import Rejected
from domain.events import Commit
from domain.registry import games
from domain.table import Decision, Table
from projections import frame
from projections.redaction import redact_all
from projections.viewer import SPECTATOR, on_wire
from server.access import viewer_of
from server.codec import BadFrame, Kind, decode, encode
from server.feed import Attachment, Feed
from server.limits import Bucket
from server.room import NoSuchTable, Room, Told, refusal, seat_command
from server.service import Service
from server.wire import (
    Accepted,
    Act,
    Attach,
    Attached,
    Detach,
    Detached,
    Error,
    LobbyUnwatched,
    Ping,
    Pong,
    Refused,
    ToClient,
    UnwatchLobby,
    Update,
    WatchLobby,
    parse,
)

log = structlog.get_logger(__name__)

CLOSE_WRONG_KIND = 1003
CLOSE_POLICY = 1008
CLOSE_RESTART = 1012

FLOOD = 10
"""A connection that goes on sending after this many bursts were refused is closed."""


class Connection:
    """The state of one connection: what it watches, and what waits to be sent to it.

    Args:
        service: the process.
        kind: the encoding that was agreed on.
    """

    def __init__(self, service: Service, kind: Kind) -> None:
        settings = service.settings
        self.service = service
        self.kind: Kind = kind
        self.attachments: dict[str, Attachment] = {}
        self.outbox: deque[str | bytes] = deque()
        self.closing: tuple[int, str] | None = None
        self.wake = asyncio.Event()
        self._bytes = 0
        self._attaching = 0
        self._bucket = Bucket(settings.message_burst, settings.message_rate_per_s, time.monotonic)
        self._refused = 0

    # --- out ----------------------------------------------------------------------------------------

    def send(self, frame: str | bytes) -> None:
        """Queue a frame; a reader that leaves too much waiting is cut off."""
        if self.closing is not None:
            return
        settings = self.service.settings
        self.outbox.append(frame)
        self._bytes += len(frame)
        if self._bytes > settings.queue_bytes or len(self.outbox) > settings.queue_messages:
            self.cut()
        self.wake.set()

    def sent(self, frame: str | bytes) -> None:
        """A frame has left the outbox."""
        self._bytes -= len(frame)

    def tell(self, message: ToClient) -> None:
        """Queue a message."""
        self.send(encode(self.kind, message))

    def cut(self) -> None:
        """The reader is too slow: give up what waits, so that nobody else is slowed."""
        self.outbox.clear()
        self._bytes = 0
        log.info("slow_reader", tables=len(self.attachments))
        self._end(CLOSE_POLICY, "slow reader", "slow")

    def shut(self) -> None:
        """The server stops."""
        self._end(CLOSE_RESTART, "the server restarts: connect again and resume", "shutdown")

    def _end(self, code: int, text: str, reason: Any) -> None:
        if self.closing is None:
            for table in list(self.attachments):
                self.outbox.append(encode(self.kind, Detached(table=table, reason=reason)))
            self.closing = (code, text)
            self.gone()
            self.wake.set()

    def gone(self) -> None:
        """The socket is closed or about to be: watch nothing any more."""
        self.service.lobby.unwatch(self)
        for table in list(self.attachments):
            self._forget(table)

    def drop(self, table: str, reason: Any) -> None:
        """This connection is no viewer of ``table`` any more."""
        if table in self.attachments:
            self._forget(table)
            self.tell(Detached(table=table, reason=reason))

    def _forget(self, table: str) -> None:
        attachment = self.attachments.pop(table)
        room = self.service.room(table)
        for feed in (room.live, room.delayed):
            if feed is not None:
                feed.remove(attachment)
        if attachment.viewer >= 0:
            self.service.presence.left(table, attachment.viewer)
        if room.watched and not room.attachments():
            room.post(_Unwatch())

    # --- in -----------------------------------------------------------------------------------------

    async def receive(self, frame: str | bytes) -> None:
        """Take one frame from the client. Never raises for what the client sent."""
        if self.closing is not None:
            return
        if isinstance(frame, str) != (self.kind == "json"):
            wanted = "text" if self.kind == "json" else "binary"
            self._end(CLOSE_WRONG_KIND, f"this subprotocol uses {wanted} frames", "closed")
            return
        if self._too_fast():
            return
        limit = self.service.settings.max_message_bytes
        size = len(frame) if isinstance(frame, bytes) or frame.isascii() else len(frame.encode())
        if size > limit:
            text = f"a message has at most {limit} bytes; this one has {size}"
            self.tell(Error(code="too_large", message=text))
            return
        try:
            message = parse(decode(self.kind, frame))
        except BadFrame as bad:
            self.tell(Error(id=bad.id or UNSET, code=bad.code, message=bad.message))
            return
        await self._dispatch(message)

    def _too_fast(self) -> bool:
        wait_ms = self._bucket.take()
        if not wait_ms:
            self._refused = 0
            return False
        self._refused += 1
        if self._refused > FLOOD * self.service.settings.message_burst:
            self._end(CLOSE_POLICY, "too many messages", "closed")
            return True
        self.tell(
            Error(
                code="rate_limited",
                message=f"too many messages; go on in {wait_ms} ms",
                detail={"retry_after_ms": wait_ms},
            )
        )
        return True

    async def _dispatch(self, message: Any) -> None:
        match message:
            case Act():
                self._post(message.table, _Act(self, message))
            case Attach():
                self._attach(message)
            case Detach():
                self._post(message.table, _Detach(self, message))
            case Ping():
                self.tell(Pong(id=message.id, at_ms=self.service.now_ms()))
            case WatchLobby():
                await self._watch_lobby(message)
            case UnwatchLobby():
                self.service.lobby.unwatch(self)
                self.tell(LobbyUnwatched(id=message.id))

    def _post(self, table: str, job: Any) -> None:
        try:
            room = self.service.room(table)
        except NoSuchTable as error:
            told = refusal(error, table)
            job.fail(told.code, told.message, told.detail)
        else:
            room.post(job)

    def _attach(self, message: Attach) -> None:
        most = self.service.settings.max_attached_tables
        if len(self.attachments) + self._attaching >= most and message.table not in self.attachments:
            text = f"a connection can watch {most} tables; detach from one or open another connection"
            self.tell(Error(id=message.id, table=message.table, code="forbidden", message=text))
            return
        self._attaching += 1
        self._post(message.table, _Attach(self, message))

    def attach_ended(self) -> None:
        """An attach got its answer."""
        self._attaching -= 1

    async def _watch_lobby(self, message: WatchLobby) -> None:
        game = None if message.game is UNSET else message.game
        if game is not None and game not in games():
            text = f"there is no game {game!r}; games: {', '.join(games())}"
            self.tell(Error(id=message.id, code="no_such_game", message=text))
            return
        try:
            await self.service.lobby.watch(self, game, message.id)
        except Exception as error:  # noqa: BLE001 - every message gets an answer
            told = refusal(error, "lobby")
            self.tell(Error(id=message.id, code=told.code, message=told.message))


class _Answered:
    """A job of a message, answered by an `error` where it fails."""

    def __init__(self, connection: Connection, message: Any) -> None:
        self.connection = connection
        self.message = message

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer the message with an error."""
        ident, table = self.message.id, self.message.table
        self.connection.tell(Error(id=ident, table=table, code=code, message=message, detail=detail or UNSET))


class _Unwatch:
    """A job: stop watching a table that nobody here watches."""

    async def run(self, room: Room) -> None:
        """Do it."""
        await room.unwatch()

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Nobody waits for an answer."""


class _Detach(_Answered):
    """A job: stop being a viewer. In its turn, so that commands sent before are answered before."""

    async def run(self, room: Room) -> None:
        """Do it and answer."""
        self._done()

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Also a table that is not there is one that is not watched."""
        self._done()

    def _done(self) -> None:
        table = self.message.table
        if table in self.connection.attachments:
            self.connection._forget(table)
        self.connection.tell(Detached(id=self.message.id, table=table, reason="asked"))


class _Attach(_Answered):
    """A job: become a viewer."""

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer with an error."""
        self.connection.attach_ended()
        super().fail(code, message, detail)

    async def run(self, room: Room) -> None:
        """Watch the table, then in one step answer and be a viewer."""
        connection = self.connection
        await room.ready(fresh=False)
        try:
            await room.watch()
            await room.ready()
            missed = await self._missed(room)
            if connection.closing is None:
                self._become(room, missed)
        finally:
            if room.watched and not room.attachments():
                await room.unwatch()
        connection.attach_ended()

    async def _missed(self, room: Room) -> list[Told] | None:
        """What the client missed since ``from``, or None where it must start anew."""
        message = self.message
        if message.from_ is UNSET:
            return None
        viewer = self._viewer(room)
        table = room.feed(viewer).table
        window = self.connection.service.settings.resume_window
        if message.epoch != table.epoch or not 1 <= message.from_ <= table.version:
            return None
        if table.version - message.from_ > window:
            return None
        told = await room.told_since(message.from_)
        if not told or told[0].commit.version != message.from_:
            return None
        if message.from_ms is not UNSET and told[0].commit.at_ms != message.from_ms:
            return None
        # Commits that came meanwhile are in memory, newest last.
        last = told[-1].commit.version
        told += [new for new in room.recent if new.commit.version > last]
        return told[1:]

    def _viewer(self, room: Room) -> int:
        token = None if self.message.token is UNSET else self.message.token
        return viewer_of(room.table, token)

    def _become(self, room: Room, missed: list[Told] | None) -> None:
        connection, message = self.connection, self.message
        viewer = self._viewer(room)
        feed = room.feed(viewer)
        if missed is not None:
            missed = [told for told in missed if told.commit.version <= feed.table.version]
            if len(missed) != feed.table.version - message.from_:
                missed = None
        if room.id in connection.attachments:
            connection._forget(room.id)
        attachment = Attachment(connection, room.id, viewer, message.views)
        feed.add(attachment)
        connection.attachments[room.id] = attachment
        if viewer >= 0:
            connection.service.presence.arrived(room.id, viewer)
        if missed is None:
            connection.tell(self._whole(feed, attachment))
        else:
            for reply in self._resumed(feed, attachment, missed):
                connection.tell(reply)

    def _whole(self, feed: Feed, attachment: Attachment) -> Attached:
        table = feed.table
        snapshot = frame.snapshot(table, attachment.viewer)
        return Attached(
            id=self.message.id,
            table=table.id,
            viewer=on_wire(attachment.viewer),
            version=table.version,
            at_ms=table.at_ms,
            epoch=table.epoch,
            status=snapshot.status,
            recovered=False,
            view=UNSET if attachment.views == "none" else snapshot.view,
            actions=snapshot.actions,
            waiting=snapshot.waiting,
        )

    def _resumed(self, feed: Feed, attachment: Attachment, missed: list[Told]) -> list[ToClient]:
        table, viewer = feed.table, attachment.viewer
        replies: list[ToClient] = [
            Attached(
                id=self.message.id,
                table=table.id,
                viewer=on_wire(viewer),
                version=self.message.from_,
                epoch=table.epoch,
                status=table.status,
                recovered=True,
                head=table.version,
            )
        ]
        for told in missed:
            last = told.commit.version == table.version
            snapshot = frame.snapshot(table, viewer) if last else None
            view: Any = UNSET
            if snapshot is not None and attachment.views != "none":
                view = snapshot.view
            replies.append(
                Update(
                    table=table.id,
                    version=told.commit.version,
                    at_ms=told.commit.at_ms,
                    by=told.commit.by,
                    status=told.status,
                    events=redact_all(told.commit.events, viewer),
                    view=view,
                    actions=UNSET if snapshot is None else snapshot.actions,
                    waiting=told.waiting,
                )
            )
        return replies


class _Act(_Answered):
    """A job: a command of the seat that is attached."""

    async def run(self, room: Room) -> None:
        """Decide, store, tell, answer."""
        connection, message = self.connection, self.message
        attachment = connection.attachments.get(room.id)
        if attachment is None or attachment.viewer == SPECTATOR:
            text = "attach with a seat's token first" if attachment is None else "spectators cannot act"
            self.fail("forbidden", text)
            return
        seat = attachment.viewer
        if_version = None if message.if_version is UNSET else message.if_version

        def decide(table: Table) -> Decision:
            if tables.seat_of(table, token_hash) is None:
                raise _Revoked
            return tables.decide_act(room.game, table, seat, message.action, if_version=if_version)

        def stored(commit: Commit) -> None:
            connection.tell(Accepted(id=message.id, table=room.id, version=commit.version))

        there = room.table.seats[seat]
        assert there is not None
        token_hash = there.token_hash
        try:
            await room.command(seat, decide, seat_command(message.id, message.action), stored)
        except _Revoked:
            self.fail("forbidden", "this seat's token is not valid any more")
        except Rejected as refused:
            connection.tell(
                Refused(
                    id=message.id,
                    table=room.id,
                    code=refused.code,
                    message=refused.message,
                    detail=refused.detail or UNSET,
                    version=room.table.version,
                )
            )


class _Revoked(Exception):
    pass
