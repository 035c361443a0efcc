"""uvicorn's WebSocket protocol, where it must bear with clients that are broken, absent or hostile."""

from __future__ import annotations

from typing import Final

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_UNSENT: Final = 1024 * 1024
"""Who lets more bytes than this wait and still asks for pongs is cut off."""

CLOSE_NOT_UTF8 = 1007
CLOSE_SILENT = 1008


class SocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection, below the application."""

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

    def refuse_text(self) -> None:
        """Close because of text that is not UTF-8."""
        self.conn.send_close(CLOSE_NOT_UTF8, "text must be UTF-8")
        self.handle_parser_exception()

    def handle_ping(self) -> None:
        """Answer, unless the client lets answers pile up without reading them."""
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
