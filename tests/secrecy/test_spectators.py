"""Spectators: who may watch, and how far behind, held against a model in every way of reading a table."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.visibility import SPECTATOR
from server.commands.verify import checked
from server.room import Room
from tests.secrecy.delayed import Leak, Model, check_http, check_lobby, check_resume, check_stream
from tests.support.clients import Client, Http, client
from tests.support.counts import LONG
from tests.support.server import Running, Serve

GAME, SEATS = "trick-and-trade", 3


class Watched:
    """A table with seats that play, a spectator, and somebody in the lobby.

    Args:
        here: the server.
        delay: in commits.
        spectators: further rules for them.
    """

    def __init__(self, here: Running, delay: int, **table: Any) -> None:
        self.here = here
        self.delay = delay
        self.settings = table
        self.rng = random.Random(delay)
        self.players: list[Client] = []
        self.tokens: list[str] = []

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Watched]:
        """Open the table, with the watchers in place."""
        url = self.here.url
        async with Http(url) as self.http, client(url) as self.watcher, client(url) as self.lobby:
            await self.lobby.ask({"type": "watch_lobby"})
            spectators = {"who": "all", "delay": self.delay, **self.settings.pop("spectators", {})}
            made = await self.http.table(GAME, seats=SEATS, spectators=spectators, **self.settings)
            self.id, self.host = made["table"], made["host_token"]
            self.model = Model(self.here.service.store, self.id, GAME, self.delay)
            await self.model.look()
            if spectators["who"] == "all":
                await self.watcher.attach(self.id)
            async with contextlib.AsyncExitStack() as stack:
                self.stack = stack
                yield self

    async def sit(self) -> None:
        """Let the next player sit down and attach."""
        seated = await self.http.sit(self.id, f"Player {len(self.tokens)}")
        self.tokens.append(seated["token"])
        player = await self.stack.enter_async_context(client(self.here.url))
        self.players.append(player)
        await player.attach(self.id, seated["token"])

    async def move(self) -> None:
        """Let somebody whom the game waits for act."""
        await self.model.look()
        for player in self.players:
            await player.version(self.id, len(self.model.commits))
        mirrors = [player.tables[self.id] for player in self.players]
        mover = self.rng.choice(mirrors[0].waiting)
        offer = self.rng.choice(mirrors[mover].actions)
        action = {"type": offer["type"]}
        action |= {
            name: self.rng.choice(choice["one_of"]) for name, choice in offer.items() if name != "type"
        }
        answer = await self.players[mover].act(self.id, action)
        assert answer["type"] == "accepted"

    @property
    def connected(self) -> set[int]:
        """The seats with a connection."""
        return set(range(len(self.players)))

    async def check(self) -> None:
        """Everything that somebody without a seat is told."""
        for token in (None, self.host):
            await check_http(self.model, self.http, self.connected, token)
        await check_stream(self.model, self.watcher)
        check_lobby(self.model, self.lobby)

    async def over(self) -> bool:
        await self.model.look()
        return self.model.states[-1].over


async def watch_a_game(watched: Watched, every: int = 7 if LONG else 14) -> None:
    """A whole game with talk, a pause and refusals, checked again and again. Raises `Leak`."""
    async with watched.opened():
        await watched.check()
        for _ in range(SEATS):
            await watched.sit()
            await watched.check()
        moves = 0
        while not await watched.over():
            await watched.move()
            moves += 1
            if moves == 5:
                await watched.players[1].ask({"type": "say", "table": watched.id, "text": "my move now"})
                await watched.watcher.ask({"type": "say", "table": watched.id, "text": "what now?"})
                for method, path in (("POST", "pause"), ("POST", "resume"), ("POST", "spectators")):
                    told = await watched.http.ask(
                        method, f"/v1/tables/{watched.id}/{path}", {}, token=watched.host
                    )
                    assert told.status_code in (200, 201), told.text
                    await watched.model.look()
                    if "version" in told.json():
                        seen = told.json()["version"]
                        if seen != watched.model.visible:
                            raise Leak(f"{path} tells the host of version {seen}")
            if moves == 9:
                action = {"type": "play", "card": "nev-1"}
                refused = await watched.watcher.act(watched.id, action)
                assert refused["code"] == "forbidden"
                assert "version" not in refused
                await check_resume(watched.model, watched.here.url)
            if moves % every == 0 or moves < 3:
                await watched.check()
        await watched.check()
        assert moves > 20
        for query in ("", "?views=patch", "?open=true", "?open=true&views=patch"):
            log = await watched.http.ask("GET", f"/v1/tables/{watched.id}/log{query}")
            report = checked(log.content)
            assert report.findings == []
            assert report.proven
            assert bool(report.rehearsed) == ("open" in query)
        heard = [message["text"] for message in watched.watcher.seen if message["type"] == "said"]
        assert sorted(heard) == ["my move now", "what now?"]


NO_DELAY, LEAST, ALL_AT_THE_END = (pytest.param(delay, marks=pytest.mark.long) for delay in (0, 1, 200))


@pytest.mark.parametrize("delay", [NO_DELAY, LEAST, 6, ALL_AT_THE_END])
async def test_a_spectator_is_told_of_each_commit_in_its_time_and_of_nothing_before(
    serve: Serve, delay: int
) -> None:
    await watch_a_game(Watched(await serve(), delay))


async def test_two_processes_delay_alike(serve: Serve) -> None:
    """The game is played at one, watched at the other."""
    one = await serve()
    two = await serve(type(one.service.store)(one.service.store.backend))  # type: ignore[attr-defined,call-arg]
    watched = Watched(one, 4)
    async with watched.opened(), Http(two.url) as http, client(two.url) as watcher:
        await watcher.attach(watched.id)
        for _ in range(SEATS):
            await watched.sit()
        for _ in range(12):
            await watched.move()
            await check_stream(watched.model, watcher)
        await check_http(watched.model, http, watched.connected)
        await check_resume(watched.model, two.url)


async def test_a_room_that_was_dropped_comes_back_as_far_behind(serve: Serve) -> None:
    here = await serve(idle_tables=0)
    watched = Watched(here, 5)
    async with watched.opened():
        for _ in range(SEATS):
            await watched.sit()
        for _ in range(8):
            await watched.move()
        for connection in (*watched.players, watched.watcher):
            await connection.ask({"type": "detach", "table": watched.id})
        watched.players.clear()
        assert here.service.known(watched.id) is None
        await watched.model.look()
        async with client(here.url) as watcher:
            await watcher.attach(watched.id)
            await check_stream(watched.model, watcher)


# --- who may watch ----------------------------------------------------------------------------------

PATHS = ("log", "log?open=true", "at/1", "talk")


@pytest.mark.parametrize("who", ["token", "none"])
async def test_without_a_token_only_the_facts_are_told(serve: Serve, who: str) -> None:
    watched = Watched(await serve(), 2, spectators={"who": who})
    async with watched.opened():
        for _ in range(SEATS):
            await watched.sit()
        await watched.move()
        for path in PATHS:
            said = await watched.http.refused(403, "forbidden", "GET", f"/v1/tables/{watched.id}/{path}")
            assert "token" in said["message"]
        told = await watched.watcher.attach(watched.id)
        assert (told["type"], told["code"]) == ("error", "forbidden")
        resume: dict[str, Any] = {"from": 1, "epoch": watched.model.table.epoch}
        told = await watched.watcher.attach(watched.id, **resume)
        assert (told["type"], told["code"]) == ("error", "forbidden")
        await watched.model.look()
        due = watched.model.facts(watched.connected)
        assert await watched.http.facts(watched.id) == due
        assert watched.watcher.seen == [told for told in watched.watcher.seen if told["type"] == "error"]


@pytest.mark.parametrize("who", ["all", "token", "none"])
async def test_the_host_s_token_watches_like_a_spectator(serve: Serve, who: str) -> None:
    watched = Watched(await serve(), 3, spectators={"who": who})
    async with watched.opened():
        for _ in range(SEATS):
            await watched.sit()
        for _ in range(5):
            await watched.move()
        await check_http(watched.model, watched.http, watched.connected, watched.host)
        async with client(watched.here.url) as host:
            told = await host.attach(watched.id, watched.host)
            assert told["viewer"] == {"spectator": True}
            await check_stream(watched.model, host)
            assert (await host.act(watched.id, {"type": "take_lead"}))["code"] == "forbidden"


async def test_a_spectator_s_token_opens_a_table_that_wants_one(serve: Serve) -> None:
    watched = Watched(await serve(), 1, spectators={"who": "token"})
    async with watched.opened():
        path = f"/v1/tables/{watched.id}/spectators"
        token = (await watched.http.done(201, "POST", path, {}, token=watched.host))["token"]
        for _ in range(SEATS):
            await watched.sit()
        await watched.move()
        await check_http(watched.model, watched.http, watched.connected, token)
        async with client(watched.here.url) as guest:
            await guest.attach(watched.id, token)
            await check_stream(watched.model, guest)
        await watched.http.refused(401, "unauthorized", "GET", f"/v1/tables/{watched.id}/log", token="x" * 43)


async def test_a_table_without_spectators_admits_none(serve: Serve) -> None:
    watched = Watched(await serve(), 0, spectators={"who": "none"})
    async with watched.opened():
        path = f"/v1/tables/{watched.id}/spectators"
        await watched.http.refused(403, "forbidden", "POST", path, {}, token=watched.host)


# --- planted faults ---------------------------------------------------------------------------------


def live(room: Room, viewer: int) -> Any:
    """The feed without any delay, for everybody."""
    return room.live


FAULTS: dict[str, str] = {
    "server.reading.Reader.facts_of": "facts",
    "server.reading.Reader.log": "header of the log",
    "server.reading.Reader.at": "at beyond",
    "server.talk.Talk.since": "talk",
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_way_of_reading_that_forgets_the_delay_is_found(
    serve: Serve, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only while this one function runs, the room gives out its live feed."""
    module, kind, name = fault.rsplit(".", 2)
    owner = getattr(__import__(module, fromlist=[kind]), kind)
    honest, feed = getattr(owner, name), Room.feed

    async def hasty(self: Any, *args: Any, **more: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(Room, "feed", live)
            return await honest(self, *args, **more)

    monkeypatch.setattr(owner, name, hasty)
    with pytest.raises(Leak, match=FAULTS[fault]):
        await watch_a_game(Watched(await serve(), 6), every=6)
    assert Room.feed is feed


async def test_a_lobby_that_counts_seats_too_early_is_found(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(await serve(), 6)
    async with watched.opened():
        await watched.sit()
        await watched.sit()
        await watched.model.look()
        check_lobby(watched.model, watched.lobby)
        room = watched.here.service.known(watched.id)
        assert room is not None
        with monkeypatch.context() as patch:
            patch.setattr(Room, "feed", live)
            await watched.here.service.lobby.publish(room.table)
            await watched.lobby.next("lobby_change", lambda message: "changed" in message)
        with pytest.raises(Leak, match="lobby entry"):
            check_lobby(watched.model, watched.lobby)


async def test_presence_and_talk_that_come_too_early_are_found(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everybody(room: Room, message: Any) -> None:
        for feed in (room.live, room.delayed):
            if feed is not None:
                feed.broadcast(message)

    for name, text in (("tell_presence", "presence"), ("told", "talk")):
        with monkeypatch.context() as patch:
            patch.setattr(Room, name, everybody)
            watched = Watched(await serve(), 6)
            with pytest.raises(Leak, match=text):
                await watch_a_game(watched, every=6)


@pytest.mark.interpreted
async def test_a_stream_without_its_delay_is_found(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.showing.visible", lambda table: table.version)
    with pytest.raises(Leak):
        await watch_a_game(Watched(await serve(), 6))


async def test_the_replay_of_a_running_game_is_found(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that gives out the open log of a game that still runs."""
    from server.reading import Reader

    monkeypatch.setattr(Reader, "_referee", lambda reader, table: SPECTATOR)
    with pytest.raises(Leak, match="open log"):
        await watch_a_game(Watched(await serve(), 2))
