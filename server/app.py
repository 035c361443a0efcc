"""The one place where everything is put together."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.errors import Rejected
from projections.registry import check_all
from server import asyncapi, feed, pages
from server.admin import Admin
from server.archive import Archived, Folder
from server.limits import Buckets, sender
from server.metrics import ERRORS, LIMITED, Metrics
from server.openapi import description
from server.routes import Api, error_reply
from server.schema import messages
from server.service import Service
from server.settings import Settings
from server.store import open_store
from server.store.base import Archive, EventStore, StoreUnavailable
from server.ws import Endpoint

log = structlog.get_logger(__name__)

Stop = Callable[[], Awaitable[None]]


def store_of(settings: Settings) -> EventStore:
    """The store that the settings name, not started yet."""
    if settings.store is None:
        raise ValueError("an application needs a store: start the embedded one and give its URL")
    return open_store(
        settings.store,
        allow_weak=settings.allow_weak_store,
        replicas=settings.store_replicas,
        replicas_on_disk=settings.store_replicas_on_disk,
    )


def create_app(settings: Settings, store: EventStore | None = None) -> Starlette:
    """The ASGI application.

    Args:
        settings: what to run with; ``settings.store`` names the store unless ``store`` is given.
        store: a store that is not started yet.
    """
    check_all()
    if store is None:
        store = store_of(settings)
    archive = None
    if settings.archive is not None:
        keep_s = settings.archive_keep_days * 86_400
        archive = Archived(cast(Archive, store), Folder(settings.archive), keep_s)
        store = cast(EventStore, archive)
    # Monotonic: a clock that is put right must not run out anybody's time.
    service = Service(store, settings, lambda: time.monotonic_ns() // 1_000_000, archive)
    endpoint = Endpoint(service)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await service.start()
        log.info("ready", store=settings.store_for_log, compiled=is_compiled())
        try:
            yield
        finally:
            endpoint.stop()
            await service.close()

    app = Starlette(
        routes=[
            *Api(service).routes(),
            Route("/v1/schema", _constant(lambda: msgspec.json.encode(messages()))),
            Route("/v1/openapi.json", _constant(description)),
            Route("/v1/asyncapi.json", _constant(asyncapi.description)),
            Route("/healthz", _health),
            Route("/readyz", _ready(service, endpoint)),
            *([Route("/metrics", _metrics(service, endpoint))] if settings.metrics else []),
            *(Admin(service, endpoint).routes() if settings.operator_token else []),
            WebSocketRoute("/v1/ws", endpoint.__call__),
            *pages.routes(),
        ],
        middleware=[
            Middleware(Origins, allowed=settings.origins),
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.origins) or ["*"],
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "Idempotency-Key"],
                expose_headers=["Retry-After"],
                max_age=3600,
            ),
            # Inside the one before, so that pages of other origins can read the refusal.
            Middleware(
                Requests,
                burst=settings.request_burst,
                rate_per_s=settings.request_rate_per_s,
                stopping=lambda: service.stopping,
            ),
        ],
        exception_handlers={HTTPException: _http_error, Exception: _crashed},
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.endpoint = endpoint
    return app


def _constant(make: Callable[[], bytes]) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        return Response(make(), media_type="application/json")

    return serve


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def _metrics(service: Service, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    page = Metrics(service, endpoint)

    async def serve(request: Request) -> Response:
        return Response(page.page(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return serve


def _ready(service: Service, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def ready(request: Request) -> Response:
        if endpoint.draining:
            return error_reply(Rejected("unavailable", "the server takes no new connections"))
        try:
            await service.store.now_ms()
        except StoreUnavailable:
            return error_reply(Rejected("unavailable", "the store cannot be reached"))
        return JSONResponse({"status": "ok"})

    return ready


async def _http_error(request: Request, error: Exception) -> Response:
    """The files come last and match any address, so here is told what the API has there."""
    if methods := _methods(request):
        allowed = ", ".join(sorted(methods))
        response = error_reply(Rejected("not_found", f"this address takes {allowed}"), 405)
        response.headers["Allow"] = allowed
        return response
    return error_reply(Rejected("not_found", "there is nothing at this address; see GET /v1"))


def _methods(request: Request) -> set[str]:
    found: set[str] = set()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods or set()
    return found


async def _crashed(request: Request, error: Exception) -> Response:
    ERRORS.inc()
    log.error("request_failed", path=request.url.path, exc_info=error)
    return error_reply(Rejected("unavailable", "the server could not do this; nothing has changed"))


class Origins:
    """Refuses HTTP requests from origins that are not allowed (the WebSocket checks its own).

    Args:
        app: the application behind it.
        allowed: the origins; empty means any.
    """

    def __init__(self, app: ASGIApp, allowed: tuple[str, ...]) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and self._allowed:
            origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
            if any(origin not in self._allowed for origin in origins):
                response = error_reply(
                    Rejected("forbidden", "this server takes no requests from this origin")
                )
                await response(scope, receive, send)
                return
        await self._app(scope, receive, _secured(send))


class Requests:
    """Refuses addresses that change too much too fast, and all changes when the process ends.

    Args:
        app: the application behind it.
        burst: requests at once.
        rate_per_s: requests a second for long.
        stopping: whether the process ends.
    """

    def __init__(self, app: ASGIApp, burst: int, rate_per_s: float, stopping: Callable[[], bool]) -> None:
        self._app = app
        self._buckets = Buckets(burst, rate_per_s, time.monotonic)
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] in ("POST", "DELETE"):
            if self._stopping():
                refused = Rejected("unavailable", "the server restarts; repeat the request")
                await error_reply(refused)(scope, receive, send)
                return
            if wait_ms := self._buckets.take(sender(scope)):
                LIMITED.labels("request").inc()
                text = f"too many requests from this address; go on in {wait_ms} ms"
                refused = Rejected("rate_limited", text, {"retry_after_ms": wait_ms})
                await error_reply(refused)(scope, receive, send)
                return
        await self._app(scope, receive, send)


_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]


def _secured(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return wrapped


def is_compiled() -> bool:
    """Whether this process runs what `scripts/compile` has made."""
    return not str(feed.__file__).endswith(".py")
