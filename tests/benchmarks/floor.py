"""The floor: the same transport and store as the server, and nothing between them.

A frame of a player comes in, a ready-made entry is appended and flushed, five ready-made frames go out to
four sockets. What a server of this design costs at the very least.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
import uvicorn

from domain import table as tables
from domain.actions import canonical
from domain.dealing import commitment
from domain.events import Command, Commit, encode_commit
from domain.table import Table
from server import logs
from server.codec import encode
from server.direct import EXTENSION, DirectProtocol
from server.feed import Attachment, Feed
from server.framing import BINARY
from server.run import config_for, store_for
from server.settings import Settings
from server.store import open_store
from server.store.base import EventStore
from server.wire import Accepted, Attached
from tests.benchmarks import trick

KEY = bytes(32)


class Caught:
    """A sink that keeps what it is sent."""

    kind: Any = "msgpack"

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def send(self, frame: bytes) -> None:
        """Keep a frame."""
        self.frames.append(frame)

    def drop(self, table: str, reason: str) -> None:
        """Not called here."""


def opening(ident: str) -> tables.TableOpened:
    """The first event of a table of four."""
    return tables.TableOpened(
        table=ident,
        game=trick.NAME,
        seats=trick.SEATS,
        options={},
        epoch="0123456789abcdef",
        commitment=commitment(ident, KEY),
        deal_key=KEY,
        host_hash=bytes(32),
        listed=False,
        spectators=tables.Spectators(),
        reveal="end",
        autostart=True,
    )


def playing(ident: str) -> Table:
    """A table of four on which a deal has just begun."""
    game = trick.EndlessTrick()
    decision = tables.decide_open(game, opening(ident))
    table = tables.sealed(game, None, decision.table, Commit(1, 1_000_000_000_000, "host", decision.events))
    for seat in range(trick.SEATS):
        sat = tables.decide_sit(
            game, table, seat=seat, name=f"Player {seat}", token_hash=bytes(32), entropy=None
        )
        table = tables.stamped(sat.table, table.version + 1, 1_700_000_000_000)
    started = tables.decide_start(game, table)
    return tables.stamped(started.table, table.version + 1, 1_700_000_000_000)


class ReadyMade:
    """The bytes of one move: what the server writes for it, made once."""

    def __init__(self) -> None:
        game, table = trick.EndlessTrick(), playing("abcdefghijklmnop")
        assert table.state is not None
        seat = table.state.next  # type: ignore[attr-defined]
        action = {"type": "play", "card": table.state.hands[seat][0]}  # type: ignore[attr-defined]
        decision = tables.decide_act(game, table, seat, action)
        command = Command("123", canonical(action))
        self.entry = encode_commit(seat, decision.events, command)
        feed, caught = Feed(table), Caught()
        self.attached = encode("msgpack", _attached(table))
        for viewer in range(trick.SEATS):
            feed.add(Attachment(caught, table.id, viewer, "full"))
        version = table.version + 1
        commit = Commit(version, 1_700_000_000_000, seat, decision.events, command)
        feed.advance(commit, tables.stamped(decision.table, version, commit.at_ms))
        self.updates = caught.frames
        self.accepted = encode("msgpack", Accepted(id="123", table=table.id, version=version))


def _attached(table: Table) -> Attached:
    return Attached(
        table=table.id,
        viewer={"seat": 0},
        version=table.version,
        epoch=table.epoch,
        status=table.status,
        recovered=False,
        actions=[],
        waiting=(0,),
    )


class _Place:
    """One table: its four lines, and the version that is stored."""

    __slots__ = ("ident", "lines", "version")

    def __init__(self, ident: str) -> None:
        self.ident = ident
        self.lines: list[_Line] = []
        self.version = 0


class _Line:
    """What waits to be written to one socket: one write for each turn of the event loop."""

    __slots__ = ("_protocol", "_soon", "_waiting")

    def __init__(self, protocol: DirectProtocol) -> None:
        self._protocol = protocol
        self._soon = asyncio.get_running_loop().call_soon
        self._waiting: deque[bytes] = deque()

    def send(self, frame: bytes) -> None:
        """Queue a frame."""
        if not self._waiting:
            self._soon(self._flush)
        self._waiting.append(frame)

    def _flush(self) -> None:
        self._protocol.write_frames(BINARY, list(self._waiting))
        self._waiting.clear()


class Floor:
    """An application that answers each frame of a seat as if it were a move.

    Args:
        store: the store, not started yet.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._ready = ReadyMade()
        self._places: dict[str, _Place] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One connection, or the start and the end."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept", "subprotocol": "facedown.v1.msgpack"})
            await self._serve(scope["extensions"][EXTENSION])

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()
        await self._store.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._store.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, protocol: DirectProtocol) -> None:
        line, gone = _Line(protocol), asyncio.Event()
        place: _Place | None = None

        def take(frame: str | bytes) -> None:
            nonlocal place
            if place is None:
                assert isinstance(frame, bytes)
                ident = msgspec.msgpack.decode(frame)["table"]
                place = self._places.setdefault(ident, _Place(ident))
                place.lines.append(line)
                line.send(self._ready.attached)
                return
            task = asyncio.create_task(self._move(place, line))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        protocol.begin(take, lambda: None, gone.set)
        await gone.wait()

    async def _move(self, place: _Place, mover: _Line) -> None:
        place.version += 1
        await self._store.append(place.ident, place.version, self._ready.entry)
        for line, frame in zip(place.lines, self._ready.updates, strict=False):
            line.send(frame)
        mover.send(self._ready.accepted)


def serve(settings: Settings, started: Callable[[str], None]) -> None:
    """Serve until a signal says stop."""
    logs.configure(settings.log_level)
    with store_for(settings) as (ready, _):
        assert ready.store is not None
        app: Any = Floor(open_store(ready.store))
        server = uvicorn.Server(config_for(app, ready))

        async def run() -> None:
            serving = asyncio.create_task(server.serve())
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            host, port = server.servers[0].sockets[0].getsockname()[:2]
            started(f"http://{host}:{port}")
            await serving

        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(run())
