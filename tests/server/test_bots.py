"""Bots on a server: they finish every game, move once, and no mistake of theirs stops a table."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from domain import table as tables
from domain.events import Commit
from domain.registry import codec, games
from domain.table import PlayedFor, Table
from server import bots
from server.bots import driver, policies, thinking
from server.embedded import EmbeddedStore
from server.store import MemoryBackend, MemoryStore, open_store
from server.store.base import EventStore
from tests.conformance.setups import SETUPS, has_its_turn
from tests.support.clients import Http, client
from tests.support.counts import LONG
from tests.support.server import Launch, Serve
from tests.support.store import PATIENCE_S, embedded, eventually, wait_gone

__all__ = ["embedded"]

pytestmark = pytest.mark.timeout(200)


@pytest.fixture(autouse=True)
def quick_thinkers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strong bots of servers in this process play out few games: how well they play is tested elsewhere."""
    monkeypatch.setattr(thinking, "PLAYOUTS", 26)


async def bots_table(http: Http, game: str, policies: Sequence[str], **body: Any) -> str:
    """A table of bots alone; it starts with the last of them."""
    made = await http.table(game, seats=len(policies), **body)
    for policy in policies:
        await http.done(
            201, "POST", f"/v1/tables/{made['table']}/bots", {"policy": policy}, made["host_token"]
        )
    return str(made["table"])


async def over(http: Http, table: str) -> dict[str, Any]:
    """The facts of a table once it is over. A whole game may take longer than anything else here."""
    async with asyncio.timeout(4 * PATIENCE_S):
        while True:
            facts: dict[str, Any] = await http.facts(table)
            if facts["status"] == "finished":
                return facts
            await asyncio.sleep(0.02)


async def commits_of(store: EventStore, game: str, table: str) -> list[Commit]:
    """All commits of a table."""
    return [codec(game).decode(*entry) for entry in await store.read(table)]


def folded(game: str, commits: Sequence[Commit]) -> Iterator[tuple[Table, Commit]]:
    """Each commit after the first with the table before it."""
    table = None
    for commit in commits:
        if table is not None:
            yield table, commit
        table = tables.apply(games()[game], table, commit)


def moves(game: str, commits: Sequence[Commit]) -> list[tuple[Table, int, Commit]]:
    """The commits in which a seat acted, with the seat and the table before."""
    found = []
    for table, commit in folded(game, commits):
        played_for = [event.seat for event in commit.events if isinstance(event, PlayedFor)]
        if table.status == "playing" and (isinstance(commit.by, int) or played_for):
            found.append((table, played_for[0] if played_for else int(commit.by), commit))
    return found


async def test_bots_finish_every_game_with_every_number_of_seats(
    serve: Serve, embedded: EmbeddedStore
) -> None:
    here = await serve(store=open_store(embedded.url), bot_delay_ms=0)
    async with Http(here.url) as http:
        opened = []
        for number, (game, seats) in enumerate(SETUPS):
            if not (LONG or has_its_turn("bots", (game, seats))):
                continue
            known = bots.policies_of(games()[game])
            chosen = [known[(number + seat) % len(known)] for seat in range(seats)]
            opened.append((game, await bots_table(http, game, chosen)))
        for game, table in opened:
            facts = await over(http, table)
            assert facts["game"] == game
            assert all(seat["bot"] for seat in facts["seats"])
            header, lines = await http.log(table)
            assert header["status"] == "finished"
            assert lines[-1]["events"][-1]["type"] == "finished"


def thinkers(parent: int) -> list[int]:
    """The processes that think for a server process."""
    found = []
    for file in Path(f"/proc/{parent}/task").glob("*/children"):
        for pid in map(int, file.read_text().split()):
            try:
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
            except FileNotFoundError:
                continue
    return found


async def a_thinker(parent: int) -> int:
    """Wait for a process that thinks."""
    found: list[int] = []

    async def there() -> bool:
        found[:] = thinkers(parent)
        return bool(found)

    await eventually(there)
    return found[0]


async def has_moved(http: Http, table: str, by: int) -> None:
    """Wait until a seat has acted."""

    async def moved() -> bool:
        _, lines = await http.log(table)
        return any(line["by"] == by for line in lines)

    await eventually(moved)


async def test_a_strong_bot_thinks_in_a_process_of_its_own_that_ends_with_the_server(
    serve: Serve, server_log: Any
) -> None:
    before = thinkers(os.getpid())
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        table = await bots_table(http, "trick-and-trade", ["strong", "random", "random"])
        pid = await a_thinker(os.getpid())
        assert pid not in before
        await over(http, table)
        commits = await commits_of(here.service.store, "trick-and-trade", table)
    await here.stop()
    wait_gone(pid)
    assert "bot_failed" not in server_log.getvalue()
    for state, seat, commit in moves("trick-and-trade", commits):
        if seat == 0:
            decided = thinking.answer(asked(state, commits, 0))
            assert done(state, commits, commit) == decided


def asked(table: Table, commits: Sequence[Commit], seat: int) -> bytes:
    """The question that a bot had to answer at ``table``."""
    found = thinking.question(games()[table.game], table, list(commits[: table.version]), seat)
    assert found is not None
    return found


def done(table: Table, commits: Sequence[Commit], commit: Commit) -> dict[str, Any]:
    """The action that a commit of Trick and Trade carries out."""
    event = commit.events[0]
    match type(event).__name__:
        case "CardPlayed":
            return {"type": "play", "card": event.card}  # type: ignore[attr-defined]
        case "TradeTaken":
            return {"type": "take", "trade": event.trade}  # type: ignore[attr-defined]
        case "LeadTaken":
            return {"type": "take_lead"}
    raise AssertionError(f"{event} is no action")


async def test_when_the_process_that_thinks_is_killed_greedy_moves_and_it_is_started_again(
    serve: Serve, server_log: Any
) -> None:
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        table = await bots_table(http, "trick-and-trade", ["strong", "random", "random"])
        first = await a_thinker(os.getpid())
        os.kill(first, signal.SIGKILL)
        wait_gone(first)
        second = await a_thinker(os.getpid())
        assert second != first
        facts = await over(http, table)
    assert facts["status"] == "finished"
    failed = [json.loads(line) for line in server_log.getvalue().splitlines() if "bot_failed" in line]
    assert failed
    assert all(line["policy"] == "strong" and line["table"] == table for line in failed)


async def test_the_process_that_thinks_does_not_outlive_a_server_that_is_killed(launch: Launch) -> None:
    server = await launch(store="memory://", bot_delay_ms=0)
    async with Http(server.url) as http:
        table = await bots_table(http, "trick-and-trade", ["strong", "strong", "strong"])
        await has_moved(http, table, 0)
    assert server.pid is not None
    thinker = await a_thinker(server.pid)
    server.kill()
    wait_gone(thinker)


async def test_a_policy_that_fails_is_replaced_by_chance_and_the_log_says_so(
    serve: Serve, server_log: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> dict[str, Any]:
        raise ZeroDivisionError("out of ideas")

    monkeypatch.setitem(policies.QUICK, "greedy", broken)
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        table = await bots_table(http, "mein-schatz", ["greedy", "greedy"])
        await over(http, table)
    failed = [json.loads(line) for line in server_log.getvalue().splitlines() if "bot_failed" in line]
    assert len(failed) > 10
    assert {line["reason"] for line in failed} == {"ZeroDivisionError('out of ideas')"}


async def test_a_question_that_cannot_be_asked_leaves_the_move_to_greedy(
    serve: Serve, server_log: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> bytes:
        raise LookupError("no words")

    monkeypatch.setattr(driver, "question", broken)
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        table = await bots_table(http, "trick-and-trade", ["strong", "random", "random"])
        await over(http, table)
        commits = await commits_of(here.service.store, "trick-and-trade", table)
    assert server_log.getvalue().count("LookupError('no words')") >= 13
    for state, seat, commit in moves("trick-and-trade", commits):
        if seat == 0:
            greedy = bots.decide(games()["trick-and-trade"], state, 0, "greedy")
            assert done(state, commits, commit) == greedy


@pytest.mark.parametrize("wanted", [{"type": "play", "card": "joker-1"}, {"type": "resign"}, {}])
async def test_a_policy_that_wants_what_is_not_offered_is_replaced_by_chance(
    serve: Serve, server_log: Any, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, Any]
) -> None:
    monkeypatch.setitem(policies.QUICK, "random", lambda *args: wanted)
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        await over(http, await bots_table(http, "mein-schatz", ["random", "random"]))
    assert "it wanted what was not offered" in server_log.getvalue()


async def test_a_decision_is_stored_once_although_two_processes_look_at_the_table(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = MemoryBackend()
    one = await serve(store=MemoryStore(backend), bot_delay_ms=0)
    two = await serve(store=MemoryStore(backend), bot_delay_ms=0)
    # Both processes feel responsible for every commit, as after a crash: each looks whenever one is stored.
    for here in (one, two):
        look = here.service.bots.look
        monkeypatch.setattr(here.service, "advanced", lambda room, *_, look=look: look(room))
    async with Http(one.url) as http, client(one.url) as first, client(two.url) as second:
        made = await http.table("trick-and-trade", seats=3)
        table = made["table"]
        for viewer in (first, second):
            await viewer.attach(table)
        for policy in ("greedy", "random", "greedy"):
            await http.done(201, "POST", f"/v1/tables/{table}/bots", {"policy": policy}, made["host_token"])
        await over(http, table)
        commits = await commits_of(one.service.store, "trick-and-trade", table)
    seated = ("greedy", "random", "greedy")
    played = moves("trick-and-trade", commits)
    assert len(played) >= 13 * 3
    for state, seat, commit in played:
        decision = bots.decide(games()["trick-and-trade"], state, seat, seated[seat])
        assert done(state, commits, commit) == decision


async def test_a_bot_moves_on_when_a_pause_or_a_new_viewer_comes_while_it_thinks(serve: Serve) -> None:
    here = await serve(bot_delay_ms=0)
    async with Http(here.url) as http:
        made = await http.table("trick-and-trade", seats=3)
        table, host = made["table"], made["host_token"]
        for policy in ("strong", "random", "random"):
            await http.done(201, "POST", f"/v1/tables/{table}/bots", {"policy": policy}, host)
        for _ in range(5):
            await http.done(201, "POST", f"/v1/tables/{table}/spectators", {}, host)
            await http.done(200, "POST", f"/v1/tables/{table}/pause", {}, host)
            await http.done(200, "POST", f"/v1/tables/{table}/resume", {}, host)
        await over(http, table)
        commits = await commits_of(here.service.store, "trick-and-trade", table)
    for state, _, _ in moves("trick-and-trade", commits):
        assert not state.paused


async def test_the_catalogue_names_the_bots_of_each_game_and_others_are_refused(serve: Serve) -> None:
    here = await serve()
    async with Http(here.url) as http:
        listed = {game["game"]: game["bots"] for game in (await http.done(200, "GET", "/v1/games"))["games"]}
        assert listed["trick-and-trade"] == ["random", "greedy", "strong"]
        assert listed["oopsie"] == ["random", "greedy"]
        assert set(listed) == set(games())
        for game, known in listed.items():
            made = await http.table(game)
            for policy in ("random", "greedy", "strong", "perfect"):
                path = f"/v1/tables/{made['table']}/bots"
                if policy in known:
                    fresh = await http.table(game)
                    path = f"/v1/tables/{fresh['table']}/bots"
                    await http.done(201, "POST", path, {"policy": policy}, fresh["host_token"])
                    continue
                told = await http.ask("POST", path, {"policy": policy}, made["host_token"])
                assert told.status_code == 422
                assert told.json()["code"] == "bad_options"
                assert told.json()["detail"] == {"option": "policy", "bots": known}
                assert policy in told.json()["message"]


@pytest.mark.parametrize(
    ("spent_s", "delay_s", "left_s"),
    [
        (0.0, 0.3, 0.3),
        (0.1, 0.3, 0.2),
        (0.29, 0.3, 0.01),
        (0.31, 0.3, 0.29),
        (1.0, 0.3, 0.2),
        (0.7, 0.0, 0.0),
    ],
)
def test_an_answer_waits_for_the_next_multiple_of_the_delay(
    spent_s: float, delay_s: float, left_s: float
) -> None:
    assert driver.left_until_due(spent_s, delay_s) == pytest.approx(left_s)


async def test_after_the_end_nothing_is_answered(serve: Serve) -> None:
    thinker = thinking.Thinker()
    await thinker.close()
    with pytest.raises(thinking.ThinkingFailed, match="stops"):
        await thinker.answer(b"{}")


async def test_a_question_that_makes_no_sense_is_a_failure_and_the_next_one_is_answered() -> None:
    async with asyncio.timeout(PATIENCE_S):
        thinker = thinking.Thinker()
        try:
            with pytest.raises(thinking.ThinkingFailed, match="DecodeError"):
                await thinker.answer(b"?")
            with pytest.raises(thinking.ThinkingFailed, match="KeyError"):
                await thinker.answer(
                    b'{"game":"chess","table":"t","version":1,"seat":0,"offers":[],"log":[],"playouts":1}'
                )
        finally:
            await thinker.close()
