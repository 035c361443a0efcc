"""uvicorn's WebSocket protocol, where it must bear with clients that are broken, absent or hostile."""

from __future__ import annotations

from typing import Final

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_UNSENT: Final = 1024 * 1024
"""Who lets more bytes than this wait and still asks for pongs is cut off."""

LINGER_S: Final = 2.0
"""How long a client that broke the protocol may take to read why."""

CLOSE_NOT_UTF8 = 1007
CLOSE_SILENT = 1008


class SocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection, below the application."""

    lingers = False
    """Whether the client broke the protocol and only has to read why."""

    def send_receive_event_to_app(self) -> None:
        """Pass a whole message on. Text that is not UTF-8 is the client's fault, so it is not logged."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            self.frames = [b"".join(self.frames)]
            try:
                self.frames[0].decode()
            except UnicodeDecodeError:
                self.frames = []
                self.refuse_text()
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Say what was wrong, and read on for a moment without looking at it.

        A socket that is closed while its client still sends would be reset, and the reason lost on the way.
        """
        told = self.conn.close_sent
        assert told is not None
        self.queue.put_nowait({"type": "websocket.disconnect", "code": told.code, "reason": told.reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.transport.is_closing() or not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self.lingers = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(LINGER_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take in what has come, unless it comes after a fault."""
        if not self.lingers:
            super().data_received(data)

    def refuse_text(self) -> None:
        """Close because of text that is not UTF-8."""
        self.conn.send_close(CLOSE_NOT_UTF8, "text must be UTF-8")
        self.handle_parser_exception()

    def handle_ping(self) -> None:
        """Answer, unless the client lets answers pile up without reading them, or has heard the last word."""
        if self.lingers:
            return
        if self.transport.get_write_buffer_size() > MOST_UNSENT:
            self.transport.abort()
        else:
            super().handle_ping()

    def shutdown(self) -> None:
        """Close, but leave a handshake to the application: it answers 503, where uvicorn would say 500."""
        if self.handshake_complete or self.close_sent:
            super().shutdown()

    def keepalive_timeout(self) -> None:
        """The client did not answer a ping. It is no fault of the server, so the code is not 1011."""
        self.pong_timer = None
        self.pending_ping_payload = None
        if self.close_sent or self.transport.is_closing():
            return
        self.conn.send_close(CLOSE_SILENT, "no answer to a ping")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        # What a client does not read would keep the connection open for ever.
        self.loop.call_later(self.close_timeout, self.transport.abort)

    async def send(self, message: ASGISendEvent) -> None:
        """Send; a close that the client does not read ends the connection all the same."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True  # refused by us, which is no error of ours to be logged
        if message["type"] == "websocket.close" and self.close_timer is not None:
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)
