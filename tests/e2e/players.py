"""Players that know the wire contract only: they drop out and resume, and send every command twice."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable
from typing import Any

from websockets.exceptions import InvalidHandshake

from domain.registry import codec
from server.store import open_store
from tests.support.clients import (
    PATIENCE_S,
    Client,
    Closed,
    Http,
    Kind,
    Message,
    Mirror,
    chosen,
    join,
    merged,
    without_nulls,
)

RETRY = {"unavailable", "outcome_unknown", "rate_limited"}
_PAUSE_S = 0.02  # between tries while a server or a store is away


class Player:
    """A seat's player over real connections, one after the other.

    Args:
        url: gives the address of a server, maybe another one each time.
        table: the table.
        token: the seat's token.
        kind: the encoding.
        seed: of everything random here.
        drop: how likely a connection is lost at each of several points of a move.
        views: how the views are sent.
        patient: whether servers and store may be away for a while.
        pause_s: how long to think after each move.
    """

    def __init__(
        self,
        url: Callable[[], str],
        table: str,
        token: str,
        *,
        kind: Kind,
        seed: Any,
        drop: float = 0.0,
        views: str = "full",
        patient: bool = False,
        pause_s: float = 0.0,
    ) -> None:
        self.url = url
        self.table = table
        self.token = token
        self.kind: Kind = kind
        self.drop = drop
        self.views = views
        self.patient = patient
        self.pause_s = pause_s
        self.rng = random.Random(f"{seed}/{token and table}")
        self.mirror: Mirror | None = None
        self.accepted: dict[str, int] = {}
        self.drops = 0
        self._client: Client | None = None
        self._pending: tuple[str, Message] | None = None
        self._sent_before = False
        self._numbers = itertools.count(1)

    async def play(self, until: Callable[[Mirror], bool] = lambda mirror: False) -> None:
        """Play until the game is over, or until ``until`` holds for what the player knows."""
        try:
            while True:
                try:
                    client = await self._connected()
                    if not await self._move(client, until):
                        return
                    await self._maybe_drop()
                    if self.pause_s:
                        await asyncio.sleep(self.pause_s)
                except Closed:
                    assert self.patient, "the server closed the connection"
                    await self._gone()
                    await asyncio.sleep(_PAUSE_S)
        finally:
            await self.leave()

    async def leave(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connected(self) -> Client:
        if self._client is None:
            self._client = await self._joined()
            await self._attach(self._client)
        return self._client

    async def _joined(self) -> Client:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    return await join(self.url(), self.kind)
                except (OSError, EOFError, InvalidHandshake):
                    assert self.patient, "no connection"
                    await asyncio.sleep(_PAUSE_S)

    async def _attach(self, client: Client) -> None:
        resume: Message = {}
        if self.mirror is not None:
            client.remember(self.mirror)
            resume = self.mirror.resumable()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                answer = await client.attach(self.table, self.token, views=self.views, **resume)
                if answer["type"] == "attached":
                    break
                assert self.patient, answer
                assert answer["code"] in RETRY, answer
                await asyncio.sleep(_PAUSE_S)
        assert answer["recovered"] == (self.mirror is not None), f"not recovered: {answer}"
        self.mirror = client.tables[self.table]

    async def _maybe_drop(self) -> bool:
        if self.rng.random() >= self.drop or self._client is None:
            return False
        self.drops += 1
        await self._client.drop()
        await self._gone()
        return True

    async def _gone(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()
            self.mirror = client.tables.get(self.table) or client.left.get(self.table) or self.mirror

    async def _move(self, client: Client, until: Callable[[Mirror], bool]) -> bool:
        if self.table not in client.tables:  # the server let go of it between two moves
            assert self.patient, client.seen[-1]
            await self._gone()
            return True
        mirror = client.tables[self.table]
        self.mirror = mirror

        def something() -> bool:
            over = mirror.status in ("finished", "abandoned")
            return self.table not in client.tables or over or until(mirror) or self._may_act(mirror)

        if self._pending is None:
            await client.until(something)
            if self.table not in client.tables:  # the server lets go of it: attach again
                assert self.patient, client.seen[-1]
                await self._gone()
                return True
            if mirror.status in ("finished", "abandoned") or until(mirror):
                return False
            self._pending = (f"move-{next(self._numbers)}", chosen(self.rng, mirror.actions))
            self._sent_before = False
        ident, action = self._pending
        message = {"type": "act", "id": ident, "table": self.table, "action": action}
        if self._sent_before:
            client.repeats.add(ident)
        self._sent_before = True
        await client.send(message)
        if await self._maybe_drop():
            return True
        known = len(client.answers.get(ident, []))
        await client.send(message)
        if await self._maybe_drop():
            return True
        await client.until(
            lambda: len(client.answers.get(ident, [])) >= known + 2 or self.table not in client.tables
        )
        return await self._answered(client, ident, known)

    async def _answered(self, client: Client, ident: str, known: int) -> bool:
        answers = client.answers.get(ident, [])[known:]
        accepted = {answer["version"] for answer in answers if answer["type"] == "accepted"}
        others = [answer for answer in answers if answer["type"] != "accepted"]
        if others or len(answers) < 2:
            assert self.patient, f"{self._pending} was answered by {answers}"
            for answer in others:
                assert answer["type"] == "error", answer
                assert answer["code"] in RETRY | {"forbidden"}, answer
            if self.table not in client.tables:
                await self._gone()
            await asyncio.sleep(_PAUSE_S)
        if accepted:
            (version,) = accepted
            assert self.accepted.setdefault(ident, version) == version
            if not others and len(answers) == 2:
                self._pending = None
        return True

    def _may_act(self, mirror: Mirror) -> bool:
        return mirror.seat in mirror.waiting and bool(mirror.actions) and not mirror.owed


async def check_agreement(http: Http, table: str, players: list[Player]) -> Message:
    """Everybody was told the same, which is what the log says. Gives the last view of a spectator."""
    header, lines = await http.log(table, query="?views=patch")
    for player in players:
        mirror = player.mirror
        assert mirror is not None
        assert mirror.version == header["version"]
        assert mirror.status == header["status"]
        await _check_player(http, table, player.token, mirror)
    view: Any = {}
    for line in lines:
        view = merged(view, line["patch"])
    at: Message = await http.done(200, "GET", f"/v1/tables/{table}/at/{header['version']}")
    assert without_nulls(at["view"]) == view
    for mirror in (player.mirror for player in players):
        assert mirror is not None
        assert mirror.view is None or mirror.view.get("result") == view.get("result")
    return view  # type: ignore[no-any-return]


async def _check_player(http: Http, table: str, token: str, mirror: Mirror) -> None:
    _, lines = await http.log(table, token, "?views=patch")
    first = min(mirror.updates)
    assert list(mirror.updates) == list(range(first, mirror.version + 1)), "a gap or a repeat"
    view: Any = {}
    for line in lines:
        view = merged(view, line["patch"])
        told = mirror.updates.get(line["version"])
        if told is None:
            continue
        for name in ("at_ms", "by", "events", "status", "waiting"):
            assert told[name] == line[name], f"{name} of version {line['version']}"
        if "view" in told:
            assert without_nulls(told["view"]) == view, f"the view of version {line['version']}"
        if "actions" in told:
            assert told["actions"] == line["actions"]
    assert mirror.view is None or without_nulls(mirror.view) == view


async def check_commands(store_url: str, game: str, table: str, players: list[Player]) -> None:
    """Every accepted command stands exactly once in the stored log, and nothing else does."""
    store = open_store(store_url)
    await store.start()
    try:
        commits = [codec(game).decode(*entry) for entry in await store.read(table)]
    finally:
        await store.close()
    stored = [
        (commit.by, commit.command.id, commit.version)
        for commit in commits
        if commit.command is not None and not commit.command.http
    ]
    wanted = [
        (player.mirror.seat, ident, version)
        for player in players
        if player.mirror is not None
        for ident, version in player.accepted.items()
    ]
    assert sorted(stored) == sorted(wanted)
