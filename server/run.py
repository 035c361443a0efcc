"""Runs the server: the embedded store if none is named, then uvicorn, and stops both in order."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Iterator

import structlog
import uvicorn
from starlette.applications import Starlette

from server import logs, metrics
from server.app import create_app, store_of
from server.direct import DirectProtocol
from server.embedded import EmbeddedStore, EmbeddedStoreError
from server.patience import protocol
from server.service import Service
from server.settings import Settings, check_folder
from server.sockets import SocketProtocol
from server.workers import DRAIN_SIGNAL, STOP_SIGNALS, Workers
from server.ws import Endpoint

log = structlog.get_logger(__name__)


def config_for(app: Starlette, settings: Settings) -> uvicorn.Config:
    """How uvicorn runs ``app``."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="auto",
        http=protocol(settings.handshake_timeout_s),
        ws=DirectProtocol if settings.direct else SocketProtocol,
        ws_max_size=settings.max_frame_bytes,
        ws_per_message_deflate=False,
        ws_ping_interval=settings.ping_interval_s,
        ws_ping_timeout=settings.idle_timeout_s - settings.ping_interval_s,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=",".join(settings.trusted_proxies) or None,
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
        keep: called about once a second.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        app: Starlette,
        grace_s: float,
        started: Callable[[str], None] = lambda address: None,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._keep = keep
        self._endpoint: Endpoint = app.state.endpoint
        self._service: Service = app.state.service
        self._grace_s = grace_s
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say where."""
        await super().startup(sockets)
        settle_down()
        for server in getattr(self, "servers", []):
            for there in server.sockets:
                host, port = there.getsockname()[:2]
                self._told(f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{port}")  # noqa: S104
                return

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop or drain on a signal, and only that: uvicorn would raise it again, skipping what follows."""
        before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
        before[DRAIN_SIGNAL] = signal.signal(DRAIN_SIGNAL, lambda number, frame: self._endpoint.drain())
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second: now and then look after the store and the metrics."""
        if counter % 10 == 0:
            self._keep()
            metrics.pour()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the commands that run, tell every viewer to come back, close: all within the grace."""
        end = asyncio.get_running_loop().time() + self._grace_s
        for server in getattr(self, "servers", []):
            server.close()
        self._service.stopping = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._service.drained(), self._grace_s)
        self._endpoint.stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._endpoint.closed(), min(2.0, self._grace_s))
        # What is left of the grace is for answers that are being sent.
        left = end - asyncio.get_running_loop().time()
        self.config.timeout_graceful_shutdown = max(1, round(left))
        await super().shutdown(sockets)


def settle_down() -> None:
    """Spare the garbage collector what stays for good, and let it look seldom.

    Hardly anything that a move leaves behind is part of a cycle: reference counting frees it at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@contextlib.contextmanager
def store_for(settings: Settings) -> Iterator[tuple[Settings, Callable[[], None]]]:
    """The settings with a store to connect to: the named one, or an embedded one for as long as this lasts.

    Also gives what to call now and then in the main thread: it starts the embedded store again if it
    has died.

    Raises:
        server.embedded.EmbeddedStoreError: it cannot be started; the text says why.
    """
    if settings.store is not None:
        yield settings, lambda: None
        return
    embedded = EmbeddedStore(settings.data)

    def keep() -> None:
        if embedded.pid is None:
            log.error("embedded_store_died", folder=str(settings.data))
            try:
                embedded.start()
            except EmbeddedStoreError as error:
                log.error("embedded_store_not_started", reason=str(error))

    url = embedded.start()
    try:
        archive = settings.archive_folder
        yield settings.replaced(store=url, archive=archive), keep
    finally:
        embedded.stop()


class CannotListen(Exception):
    """The address cannot be listened on; the text says why."""


def check_address(host: str, port: int) -> None:
    """Try to take an address, and let go of it: before anything is started, so that the reason can be said.

    Raises:
        CannotListen: it is taken, or no address of this machine, or only for others.
    """
    try:
        for family, kind, _, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                tried.bind(address)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise CannotListen(f"cannot listen at {host}, port {port}: {why}") from error


async def check_store(settings: Settings) -> None:
    """Connect to the store once. Raises `server.store.base.StoreUnavailable` or `WeakStore`."""
    store = store_of(settings)
    try:
        await store.start()
    finally:
        await store.close()


def serve(settings: Settings, started: Callable[[str], None] = lambda address: None) -> bool:
    """Serve until a signal says stop. Gives whether the server had started.

    Raises:
        SettingsError: the folder of archived tables cannot be written.
        CannotListen, StoreUnavailable, WeakStore, EmbeddedStoreError: it cannot start; the text says why.
    """
    check_address(settings.host, settings.port)
    if settings.archive is not None:
        check_folder(settings.archive)
    logs.configure(settings.log_level)
    with store_for(settings) as (ready, keep):
        asyncio.run(check_store(ready))
        if settings.workers > 1:
            return Workers(ready, started, keep).run()
        return serve_here(ready, started, keep)


def serve_here(
    settings: Settings,
    started: Callable[[str], None] = lambda address: None,
    keep: Callable[[], None] = lambda: None,
    sockets: list[socket.socket] | None = None,
    draining: bool = False,
) -> bool:
    """Serve in this process over the store that the settings name. Gives whether the server had started.

    Args:
        sockets: sockets that listen already, instead of host and port.
        draining: take no connections from the start.
    """
    app = create_app(settings)
    if draining:
        app.state.endpoint.drain()
    server = Server(config_for(app, settings), app, settings.shutdown_grace_s, started, keep)
    with contextlib.suppress(SystemExit):  # uvicorn's own, when it cannot start; the log says why
        server.run(sockets)
    return server.started
