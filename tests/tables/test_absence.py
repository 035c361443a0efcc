"""Who is there, who is away, who plays for whom: over two processes."""

from __future__ import annotations

import asyncio

import pytest

from server import presence
from server.embedded import EmbeddedStore
from server.store import MemoryBackend, MemoryStore
from tests.support.clients import Client, Http, chosen, client
from tests.support.server import Launch, Serve
from tests.tables.sitting import HOUR_MS, UNLIMITED, kinds, over, sitting


def shows(one: Client, table: str, seat: int, connected: bool) -> bool:
    """Whether a connection was told last that a seat is connected, or is not."""
    return one.tables[table].presence.get(seat) is connected


# --- presence ---------------------------------------------------------------------------------------


async def test_presence_is_told_on_both_processes_and_has_no_version(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game, client(pair[0]) as again:
        before = await game.head()
        for seat in range(3):
            for watcher in game.watchers:
                await watcher.until(lambda w=watcher, s=seat: shows(w, game.table, s, True))  # type: ignore[misc]
        # A second connection of the seat, at the other process: losing one of them is no absence.
        await again.attach(game.table, game.tokens[0])
        await game.seats[0].drop()
        await game.seats[1].drop()
        for watcher in game.watchers:
            await watcher.until(lambda w=watcher: shows(w, game.table, 1, False))  # type: ignore[misc]
            assert shows(watcher, game.table, 0, True)
            assert all("version" not in m for m in watcher.seen if m["type"] == "presence")
        for http in game.http:
            seats = (await http.facts(game.table))["seats"]
            assert [seat["connected"] for seat in seats] == [True, False, True]
        assert await game.head() == before
        async with client(pair[1]) as back:
            await back.attach(game.table, game.tokens[1])
            for watcher in game.watchers:
                await watcher.until(lambda w=watcher: shows(w, game.table, 1, True))  # type: ignore[misc]


async def test_seats_whose_process_died_without_a_word_are_told_to_be_gone(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "COMPARE_S", 0.02)
    backend = MemoryBackend()
    here = await serve(store=MemoryStore(backend), **UNLIMITED)
    dying = MemoryStore(backend)
    other = await serve(store=dying, **UNLIMITED)
    async with sitting([here.url]) as game, client(other.url) as away, client(here.url) as late:
        await game.seats[2].drop()
        await away.attach(game.table, game.tokens[2])
        await late.attach(game.table)
        async with asyncio.timeout(30):
            while here.service.presence._told.get(game.table) != {0, 1, 2}:
                await asyncio.sleep(0.005)
        await game.watchers[0].until(lambda: shows(game.watchers[0], game.table, 2, True))
        marks = backend.here[game.table]
        gone = {mark for mark in marks if mark[1] is dying}
        assert len(gone) == 1
        marks -= gone  # as they expire
        for one in (game.watchers[0], game.seats[0], late):
            await one.until(lambda one=one: shows(one, game.table, 2, False))  # type: ignore[misc]
        marks |= gone  # as when the process was only cut off for a while
        for one in (game.watchers[0], game.seats[0], late):
            await one.until(lambda one=one: shows(one, game.table, 2, True))  # type: ignore[misc]
        assert not [m for m in late.seen if m["type"] == "presence" and m["seat"] != 2]


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_seats_whose_process_was_killed_are_told_to_be_gone(launch: Launch) -> None:
    one = await launch("one")
    store = EmbeddedStore(one.folder / "facedown-data").url
    two = await launch("two", store)
    async with Http(one.url) as http, client(one.url) as watcher:
        table, _, tokens = await http.full()
        await watcher.attach(table)
        async with client(two.url) as player:
            await player.attach(table, tokens[1])
            await watcher.until(lambda: shows(watcher, table, 1, True))
            await asyncio.to_thread(two.kill)
            await watcher.until(lambda: shows(watcher, table, 1, False))
            assert (await http.facts(table))["seats"][1]["connected"] is False


# --- away -------------------------------------------------------------------------------------------


async def test_a_bot_plays_for_who_is_away_until_they_act(serve: Serve) -> None:
    backend = MemoryBackend()
    servers = [
        await serve(store=MemoryStore(backend), **{**UNLIMITED, "bot_delay_ms": 250}) for _ in range(2)
    ]
    urls = [server.url for server in servers]
    async with sitting(urls, "oopsie", 4, clock={"move_ms": 200}) as game:
        await game.event("timed_out", lambda event: event["seat"] == 0)
        await game.event("played_for", lambda event: event["seat"] == 0)
        for http in game.http:
            seat = (await http.facts(game.table))["seats"][0]
            assert (seat["away"], seat["bot"], seat["connected"]) == (True, False, True)
        sleeper = game.seats[0]
        mirror = sleeper.tables[game.table]
        returned = False
        while not returned and mirror.status == "playing":
            # It may act whenever it is its turn, and is faster than the bot or is not.
            await sleeper.until(lambda: mirror.actions or mirror.status != "playing")
            if mirror.actions:
                answer = await sleeper.act(game.table, chosen(game.rng, mirror.actions))
                returned = answer["type"] == "accepted"
        assert returned
        update = await game.event("returned")
        assert (update["by"], update["events"][0]) == (0, {"type": "returned", "seat": 0})
        await game.agree()


async def test_where_the_table_waits_it_waits_for_who_is_away(pair: tuple[str, str]) -> None:
    async with sitting(pair, clock={"move_ms": 120}, on_timeout="wait") as game:
        (turn,) = game.waiting
        timed_out = await game.event("timed_out")
        assert (timed_out["events"], timed_out["waiting"]) == (
            [{"type": "timed_out", "seat": turn, "then": "wait"}],
            [turn],
        )
        for one in game.everybody:
            assert one.tables[game.table].updates[timed_out["version"]]["deadlines"] == []
        answer = await game.act(turn)
        assert answer["version"] == timed_out["version"] + 1  # nothing happened meanwhile
        update = await game.event("returned")
        assert update["version"] == answer["version"]
        assert not (await game.http[1].facts(game.table))["seats"][turn]["away"]


# --- leaving ----------------------------------------------------------------------------------------


async def test_leaving_hands_the_seat_to_a_bot_and_then_to_a_person_with_a_new_token(
    pair: tuple[str, str],
) -> None:
    async with sitting(pair, clock={"move_ms": HOUR_MS}) as game:
        (turn,) = game.waiting
        path = f"{game.path}/seats/{turn}"
        await game.http[0].done(204, "DELETE", path, token=game.tokens[turn])
        gone = await game.seats[turn].next("detached")
        assert gone["reason"] == "revoked"
        # Only now: whoever has left is told of nothing that follows.
        played = await game.event("played_for", lambda event: event["seat"] == turn)
        assert played["by"] == "server"
        await game.http[1].refused(401, "unauthorized", "GET", game.path, token=game.tokens[turn])
        seated = await game.http[1].sit(game.table, "New")
        assert seated["seat"] == turn
        assert seated["token"] != game.tokens[turn]
        async with client(pair[1]) as new:
            answer = await new.attach(game.table, seated["token"])
            assert answer["viewer"] == {"seat": turn}
            mirror = new.tables[game.table]
            for seat in [*range(turn + 1, 3), *range(turn)]:
                if seat in mirror.waiting:
                    await game.heard((await game.act(seat))["version"])
                    await new.version(game.table, await game.head())
            # From here on the person plays: nobody else has, since they sat down.
            since = next(line["version"] for line in reversed(await game.agree()) if line["by"] == turn)
            while turn not in mirror.waiting:
                (seat,) = mirror.waiting
                version = (await game.act(seat))["version"]
                await new.version(game.table, version)
            answer = await new.act(game.table, chosen(game.rng, mirror.actions))
            assert answer["type"] == "accepted"
            after = [line for line in await game.agree() if line["version"] > since]
            assert "played_for" not in kinds(after)
        refused = await game.seats[turn].attach(game.table, game.tokens[turn])
        assert refused["code"] == "unauthorized"


async def test_when_everybody_has_left_the_table_is_abandoned_once(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game, Http(pair[0]) as one, Http(pair[1]) as two:
        answers = await asyncio.gather(
            *(
                (one, two)[seat % 2].ask("DELETE", f"{game.path}/seats/{seat}", token=token)
                for seat, token in enumerate(game.tokens)
            )
        )
        assert {answer.status_code for answer in answers} == {204}
        facts = await over(two, game.table)
        assert facts["status"] == "abandoned"
        lines = await game.agree()
        assert (kinds(lines).count("seat_left"), kinds(lines).count("abandoned")) == (3, 1)
        ended = lines[-1]["events"][-1]
        assert (ended["type"], ended["reason"], len(ended["deal_key"])) == (
            "abandoned",
            "everybody left",
            64,
        )
        await one.refused(409, "finished", "POST", f"{game.path}/seats", {"name": "Late"})


async def test_leaving_forfeits_where_the_table_says_so(pair: tuple[str, str]) -> None:
    async with sitting(pair, "trinket-trove", 3, on_timeout="forfeit") as game:
        await game.http[1].done(204, "DELETE", f"{game.path}/seats/1", token=game.tokens[1])
        assert (await game.http[0].facts(game.table))["status"] == "finished"
        left, finished = (await game.agree())[-1]["events"]
        assert (left["type"], finished["reason"], finished["places"][1]) == ("seat_left", "forfeit", 3)


async def test_where_the_table_waits_a_seat_that_was_left_stays_free_until_somebody_sits_down(
    pair: tuple[str, str],
) -> None:
    async with sitting(pair, on_timeout="wait", clock={"move_ms": HOUR_MS}) as game:
        (turn,) = game.waiting
        await game.http[0].done(204, "DELETE", f"{game.path}/seats/{turn}", token=game.host)
        assert (await game.seats[turn].next("detached"))["reason"] == "removed"
        at = await game.head()
        token = (await game.http[1].sit(game.table, "New", seat=turn))["token"]
        async with client(pair[0]) as new:
            await new.attach(game.table, token)
            answer = await new.act(game.table, chosen(game.rng, new.tables[game.table].actions))
            assert (answer["type"], answer["version"]) == ("accepted", at + 2)
