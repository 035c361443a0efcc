"""Your-turn notices: to the operator's address alone, for people alone, whatever that address answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from server.embedded import EmbeddedStore
from tests.server.playing import played
from tests.support.clients import Http, Message
from tests.support.server import Launch, Serve
from tests.tables.sitting import UNLIMITED, over, sitting

OK = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Hook:
    """A small HTTP server that keeps what it receives.

    Attributes:
        notices: the bodies that arrived.
        requests: their first lines and headers.
        answers: the next answers, raw; `OK` when there are no more.
    """

    def __init__(self) -> None:
        self.notices: list[Message] = []
        self.requests: list[str] = []
        self.answers: list[bytes] = []
        self.url = ""
        self._changed = asyncio.Condition()

    async def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something that arrived makes the condition hold."""
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(holds)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = re.findall(r"(?i)^content-length: (\d+)", head, re.MULTILINE)
        body = await reader.readexactly(int(lengths[0]) if lengths else 0)
        async with self._changed:
            self.requests.append(head)
            if body:
                self.notices.append(json.loads(body))
            self._changed.notify_all()
        writer.write(self.answers.pop(0) if self.answers else OK)
        await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def hook() -> AsyncIterator[Hook]:
    """A running `Hook`."""
    one = Hook()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/turns"
    try:
        yield one
    finally:
        server.close()


async def test_each_turn_of_a_person_is_told_once(serve: Serve) -> None:
    async with hook() as told:
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with played(here.url) as game:
            turns = []
            for _ in range(6):
                turns.append((game.turn, game.mirror.version))
                await game.move()
            await told.until(lambda: len(told.notices) >= 7)
            first = told.notices[0]
            assert set(first) == {"table", "game", "seat", "name", "version", "at_ms"}
            assert (first["table"], first["game"]) == (game.table, "trick-and-trade")
            assert first["name"] == f"Player {first['seat']}"
            assert [(notice["seat"], notice["version"]) for notice in told.notices[:6]] == turns
            assert told.requests[0].startswith("POST /turns HTTP/1.1\r\n")
            assert not [head for head in told.requests if "Authorization" in head]
            for token in (*game.tokens, game.host):
                assert token not in str(told.notices) + str(told.requests)


async def test_in_a_phase_of_all_each_seat_is_told_once_and_not_when_others_choose(serve: Serve) -> None:
    async with hook() as told:
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with played(here.url, "oopsie", 4) as game:
            for seat in (2, 0, 1):
                answer = await game.seats[seat].act(game.table, _pass(game.seats[seat].tables[game.table]))
                await game.seats[3].version(game.table, answer["version"])
            await told.until(lambda: len(told.notices) >= 4)
            assert [notice["seat"] for notice in told.notices] == [0, 1, 2, 3]
            assert {notice["version"] for notice in told.notices} == {6}


def _pass(mirror: Any) -> Message:
    return {"type": "pass", "card": mirror.actions[0]["card"]["one_of"][0]}


async def test_bots_are_never_told(serve: Serve) -> None:
    async with hook() as told:
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with Http(here.url) as http:
            made = await http.table("mein-schatz", seats=2)
            for _ in range(2):
                path = f"/v1/tables/{made['table']}/bots"
                await http.done(201, "POST", path, {}, token=made["host_token"])
            await over(http, made["table"])
            await http.full("mein-schatz", 2)
            await told.until(lambda: told.notices)
            assert {notice["name"] for notice in told.notices} <= {"Player 0", "Player 1"}
            assert made["table"] not in {notice["table"] for notice in told.notices}


async def test_whatever_the_address_answers_the_next_notice_is_told(serve: Serve) -> None:
    answers = [
        b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"",
        b"HTTP/1.1 xyz\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
    ]
    async with hook() as told:
        told.answers = list(answers)
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with played(here.url) as game:
            for number in range(len(answers) + 2):
                await told.until(lambda number=number: len(told.notices) > number)  # type: ignore[misc]
                await game.move()


async def test_the_address_cannot_send_the_server_elsewhere(serve: Serve) -> None:
    async with hook() as told, hook() as elsewhere:
        location = f"Location: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n".encode()
        statuses = (b"301 Moved", b"302 Found", b"303 See Other", b"307 Temporary", b"308 Permanent")
        told.answers = [b"HTTP/1.1 " + status + b"\r\n" + location for status in statuses]
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with played(here.url) as game:
            await game.move(len(statuses))
            await told.until(lambda: len(told.requests) > len(statuses))
        assert elsewhere.requests == []


async def test_an_address_that_is_not_there_harms_nobody(serve: Serve) -> None:
    here = await serve(turn_webhook="http://127.0.0.1:1/nobody", **UNLIMITED)
    async with played(here.url) as game:
        await game.move(5)


async def test_nothing_that_players_send_changes_the_address(serve: Serve) -> None:
    """Fields that would name one are refused; one in a name or a text stays a name or a text."""
    async with hook() as told, hook() as elsewhere:
        here = await serve(turn_webhook=told.url, **UNLIMITED)
        async with Http(here.url) as http:
            for name in ("turn_webhook", "webhook", "url", "callback", "notify"):
                body: Message = {"game": "mein-schatz", name: elsewhere.url}
                await http.refused(400, "bad_message", "POST", "/v1/tables", body)
            body = {"game": "mein-schatz", "options": {"turn_webhook": elsewhere.url}}
            await http.refused(422, "bad_options", "POST", "/v1/tables", body)
            table = (await http.table("mein-schatz", seats=2))["table"]
            path = f"/v1/tables/{table}/seats"
            bad = {"name": "Ann", "webhook": elsewhere.url}
            await http.refused(400, "bad_message", "POST", path, bad)
            headers = {"Host": elsewhere.url[7:].split("/")[0], "X-Forwarded-Host": "elsewhere"}
            for name in (elsewhere.url[:40], "http://x@[::1]/"):
                await http.done(201, "POST", path, {"name": name, "entropy": elsewhere.url}, headers=headers)
            await told.until(lambda: told.notices)
            assert told.notices[0]["table"] == table
            assert elsewhere.notices == []


async def test_without_the_setting_nobody_is_called_and_with_two_processes_each_turn_is_told_once(
    embedded: EmbeddedStore, launch: Launch, tmp_path: Path
) -> None:
    async with hook() as told:
        one = await launch("one", embedded.url, turn_webhook=told.url, **UNLIMITED)
        two = await launch("two", embedded.url, turn_webhook=told.url, **UNLIMITED)
        silent = await launch("silent", embedded.url, **UNLIMITED)
        async with sitting([one.url, two.url]) as game:
            for _ in range(9):
                await game.heard((await game.act(game.waiting[0]))["version"])
            await told.until(lambda: len(told.notices) >= 10)
            versions = [notice["version"] for notice in told.notices]
            assert sorted(versions) == list(range(5, 15))
        async with sitting([silent.url]) as game:
            await game.heard((await game.act(game.waiting[0]))["version"])
            assert game.table not in {notice["table"] for notice in told.notices}
