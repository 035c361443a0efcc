"""Many writers at one version, many clients that come back at once, and a server whose store is away."""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from domain.registry import codec
from server.embedded import EmbeddedStore
from server.store import open_store
from tests.faults.results import Results
from tests.support.clients import PATIENCE_S, Client, Http, chosen, join
from tests.support.counts import LONG
from tests.support.server import Launch, ServerProcess

WRITERS = 50
VIEWERS = 200 if LONG else 40


async def attached(server: ServerProcess, table: str, token: str | None) -> Client:
    client = await join(server.url, "msgpack")
    answer = await client.attach(table, token)
    assert answer["type"] == "attached", answer
    return client


async def test_of_many_writers_at_one_version_each_is_answered_by_what_the_log_says(
    embedded: EmbeddedStore, launch: Launch, results: Results
) -> None:
    servers = [await launch(name, embedded.url) for name in ("one", "two")]
    rng = random.Random(5)
    rounds = 5
    accepted: dict[str, int] = {}
    async with Http(servers[0].url) as http:
        table, _, tokens = await http.full("mein-schatz", 2)
    clients = [
        (seat, await attached(servers[number % 2], table, token))
        for seat, token in enumerate(tokens)
        for number in range(WRITERS // 2)
    ]
    for turn in range(rounds):
        first = clients[0][1]
        head = max(client.tables[table].version for _, client in clients)
        for _, client in clients:
            await client.version(table, head)
        if first.tables[table].status != "playing":
            break
        (seat,) = first.tables[table].waiting
        mine = [client for own, client in clients if own == seat]
        actions = mine[0].tables[table].actions
        # Every one with an id of its own, and each of those twice, through both servers.
        commands = [(f"turn-{turn}-{number // 2}", client) for number, client in enumerate(mine)]
        chosen_actions = {ident: chosen(rng, actions) for ident, _ in commands}
        answers = await asyncio.gather(
            *(client.act(table, chosen_actions[ident], id=ident) for ident, client in commands)
        )
        for (ident, _), answer in zip(commands, answers, strict=True):
            assert answer["type"] in ("accepted", "rejected"), answer
            if answer["type"] == "accepted":
                assert accepted.setdefault(ident, answer["version"]) == answer["version"]
        assert any(ident in accepted for ident, _ in commands)
        head = max(accepted.values())
    for _, client in clients:
        await client.close()
    store = open_store(embedded.url)
    await store.start()
    commits = [codec("mein-schatz").decode(*entry) for entry in await store.read(table)]
    await store.close()
    stored = {
        commit.command.id: commit.version
        for commit in commits
        if commit.command is not None and not commit.command.http
    }
    assert stored == accepted
    results.add("50 writers at one version", rounds, len(accepted), len(commits))


@pytest.mark.timeout(120)
async def test_everybody_comes_back_at_once(
    embedded: EmbeddedStore, launch: Launch, results: Results
) -> None:
    server, other = [await launch(name, embedded.url) for name in ("one", "two")]
    async with Http(other.url) as http:
        table, _, tokens = await http.full("trick-and-trade", 3)
        viewers = [await attached(server, table, None) for _ in range(VIEWERS)]
        players = [await attached(other, table, token) for token in tokens]
        rng = random.Random(6)

        async def move() -> None:
            seat = players[0].tables[table].waiting[0]
            player = players[seat]
            answer = await player.act(table, chosen(rng, player.tables[table].actions))
            assert answer["type"] == "accepted"
            for one in players:
                await one.version(table, answer["version"])

        for _ in range(5):
            await move()
        head = players[0].tables[table].version
        for viewer in viewers:
            await viewer.version(table, head)
        server.kill()
        for viewer in viewers:
            await viewer.end()
        for _ in range(5):
            await move()
        await server.start()

        async def back(viewer: Client) -> Client:
            client = await join(server.url, "msgpack")
            mirror = viewer.tables[table]
            client.remember(mirror)
            answer = await client.attach(table, None, **mirror.resumable())
            assert answer["recovered"], answer
            return client

        again = await asyncio.gather(*map(back, viewers))
        for _ in range(3):
            await move()
        head = players[0].tables[table].version
        for viewer in again:
            mirror = await viewer.version(table, head)
            assert list(mirror.updates) == sorted(mirror.updates)
            assert mirror.view == again[0].tables[table].view
            await viewer.close()
        for player in players:
            await player.close()
    results.add(f"{VIEWERS} viewers come back at once", 1, 13, head)


@pytest.mark.timeout(180)
async def test_a_server_whose_store_hangs_answers_everybody_and_stops_when_asked(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    server = await launch("one", embedded.url)
    async with Http(server.url) as http:
        table, _, tokens = await http.full("trick-and-trade", 3)
    players = [await attached(server, table, token) for token in tokens]
    seat = players[0].tables[table].waiting[0]
    action = chosen(random.Random(7), players[seat].tables[table].actions)
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGSTOP)
    try:
        async with asyncio.timeout(PATIENCE_S):
            first = await players[seat].act(table, action, id="first")
            assert first["code"] == "outcome_unknown"
            # One worker serves the table: if each of these had to wait for the store, it would take minutes.
            many = await asyncio.gather(
                *(players[seat].act(table, action, id=f"more-{number}") for number in range(200))
            )
            assert {answer["code"] for answer in many} == {"unavailable"}
            assert (await players[seat].ask({"type": "ping"}))["type"] == "pong"
        assert server.pid is not None
        os.kill(server.pid, signal.SIGTERM)
        for player in players:
            assert (await player.end())[0] == 1012
        await asyncio.to_thread(server.stop)
    finally:
        os.kill(embedded.pid, signal.SIGCONT)
    await server.start()
    again = await attached(server, table, tokens[seat])
    again.repeats.add("first")
    repeated = await again.act(table, action, id="first")
    assert repeated["type"] == "accepted"
    await again.close()
