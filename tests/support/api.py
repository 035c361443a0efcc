"""The HTTP API as a third party would use it: whatever the contract forbids fails the test."""

from __future__ import annotations

import json
from typing import Any

import httpx

from tests.support.contract import checked
from tests.support.mirror import Message

PATIENCE_S = 30.0  # far more than anything here needs: a test that waits this long has failed
CODES = {
    "bad_message",
    "too_large",
    "rate_limited",
    "unauthorized",
    "forbidden",
    "no_such_table",
    "no_such_game",
    "no_such_version",
    "not_found",
    "bad_options",
    "seat_taken",
    "table_full",
    "need_players",
    "already_started",
    "not_started",
    "finished",
    "paused",
    "muted",
    "not_your_turn",
    "illegal_action",
    "version_conflict",
    "id_reused",
    "outcome_unknown",
    "unavailable",
    "resync_required",
}


class Http:
    """The HTTP API of one server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.AsyncClient(base_url=url, timeout=PATIENCE_S)

    async def __aenter__(self) -> Http:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        key: str | None = None,
        **more: Any,
    ) -> httpx.Response:
        """A request. ``body`` is sent as JSON, bytes as they are."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if isinstance(body, bytes):
            more["content"] = body
        elif body is not None:
            more["json"] = body
        response = await self.client.request(method, path, headers=headers, **more)
        checked(method, path, response)
        if response.status_code >= 400 and response.content:
            said = response.json()
            assert said["code"] in CODES
            assert said["message"]
            assert set(said) <= {"code", "message", "detail"}
        return response

    async def refused(
        self, status: int, code: str, method: str, path: str, *args: Any, **more: Any
    ) -> Message:
        """A request that must be refused like this; gives the body."""
        response = await self.ask(method, path, *args, **more)
        said: Message = response.json()
        assert (response.status_code, said.get("code")) == (status, code), said
        return said

    async def done(self, status: int, method: str, path: str, *args: Any, **more: Any) -> Any:
        """A request that must succeed like this; gives the body."""
        response = await self.ask(method, path, *args, **more)
        assert response.status_code == status, response.text
        return response.json() if response.content else None

    async def table(self, game: str = "trick-and-trade", **body: Any) -> Message:
        """Open a table; gives its id and the host's token."""
        made: Message = await self.done(201, "POST", "/v1/tables", {"game": game, **body})
        return made

    async def sit(self, table: str, name: str = "Ann", **body: Any) -> Message:
        """Sit down; gives seat and token."""
        made: Message = await self.done(201, "POST", f"/v1/tables/{table}/seats", {"name": name, **body})
        return made

    async def full(
        self, game: str = "trick-and-trade", seats: int = 3, **body: Any
    ) -> tuple[str, str, list[str]]:
        """A table whose seats are all taken: its id, the host's token, the seats' tokens."""
        made = await self.table(game, seats=seats, **body)
        tokens = [(await self.sit(made["table"], f"Player {number}"))["token"] for number in range(seats)]
        return made["table"], made["host_token"], tokens

    async def facts(self, table: str, token: str | None = None) -> Message:
        """The facts of a table."""
        found: Message = await self.done(200, "GET", f"/v1/tables/{table}", token=token)
        return found

    async def log(
        self, table: str, token: str | None = None, query: str = ""
    ) -> tuple[Message, list[Message]]:
        """The header and the lines of a log."""
        response = await self.ask("GET", f"/v1/tables/{table}/log{query}", token=token)
        assert response.status_code == 200, response.text
        header, *lines = [json.loads(line) for line in response.text.splitlines()]
        assert [line["version"] for line in lines] == list(range(1, header["version"] + 1))
        return header, lines
