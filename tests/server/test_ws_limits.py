"""Limits: slow readers, floods, full tables, and a server that stops."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket as sockets
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.server.playing import Played, played
from tests.support.clients import Client, Http, Kind, Message, Mirror, address, client, join
from tests.support.server import Running, Serve


@contextlib.asynccontextmanager
async def lazy(url: str) -> AsyncIterator[Client]:
    """A client whose system takes in little that it does not read."""
    host, port = url.removeprefix("http://").split(":")
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, (host, int(port)))
    async with client(url, sock=raw) as one:
        yield one
        one.socket.transport.resume_reading()


async def test_a_slow_reader_is_cut_off_and_slows_nobody(serve: Serve) -> None:
    here = await serve(queue_bytes=64 * 1024)
    for listening in here.server.servers[0].sockets:  # so that the system takes in little for it
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, 4096)
    endpoint = here.app.state.endpoint
    async with played(here.url, "oopsie", 4) as game, client(here.url) as watcher, lazy(here.url) as slow:
        await watcher.attach(game.table)
        mirror = watcher.tables[game.table]
        await slow.attach(game.table, game.tokens[0])
        await game.seats[0].ask({"type": "detach", "table": game.table})  # the slow one is the seat's last
        slow.socket.transport.pause_reading()
        most = 0
        while mirror.presence.get(0) is not False:
            assert mirror.status == "playing", "the game was too short to make anybody slow"
            await _move(game, mirror)
            await watcher.ask({"type": "ping"})
            most = max(most, endpoint.queued_bytes)
        assert 32 * 1024 < most < 2 * 64 * 1024
        await _move(game, mirror)
        slow.socket.transport.resume_reading()
        assert await slow.end() == (1008, "slow reader")
        last = slow.seen[-1]
        assert (last["type"], last["reason"]) == ("detached", "slow")
        assert slow.left[game.table].version < mirror.version  # without a gap, as the client checks


async def _move(game: Played, mirror: Mirror) -> None:
    """Somebody moves; seat 0 only by a connection of the moment."""
    seat = mirror.waiting[-1]
    one = game.seats[seat]
    if seat == 0:
        await one.attach(game.table, game.tokens[0])
    answer = await one.act(game.table, _first(one, game.table))
    assert answer["type"] == "accepted"
    if seat == 0:
        await one.ask({"type": "detach", "table": game.table})


def _first(one: Client, table: str) -> Message:
    """The first thing that may be done."""
    offer = one.tables[table].actions[0]
    action: dict[str, Any] = {"type": offer["type"]}
    for name, choice in offer.items():
        if name != "type":
            action[name] = choice["one_of"][0] if "one_of" in choice else choice["some_of"][: choice["min"]]
    return action


async def test_one_large_answer_makes_nobody_slow(serve: Serve) -> None:
    """A list larger than the whole queue is sent to who reads."""
    here = await serve(queue_bytes=64 * 1024)
    async with Http(here.url) as http, client(here.url) as one:
        for number in range(100):
            table = (await http.table("trinket-trove", seats=6))["table"]
            await http.sit(table, f"{number:02}" + "é" * 38)
        answer = await one.ask({"type": "watch_lobby"})
        assert len(answer["tables"]) == 100
        assert len(json.dumps(answer)) > 64 * 1024


async def test_many_answers_at_once_make_nobody_slow(serve: Serve, kind: Kind) -> None:
    here = await serve(queue_bytes=64 * 1024)
    async with Http(here.url) as http, client(here.url, kind) as one:
        await http.table("trinket-trove", seats=6)
        for _ in range(50):
            await one.send({"type": "watch_lobby"})
        tables = [(await http.full("oopsie", 4))[0] for _ in range(30)]
        for table in tables:
            await one.send({"type": "attach", "table": table})
        for _ in range(50):
            await one.send({"type": "watch_lobby"})
        await one.until(lambda: sum(message["type"] == "lobby" for message in one.seen) == 100)
        await one.until(lambda: len(one.tables) == len(tables))


async def test_who_sends_too_fast_is_told_when_to_go_on(serve: Serve, kind: Kind) -> None:
    here = await serve(message_burst=20, message_rate_per_s=20)
    async with client(here.url, kind) as one, client(here.url) as other:
        for number in range(60):
            await one.send({"type": "ping", "id": f"ping {number}"})
        await one.until(lambda: len(one.answers) == 60)
        refused = [message for message in one.seen if message["type"] == "error"]
        assert 20 <= len(refused) <= 40
        for message in refused:
            assert message["code"] == "rate_limited"
            assert 1 <= message["detail"]["retry_after_ms"] <= 1000
        assert (await other.ask({"type": "ping"}))["type"] == "pong"
        while (await one.ask({"type": "ping"}))["type"] != "pong":
            await asyncio.sleep(0.01)


async def test_a_command_that_is_limited_is_not_stored_and_may_be_repeated(serve: Serve) -> None:
    here = await serve(message_burst=5, message_rate_per_s=50)
    async with played(here.url) as game:
        mover = game.mover
        message = {"type": "act", "id": "move", "table": game.table, "action": game.action()}
        mover.repeats.add("move")
        for _ in range(10):
            await mover.send({"type": "ping"})
        answer = await mover.ask(message)
        assert (answer["type"], answer["code"]) == ("error", "rate_limited")
        async with Http(here.url) as http:
            assert (await http.facts(game.table))["version"] == 5
        while answer["type"] == "error":
            await asyncio.sleep(0.01)
            answer = await mover.ask(message)
        assert (answer["type"], answer["version"]) == ("accepted", 6)


async def test_who_goes_on_all_the_same_is_cut_off(serve: Serve) -> None:
    here = await serve(message_burst=5, message_rate_per_s=0.1)
    one = await join(here.url)
    for _ in range(56):
        await one.send({"type": "ping"})
    assert (await one.end())[0] == 1008


@pytest.mark.interpreted
async def test_a_flood_is_cut_off_although_some_of_it_is_taken(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every message that the rate let through made the server forget all that it had refused."""
    here = await serve(message_burst=10, message_rate_per_s=100)
    clock = itertools.count(0.0, 0.001)  # a thousand messages a second, however slow this machine is
    monkeypatch.setattr("server.connection.time", SimpleNamespace(monotonic=lambda: next(clock)))
    one = await join(here.url)
    with contextlib.suppress(ConnectionClosed):
        for _ in range(2000):
            await one.send({"type": "ping"})
    await one.until(lambda: len(one.seen) >= 2000 or one.closed is not None)
    assert (await one.end())[0] == 1008
    taken = [message for message in one.seen if message["type"] == "pong"]
    assert len(taken) >= 15, "nothing was let through on the way"


async def test_frames_that_are_too_large_or_broken_count_too(serve: Serve) -> None:
    here = await serve(message_burst=3, message_rate_per_s=0.1)
    async with client(here.url) as one:
        await one.raw("nonsense")
        await one.raw("x" * 70_000)
        await one.raw("[]")
        await one.raw("{}")
        await one.until(lambda: len(one.seen) == 4)
        codes = [message["code"] for message in one.seen]
        assert codes == ["bad_message", "too_large", "bad_message", "rate_limited"]


@pytest.mark.parametrize("limited", ["rate_limited", "too_large"])
async def test_messages_that_are_not_taken_are_answered_under_their_ids(
    serve: Serve, kind: Kind, limited: str
) -> None:
    here = await serve(message_burst=2, message_rate_per_s=0.1)
    async with client(here.url, kind) as one:
        if limited == "rate_limited":
            for _ in range(2):
                await one.ask({"type": "ping"})
        answer = await one.ask({"type": "ping", "id": "mine", "pad": "x" * 66_000})
        assert (answer["id"], answer["code"]) == ("mine", limited)


async def test_a_full_table_refuses_spectators_and_keeps_those_it_has(serve: Serve) -> None:
    here = await serve(max_spectators_per_table=2)
    async with (
        played(here.url) as game,
        client(here.url) as one,
        client(here.url) as two,
        client(here.url) as three,
    ):
        for there in (one, two):
            assert (await there.attach(game.table))["type"] == "attached"
        assert (await three.attach(game.table))["code"] == "forbidden"
        # Who is there may attach again, and who plays may look on only if there is room.
        assert (await one.attach(game.table))["type"] == "attached"
        assert (await game.seats[0].attach(game.table))["code"] == "forbidden"
        assert game.seats[0].tables[game.table].viewer == {"seat": 0}
        await game.move()
        assert (await one.version(game.table, 6)).version == 6
        await two.ask({"type": "detach", "table": game.table})
        assert (await three.attach(game.table))["type"] == "attached"


async def test_an_address_has_so_many_connections(serve: Serve) -> None:
    here = await serve(max_connections_per_address=2)
    async with client(here.url):
        two = await join(here.url)
        with pytest.raises(InvalidStatus) as caught:
            await connect(address(here.url))
        response = caught.value.response
        told = json.loads(response.body or b"")
        assert (response.status_code, told["code"]) == (429, "rate_limited")
        assert (told["detail"], response.headers["Retry-After"]) == ({"retry_after_ms": 1000}, "1")
        await two.close()
        async with asyncio.timeout(30):
            while here.app.state.endpoint.number > 1:
                await asyncio.sleep(0.001)
        async with client(here.url) as three:
            assert (await three.ask({"type": "ping"}))["type"] == "pong"


async def test_a_server_that_stops_says_so_to_everybody(here: Running, kind: Kind) -> None:
    async with played(here.url) as game:
        idle, watcher = await join(here.url, kind), await join(here.url, kind)
        await watcher.attach(game.table)
        mover = game.mover
        await mover.send({"type": "act", "id": "last", "table": game.table, "action": game.action()})
        await mover.until(lambda: "last" in mover.answers)
        await here.stop()
        for one in (watcher, *game.seats):
            assert (await one.end())[0] == 1012
            last = one.seen[-1]
            assert (last["type"], last["table"], last["reason"]) == ("detached", game.table, "shutdown")
        assert (await idle.end())[0] == 1012


async def test_a_command_under_way_when_the_server_stops_is_answered(serve: Serve) -> None:
    """Finish what runs, then close: the answer comes before the end."""
    here = await serve()
    async with played(here.url) as game:
        mover = game.mover
        await mover.send({"type": "act", "id": "last", "table": game.table, "action": game.action()})
        await mover.send({"type": "ping", "id": "heard"})
        await mover.until(lambda: "heard" in mover.answers or "last" in mover.answers)
        await here.stop()
        await mover.end()
        assert [answer["type"] for answer in mover.answers["last"]] == ["accepted"]
