"""The short way between a socket and a `Connection`, past ASGI.

Under ASGI every message costs two tasks' turns and a queue; a viewer's frame is built anew for each socket.
Here uvicorn's own protocol hands a frame straight to the connection, and the frames of one turn of the event
loop leave in one write. The bytes are the same; `FACEDOWN_DIRECT=0` goes the ASGI way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from websockets.http11 import Request

from server.framing import framed_once
from server.sockets import SocketProtocol

EXTENSION = "facedown.direct"


class DirectProtocol(SocketProtocol):
    """One connection; an application that finds it in the scope under `EXTENSION` can go direct."""

    full = False
    """Whether the socket takes no more for now."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._taker: Callable[[str | bytes], None] | None = None
        self._resumed: Callable[[], None] | None = None
        self._lost: Callable[[], None] | None = None

    def handle_connect(self, event: Request) -> None:
        """Offer the short way to the application, which runs only after this."""
        super().handle_connect(event)
        if self.response.status_code == 101:
            extensions: Any = self.scope["extensions"]
            extensions[EXTENSION] = self

    def begin(
        self, taker: Callable[[str | bytes], None], resumed: Callable[[], None], lost: Callable[[], None]
    ) -> None:
        """From now on hand every message to ``taker``, those that wait first.

        Args:
            taker: takes a message; must not raise.
            resumed: called when more may be written after `can_write` was False.
            lost: called when the socket is gone.
        """
        self._lost = lost
        self._taker = taker
        self._resumed = resumed
        waiting: list[Any] = []
        while not self.queue.empty():
            waiting.append(self.queue.get_nowait())
        for message in waiting:
            if message["type"] == "websocket.receive":
                text = message.get("text")
                taker(text if text is not None else message["bytes"])
            else:
                self.queue.put_nowait(message)
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def send_receive_event_to_app(self) -> None:
        """Hand a whole message on."""
        if self._taker is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        whole = b"".join(self.frames)
        self.frames = []
        if self.curr_msg_data_type == "bytes":
            self._taker(whole)
            return
        try:
            text = whole.decode()
        except UnicodeDecodeError:
            self.refuse_text()
        else:
            self._taker(text)

    def handle_parser_exception(self) -> None:
        """To the application the client is gone: what it still has to read is no message."""
        super().handle_parser_exception()
        lost, self._lost = self._lost, None
        if lost is not None:
            lost()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone."""
        super().connection_lost(exc)
        lost, self._lost, self._taker, self._resumed = self._lost, None, None, None
        # Nothing here may know itself: whoever comes and goes would leave memory behind for minutes.
        getattr(self, "scope", {}).get("extensions", {}).pop(EXTENSION, None)
        if lost is not None:
            lost()

    def abort(self) -> None:
        """Close at once, whatever waits to be written."""
        self.transport.abort()

    @property
    def can_write(self) -> bool:
        """Whether the socket takes more now."""
        return not (self.close_sent or self.disconnected or self.full)

    def write_frames(self, opcode: int, payloads: Sequence[bytes]) -> None:
        """Write messages, one frame each, at once. Only where `can_write`."""
        if not self.transport.is_closing():
            self.transport.write(b"".join([framed_once(opcode, payload) for payload in payloads]))

    def pause_writing(self) -> None:
        """The socket takes no more for now."""
        super().pause_writing()
        self.full = True

    def resume_writing(self) -> None:
        """The socket takes more again."""
        super().resume_writing()
        self.full = False
        if self._resumed is not None:
            self._resumed()
