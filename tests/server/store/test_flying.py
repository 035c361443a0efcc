"""The writer after its first appends, when no task sends them: what goes wrong then, goes wrong as before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server.store.appends import Append, Expiries
from server.store.base import Appended, OutcomeUnknown, StoreUnavailable, VersionTaken
from server.store.link import Link, Settings
from server.store.writer import Writer
from tests.support.faults import scripted_server
from tests.support.store import PATIENCE_S, eventually

STORED = b"*3\r\n:1\r\n:1000\r\n:9\r\n"
TAKEN = b"*3\r\n:0\r\n:1000\r\n:9\r\n"
MISSING = b"-ERR Function not found\r\n"
FULL = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"

Answers = Callable[[list[bytes]], bytes | None]


class Script:
    """Answers appends by version, else with success; notes what came."""

    def __init__(self) -> None:
        self.by_version: dict[int, list[bytes | None]] = {}
        self.seen: list[int] = []
        self.loaded = 0

    def __call__(self, command: list[bytes]) -> bytes | None:
        if command[0] == b"FUNCTION":
            self.loaded += 1
        if command[0] != b"FCALL":
            return b"+OK\r\n"
        version = int(command[6])
        self.seen.append(version)
        replies = self.by_version.get(version)
        return replies.pop(0) if replies else STORED


@asynccontextmanager
async def flying(script: Script, **settings: Any) -> AsyncIterator[Writer]:
    """A writer that has made an append and goes without its task."""
    async with scripted_server(script) as url:
        chosen = Settings(**{"attempt_s": 0.5, "settle_s": 2.0, **settings})
        writer = Writer(Link(url, chosen).connection, chosen)
        writer.start()
        await writer.append("warm", 1, b"")
        assert not writer._by_task
        yield writer
        await writer.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""

    async def asked() -> bool:
        return holds()

    await eventually(asked)


async def outcomes(writer: Writer, *versions: int) -> list[Any]:
    """What becomes of appends that are made at once."""
    made = (writer.append(f"table-{version}", version, b"x") for version in versions)
    return await asyncio.gather(*made, return_exceptions=True)


async def test_what_is_appended_at_once_travels_together_and_is_answered_one_by_one() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {3: [TAKEN], 4: [FULL]}
        two, three, four, five = await outcomes(writer, 2, 3, 4, 5)
        assert isinstance(two, Appended)
        assert isinstance(five, Appended)
        assert isinstance(three, VersionTaken)
        assert isinstance(four, StoreUnavailable)
        assert isinstance((await outcomes(writer, 6))[0], Appended)
        assert not writer._by_task
        assert script.seen == [1, 2, 3, 4, 5, 6]


async def test_a_refusal_after_a_lost_answer_leaves_the_outcome_unknown() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {2: [None, *[FULL] * 1000]}
        (two,) = await outcomes(writer, 2)
        assert isinstance(two, OutcomeUnknown)
        assert script.seen.count(2) > 1


async def test_a_connection_that_breaks_on_the_way_costs_nothing() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {3: [None]}
        assert [type(found) for found in await outcomes(writer, 2, 3, 4)] == [Appended] * 3
        await until(lambda: not writer._by_task)


async def test_functions_that_are_gone_are_loaded_and_the_append_is_made() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {3: [MISSING]}
        assert [type(found) for found in await outcomes(writer, 2, 3, 4)] == [Appended] * 3
        assert script.loaded == 1
        assert script.seen == [1, 2, 3, 4, 3]


async def test_a_server_that_falls_silent_is_given_up_in_time() -> None:
    script = Script()
    async with flying(script, attempt_s=0.1, settle_s=0.3) as writer:
        script.by_version = {2: [b""] * 1000}
        (two,) = await outcomes(writer, 2)
        assert isinstance(two, OutcomeUnknown)


async def test_an_answer_without_a_question_ends_the_connection() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {2: [STORED + STORED]}
        (two,) = await outcomes(writer, 2)
        assert isinstance(two, Appended)
        assert [type(found) for found in await outcomes(writer, 3)] == [Appended]


async def test_what_is_no_answer_ends_the_connection() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {2: [b"HTTP/1.1 400 Bad Request\r\n\r\n"]}
        (two,) = await outcomes(writer, 2)
        assert isinstance(two, Appended)
        assert script.seen.count(2) == 2


async def test_what_flies_when_the_writer_closes_is_told() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {2: [b""]}
        sent = asyncio.create_task(writer.append("table-2", 2, b"x"))
        await until(lambda: 2 in script.seen)
        unsent = asyncio.create_task(writer.append("table-3", 3, b"x"))
        await asyncio.sleep(0)
        await writer.close()
        with pytest.raises(OutcomeUnknown):
            await sent
        with pytest.raises(StoreUnavailable):
            await unsent


async def test_whoever_appends_when_told_of_an_outcome_is_served() -> None:
    script = Script()
    async with flying(script) as writer:
        done = asyncio.Event()
        told: list[int] = []

        def next_one(answer: Appended | Exception) -> None:
            assert isinstance(answer, Appended)
            told.append(len(told))
            if len(told) < 20:
                writer.append_soon("chain", len(told) + 1, b"x", None, next_one)
            else:
                done.set()

        writer.append_soon("chain", 1, b"x", None, next_one)
        await asyncio.wait_for(done.wait(), PATIENCE_S)
        assert not writer._by_task


async def test_a_listener_that_fails_does_not_stop_the_others() -> None:
    script = Script()
    async with flying(script) as writer:

        def fail(answer: Appended | Exception) -> None:
            raise RuntimeError("a fault of the listener")

        writer.append_soon("broken", 2, b"x", None, fail)
        assert [type(found) for found in await outcomes(writer, 3, 4)] == [Appended] * 2


async def test_what_was_refused_while_others_fly_is_told_when_the_writer_closes() -> None:
    script = Script()
    async with flying(script) as writer:
        script.by_version = {2: [FULL], 3: [b""]}
        made = asyncio.create_task(outcomes(writer, 2, 3))
        await until(lambda: bool(writer._odd))
        await writer.close()
        two, three = await asyncio.wait_for(made, PATIENCE_S)
        assert isinstance(two, StoreUnavailable)
        assert isinstance(three, OutcomeUnknown)


async def test_an_answer_that_makes_no_sense_says_nothing_about_the_outcome() -> None:
    script = Script()
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    async with flying(script, settle_s=PATIENCE_S) as writer:
        script.by_version = {3: [b":5\r\n"]}
        two, three, four = await asyncio.wait_for(outcomes(writer, 2, 3, 4), PATIENCE_S / 2)
        assert isinstance(two, Appended)
        assert isinstance(three, OutcomeUnknown)
        assert isinstance(four, Appended)
    assert faults == []


async def test_one_timer_is_enough_though_appends_that_expire_lead_to_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    expiries = Expiries()
    timers: list[asyncio.TimerHandle] = []
    call_at = loop.call_at

    def counted(*args: Any, **more: Any) -> asyncio.TimerHandle:
        timers.append(call_at(*args, **more))
        return timers[-1]

    monkeypatch.setattr(loop, "call_at", counted)
    ended: list[float] = []

    def append(when: float) -> Append:
        def answered(answer: Appended | Exception) -> None:
            ended.append(when)
            if len(ended) < 3:
                expiries.add(append(far))

        return Append("table", 1, b"", None, answered, when, doubtful=False)

    now = loop.time()
    far = now + 3600
    for when in (now - 2, now - 1, now + 1800):
        expiries.add(append(when))
    await until(lambda: len(ended) == 2)
    assert len([timer for timer in timers if timer.when() > now + 600]) == 1
    expiries.close()
