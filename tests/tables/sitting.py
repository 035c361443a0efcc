"""A table with a connection for each seat and two spectators, spread over several servers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any

from tests.support.clients import Client, Http, Message, chosen, client, without_nulls
from tests.support.mirror import Mirror
from tests.support.store import PATIENCE_S

UNLIMITED: dict[str, Any] = {
    "bot_delay_ms": 5,
    "request_burst": 1_000_000,
    "request_rate_per_s": 1_000_000,
    "tables_per_address_per_hour": 1_000_000,
    "message_burst": 1_000_000,
}
"""Settings of servers that do not mind a busy test."""

HOUR_MS = 3_600_000


class Sitting:
    """A running table.

    Args:
        http: the API of each server.
        table: the table.
        host: the host's token.
        tokens: the seats' tokens.
        seats: a connection for each seat.
        watchers: spectators, one at each server.
    """

    def __init__(
        self,
        http: list[Http],
        table: str,
        host: str,
        tokens: list[str],
        seats: list[Client],
        watchers: list[Client],
    ) -> None:
        self.http = http
        self.table = table
        self.host = host
        self.tokens = tokens
        self.seats = seats
        self.watchers = watchers
        self.rng = random.Random(table)

    @property
    def path(self) -> str:
        """Where the table is in the API."""
        return f"/v1/tables/{self.table}"

    @property
    def everybody(self) -> list[Client]:
        """All connections that watch."""
        return [one for one in (*self.seats, *self.watchers) if self.table in one.tables]

    def mirror(self, seat: int) -> Mirror:
        """What a seat knows."""
        return self.seats[seat].tables[self.table]

    @property
    def waiting(self) -> list[int]:
        """Who is awaited, as the first spectator knows it."""
        return self.watchers[0].tables[self.table].waiting

    async def head(self) -> int:
        """The version of the log; all who watch have heard of it."""
        version = int((await self.http[0].facts(self.table))["version"])
        await self.heard(version)
        return version

    async def heard(self, version: int) -> None:
        """Wait until all who watch are at this version or beyond."""
        for one in self.everybody:
            await one.version(self.table, version)

    async def act(self, seat: int, **more: Any) -> Message:
        """One of the actions that are offered to a seat; gives the answer."""
        one = self.seats[seat]
        await one.until(lambda: one.tables[self.table].actions)
        return await one.act(self.table, chosen(self.rng, one.tables[self.table].actions), **more)

    async def event(self, kind: str, where: Callable[[Message], Any] = lambda event: True) -> Message:
        """Wait until all who watch were told of an event; gives its update as the first spectator got it."""
        told: list[Message] = []
        for one in self.everybody:
            mirror = one.tables[self.table]
            await one.until(lambda mirror=mirror: _with(mirror, kind, where))  # type: ignore[misc]
            told.append(_with(mirror, kind, where)[0])
        assert len({(update["version"], update["at_ms"]) for update in told}) == 1, told
        return told[-1]

    async def agree(self) -> list[Message]:
        """Everybody was told what the log says, without a gap; gives the lines as spectators read them."""
        version = await self.head()
        lines: list[Message] = []
        for number, one in enumerate([*self.seats, *self.watchers]):
            token = self.tokens[number] if number < len(self.seats) else None
            if self.table not in one.tables:
                continue
            _, lines = await self.http[number % len(self.http)].log(self.table, token, "?views=patch")
            told = one.tables[self.table].updates
            assert list(told) == list(range(min(told), max(told) + 1)), "a gap or a repeat"
            assert max(told) >= version
            for line in lines:
                for name in ("at_ms", "by", "events", "status", "waiting", "actions"):
                    if line["version"] in told:
                        assert told[line["version"]][name] == line[name], f"{name} of {line['version']}"
        return lines


def _with(mirror: Mirror, kind: str, where: Callable[[Message], Any]) -> list[Message]:
    return [
        update
        for update in mirror.updates.values()
        if any(event["type"] == kind and where(event) for event in update["events"])
    ]


def kinds(lines: Sequence[Message]) -> list[str]:
    """The types of all events of a log."""
    return [event["type"] for line in lines for event in line["events"]]


@contextlib.asynccontextmanager
async def sitting(
    urls: Sequence[str], game: str = "trick-and-trade", seats: int = 3, **body: Any
) -> AsyncIterator[Sitting]:
    """A table that has just started, with everybody there; neighbours sit at different servers."""
    async with contextlib.AsyncExitStack() as stack:
        http = [await stack.enter_async_context(Http(url)) for url in urls]
        made = await http[0].table(game, seats=seats, autostart=False, **body)
        table = made["table"]
        watchers = [await stack.enter_async_context(client(url)) for url in urls]
        for watcher in watchers:
            await watcher.attach(table)
        clients, tokens = [], []
        for seat, url in zip(range(seats), itertools.cycle(reversed(urls))):
            token = (await http[seat % len(http)].sit(table, f"Player {seat}"))["token"]
            one = await stack.enter_async_context(client(url, "json" if seat % 2 else "msgpack"))
            await one.attach(table, token)
            tokens.append(token)
            clients.append(one)
        for one in (*clients, *watchers):
            await one.version(table, 1 + seats)
        await http[-1].done(200, "POST", f"/v1/tables/{table}/start", token=made["host_token"])
        for one in (*clients, *watchers):
            await one.version(table, 2 + seats)
        yield Sitting(http, table, made["host_token"], tokens, clients, watchers)


async def over(http: Http, table: str, patience_s: float = 2 * PATIENCE_S) -> Message:
    """The facts of a table once it is over."""
    async with asyncio.timeout(patience_s):
        while True:
            facts = await http.facts(table)
            if facts["status"] in ("finished", "abandoned"):
                return facts
            await asyncio.sleep(0.02)


async def all_done(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """The results of things that are done at once."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
    return [task.result() for task in tasks]


def same_view(one: Any, other: Any) -> bool:
    """Whether two views say the same."""
    return bool(without_nulls(one) == without_nulls(other))
