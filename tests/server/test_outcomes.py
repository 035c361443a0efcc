"""A store that does not say what became of an append, is away, or has lost what it had."""

from __future__ import annotations

import asyncio
import io
from collections import deque
from collections.abc import Callable
from typing import NoReturn

import pytest

from domain import table as tables
from domain.events import Commit
from domain.table import Table
from server import showing
from server.showing import Showing
from server.store import Appended, MemoryBackend, MemoryStore, OutcomeUnknown, StoreUnavailable
from tests.server.playing import played
from tests.support.clients import Http, client
from tests.support.server import Serve
from tests.support.store import eventually


class Held(MemoryStore):
    """A store whose appends wait as long as it is not ``open``."""

    def __init__(self, backend: MemoryBackend) -> None:
        super().__init__(backend)
        self.open = asyncio.Event()
        self.open.set()
        self.waiting = 0

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """Append, later."""
        self.waiting += 1
        await self.open.wait()
        self.waiting -= 1
        return await super().append(table, version, data, after_ms)


class Doubtful(MemoryStore):
    """A store whose next appends go as ``script`` says, one after the other, and then as ``otherwise`` says.

    ``stored``: stored, and nobody is told; ``lost``: not stored, and nobody is told; ``away``: certainly
    not stored.
    """

    def __init__(self, backend: MemoryBackend | None = None) -> None:
        super().__init__(backend)
        self.script: deque[str] = deque()
        self.otherwise = ""

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """Append, or pretend."""
        step = self.script.popleft() if self.script else self.otherwise
        if step == "away":
            raise StoreUnavailable("away")
        if step != "lost":
            appended = await super().append(table, version, data, after_ms)
            if not step:
                return appended
        raise OutcomeUnknown("no answer")


def planted(*_: object, **__: object) -> NoReturn:
    """What goes wrong."""
    raise RuntimeError("a planted fault")


def noted(log: io.StringIO, event: str) -> None:
    """The fault is in the log with where it happened; it is taken out, because no other may be there."""
    lines = log.getvalue().splitlines(keepends=True)
    faults = [line for line in lines if event in line and "RuntimeError: a planted fault" in line]
    assert faults
    log.seek(0)
    log.truncate()
    log.write("".join(line for line in lines if line not in faults))


async def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""

    async def asked() -> bool:
        return holds()

    await eventually(asked)


async def test_a_command_whose_outcome_is_unknown_can_be_repeated(serve: Serve) -> None:
    """Whether it was stored or not, it happens once; and whoever asks next waits for neither."""
    for first in ("stored", "lost"):
        store = Doubtful()
        here = await serve(store)
        async with played(here.url) as game:
            mover = game.mover
            message = {"type": "act", "id": "move", "table": game.table, "action": game.action()}
            mover.repeats.add("move")
            store.script.append(first)
            answer = await mover.ask(message)
            assert (answer["type"], answer["code"]) == ("error", "outcome_unknown")
            answer = await mover.ask(message)
            assert (answer["type"], answer["version"]) == ("accepted", 6)
            await game.move(3)
            assert game.mirror.version == 9
            assert list(game.mirror.updates) == [6, 7, 8, 9]


async def test_nothing_is_built_on_a_version_that_may_be_taken(serve: Serve) -> None:
    """Another command is decided only when the doubtful one is settled."""
    store = Doubtful()
    here = await serve(store)
    async with played(here.url, "hold-my-beer", 3) as game:
        one, two = game.seats[0], game.seats[1]
        discards = [
            {"type": "discard", "card": seat.tables[game.table].actions[0]["card"]["one_of"][0]}
            for seat in (one, two)
        ]
        store.otherwise = "lost"
        assert (await one.act(game.table, discards[0]))["code"] == "outcome_unknown"
        # The store still does not answer: the second command is not tried before the first is settled.
        assert (await two.act(game.table, discards[1], id="second"))["code"] == "outcome_unknown"
        two.repeats.add("second")
        store.otherwise = ""
        answer = await two.act(game.table, discards[1], id="second")
        assert (answer["type"], answer["version"]) == ("accepted", 7)
        mirror = await one.version(game.table, 7)
        assert [mirror.updates[version]["by"] for version in (6, 7)] == [0, 1]


async def test_a_doubtful_command_is_settled_without_being_repeated(serve: Serve) -> None:
    """Also when the store is away for a while in between."""
    store = Doubtful()
    here = await serve(store)
    async with played(here.url) as game:
        store.script.extend(["lost", "away"])
        answer = await game.mover.act(game.table, game.action())
        assert answer["code"] == "outcome_unknown"
        for seat in game.seats:
            await seat.version(game.table, 6)
        assert not store.script


async def test_an_absent_store_refuses_and_nothing_happened(serve: Serve) -> None:
    store = Doubtful()
    here = await serve(store)
    async with played(here.url) as game, Http(here.url) as http:
        store.script.append("away")
        mover = game.mover
        message = {"type": "act", "id": "move", "table": game.table, "action": game.action()}
        answer = await mover.ask(message)
        assert (answer["type"], answer["code"]) == ("error", "unavailable")
        assert (await http.facts(game.table))["version"] == 5
        mover.repeats.add("move")
        assert (await mover.ask(message))["version"] == 6


async def test_doubt_over_http_is_503_and_a_key_makes_it_safe(serve: Serve) -> None:
    store = Doubtful()
    here = await serve(store)
    async with Http(here.url) as http:
        for first, code in (
            ("stored", "outcome_unknown"),
            ("lost", "outcome_unknown"),
            ("away", "unavailable"),
        ):
            store.script.append(first)
            body = {"game": "trick-and-trade"}
            response = await http.ask("POST", "/v1/tables", body, key=f"open {first}")
            assert (response.status_code, response.json()["code"]) == (503, code)
            assert int(response.headers["Retry-After"]) >= 1
            made = await http.done(201, "POST", "/v1/tables", body, key=f"open {first}")
            path = f"/v1/tables/{made['table']}/seats"
            store.script.append(first)
            await http.refused(503, code, "POST", path, {"name": "Ann"}, key="sit down")
            assert (await http.done(201, "POST", path, {"name": "Ann"}, key="sit down"))["seat"] == 0
            assert (await http.facts(made["table"]))["version"] == 2


async def test_a_history_that_got_shorter_is_noticed_and_viewers_start_anew(serve: Serve) -> None:
    """A store that lost what it had acknowledged: nothing is made up, everybody sees what is left."""
    store = Doubtful()
    here = await serve(store)
    async with played(here.url) as game, client(here.url) as later:
        await game.move(3)
        mover, action = game.mover, game.action()
        known = mover.tables[game.table]
        del store.backend.logs[game.table][6:]
        answer = await mover.act(game.table, action)
        assert (answer["type"], answer["code"]) == ("error", "resync_required")
        for seat in game.seats:
            gone = await seat.next("detached")
            assert (gone["table"], gone["reason"]) == (game.table, "resync_required")
        later.remember(known)
        answer = await later.attach(game.table, game.tokens[known.seat], **known.resumable())
        assert (answer["recovered"], answer["version"]) == (False, 6)


async def test_an_act_on_a_history_that_another_process_changed_is_told_to_attach_anew(serve: Serve) -> None:
    """Its version is taken, by what does not follow on what the viewers were told."""
    store = Doubtful()
    here = await serve(store)
    async with played(here.url) as game:
        await game.move(2)
        log = store.backend.logs[game.table]
        log[-1] = log[-1]._replace(at_ms=log[-1].at_ms + 1)
        answer = await game.mover.act(game.table, game.action())
        assert (answer["type"], answer["code"]) == ("error", "resync_required")
        for seat in game.seats:
            assert (await seat.next("detached"))["reason"] == "resync_required"


@pytest.mark.interpreted
async def test_a_fault_of_a_game_is_one_answer_and_ends_no_connection(
    serve: Serve, server_log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await serve()
    async with played(here.url) as game:
        with monkeypatch.context() as patched:
            patched.setattr(tables, "decide_act", planted)
            answer = await game.mover.act(game.table, game.action())
        assert (answer["type"], answer["code"]) == ("error", "unavailable")
        await game.move(2)
    noted(server_log, "job_failed")


@pytest.mark.interpreted
async def test_news_that_cannot_be_told_leave_no_command_without_an_answer(
    serve: Serve, server_log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """News of another process come while an append is under way and another command waits."""
    backend = MemoryBackend()
    store = Held(backend)
    here, there = await serve(store), await serve(MemoryStore(backend))
    push = showing.pushed

    def failing(room: Showing, commit: Commit, table: Table, mine: bool) -> None:
        if not mine:
            planted()
        push(room, commit, table, mine)

    async with played(here.url, "hold-my-beer", 3) as game, client(there.url) as elsewhere:
        await elsewhere.attach(game.table, game.tokens[2])
        discards = [
            {"type": "discard", "card": seat.tables[game.table].actions[0]["card"]["one_of"][0]}
            for seat in game.seats
        ]
        room = here.service.room(game.table)
        store.open.clear()
        with monkeypatch.context() as patched:
            patched.setattr(showing, "pushed", failing)
            first = asyncio.create_task(game.seats[0].act(game.table, discards[0]))
            await until(lambda: store.waiting == 1)
            second = asyncio.create_task(game.seats[1].act(game.table, discards[1]))
            await until(lambda: len(room._jobs) == 1)
            assert (await elsewhere.act(game.table, discards[2]))["type"] == "accepted"
            await until(lambda: len(room._stash) == 1)
            store.open.set()
            assert [(await answer)["code"] for answer in (first, second)] == ["forbidden"] * 2
        for seat, token in zip(game.seats, game.tokens, strict=True):
            assert (await seat.next("detached"))["reason"] == "closed"
            assert (await seat.attach(game.table, token))["version"] == 6
        assert (await game.seats[0].act(game.table, discards[0]))["type"] == "accepted"
    noted(server_log, "table_unreadable")
