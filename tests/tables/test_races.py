"""Moves at the last moment against the clock: exactly one wins, and everybody is told the same."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter

import pytest

from tests.faults.conftest import results
from tests.faults.results import Results
from tests.support.clients import Message, chosen
from tests.support.counts import LONG
from tests.tables.sitting import Sitting, sitting
from tests.tables.test_clocks import deadlines, last

__all__ = ["results"]

RACES = int(os.environ.get("FACEDOWN_RACES", "1000")) if LONG else 16
AT_ONCE = 8


async def at_the_deadline(game: Sitting, seat: int, due: int, spread_ms: float) -> Message:
    """Let a seat act about when its time is up; gives the answer."""
    one = game.seats[seat]
    action = chosen(game.rng, one.tables[game.table].actions)
    late_ms = game.rng.uniform(-spread_ms, spread_ms / 2)
    await asyncio.sleep(max(0.0, (due + late_ms) / 1000 - time.time()))
    return await one.act(game.table, action)


async def forfeit_race(pair: tuple[str, str], number: int) -> str:
    """One race at a table of its own; gives the winner."""
    ordered = pair if number % 2 else pair[::-1]
    clock = {"move_ms": random.Random(number).randint(100, 150)}
    async with sitting(ordered, "mein-schatz", 2, clock=clock, on_timeout="forfeit", listed=False) as game:
        due = deadlines(last(game.watchers[0], game.table))
        if not due or not game.seats[next(iter(due))].tables[game.table].actions:
            return "nobody"  # time was up before anybody could do anything
        (turn,) = due
        before = game.watchers[0].tables[game.table].version
        answer = await at_the_deadline(game, turn, due[turn], 12)
        if answer["type"] == "accepted":
            assert answer["version"] == before + 1
        else:
            assert (answer["type"], answer["code"]) == ("rejected", "finished")
        lines = await game.agree()
        first = lines[before]
        assert first["by"] == (turn if answer["type"] == "accepted" else "clock")
        if first["by"] == "clock":
            assert [event["type"] for event in first["events"]] == ["timed_out", "finished"]
            assert len(lines) == before + 1
        else:
            timeouts = [event for line in lines for event in line["events"] if event["type"] == "timed_out"]
            assert len(timeouts) <= 1  # of whoever had to act next
        return "move" if first["by"] == turn else "clock"


@pytest.mark.timeout(1800 if LONG else 60)
async def test_a_move_against_the_clock_one_of_them_wins(pair: tuple[str, str], results: Results) -> None:
    wins: Counter[str] = Counter()
    numbers = iter(range(RACES))

    async def runner() -> None:
        for number in numbers:
            wins[await forfeit_race(pair, number)] += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(runner())
    assert wins.total() == RACES
    if LONG:
        assert min(wins["move"], wins["clock"]) > 0, wins
    told = f"{RACES} races: {wins['move']} moves won, {wins['clock']} clocks"
    if wins["nobody"]:
        told += f"; {wins['nobody']} were over before anybody could move"
    results.figure("moves at the last moment against the clock", told)


@pytest.mark.timeout(900 if LONG else 60)
async def test_a_move_before_or_after_the_clock_is_a_return_only_after_it(pair: tuple[str, str]) -> None:
    """The table waits for who is late, so each turn is a race; a whole game has many."""
    turns = 100 if LONG else 10
    async with sitting(pair, clock={"move_ms": 120}, on_timeout="wait") as game:
        for _ in range(turns):
            if game.mirror(0).status != "playing":
                break
            (turn,) = game.waiting
            before = game.watchers[0].tables[game.table].version
            due = deadlines(last(game.watchers[0], game.table))
            answer = await at_the_deadline(game, turn, due[turn], 12) if due else await game.act(turn)
            assert answer["type"] == "accepted", answer
            await game.heard(answer["version"])
            updates = game.watchers[1].tables[game.table].updates
            timeouts = [v for v in range(before, answer["version"]) if updates[v]["by"] == "clock"]
            assert len(timeouts) <= 1
            kinds = [event["type"] for event in updates[answer["version"]]["events"]]
            assert ("returned" in kinds) == bool(timeouts)
            for version in timeouts:
                assert updates[version]["events"] == [{"type": "timed_out", "seat": turn, "then": "wait"}]
        await game.agree()


@pytest.mark.timeout(300 if LONG else 60)
async def test_seats_that_choose_at_the_same_last_moment(pair: tuple[str, str]) -> None:
    """In a phase of all, each seat's race is its own: a choice stands, or its time was up before."""
    for _ in range(30 if LONG else 2):
        async with sitting(pair, "hold-my-beer", 3, clock={"move_ms": 150}, on_timeout="wait") as game:
            before = game.watchers[0].tables[game.table].version
            due = deadlines(last(game.watchers[0], game.table))
            answers = await asyncio.gather(
                *(at_the_deadline(game, seat, at_ms, 10) for seat, at_ms in due.items())
            )
            assert {answer["type"] for answer in answers} <= {"accepted"}
            lines = (await game.agree())[before:]
            timed_out: set[int] = set()
            for line in lines:
                events = [event["type"] for event in line["events"]]
                if line["by"] == "clock" and line["events"][0]["seat"] in due:
                    timed_out.add(line["events"][0]["seat"])
                elif line["by"] in due and line["version"] <= before + 6:
                    assert ("returned" in events) == (line["by"] in timed_out)
                    timed_out.discard(line["by"])
