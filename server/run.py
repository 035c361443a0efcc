"""Runs the server: the embedded store if none is named, then uvicorn, and stops both in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import structlog
import uvicorn
from starlette.applications import Starlette

from server import logs
from server.app import create_app
from server.embedded import EmbeddedStore
from server.service import Service
from server.settings import Settings
from server.sockets import SocketProtocol
from server.ws import Endpoint

log = structlog.get_logger(__name__)


def config_for(app: Starlette, settings: Settings) -> uvicorn.Config:
    """How uvicorn runs ``app``."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="auto",
        http="httptools",
        ws=SocketProtocol,
        ws_max_size=settings.max_frame_bytes,
        ws_per_message_deflate=False,
        ws_ping_interval=settings.ping_interval_s,
        ws_ping_timeout=settings.idle_timeout_s - settings.ping_interval_s,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.shutdown_grace_s)),
        backlog=4096,
    )


class Server(uvicorn.Server):
    """uvicorn, but viewers are told before their connections are closed.

    Args:
        config: from `config_for`.
        app: the application.
        grace_s: how long commands that run may take to finish.
        started: called with the address once the server listens.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        app: Starlette,
        grace_s: float,
        started: Callable[[str], None] = lambda address: None,
    ) -> None:
        super().__init__(config)
        self._endpoint: Endpoint = app.state.endpoint
        self._service: Service = app.state.service
        self._grace_s = grace_s
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say where."""
        await super().startup(sockets)
        for server in getattr(self, "servers", []):
            for there in server.sockets:
                host, port = there.getsockname()[:2]
                self._told(f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{port}")  # noqa: S104
                return

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the commands that run, tell every viewer to come back, close."""
        for server in getattr(self, "servers", []):
            server.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._service.drained(), self._grace_s)
        self._endpoint.stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._endpoint.closed(), min(2.0, self._grace_s))
        await super().shutdown(sockets)


@contextlib.contextmanager
def store_for(settings: Settings) -> Iterator[Settings]:
    """The settings with a store to connect to: the named one, or an embedded one for as long as this lasts.

    Raises:
        server.embedded.EmbeddedStoreError: it cannot be started; the text says why.
    """
    if settings.store is not None:
        yield settings
        return
    embedded = EmbeddedStore(settings.data)
    with embedded as url:
        yield settings.replaced(store=url)


def serve(settings: Settings, started: Callable[[str], None] = lambda address: None) -> bool:
    """Serve until a signal says stop. Gives whether the server had started."""
    logs.configure(settings.log_level)
    with store_for(settings) as ready:
        app = create_app(ready)
        server = Server(config_for(app, ready), app, ready.shutdown_grace_s, started)
        server.run()
        return server.started
