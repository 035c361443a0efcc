"""Clocks over real sockets and two processes: deadlines, banks, and what happens when time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.support.clients import Client, Http, Message, client
from tests.support.server import Running
from tests.tables.sitting import HOUR_MS, kinds, over, sitting

LONG = {"move_ms": HOUR_MS, "bank_ms": HOUR_MS}


def deadlines(message: Message) -> dict[int, int]:
    """The deadlines of an ``attached`` or ``update``, by seat."""
    return {entry["seat"]: entry["at_ms"] for entry in message.get("deadlines", [])}


def of_seat(seat: int) -> Callable[[Message], bool]:
    """Whether an event is of a seat."""
    return lambda event: bool(event["seat"] == seat)


def last(one: Client, table: str) -> Message:
    """The last update that a connection got."""
    mirror = one.tables[table]
    return mirror.updates[mirror.version]


async def test_in_a_phase_of_all_each_seat_that_has_not_chosen_has_a_deadline(pair: tuple[str, str]) -> None:
    async with sitting(pair, "oopsie", 4, clock=LONG) as game:
        started = await game.event("started")
        due = started["at_ms"] + 2 * HOUR_MS
        assert deadlines(started) == dict.fromkeys(range(4), due)
        assert {entry["bank_from_ms"] for entry in started["deadlines"]} == {due - HOUR_MS}
        left = {0, 1, 2, 3}
        for seat in (2, 0, 3):
            await game.heard((await game.act(seat))["version"])
            left.remove(seat)
            for one in game.everybody:
                assert deadlines(last(one, game.table)) == dict.fromkeys(left, due)
        # Who chooses again has no deadline either, and moves nobody else's.
        await game.heard((await game.act(2))["version"])
        assert deadlines(last(game.watchers[1], game.table)) == {1: due}
        async with client(pair[1]) as late:
            assert deadlines(await late.attach(game.table)) == {1: due}
        await game.agree()


async def test_a_deadline_is_a_move_s_time_and_the_bank_from_when_the_seat_is_awaited(
    pair: tuple[str, str],
) -> None:
    async with sitting(pair, clock={"move_ms": HOUR_MS, "bank_ms": 5000}) as game:
        for _ in range(4):
            (turn,) = game.waiting
            update = last(game.watchers[0], game.table)
            assert deadlines(update) == {turn: update["at_ms"] + HOUR_MS + 5000}
            await game.heard((await game.act(turn))["version"])


async def test_no_clock_runs_without_one_nor_before_the_start_nor_for_bots(here: Running, http: Http) -> None:
    async with sitting([here.url]) as game:
        assert "deadlines" not in last(game.watchers[0], game.table)
    made = await http.table(seats=3, clock=LONG)
    path = f"/v1/tables/{made['table']}"
    async with client(here.url) as one:
        assert deadlines(await one.attach(made["table"])) == {}
        for seat in range(3):
            await http.done(201, "POST", f"{path}/bots", {"seat": seat}, token=made["host_token"])
        await over(http, made["table"])
        await one.until(lambda: one.tables[made["table"]].status == "finished")
        assert not [m for m in one.seen if deadlines(m)]


@pytest.mark.parametrize("clock", [{"move_ms": 120}, {"move_ms": 0, "bank_ms": 150}])
async def test_when_time_runs_out_a_bot_plays_and_the_game_goes_on_to_its_end(
    pair: tuple[str, str], clock: dict[str, int]
) -> None:
    """Nobody ever acts: every seat runs out of time once, then bots play to the end."""
    async with sitting(pair, clock=clock) as game:
        await over(game.http[1], game.table)
        lines = await game.agree()
        timeouts = [line for line in lines if line["by"] == "clock"]
        assert sorted(event["seat"] for line in timeouts for event in line["events"]) == [0, 1, 2]
        assert {event["then"] for line in timeouts for event in line["events"]} == {"bot"}
        moves = kinds(lines).count("played_for")
        assert moves == sum(1 for line in lines if line["by"] == "server" and line["version"] > 5)
        assert moves >= 39


async def test_nobody_s_time_ends_before_the_deadline_that_was_told(pair: tuple[str, str]) -> None:
    async with sitting(pair, "hold-my-beer", 3, clock={"move_ms": 130}, on_timeout="wait") as game:
        due = deadlines(await game.event("started"))
        for seat in range(3):
            update = await game.event("timed_out", of_seat(seat))
            assert update["at_ms"] >= due[seat]
            assert update["by"] == "clock"
        await game.agree()


async def test_a_bank_lasts_for_the_whole_game_also_for_those_who_ran_out_of_it(
    pair: tuple[str, str],
) -> None:
    async with sitting(pair, clock={"move_ms": 0, "bank_ms": 200}, on_timeout="wait") as game:
        (first,) = game.waiting
        await game.event("timed_out", of_seat(first))
        version = (await game.act(first))["version"]
        await game.heard(version)
        for _ in range(2):
            (turn,) = game.waiting
            await game.event("timed_out", of_seat(turn))
            version = (await game.act(turn))["version"]
            await game.heard(version)
        # Everybody has returned, with nothing left: whoever is next has no time at all.
        update = game.watchers[0].tables[game.table].updates[version]
        assert deadlines(update) == {update["waiting"][0]: update["at_ms"]}
        await game.agree()


async def test_forfeit_ends_the_game_once_with_the_seat_last(pair: tuple[str, str]) -> None:
    async with sitting(pair, "trinket-trove", 3, clock={"move_ms": 120}, on_timeout="forfeit") as game:
        facts = await over(game.http[0], game.table)
        assert facts["status"] == "finished"
        lines = await game.agree()
        assert kinds(lines).count("finished") == 1
        timed_out, finished = lines[-1]["events"]
        assert (timed_out["type"], timed_out["then"]) == ("timed_out", "forfeit")
        assert (finished["reason"], finished["places"][timed_out["seat"]]) == ("forfeit", 3)
        for seat in game.seats:
            answer = await seat.act(game.table, {"type": "bid", "cards": []})
            assert (answer["type"], answer["code"]) == ("rejected", "finished")


async def test_many_tables_run_out_of_time_at_once_and_all_are_looked_at(pair: tuple[str, str]) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        tables = []
        for number in range(20):
            table, _, _ = await (one, two)[number % 2].full(
                "mein-schatz", 2, clock={"move_ms": 100}, on_timeout="forfeit", listed=False
            )
            tables.append(table)
        ends = await asyncio.gather(*(over(two, table) for table in tables))
        assert {end["status"] for end in ends} == {"finished"}
