"""Deadlines live in the log: they survive kills and restarts, and any process sees to them."""

from __future__ import annotations

import time

import pytest

from server import timers
from server.embedded import EmbeddedStore
from server.store import MemoryBackend, MemoryStore
from tests.support.clients import Http, Message, client
from tests.support.server import Launch, Serve
from tests.tables.sitting import HOUR_MS, UNLIMITED, kinds, over
from tests.tables.test_clocks import deadlines

SHORT = {"clock": {"move_ms": 200}, "on_timeout": "forfeit"}


async def check_forfeited(http: Http, table: str) -> list[Message]:
    """The table ends with one seat's time being up, once."""
    assert (await over(http, table))["status"] == "finished"
    _, lines = await http.log(table)
    assert (kinds(lines).count("timed_out"), kinds(lines).count("finished")) == (1, 1)
    assert lines[-1]["by"] == "clock"
    return lines


async def test_deadlines_survive_a_kill_and_a_restart(launch: Launch) -> None:
    server = await launch(**UNLIMITED)
    async with Http(server.url) as http, client(server.url) as watcher:
        short, _, _ = await http.full("mein-schatz", 2, **SHORT)
        long, _, _ = await http.full("mein-schatz", 2, clock={"move_ms": HOUR_MS})
        due = deadlines(await watcher.attach(long))
        made = await http.table("mein-schatz", seats=2)  # bots, in mid-game
        for _ in range(2):
            await http.done(201, "POST", f"/v1/tables/{made['table']}/bots", {}, token=made["host_token"])
        server.kill()
    await server.start()
    async with Http(server.url) as http, client(server.url) as watcher:
        await check_forfeited(http, short)
        assert deadlines(await watcher.attach(long)) == due
        assert (await over(http, made["table"]))["status"] == "finished"


async def test_another_process_sees_to_the_tables_of_one_that_was_killed(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    one = await launch("one", embedded.url, **UNLIMITED)
    two = await launch("two", embedded.url, **UNLIMITED)
    async with Http(one.url) as http:
        tables = [(await http.full("mein-schatz", 2, listed=False, **SHORT))[0] for _ in range(8)]
        away, host, tokens = await http.full("trick-and-trade", 3, listed=False)
        bots = await http.table("trick-and-trade", seats=3, listed=False)
        for _ in range(3):
            await http.done(201, "POST", f"/v1/tables/{bots['table']}/bots", {}, token=bots["host_token"])
        for seat in range(2):
            await http.done(204, "DELETE", f"/v1/tables/{away}/seats/{seat}", token=tokens[seat])
        one.kill()
    # The other one has never heard of these tables.
    async with Http(two.url) as http:
        for table in tables:
            await check_forfeited(http, table)
        assert (await over(http, bots["table"]))["status"] == "finished"
        await http.done(204, "DELETE", f"/v1/tables/{away}/seats/2", token=host)
        assert (await http.facts(away))["status"] == "abandoned"


async def test_time_is_up_by_the_store_s_clock_whatever_has_become_of_the_difference(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "SYNCHRONISE_S", 0.05)
    shift_ms = 0
    backend = MemoryBackend(lambda: time.time_ns() // 1_000_000 + shift_ms)
    here = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with Http(here.url) as http:
        table, _, _ = await http.full("mein-schatz", 2, clock={"move_ms": HOUR_MS}, on_timeout="forfeit")
        shift_ms = HOUR_MS + 1
        await check_forfeited(http, table)


async def test_nobody_s_time_is_up_because_a_process_clock_is_fast(serve: Serve) -> None:
    shift_ms = 2 * HOUR_MS  # the store's clock is set back after the process has measured it
    backend = MemoryBackend(lambda: time.time_ns() // 1_000_000 + shift_ms)
    here = await serve(store=MemoryStore(backend), **UNLIMITED)
    shift_ms = 0
    async with Http(here.url) as http:
        table, _, _ = await http.full("mein-schatz", 2, clock={"move_ms": HOUR_MS}, on_timeout="forfeit")
        now = here.service.now_ms()
        assert now > backend.clock() + HOUR_MS
        await here.service.timers._look(table, now)
        assert here.service.now_ms() < now
        assert (await http.facts(table))["status"] == "playing"
