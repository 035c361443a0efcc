"""The client library against real servers over an embedded store, also over connections that break."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.registry import games
from server.client import Gone, Refused, Server, Unreachable, Viewer, merged, pick, play_at_random
from server.commands.local import own_store, serving
from server.commands.play import Plan, play
from server.settings import Settings
from tests.conformance.setups import has_its_turn
from tests.support.counts import LONG

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0  # far more than anything here needs


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings with a store that all tests of this module share."""
    with own_store() as ready:
        yield ready


@pytest.fixture
async def server(settings: Settings) -> AsyncIterator[Server]:
    """A server."""
    async with serving(settings) as url:
        yield Server(url)


async def seated(server: Server, game: str = "trick-and-trade", **wanted: Any) -> tuple[str, str, list[str]]:
    """A table whose seats are all taken: its id, the host's token, the seats' tokens."""
    opened = await server.create(game, **wanted)
    table = opened["table"]
    seats = (await server.facts(table))["seats"]
    tokens = [(await server.sit(table, f"Player {seat['seat']}"))["token"] for seat in seats]
    return table, opened["host_token"], tokens


class Proxy:
    """Passes connections on to a server, and breaks each after it has passed a number of pieces up.

    The last piece still reaches the server; what the server answers to it reaches nobody.
    """

    def __init__(self, url: str) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._lengths = random.Random(5)
        self._tasks: set[asyncio.Task[None]] = set()
        self.breaks = False
        self.down = False
        self.turned_away = 0

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """The address to use in place of the server's."""
        listener = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            listener.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        if self.down:
            self.turned_away += 1
            writer.transport.abort()
            return
        there_reader, there_writer = await asyncio.open_connection(self._host, self._port)
        pieces = self._lengths.randint(3, 8) if self.breaks else 10**9
        down = asyncio.create_task(self._copy(there_reader, writer, 10**9))
        up = asyncio.create_task(self._copy(reader, there_writer, pieces))
        try:
            await asyncio.wait([down, up], return_when=asyncio.FIRST_COMPLETED)
        finally:
            down.cancel()
            up.cancel()
            writer.transport.abort()
            there_writer.close()

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pieces: int) -> None:
        with contextlib.suppress(OSError):
            while pieces and (piece := await reader.read(65536)):
                pieces -= 1
                writer.write(piece)
                await writer.drain()


async def test_every_game_is_played_to_its_end_at_every_number_of_seats(server: Server) -> None:
    plans = [
        Plan(name, seats, codecs=("json", "msgpack"), seed=7)
        for name, game in games().items()
        for seats in game.seats
        if LONG or has_its_turn("client", (name, seats))
    ]
    for result in await asyncio.gather(*(play(server, plan) for plan in plans)):
        assert result["status"] == "finished"
        assert len(result["places"]) == len(result["scores"]) == result["seats"]
        assert [seat for seat, place in enumerate(result["places"]) if place == 1] == result["winners"]
        # The creation, the seats and the start are commits too; every other one answers an action.
        assert result["versions"] == result["actions"] + result["seats"] + 2


async def test_commands_are_carried_out_once_however_often_the_connection_breaks(server: Server) -> None:
    table, _, tokens = await seated(server)
    proxy = Proxy(server.url)
    async with proxy.running() as url, contextlib.AsyncExitStack() as stack:
        proxy.breaks = True
        away = Server(url)
        viewers: list[Viewer] = []
        for number, token in enumerate(tokens):
            views = ("full", "patch", "none")[number % 3]
            attached = away.attach(table, token, codec=("json", "msgpack")[number % 2], views=views)  # type: ignore[arg-type]
            viewers.append(await stack.enter_async_context(attached))
        calm = await stack.enter_async_context(server.attach(table, tokens[1], keep=True))
        async with asyncio.timeout(PATIENCE_S):
            acts = await asyncio.gather(
                *(play_at_random(viewer, random.Random(seat)) for seat, viewer in enumerate(viewers))
            )
        _, *lines = await server.log(table)
        for seat, viewer in enumerate(viewers):
            taken = [line for line in lines if line["by"] == seat and line["version"] > len(viewers) + 2]
            assert len(taken) == acts[seat]
            assert viewer.connections > 2
            assert viewer.version == lines[-1]["version"]
        assert viewers[1].view == calm.view
        assert viewers[2].view is None
        told = [message["version"] async for message in calm.messages() if message["type"] == "update"]
        assert told == list(range(told[0], lines[-1]["version"] + 1))


async def test_a_command_waits_for_the_server_to_come_back(server: Server) -> None:
    table, _, tokens = await seated(server)
    proxy = Proxy(server.url)
    async with proxy.running() as url, asyncio.timeout(PATIENCE_S):
        async with server.attach(table, tokens[0]) as viewer:
            seat = viewer.waiting[0]
        async with Server(url).attach(table, tokens[seat]) as viewer:
            proxy.down = True
            assert viewer._socket is not None
            await viewer._socket.close()
            act = asyncio.create_task(viewer.act(pick(random.Random(1), viewer.actions)))
            while proxy.turned_away < 3:
                await asyncio.sleep(0.01)
            assert not act.done()
            proxy.down = False
            assert await act == viewer.version
            assert viewer.connections == 2


async def test_the_same_id_is_the_same_command_and_another_action_under_it_is_refused(server: Server) -> None:
    table, _, tokens = await seated(server)
    async with contextlib.AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(server.attach(table, token)) for token in tokens]
        mover = viewers[viewers[0].waiting[0]]
        (offer,) = mover.actions
        one, other = ({"type": "play", "card": card} for card in offer["card"]["one_of"][:2])
        version = await mover.act(one, ident="first")
        assert await mover.act(one, ident="first") == version
        with pytest.raises(Refused) as refused:
            await mover.act(other, ident="first")
        assert refused.value.code == "id_reused"
        with pytest.raises(Refused) as refused:
            await mover.act(other, if_version=version - 1)
        assert refused.value.code == "version_conflict"


async def test_commands_that_come_too_fast_are_sent_again(settings: Settings) -> None:
    narrow = settings.replaced(message_burst=2, message_rate_per_s=50)
    async with serving(narrow) as url:
        server = Server(url)
        table, _, tokens = await seated(server)
        async with server.attach(table, tokens[0], keep=True) as viewer, asyncio.timeout(PATIENCE_S):
            answers = await asyncio.gather(
                *(viewer.act({"type": "jump", "height": number}) for number in range(8)),
                return_exceptions=True,
            )
            assert {getattr(answer, "code", None) for answer in answers} <= {
                "illegal_action",
                "not_your_turn",
            }
            assert viewer._kept is not None
            assert any(message.get("code") == "rate_limited" for message in viewer._kept)


async def test_a_viewer_learns_why_it_cannot_be_one(server: Server) -> None:
    table, host, tokens = await seated(server, autostart=False, spectators={"who": "token"})
    for ident, token, code in (
        ("a" * 20, None, "no_such_table"),
        (table, "x" * 43, "unauthorized"),
        (table, None, "forbidden"),
    ):
        with pytest.raises(Refused) as refused:
            async with server.attach(ident, token):
                pass
        assert refused.value.code == code
    async with server.attach(table, tokens[0]) as viewer:
        await server.leave(table, 1, tokens[1])
        await viewer.until(lambda: "name" not in (viewer.view or {})["seats"][1])
        await server.leave(table, 0, host)
        with pytest.raises(Gone) as gone:
            await viewer.until(lambda: False)
        assert gone.value.reason == "removed"
        with pytest.raises(Gone):
            await viewer.act({"type": "play", "card": "ratcoin-2"})


async def test_a_server_that_is_not_there_or_is_none_is_named() -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nHello")
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(other, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    strange = Server(f"http://127.0.0.1:{port}")
    async with listener:
        with pytest.raises(Unreachable, match="no Facedown server: 'Hello'"):
            await strange.games()
        with pytest.raises(Unreachable, match="takes no such connection"):
            async with strange.attach("a" * 20):
                pass
    with pytest.raises(Unreachable, match="no server answers"):
        await strange.games()
    with pytest.raises(Unreachable, match="no server answers"):
        async with strange.attach("a" * 20):
            pass
    for url in ("localhost:8000", "ftp://localhost", "http://", "http://localhost/?token=x"):
        with pytest.raises(ValueError, match="address of a server"):
            Server(url)


async def test_tables_can_be_listed_read_and_started(server: Server) -> None:
    table, host, tokens = await seated(server, "trinket-trove", autostart=False, seats=3)
    await server.create("trinket-trove", listed=False)
    found = {facts["table"]: facts async for facts in server.listing(game="trinket-trove", status="open")}
    assert table in found
    assert not any(not facts["listed"] for facts in found.values())
    assert (await server.start(table, host))["status"] == "playing"
    header, *lines = await server.log(table, tokens[0], views="patch")
    assert header["viewer"] == {"seat": 0}
    view: Any = {}
    for line in lines:
        view = merged(view, line["patch"])
    async with server.attach(table, tokens[0]) as viewer:
        assert viewer.view == view
        assert viewer.version == header["version"] == len(lines)


def test_the_client_uses_nothing_else_of_the_project() -> None:
    script = "import sys, json, server.client; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True))
    ours = [name for name in loaded if name.partition(".")[0] in ("server", "domain", "projections")]
    assert [name for name in ours if not name.startswith("server.client") and name != "server"] == []
    assert "server.client.viewer" in ours


def test_a_pick_takes_a_value_for_every_parameter() -> None:
    offers = [{"type": "give", "card": {"one_of": ["a", "b"]}, "to": {"one_of": [1, 2]}}]
    assert {json.dumps(pick(random.Random(seed), offers)) for seed in range(50)} == {
        json.dumps({"type": "give", "card": card, "to": seat}) for card in "ab" for seat in (1, 2)
    }
    offers = [{"type": "bid", "cards": {"some_of": ["a", "a", "b"], "min": 1, "max": 2}}]
    taken = {tuple(sorted(pick(random.Random(seed), offers)["cards"])) for seed in range(100)}
    assert taken == {("a",), ("b",), ("a", "a"), ("a", "b")}
