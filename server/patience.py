"""uvicorn's HTTP protocol, where clients that send or read too slowly would keep a connection for nothing."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

READING_S: Final = 60.0
"""A response of which a client takes nothing for so long is given up."""


class HttpProtocol(HttpToolsProtocol):
    """One connection before it becomes a WebSocket, or while it asks for one thing after the other.

    A request, its head and its body, must be there within `request_s` seconds, counted from the connection's
    first moment or from the request's first byte.
    """

    request_s: float = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, but not for ever."""
        super().connection_made(transport)
        self._expect()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._expect()

    def on_message_complete(self) -> None:
        """The request is there as a whole."""
        super().on_message_complete()
        self._settle()

    def handle_websocket_upgrade(self) -> None:
        """From now on another protocol looks after the connection."""
        self._settle()
        super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._settle()
        self._stop_watching()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client reads more slowly than is written."""
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(READING_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read something."""
        super().resume_writing()
        self._stop_watching()

    def _stop_watching(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.request_s, self._too_slow)

    def _settle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        """Close without a word: what came is no request that could be answered."""
        self._deadline = None
        self.transport.abort()


def protocol(request_s: float) -> type[HttpProtocol]:
    """The protocol with its time limit, as uvicorn takes it: a class.

    Args:
        request_s: how long a request may take to arrive, in seconds.
    """
    return type("HttpProtocol", (HttpProtocol,), {"request_s": request_s})
