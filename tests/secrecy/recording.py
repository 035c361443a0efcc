"""Plays the same game over real sockets with other cards, and records all that one viewer receives.

A table is put into a memory store as it is before its start, with a clock that stands still, so that two
servers in two worlds differ in nothing but the cards.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from domain import table as tables
from domain.dealing import commitment
from domain.events import encode_commit
from domain.table import AnyGame, TableOpened
from domain.visibility import SPECTATOR
from server.store import Entry, MemoryBackend, MemoryStore
from server.tokens import digest
from tests.support.clients import Client, Http, Kind, Message, address
from tests.support.play import KEY, Scripted, Step
from tests.support.server import Serve

NOW_MS = 1_800_000_000_000
TABLE = "twintable0000000"
Outcomes = Mapping[str, Sequence[Any]]


def token(seat: int) -> str:
    """The token of a seat."""
    return f"seat-{seat}-" + "t" * 40


async def store_with(game: AnyGame, seats: int, options: dict[str, Any]) -> MemoryStore:
    """A store with one table, full and not started yet."""
    store = MemoryStore(MemoryBackend(lambda: NOW_MS))
    await store.start()
    opened = TableOpened(
        table=TABLE,
        game=game.name,
        seats=seats,
        options=msgspec.to_builtins(game.parse_options(options, seats)),
        epoch="twin",
        listed=True,
        spectators=tables.Spectators(),
        reveal="end",
        autostart=True,
        commitment=commitment(TABLE, KEY),
        deal_key=KEY,
        host_hash=digest("host-" + "t" * 40),
    )
    decision = tables.decide_open(game, opened)
    entries = [Entry(1, NOW_MS, encode_commit("host", decision.events, None))]
    for seat in range(seats):
        decision = tables.decide_sit(
            game,
            decision.table,
            seat=seat,
            name=f"Player {seat}",
            token_hash=digest(token(seat)),
            entropy=None,
        )
        entries.append(Entry(seat + 2, NOW_MS, encode_commit(seat, decision.events, None)))
    await store.restore(TABLE, entries)
    await store.index(TABLE, NOW_MS, game.name, "open")
    return store


class Recorder(Client):
    """A client that keeps every frame as it came."""

    frames: list[str | bytes]

    def _unpack(self, frame: str | bytes) -> Message:
        self.__dict__.setdefault("frames", []).append(frame)
        return super()._unpack(frame)


@contextlib.asynccontextmanager
async def recorder(url: str, kind: Kind) -> AsyncIterator[Recorder]:
    """A connection that is recorded."""
    socket = await connect(
        address(url), subprotocols=[Subprotocol(f"facedown.v1.{kind}")], compression=None, max_size=None
    )
    one = Recorder(url, socket, kind, None)
    try:
        yield one
    finally:
        await one.close()


async def record(
    serve: Serve,
    patch: pytest.MonkeyPatch,
    game: AnyGame,
    seats: int,
    options: dict[str, Any],
    outcomes: Outcomes,
    steps: Sequence[Step],
    probes: Mapping[int, Sequence[dict[str, Any]]],
    viewer: int,
    kind: Kind,
) -> list[Any]:
    """Everything that ``viewer`` receives while ``steps`` are played, in order.

    Args:
        outcomes: of the shuffles, by label.
        probes: commands that the viewer tries before a step, by its index.
        viewer: a seat or `SPECTATOR`.
    """
    honest = tables.dealer_of
    for module in ("domain.table.decisions", "domain.table.playing"):
        patch.setattr(f"{module}.dealer_of", lambda table: Scripted(outcomes, honest(table)))
    here = await serve(await store_with(game, seats, options))
    own = None if viewer == SPECTATOR else token(viewer)
    received: list[Any] = []
    async with contextlib.AsyncExitStack() as stack:
        lobby = await stack.enter_async_context(recorder(here.url, kind))
        await lobby.ask({"type": "watch_lobby", "id": "lobby"})
        watching = await stack.enter_async_context(recorder(here.url, kind))
        said = {} if own is None else {"token": own}
        await watching.ask({"type": "attach", "id": "watch", "table": TABLE, **said})
        players: list[Client] = []
        for seat in range(seats):
            if seat == viewer:
                players.append(watching)
                continue
            player = await stack.enter_async_context(recorder(here.url, "json"))
            await player.attach(TABLE, token(seat))
            players.append(player)
            here_now = len(players) + (viewer > seat)
            await watching.until(lambda: _presences(watching) >= here_now)  # noqa: B023
        http = await stack.enter_async_context(Http(here.url))
        for number, step in enumerate(steps):
            for at, probe in enumerate(probes.get(number, ())):
                await watching.ask(
                    {"type": "act", "id": f"probe-{number}-{at}", "table": TABLE, "action": probe}
                )
            answer = await players[step.seat].act(TABLE, step.action, id=f"step-{number}")
            assert answer["type"] == "accepted", answer
            await watching.version(TABLE, answer["version"])
            if number in probes:
                received += await _read(http, own, answer["version"])
        received += await _read(http, own, watching.tables[TABLE].version)
        again = await stack.enter_async_context(recorder(here.url, kind))
        await again.ask({"type": "attach", "id": "again", "table": TABLE, "views": "patch", **said})
        return [*watching.frames, *again.frames, *lobby.frames, *received]


def _presences(watching: Client) -> int:
    return sum(message["type"] == "presence" and message["connected"] for message in watching.seen)


async def _read(http: Http, own: str | None, version: int) -> list[tuple[int, bytes]]:
    """All that HTTP tells of the table."""
    paths = [f"/v1/tables/{TABLE}", "/v1/tables?status=playing"]
    paths += [f"/v1/tables/{TABLE}/{path}" for path in ("log", "log?views=patch", "log?open=true", "talk")]
    paths += [f"/v1/tables/{TABLE}/at/{at}" for at in (1, version // 2, version, version + 1)]
    answers = [await http.ask("GET", path, token=None if "?status" in path else own) for path in paths]
    if own is not None:
        answers.append(await http.ask("POST", "/v1/mine", {"tables": [{"table": TABLE, "token": own}]}))
    return [(answer.status_code, answer.content) for answer in answers]
