"""A table with a connection for each seat, to be played on step by step."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

from tests.support.clients import Client, Http, Message, Mirror, chosen, client


class Played:
    """A table whose seats are all connected.

    Args:
        table: the table.
        host: the host's token.
        tokens: the seats' tokens.
        seats: a connection for each seat.
    """

    def __init__(self, table: str, host: str, tokens: list[str], seats: list[Client]) -> None:
        self.table = table
        self.host = host
        self.tokens = tokens
        self.seats = seats
        self.rng = random.Random(len(tokens))

    @property
    def mirror(self) -> Mirror:
        """What seat 0 knows."""
        return self.seats[0].tables[self.table]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.mirror.status == "finished"

    @property
    def turn(self) -> int:
        """The first seat that the table waits for."""
        return self.mirror.waiting[0]

    @property
    def mover(self) -> Client:
        """The connection of that seat."""
        return self.seats[self.turn]

    def action(self) -> Message:
        """Something that this seat may do."""
        return chosen(self.rng, self.mover.tables[self.table].actions)

    async def move(self, number: int = 1, **more: Any) -> Message:
        """Let whoever is awaited move, so many times; all seats have heard of it then."""
        answer: Message = {}
        for _ in range(number):
            answer = await self.mover.act(self.table, self.action(), **more)
            assert answer["type"] == "accepted", answer
            for seat in self.seats:
                await seat.version(self.table, answer["version"])
        return answer

    async def finish(self) -> None:
        """Play to the end."""
        while not self.over:
            await self.move()


@contextlib.asynccontextmanager
async def played(
    url: str, game: str = "trick-and-trade", seats: int = 3, **body: Any
) -> AsyncIterator[Played]:
    """A table that has just started."""
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(Http(url))
        table, host, tokens = await http.full(game, seats, **body)
        clients = []
        for seat, token in enumerate(tokens):
            one = await stack.enter_async_context(client(url, "json" if seat % 2 else "msgpack"))
            await one.attach(table, token)
            clients.append(one)
        yield Played(table, host, tokens, clients)
