"""An endpoint that sends back what it is sent, on the server's own protocol classes: for conformance tools.

It is no part of the server and of no installation. `python -m tests.attack.echo 9001` serves it at
ws://127.0.0.1:9001 for a tool such as the Autobahn test suite; `--asgi` takes the way through ASGI.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.direct import EXTENSION, DirectProtocol
from server.framing import BINARY, TEXT
from server.run import config_for
from server.settings import Settings


async def echo(socket: WebSocket) -> None:
    """Send back each message as what it was, the short way if there is one."""
    await socket.accept()
    line = socket.scope.get("extensions", {}).get(EXTENSION)
    if isinstance(line, DirectProtocol):
        gone = asyncio.Event()

        def back(message: str | bytes) -> None:
            if isinstance(message, str):
                line.write_frames(TEXT, [message.encode()])
            else:
                line.write_frames(BINARY, [message])

        line.begin(back, lambda: None, gone.set)
        await gone.wait()
        return
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if (text := message.get("text")) is not None:
                await socket.send_text(text)
            else:
                await socket.send_bytes(message["bytes"])


@contextlib.asynccontextmanager
async def echoing(port: int = 0, *, direct: bool = True) -> AsyncIterator[tuple[str, int]]:
    """Serve the endpoint at ``/``; gives host and port."""
    settings = Settings(port=port, direct=direct, max_frame_bytes=16 * 1024 * 1024)
    config = config_for(Starlette(routes=[WebSocketRoute("/", echo)]), settings)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    loop = asyncio.create_task(server.main_loop())
    try:
        yield server.servers[0].sockets[0].getsockname()[:2]
    finally:
        server.should_exit = True
        await loop
        await server.shutdown()


async def _serve(port: int, *, direct: bool) -> None:
    async with echoing(port, direct=direct):
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(int(sys.argv[1]), direct="--asgi" not in sys.argv))
