"""Pauses over two processes: who can ask, what stands still, and that everything goes on where it was."""

from __future__ import annotations

import asyncio
import time

from server.store import MemoryBackend, MemoryStore
from tests.support.clients import Client, Http, Message
from tests.support.server import Serve
from tests.tables.sitting import HOUR_MS, UNLIMITED, Sitting, all_done, kinds, over, sitting
from tests.tables.test_clocks import deadlines, last


async def server_time(one: Client, at_ms: int) -> None:
    """Wait until the server's clock shows so much."""
    async with asyncio.timeout(30):
        while (await one.ask({"type": "ping"}))["at_ms"] < at_ms:
            await asyncio.sleep(0.02)


async def ask(game: Sitting, what: str, token: str, server: int = 0) -> Message:
    """Ask for a pause, or to go on; gives the facts."""
    facts: Message = await game.http[server].done(200, "POST", f"{game.path}/{what}", token=token)
    return facts


async def test_in_a_pause_nobody_can_act_and_no_time_runs_out(pair: tuple[str, str]) -> None:
    async with sitting(pair, clock={"move_ms": 300}) as game:
        paused_at = (await ask(game, "pause", game.host, 1))["version"]
        await game.heard(paused_at)
        for one in game.everybody:
            mirror = one.tables[game.table]
            assert (mirror.waiting, mirror.actions, deadlines(last(one, game.table))) == ([], [], {})
        for seat in game.seats:
            answer = await seat.act(game.table, {"type": "play", "card": "nev-1"})
            assert (answer["type"], answer["code"]) == ("rejected", "paused")
        refused = await game.http[0].refused(409, "paused", "POST", f"{game.path}/pause", token=game.host)
        assert refused["message"]
        await server_time(game.seats[0], last(game.seats[0], game.table)["at_ms"] + 1000)
        assert await game.head() == paused_at
        await ask(game, "resume", game.host)
        await over(game.http[1], game.table)
        lines = await game.agree()
        between = [line["by"] for line in lines[paused_at - 1 : paused_at + 1]]
        assert between == ["host", "host"]
        assert sorted(event["seat"] for line in lines if line["by"] == "clock" for event in line["events"])


async def test_the_clocks_go_on_where_they_stood(pair: tuple[str, str]) -> None:
    async with sitting(pair, "oopsie", 4, clock={"move_ms": HOUR_MS, "bank_ms": 1000}) as game:
        started = await game.event("started")
        await game.heard((await game.act(1))["version"])
        paused = (await ask(game, "pause", game.host))["version"]
        resumed = (await ask(game, "resume", game.host, 1))["version"]
        await game.heard(resumed)
        for one in game.everybody:
            updates = one.tables[game.table].updates
            stood = updates[resumed]["at_ms"] - updates[paused]["at_ms"]
            due = started["at_ms"] + HOUR_MS + 1000 + stood
            assert deadlines(updates[resumed]) == dict.fromkeys((0, 2, 3), due)
        await game.agree()


async def test_all_seats_at_once_through_both_processes_make_one_pause(pair: tuple[str, str]) -> None:
    async with sitting(pair, "trick-and-trade", 5) as game:
        for what, asked, done in (("pause", "pause_asked", "paused"), ("resume", "resume_asked", "resumed")):
            told = await all_done(
                *(ask(game, what, token, seat % 2) for seat, token in enumerate(game.tokens))
            )
            assert min(facts["version"] for facts in told) >= 8
            update = await game.event(done)
            assert [event["type"] for event in update["events"]] == [asked, done]
            lines = await game.agree()
            assert (kinds(lines).count(asked), kinds(lines).count(done)) == (5, 1)
        await game.heard((await game.act(game.waiting[0]))["version"])
        await game.http[0].refused(409, "illegal_action", "POST", f"{game.path}/resume", token=game.host)
        await game.http[0].refused(401, "unauthorized", "POST", f"{game.path}/pause")


async def test_host_and_seats_at_once_make_one_pause(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game:
        answers = await asyncio.gather(
            *(
                game.http[number % 2].ask("POST", f"{game.path}/pause", token=token)
                for number, token in enumerate([*game.tokens, game.host])
            )
        )
        assert {answer.json().get("code", "paused") for answer in answers} == {"paused"}
        assert kinds(await game.agree()).count("paused") == 1
        assert (await game.http[1].facts(game.table))["paused"] is True


async def test_a_move_and_a_pause_at_once_leave_one_order(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game:
        for _ in range(5):
            before = await game.head()
            (turn,) = game.waiting
            moved, _ = await all_done(game.act(turn), ask(game, "pause", game.host, turn % 2))
            if moved["type"] == "rejected":
                assert moved["code"] == "paused"
            await ask(game, "resume", game.host)
            done = 3 if moved["type"] == "accepted" else 2
            assert await game.head() == before + done
        await game.agree()


async def test_a_paused_game_goes_on_when_the_last_who_did_not_ask_is_gone(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game:
        await ask(game, "pause", game.host)
        for seat in (0, 1):
            await ask(game, "resume", game.tokens[seat], seat)
        await game.http[1].done(204, "DELETE", f"{game.path}/seats/2", token=game.tokens[2])
        await game.event("resumed")
        assert (await game.http[0].facts(game.table))["paused"] is False


async def test_after_a_pause_somebody_looks_by_the_deadline_and_not_a_whole_move_later(serve: Serve) -> None:
    shift_ms = 0
    backend = MemoryBackend(lambda: time.time_ns() // 1_000_000 + shift_ms)
    here = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with sitting([here.url], clock={"move_ms": HOUR_MS}) as game:
        shift_ms = HOUR_MS * 5 // 6
        await ask(game, "pause", game.host)
        del backend.deadlines[game.table]  # as whoever looks in the pause does
        await game.heard((await ask(game, "resume", game.host))["version"])
        (due,) = deadlines(last(game.seats[0], game.table)).values()
        assert backend.deadlines[game.table] <= due


async def test_a_seat_cannot_stretch_its_time_by_asking_for_a_pause(pair: tuple[str, str]) -> None:
    async with sitting(pair, clock={"move_ms": HOUR_MS}) as game, Http(pair[1]) as http:
        (turn,) = game.waiting
        due = deadlines(last(game.watchers[0], game.table))
        for _ in range(3):
            await http.done(200, "POST", f"{game.path}/pause", token=game.tokens[turn])
        await game.head()
        for one in game.everybody:
            assert deadlines(last(one, game.table)) == due
