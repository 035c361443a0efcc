"""One WebSocket connection, without the socket: frames in, frames out.

`server.ws` feeds `Connection.receive` and empties its outbox; everything else happens here, so that
tests need no sockets.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, final

import structlog
from msgspec import UNSET, UnsetType

from server import metrics
from server.acting import ActJob
from server.codec import BadFrame, Kind, decode, encode, is_id
from server.direct import DirectProtocol
from server.feed import Attachment
from server.framing import BINARY, TEXT, framed_once
from server.jobs import NoSuchTable, refusal
from server.limits import Bucket
from server.messages import AttachJob, DetachJob, UnwatchJob, unwatch_lobby, watch_lobby
from server.parsing import read
from server.service import Service
from server.talk import SayJob, new_bucket
from server.wire import (
    Act,
    Attach,
    Detach,
    Detached,
    Error,
    Ping,
    Pong,
    Say,
    ToClient,
    UnwatchLobby,
    WatchLobby,
)

log = structlog.get_logger(__name__)

CLOSE_WRONG_KIND = 1003
CLOSE_POLICY = 1008
CLOSE_RESTART = 1012

FLOOD = 10
"""A connection that had this many bursts refused is closed; refusals are forgotten at the allowed rate."""


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
        self.outbox: list[bytes] = []
        self.closing: tuple[int, str] | None = None
        self.alive = True
        self.wake = asyncio.Event()
        self._bytes = 0
        self._most_message_bytes = settings.max_message_bytes
        self._most_bytes = settings.queue_bytes
        self._most_waiting = settings.queue_messages
        self._opcode = TEXT if kind == "json" else BINARY
        self._line: DirectProtocol | None = None
        self._transport: Any = None
        self._flushes = service.flushes
        self._flushing = False
        self._attaching = 0
        self._bucket = Bucket(settings.message_burst, settings.message_rate_per_s, time.monotonic)
        self._patience = Bucket(FLOOD * settings.message_burst, settings.message_rate_per_s, time.monotonic)
        self.talk_bucket = new_bucket()

    @property
    def queued_bytes(self) -> int:
        """How much waits to be sent."""
        return self._bytes

    # --- out ----------------------------------------------------------------------------------------

    def send(self, frame: bytes) -> None:
        """Queue a frame; a reader that leaves too much waiting is cut off."""
        if self.closing is not None:
            return
        # Measured by what waits already: neither one large answer nor many at once make anybody slow.
        waiting, outbox = self._bytes, self.outbox
        if waiting >= self._most_bytes or len(outbox) >= self._most_waiting:
            self.flush()
            waiting = self._bytes
            if waiting >= self._most_bytes or len(outbox) >= self._most_waiting:
                self.cut()
                return
        outbox.append(frame)
        self._bytes = waiting + len(frame)
        if self._flushing:
            return
        if self._line is None:
            self.wake.set()
        else:
            self._flushing = True
            self._flushes.add(self)

    def go_direct(self, line: DirectProtocol) -> None:
        """Read from the socket's protocol and write to it, past ASGI."""
        self._line = line
        self._transport = line.transport
        line.begin(self.receive, self.flush, self.lost)

    @final
    def flush(self) -> None:
        """Write what waits, if the socket takes it; it says when it takes more."""
        self._flushing = False
        outbox, line = self.outbox, self._line
        if not outbox or line is None or line.close_sent or line.full:
            return
        self._bytes = 0
        opcode = self._opcode
        if len(outbox) == 1:
            packed = framed_once(opcode, outbox[0])
        else:
            packed = b"".join([framed_once(opcode, frame) for frame in outbox])
        outbox.clear()
        transport = self._transport
        if not transport.is_closing():
            transport.write(packed)

    def lost(self) -> None:
        """The socket is gone."""
        if self.closing is None:
            self.closing = (1006, "")
            self.gone()
        self.wake.set()

    @final
    def sent(self, frame: bytes) -> None:
        """A frame has left the outbox."""
        self._bytes -= len(frame)

    @final
    def tell(self, message: ToClient) -> None:
        """Queue a message."""
        self.send(encode(self.kind, message))

    def cut(self) -> None:
        """The reader is too slow: give up what waits, so that nobody else is slowed."""
        self.outbox.clear()
        self._bytes = 0
        metrics.SLOW.inc()
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
            self.flush()
            self.wake.set()

    def gone(self) -> None:
        """The socket is closed or about to be: watch nothing any more, nor what is being attached to."""
        self.alive = False
        self.service.lobby.unwatch(self)
        for table in list(self.attachments):
            self.forget(table)

    def drop(self, table: str, reason: Any) -> None:
        """This connection is no viewer of ``table`` any more."""
        if table in self.attachments:
            self.forget(table)
            self.tell(Detached(table=table, reason=reason))

    def forget(self, table: str) -> None:
        """Watch a table no more."""
        attachment = self.attachments.pop(table)
        room = self.service.room(table)
        for feed in (room.live, room.delayed):
            if feed is not None:
                feed.remove(attachment)
        if attachment.viewer >= 0:
            self.service.presence.left(table, attachment.viewer)
        if room.watched and not room.attachments():
            room.post(UnwatchJob())

    # --- in -----------------------------------------------------------------------------------------

    @final
    def receive(self, frame: str | bytes) -> None:
        """Take one frame from the client. Never raises for what the client sent."""
        if self.closing is not None:
            return
        if isinstance(frame, str) != (self.kind == "json"):
            wanted = "text" if self.kind == "json" else "binary"
            self._end(CLOSE_WRONG_KIND, f"this subprotocol uses {wanted} frames", "closed")
            return
        if (wait_ms := self._bucket.take()) != 0:
            self._too_fast(frame, wait_ms)
            return
        limit = self._most_message_bytes
        size = len(frame) if isinstance(frame, bytes) or frame.isascii() else len(frame.encode())
        if size > limit:
            text = f"a message has at most {limit} bytes; this one has {size}"
            self.tell(Error(id=self._id_of(frame), code="too_large", message=text))
            return
        try:
            message = read(self.kind, frame)
        except BadFrame as bad:
            self.tell(Error(id=bad.id or UNSET, code=bad.code, message=bad.message))
            return
        self._dispatch(message)

    def _id_of(self, frame: str | bytes) -> str | UnsetType:
        """The id of a frame that is not taken, so that its answer can carry it."""
        try:
            raw = decode(self.kind, frame)
        except BadFrame as bad:
            return bad.id or UNSET
        ident = raw.get("id") if isinstance(raw, dict) else None
        return ident if is_id(ident) else UNSET

    def _too_fast(self, frame: str | bytes, wait_ms: int) -> None:
        metrics.LIMITED.labels("message").inc()
        if self._patience.take():
            self._end(CLOSE_POLICY, "too many messages", "closed")
            return
        self.tell(
            Error(
                id=self._id_of(frame),
                code="rate_limited",
                message=f"too many messages; go on in {wait_ms} ms",
                detail={"retry_after_ms": wait_ms},
            )
        )

    @final
    def _dispatch(self, message: Any) -> None:
        if isinstance(message, Act) and not self.service.stopping:  # nearly always
            self._act(message)
            return
        match message:
            case Act() | Attach() | Say() if self.service.stopping:
                text = "the server restarts; connect again and repeat this with the same id"
                table = message.table
                self.tell(Error(id=message.id, table=table, code="unavailable", message=text))
            case Say():
                self._post(message.table, SayJob(self, message))
            case Attach():
                self._attach(message)
            case Detach():
                self._post(message.table, DetachJob(self, message))
            case Ping():
                self.tell(Pong(id=message.id, at_ms=self.service.now_ms()))
            case WatchLobby():
                self.service.spawn(watch_lobby(self, message))
            case UnwatchLobby():
                self.service.spawn(unwatch_lobby(self, message))

    @final
    def _act(self, message: Act) -> None:
        room = self.service.known(message.table)
        job = ActJob(self, message)
        # The usual act needs no task: it is decided here, and what follows waits for the store's answer.
        if room is None or not job.begin(room):
            self._post(message.table, job)

    @final
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
        self._post(message.table, AttachJob(self, message))

    def attach_ended(self) -> None:
        """An attach got its answer."""
        self._attaching -= 1
