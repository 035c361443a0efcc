"""Scripted people for the soak: they think, act, talk, drop out, come back, and leave for good."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.typing import Subprotocol

from tests.support.clients import address, chosen
from tests.support.contract import checked, contract
from tests.support.mirror import Message

THINK_S, HURRY_S = 0.5, 0.02
"""How long they think, on average; and when the time is over and only the last games end."""
DROPS, LEAVES, TALKS = 0.03, 0.002, 0.02
"""How likely they lose the connection, leave for good, or say something, for each move of theirs."""
LONGEST_AWAY_S = 6.0
LONELY_S = 30.0
"""Who waits so long for a start goes away."""

RACED = {"not_your_turn", "finished", "paused", "forbidden", "not_started"}
"""Refusals that a move may meet because the clock, a bot or the host was faster."""
OVER = ("finished", "abandoned")


class World:
    """The servers, and what has happened to all people.

    Args:
        urls: the addresses of the servers.
        http: a client for all requests.
        seed: of everything random.
    """

    def __init__(self, urls: Sequence[str], http: httpx.AsyncClient, seed: str) -> None:
        self.urls = urls
        self.http = http
        self.rng = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.hurry = False
        self.numbers = itertools.count(1)

    def fault(self, what: str) -> None:
        """Something that must not happen has happened."""
        self.faults.append(what[:300])

    async def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> httpx.Response:
        """A request to any of the servers; it is repeated while a server says that it can be."""
        headers = {"Idempotency-Key": f"soak-{self.rng.getrandbits(64):x}"} if method == "POST" else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        while True:
            url = self.rng.choice(self.urls)
            try:
                answer = await self.http.request(method, url + path, json=body, headers=headers)
                checked(method, path, answer)
                if answer.status_code not in (429, 503):
                    return answer
            except httpx.TransportError as error:  # an idle connection was closed in this moment
                self.counts[f"request lost: {type(error).__name__}"] += 1
            self.counts["requests repeated"] += 1
            await asyncio.sleep(0.2)


class Person:
    """Somebody with a seat at a table.

    Args:
        world: the servers.
        table: the table.
        seat: the seat.
        token: its token.
    """

    def __init__(self, world: World, table: str, seat: int, token: str) -> None:
        self.world = world
        self.table = table
        self.seat = seat
        self.token = token
        self.left = False
        self.status = ""
        self.version = 0
        self._actions: list[Message] = []
        self._waiting: list[int] = []
        self._asked: str | None = None
        self._chosen_at = 0
        self._socket: ClientConnection | None = None
        self._rng = random.Random(world.rng.getrandbits(64))

    @property
    def done(self) -> bool:
        """Whether there is nothing more to play here."""
        return self.left or self.status in OVER

    async def play(self) -> None:
        """Play until the game is over, or until leaving for good, over one connection after the other."""
        while not self.done:
            try:
                async with connect(
                    address(self._rng.choice(self.world.urls)),
                    subprotocols=[Subprotocol("facedown.v1.json")],
                    compression=None,
                    open_timeout=60,
                ) as self._socket:
                    self.world.counts["connections"] += 1
                    self.version, self._asked, self._actions = 0, None, []
                    await self._stay(self._socket)
            except (OSError, TimeoutError, InvalidHandshake, WebSocketException):
                self.world.counts["connections lost"] += 1
            if not self.done:
                await asyncio.sleep(self._rng.uniform(0, 1 if self.world.hurry else LONGEST_AWAY_S))

    async def _stay(self, socket: ClientConnection) -> None:
        views = self._rng.choice(("none", "patch", "full"))
        await self._send(
            {"type": "attach", "id": "attach", "table": self.table, "token": self.token, "views": views}
        )
        lonely_at = asyncio.get_running_loop().time() + LONELY_S
        while not self.done:
            await self._maybe_act()
            try:
                async with asyncio.timeout(5):
                    self._take(json.loads(await socket.recv()))
            except TimeoutError:
                if self.status == "open" and asyncio.get_running_loop().time() > lonely_at:
                    await self.leave()
                    return
                await self._send({"type": "ping"})
                continue
            if self._asked is None and self._rng.random() < DROPS and self.version > 6:
                socket.transport.abort()
                return

    async def _send(self, message: Message) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    async def _maybe_act(self) -> None:
        if self._asked is not None or self.seat not in self._waiting or not self._actions:
            return
        if self._rng.random() < LEAVES:
            await self.leave()
            return
        self._chosen_at = self.version
        think_s = HURRY_S if self.world.hurry else THINK_S
        await asyncio.sleep(min(10 * think_s, self._rng.expovariate(1 / think_s)))
        if self._rng.random() < TALKS:
            await self._send({"type": "say", "id": "say", "table": self.table, "text": "hm"})
        self._asked = f"move-{next(self.world.numbers)}"
        action = chosen(self._rng, self._actions)
        await self._send({"type": "act", "id": self._asked, "table": self.table, "action": action})

    def _take(self, message: Message) -> None:
        contract().received(message)
        kind = message["type"]
        if kind in ("attached", "update"):
            if kind == "update" and message["version"] != self.version + 1:
                self.world.fault(f"{self.table}: version {message['version']} after {self.version}")
            self.version, self.status = message["version"], message["status"]
            self._actions, self._waiting = message["actions"], message["waiting"]
        elif kind == "accepted":
            self._asked = None
            self.world.counts["moves"] += 1
        elif kind == "rejected":
            self._asked = None
            self.world.counts[f"refused: {message['code']}"] += 1
            # Where the table has gone on since the choice was made, anything may be refused.
            if message["code"] not in RACED and message["version"] == self._chosen_at:
                self.world.fault(f"{self.table}: {message}")
        elif kind == "detached":
            self.left = message["reason"] in ("revoked", "removed")
        elif kind == "said":
            self.world.counts["heard"] += 1
        elif kind == "error":
            self._error(message)

    def _error(self, message: Message) -> None:
        self.world.counts[f"error: {message['code']}"] += 1
        if message.get("id") == "say" and message["code"] in ("rate_limited", "muted"):
            return
        if message["code"] in ("unavailable", "outcome_unknown", "rate_limited") and self._socket:
            self._socket.transport.abort()  # come back and look how it stands
            return
        self.left = True
        if message["code"] != "unauthorized":
            self.world.fault(f"{self.table}: {message}")

    def quit(self) -> None:
        """Go without a word."""
        self.left = True
        if self._socket is not None:
            self._socket.transport.abort()

    async def leave(self) -> None:
        """Leave for good."""
        self.left = True
        self.world.counts["left for good"] += 1
        path = f"/v1/tables/{self.table}/seats/{self.seat}"
        answer = await self.world.ask("DELETE", path, token=self.token)
        if answer.status_code not in (204, 401, 404, 409):
            self.world.fault(f"leaving {self.table}: {answer.text}")
