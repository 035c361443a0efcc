"""The HTTP API: requests to methods of the service, exceptions to errors with a code."""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from domain.errors import Rejected
from server.catalogue import catalogue
from server.codec import BadFrame, is_id, parse_body
from server.jobs import refusal
from server.limits import Buckets, sender
from server.metrics import LIMITED
from server.parsing import explain
from server.requests import AddBot, Admitted, Body, CreateTable, Mine, Mute, Nothing, PassHost, Quick, Sit
from server.service import Service

log = structlog.get_logger(__name__)

STATUS = {
    "bad_message": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "no_such_table": 404,
    "no_such_game": 404,
    "no_such_version": 404,
    "not_found": 404,
    "too_large": 413,
    "bad_options": 422,
    "rate_limited": 429,
    "outcome_unknown": 503,
    "unavailable": 503,
}
"""HTTP status of each code; every other code is a conflict, 409."""

B = TypeVar("B", bound=Body)
_json = msgspec.json.Encoder()


def reply(value: Any, status: int = 200) -> Response:
    """A JSON response."""
    return Response(_json.encode(value), status, media_type="application/json")


def error_reply(refused: Rejected, status: int | None = None) -> Response:
    """The response that tells of a refusal."""
    body: dict[str, Any] = {"code": refused.code, "message": refused.message}
    if refused.detail is not None:
        body["detail"] = refused.detail
    response = reply(body, status or STATUS.get(refused.code, 409))
    if refused.code == "unauthorized":
        response.headers["WWW-Authenticate"] = "Bearer"
    if response.status_code in (429, 503):
        wait_ms = (refused.detail or {}).get("retry_after_ms", 1000)
        response.headers["Retry-After"] = str(max(1, -(-wait_ms // 1000)))
    return response


Handler = Callable[["Api", Request], Awaitable[Response]]


def answered(handler: Handler) -> Handler:
    """Turn whatever a handler raises into a response with a code."""

    @functools.wraps(handler)
    async def safe(api: Api, request: Request) -> Response:
        try:
            return await handler(api, request)
        except BadFrame as bad:
            return error_reply(Rejected("bad_message", bad.message))
        except ClientDisconnect:
            return error_reply(Rejected("bad_message", "the request broke off"))
        except Exception as error:  # noqa: BLE001 - told to the client with a code, logged by `refusal`
            return error_reply(refusal(error, str(request.path_params.get("table", ""))))

    return safe


async def body_of(request: Request, kind: type[B], limit: int) -> B:
    """The body of a request, of at most ``limit`` bytes. Raises `BadFrame`, `Rejected`."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise Rejected("too_large", f"a body has at most {limit} bytes")
    if not raw and kind is Nothing:
        return kind()
    try:
        return msgspec.convert(parse_body(raw), kind)
    except msgspec.ValidationError as error:
        raise Rejected("bad_message", explain(error)) from None


def bearer(request: Request) -> str | None:
    """The token of the request, or None.

    Raises:
        Rejected: ``bad_message`` for an empty one, for another scheme, and for more than one.
    """
    header = _header(request, "Authorization")
    if header is None:
        return None
    scheme, _, token = header.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or " " in token:
        raise Rejected("bad_message", "Authorization must be: Bearer <token>")
    return token


def idempotency_key(request: Request) -> str | None:
    """The request's idempotency key, or None. Raises `Rejected` ``bad_message`` for an unusable one."""
    key = _header(request, "Idempotency-Key")
    if key is None:
        return None
    if not is_id(key) or len(key) < 8:
        raise Rejected(
            "bad_message", "Idempotency-Key must be 8 to 64 printable characters that nobody can guess"
        )
    return key


def _header(request: Request, name: str) -> str | None:
    """A header, or None. Raises `Rejected` ``bad_message`` where it stands twice: either might be meant."""
    found = request.headers.getlist(name)
    if len(found) > 1:
        raise Rejected("bad_message", f"the header {name} is there {len(found)} times; send it once")
    return found[0] if found else None


def query(request: Request, *known: str) -> dict[str, str]:
    """The query parameters. Raises `Rejected` ``bad_message`` for an unknown or repeated one."""
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in known:
            allowed = f"known: {', '.join(known)}" if known else "this address takes none"
            raise Rejected("bad_message", f"unknown query parameter {name[:40]!r}; {allowed}")
        if name in found:
            raise Rejected("bad_message", f"the query parameter {name} is there twice")
        found[name] = value
    return found


class Api:
    """The handlers.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._limit = service.settings.max_message_bytes
        hourly = service.settings.tables_per_address_per_hour
        self._tables = Buckets(hourly, hourly / 3600, time.monotonic)

    def routes(self) -> list[Route]:
        """All routes under ``/v1``."""

        def route(path: str, handler: Handler, method: str) -> Route:
            async def endpoint(request: Request) -> Response:
                return await handler(self, request)

            return Route(path, endpoint, methods=[method], name=getattr(handler, "__name__", path))

        table = "/v1/tables/{table}"
        return [
            route("/v1", Api.about, "GET"),
            route("/v1/games", Api.games, "GET"),
            route("/v1/tables", Api.tables, "GET"),
            route("/v1/tables", Api.create, "POST"),
            route(table, Api.facts, "GET"),
            route(table + "/seats", Api.sit, "POST"),
            route(table + "/seats/{seat}", Api.leave, "DELETE"),
            route(table + "/start", Api.start, "POST"),
            route(table + "/spectators", Api.admit, "POST"),
            route(table + "/bots", Api.add_bot, "POST"),
            route(table + "/host", Api.pass_host, "POST"),
            route(table + "/host", Api.host_leaves, "DELETE"),
            route(table + "/mute", Api.mute, "POST"),
            route(table + "/talk", Api.talk, "GET"),
            route(table + "/pause", Api.pause, "POST"),
            route(table + "/resume", Api.resume, "POST"),
            route(table + "/rematch", Api.rematch, "POST"),
            route("/v1/games/{game}/quick", Api.quick, "POST"),
            route("/v1/mine", Api.mine, "POST"),
            route(table + "/log", Api.log, "GET"),
            route(table + "/at/{version}", Api.at, "GET"),
        ]

    async def _body(self, request: Request, kind: type[B]) -> B:
        return await body_of(request, kind, self._limit)

    def _take_table(self, request: Request) -> None:
        if wait_ms := self._tables.take(sender(request.scope)):
            LIMITED.labels("table").inc()
            text = f"too many tables from this address; go on in {wait_ms} ms"
            raise Rejected("rate_limited", text, {"retry_after_ms": wait_ms})

    @answered
    async def about(self, request: Request) -> Response:
        """``GET /v1``."""
        query(request)
        return reply(catalogue.about(self._service.settings))

    @answered
    async def games(self, request: Request) -> Response:
        """``GET /v1/games``."""
        query(request)
        return Response(catalogue.games(), media_type="application/json")

    @answered
    async def create(self, request: Request) -> Response:
        """``POST /v1/tables``."""
        query(request)
        body = await self._body(request, CreateTable)
        self._take_table(request)
        return reply(await self._service.tables.create(body, idempotency_key(request)), 201)

    @answered
    async def tables(self, request: Request) -> Response:
        """``GET /v1/tables``."""
        asked = query(request, "game", "status", "cursor")
        return reply(
            await self._service.reader.listing(asked.get("game"), asked.get("status"), asked.get("cursor"))
        )

    @answered
    async def facts(self, request: Request) -> Response:
        """``GET /v1/tables/{table}``."""
        query(request)
        return reply(await self._service.reader.facts(request.path_params["table"], bearer(request)))

    @answered
    async def sit(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/seats``."""
        query(request)
        body = await self._body(request, Sit)
        key = idempotency_key(request)
        return reply(await self._service.tables.sit(request.path_params["table"], body, key), 201)

    @answered
    async def leave(self, request: Request) -> Response:
        """``DELETE /v1/tables/{table}/seats/{seat}``."""
        query(request)
        seat = _number(request.path_params["seat"], "seat")
        await self._service.tables.leave(
            request.path_params["table"], seat, bearer(request), idempotency_key(request)
        )
        return Response(status_code=204)

    @answered
    async def start(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/start``."""
        query(request)
        await self._body(request, Nothing)
        key = idempotency_key(request)
        return reply(await self._service.tables.start(request.path_params["table"], bearer(request), key))

    @answered
    async def admit(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/spectators``."""
        query(request)
        await self._body(request, Nothing)
        key = idempotency_key(request)
        token = await self._service.tables.admit(request.path_params["table"], bearer(request), key)
        return reply(Admitted(token), 201)

    @answered
    async def add_bot(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/bots``."""
        query(request)
        body = await self._body(request, AddBot)
        table, key = request.path_params["table"], idempotency_key(request)
        seated = await self._service.tables.add_bot(table, body, bearer(request), key)
        return reply({"seat": seated.seat}, 201)

    @answered
    async def pass_host(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/host``."""
        query(request)
        body = await self._body(request, PassHost)
        table, key = request.path_params["table"], idempotency_key(request)
        return reply(await self._service.tables.pass_host(table, body.seat, bearer(request), key))

    @answered
    async def host_leaves(self, request: Request) -> Response:
        """``DELETE /v1/tables/{table}/host``."""
        query(request)
        table, key = request.path_params["table"], idempotency_key(request)
        return reply(await self._service.tables.host_leaves(table, bearer(request), key))

    @answered
    async def mute(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/mute``."""
        query(request)
        body = await self._body(request, Mute)
        table, key = request.path_params["table"], idempotency_key(request)
        return reply(await self._service.tables.mute(table, body, bearer(request), key))

    @answered
    async def talk(self, request: Request) -> Response:
        """``GET /v1/tables/{table}/talk``."""
        query(request)
        said = await self._service.talk.since(request.path_params["table"], bearer(request))
        return reply({"talk": said})

    @answered
    async def pause(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/pause``."""
        return await self._pause(request, resume=False)

    @answered
    async def resume(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/resume``."""
        return await self._pause(request, resume=True)

    async def _pause(self, request: Request, *, resume: bool) -> Response:
        query(request)
        await self._body(request, Nothing)
        table, key = request.path_params["table"], idempotency_key(request)
        return reply(await self._service.tables.pause(table, bearer(request), resume=resume, key=key))

    @answered
    async def rematch(self, request: Request) -> Response:
        """``POST /v1/tables/{table}/rematch``."""
        query(request)
        await self._body(request, Nothing)
        return reply(await self._service.tables.rematch(request.path_params["table"], bearer(request)), 201)

    @answered
    async def quick(self, request: Request) -> Response:
        """``POST /v1/games/{game}/quick``."""
        query(request)
        body = await self._body(request, Quick)
        self._take_table(request)  # it may open one
        game, key = request.path_params["game"], idempotency_key(request)
        return reply(await self._service.tables.quick(game, body, key), 201)

    @answered
    async def mine(self, request: Request) -> Response:
        """``POST /v1/mine``."""
        query(request)
        body = await self._body(request, Mine)
        return reply({"tables": await self._service.reader.mine(body)})

    @answered
    async def log(self, request: Request) -> Response:
        """``GET /v1/tables/{table}/log``: JSON Lines."""
        asked = query(request, "views", "open")
        views, opened = asked.get("views"), asked.get("open")
        if views not in (None, "patch"):
            raise Rejected("bad_message", "views: only patch is possible")
        if opened not in (None, "true"):
            raise Rejected("bad_message", "open: only true is possible")
        lines = await self._service.reader.log(
            request.path_params["table"], bearer(request), patches=views == "patch", opened=opened == "true"
        )
        return Response(_json.encode_lines(lines), media_type="application/jsonl")

    @answered
    async def at(self, request: Request) -> Response:
        """``GET /v1/tables/{table}/at/{version}``."""
        query(request)
        version = _number(request.path_params["version"], "version")
        return reply(await self._service.reader.at(request.path_params["table"], version, bearer(request)))


def _number(text: str, what: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Rejected("not_found" if what == "seat" else "no_such_version", f"{what} must be a whole number")
    return int(text)
