"""The WebSocket endpoint: moves bytes between a socket and a `Connection`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from server import metrics
from server.codec import Kind
from server.connection import Connection
from server.direct import EXTENSION, DirectProtocol
from server.limits import Places, sender
from server.service import Service

log = structlog.get_logger(__name__)

LOST = 1006
GOODBYE_S = 5.0
RETRY_S = 1
"""When a client that has too many connections may look again; nobody knows when one of them ends."""

SUBPROTOCOLS: Final[dict[str, Kind]] = {"facedown.v1.json": "json", "facedown.v1.msgpack": "msgpack"}


class Endpoint:
    """Serves ``/v1/ws`` and knows all connections of this process.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._connections: set[Connection] = set()
        self._stopping = False
        self._places = Places(service.settings.max_connections_per_address)

    @property
    def number(self) -> int:
        """How many connections are open."""
        return len(self._connections)

    @property
    def queued_bytes(self) -> int:
        """How much waits to be sent, over all connections."""
        return sum(connection.queued_bytes for connection in self._connections)

    @property
    def draining(self) -> bool:
        """Whether no new connections are taken."""
        return self._stopping

    def drain(self) -> None:
        """Take no new connections; those that are there go on."""
        self._stopping = True

    async def __call__(self, socket: WebSocket) -> None:
        """One connection, from the handshake to its end."""
        if (refusal := self._refusal(socket)) is not None:
            await socket.send_denial_response(refusal)
            return
        address = sender(socket.scope)
        if not self._places.take(address):
            metrics.LIMITED.labels("connection").inc()
            text = "this address has too many connections; close one before you open another"
            refused = _refused(429, "rate_limited", text, {"retry_after_ms": RETRY_S * 1000})
            refused.headers["Retry-After"] = str(RETRY_S)
            await socket.send_denial_response(refused)
            return
        metrics.CONNECTIONS.inc()
        try:
            await self._serve(socket)
        finally:
            metrics.CONNECTIONS.dec()
            self._places.give_back(address)

    async def _serve(self, socket: WebSocket) -> None:
        offered = socket.scope["subprotocols"]
        chosen = next((name for name in offered if name in SUBPROTOCOLS), None)
        await socket.accept(subprotocol=chosen)
        connection = Connection(self._service, SUBPROTOCOLS[chosen] if chosen else "json")
        self._connections.add(connection)
        line = socket.scope.get("extensions", {}).get(EXTENSION)
        try:
            if isinstance(line, DirectProtocol) and self._service.settings.direct:
                connection.go_direct(line)
                await connection.wake.wait()
                await _close(socket, connection, line.abort)
            else:
                await _pump(socket, connection)
        finally:
            connection.gone()
            self._connections.discard(connection)

    def _refusal(self, socket: WebSocket) -> JSONResponse | None:
        origins = self._service.settings.origins
        if origins and any(origin not in origins for origin in socket.headers.getlist("origin")):
            return _refused(403, "forbidden", "this server takes no connections from this origin")
        if socket.scope["query_string"]:
            return _refused(
                400, "bad_message", "the WebSocket address takes no query; send tokens in messages"
            )
        offered = socket.scope["subprotocols"]
        if offered and not any(name in SUBPROTOCOLS for name in offered):
            known = ", ".join(SUBPROTOCOLS)
            return _refused(400, "bad_message", f"none of the subprotocols is known; known: {known}")
        if self._stopping:
            return _refused(503, "unavailable", "the server is stopping")
        return None

    def stop(self) -> None:
        """Take no new connections, and tell the ones that are there to come back."""
        self._stopping = True
        for connection in list(self._connections):
            connection.shut()

    async def closed(self) -> None:
        """Wait until every connection has been closed."""
        while self._connections:  # noqa: ASYNC110 - at the end only
            await asyncio.sleep(0.01)


def _refused(status: int, code: str, message: str, detail: dict[str, int] | None = None) -> JSONResponse:
    body: dict[str, Any] = {"code": code, "message": message}
    return JSONResponse(body if detail is None else body | {"detail": detail}, status)


async def _close(socket: WebSocket, connection: Connection, abort: Callable[[], None]) -> None:
    """Say goodbye to a client that may have stopped reading."""
    assert connection.closing is not None
    code, reason = connection.closing
    if code == LOST or socket.application_state is not WebSocketState.CONNECTED:
        return
    try:
        async with asyncio.timeout(GOODBYE_S):
            await socket.close(code, reason)
    except TimeoutError:
        abort()
    except (WebSocketDisconnect, RuntimeError, OSError):
        return


async def _pump(socket: WebSocket, connection: Connection) -> None:
    """Move frames by ASGI until either side has had enough."""
    reader = asyncio.create_task(_read(socket, connection))
    writer = asyncio.create_task(_write(socket, connection))
    try:
        await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
        if connection.closing is not None:
            await asyncio.wait((writer,), timeout=GOODBYE_S)
    finally:
        reader.cancel()
        writer.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)


async def _read(socket: WebSocket, connection: Connection) -> None:
    while connection.closing is None:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        frame = text if text is not None else message.get("bytes")
        if frame is not None:
            connection.receive(frame)


async def _write(socket: WebSocket, connection: Connection) -> None:
    outbox, text = connection.outbox, connection.kind == "json"
    try:
        while True:
            while outbox:
                frame = outbox.pop(0)
                if text:
                    await socket.send({"type": "websocket.send", "text": frame.decode()})
                else:
                    await socket.send({"type": "websocket.send", "bytes": frame})
                connection.sent(frame)
            if connection.closing is not None:
                await _close(socket, connection, lambda: None)
                return
            connection.wake.clear()
            await connection.wake.wait()
    except (WebSocketDisconnect, RuntimeError, OSError):
        connection.lost()
