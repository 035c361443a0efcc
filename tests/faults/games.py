"""A whole game by several players at several servers, held against its log in the end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from tests.e2e.players import Player, check_agreement, check_commands
from tests.support.clients import PATIENCE_S, Http
from tests.support.server import ServerProcess

GAME, SEATS = "oopsie", 4
MOVES = 140  # a game has more


class Game:
    """A table with its players, each of whom goes to whichever server it finds.

    Args:
        servers: where the players go.
        store: the URL of the store, past everything that may be wrong with the way to it.
        table: the table.
        tokens: the seats' tokens.
        seed: of everything that the players choose.
    """

    def __init__(
        self, servers: list[ServerProcess], store: str, table: str, tokens: list[str], seed: str
    ) -> None:
        self.servers = servers
        self.store = store
        self.table = table
        self.players = [
            Player(
                self._some_url(f"{seed}/{seat}"),
                table,
                token,
                kind="json" if seat % 2 else "msgpack",
                views="full" if seat < 2 else "patch",
                seed=f"{seed}/{seat}",
                drop=0.02,
                patient=True,
            )
            for seat, token in enumerate(tokens)
        ]

    def _some_url(self, seed: str) -> Callable[[], str]:
        rng = random.Random(seed)
        return lambda: rng.choice(self.servers).url

    @property
    def accepted(self) -> int:
        """How many commands were accepted."""
        return sum(len(player.accepted) for player in self.players)

    @property
    def over(self) -> bool:
        """Whether all players have seen the end."""
        return all(
            player.mirror is not None and player.mirror.status == "finished" for player in self.players
        )

    async def moves(self, number: int) -> None:
        """Wait until so many commands were accepted, or all is over."""
        async with asyncio.timeout(2 * PATIENCE_S):
            while self.accepted < number and not self.over:
                await asyncio.sleep(0.002)

    async def through(self, times: int, trouble: Callable[[], Awaitable[object]]) -> int:
        """Let the players play while something happens again and again, then `check`."""
        async with asyncio.TaskGroup() as group:
            for player in self.players:
                group.create_task(player.play())
            for number in range(times):
                await self.moves((number + 1) * MOVES // times)
                await trouble()
        return await self.check()

    async def check(self) -> int:
        """Hold the log against what every player was told. Gives the head."""
        async with Http(self.servers[0].url) as http:
            await check_agreement(http, self.table, self.players)
        await check_commands(self.store, GAME, self.table, self.players)
        mirror = self.players[0].mirror
        assert mirror is not None
        return mirror.version


async def opened_game(servers: list[ServerProcess], store: str, seed: str) -> Game:
    """A game of four that is about to begin."""
    async with Http(servers[0].url) as http:
        table, _, tokens = await http.full(GAME, SEATS)
    return Game(servers, store, table, tokens, seed)
