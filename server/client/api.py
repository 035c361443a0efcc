"""The HTTP calls, each in a thread of its own: few are needed, and the standard library is enough."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from server.client.errors import RETRIED, Refused, Unreachable
from server.client.viewer import Codec, Message, Viewer, Views

_TIMEOUT_S: Final = 30.0
_ATTEMPTS: Final = 4
_LONGEST_WAIT_S: Final = 5.0


class Server:
    """A server by its address.

    Args:
        url: such as ``http://localhost:8000``; a path before ``/v1`` is allowed.
        patience_s: for how long a lost connection is tried again before `Unreachable`.

    Raises:
        ValueError: this is no such address.
    """

    def __init__(self, url: str, patience_s: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"the address of a server is like http://localhost:8000, not {url!r}")
        self.url = url.rstrip("/")
        self.patience_s = patience_s
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + "/v1"

    @property
    def socket_url(self) -> str:
        """The address of the WebSocket."""
        return f"ws{self.url.removeprefix('http')}/v1/ws"

    async def games(self) -> list[Message]:
        """The catalogue: what can be played, with how many, and how it looks."""
        found: list[Message] = (await self.call("GET", "/games"))["games"]
        return found

    async def create(self, game: str, **settings: Any) -> Message:
        """Open a table: ``{table, host_token}``. ``settings`` as in ``POST /v1/tables``."""
        return await self.call("POST", "/tables", {"game": game, **settings}, keyed=True)

    async def sit(self, table: str, name: str, **settings: Any) -> Message:
        """Sit down: ``{seat, token}``. The token is our own, so that a lost answer can be asked for again."""
        body = {"name": name, "token": secrets.token_urlsafe(32), **settings}
        return await self.call("POST", f"{_at(table)}/seats", body, keyed=True)

    async def start(self, table: str, host_token: str) -> Message:
        """Start a table that was opened with ``autostart: false``; gives its facts."""
        return await self.call("POST", f"{_at(table)}/start", {}, token=host_token, keyed=True)

    async def leave(self, table: str, seat: int, token: str) -> None:
        """Free a seat, with its own token or the host's."""
        await self._answer("DELETE", f"{_at(table)}/seats/{seat}", None, token, _key())

    async def facts(self, table: str, token: str | None = None) -> Message:
        """What everybody may know of a table."""
        return await self.call("GET", _at(table), token=token)

    async def listing(self, **wanted: str) -> AsyncIterator[Message]:
        """The facts of all listed tables, newest first; ``game`` and ``status`` choose among them."""
        cursor: dict[str, str] = {}
        while True:
            page = await self.call("GET", "/tables?" + urlencode({**wanted, **cursor}))
            for facts in page["tables"]:
                yield facts
            if page["next"] is None:
                return
            cursor = {"cursor": page["next"]}

    async def log(self, table: str, token: str | None = None, **query: str) -> list[Message]:
        """The log as the bearer may read it: a header, then one line a version.

        Args:
            query: ``views="patch"``, ``open="true"``, as in ``GET /v1/tables/{table}/log``.
        """
        asked = "?" + urlencode(query) if query else ""
        text = await self._answer("GET", f"{_at(table)}/log{asked}", None, token, None)
        return [json.loads(line) for line in text.splitlines()]

    def attach(
        self,
        table: str,
        token: str | None = None,
        *,
        codec: Codec = "json",
        views: Views = "full",
        keep: bool = False,
    ) -> Viewer:
        """A viewer of a table, for ``async with``; ``keep``: with its messages, for `Viewer.messages`."""
        return Viewer(self.socket_url, self.patience_s, table, token, codec, views, keep)

    async def call(
        self,
        method: str,
        path: str,
        body: Message | None = None,
        *,
        token: str | None = None,
        keyed: bool = False,
    ) -> Message:
        """One request under ``/v1``.

        Args:
            keyed: send an idempotency key, so that the request can be repeated.

        Raises:
            Refused: with the server's code.
            Unreachable: there is no answer, or one that is not this protocol's.
        """
        return self._read(await self._answer(method, path, body, token, _key() if keyed else None))

    async def _answer(
        self, method: str, path: str, body: Message | None, token: str | None, key: str | None
    ) -> str:
        """The body of a success. What can be repeated safely is, while the server cannot answer."""
        attempts = _ATTEMPTS if method == "GET" or key is not None else 1
        for attempt in range(1, attempts + 1):
            try:
                status, text = await asyncio.to_thread(self._request, method, path, body, token, key)
            except ConnectionRefusedError as error:
                raise Unreachable(f"no server answers at {self.url}: {error.strerror}") from error
            except (OSError, http.client.HTTPException) as error:
                if attempt == attempts:
                    raise Unreachable(f"no answer from {self.url}: {error}") from error
                wait_s = 0.2
            else:
                if status < 400:
                    return text
                refused = Refused.told(self._read(text))
                wait_s = refused.wait_s
                if attempt == attempts or refused.code not in RETRIED or wait_s > _LONGEST_WAIT_S:
                    raise refused
            await asyncio.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _request(
        self, method: str, path: str, body: Message | None, token: str | None, key: str | None
    ) -> tuple[int, str]:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        sent = None if body is None else json.dumps(body).encode()
        with contextlib.closing(self._kind(self._host, self._port, timeout=_TIMEOUT_S)) as connection:
            connection.request(method, self._path + path, sent, headers)
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")

    def _read(self, text: str) -> Message:
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Unreachable(f"what answers at {self.url} is no Facedown server: {text[:80]!r}")
        return value


def _key() -> str:
    return secrets.token_urlsafe(18)


def _at(table: str) -> str:
    return f"/tables/{quote(table, safe='')}"
