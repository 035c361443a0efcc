"""Asking over one connection, against a server that answers as it is told."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from redis.asyncio import Connection
from redis.exceptions import ConnectionError as Lost
from redis.exceptions import InvalidResponse, ReadOnlyError

from server.store.asks import Asks
from tests.support.store import PATIENCE_S

Answer = Callable[[int, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def asking(
    answer: Answer, attempt_s: float = PATIENCE_S, password: str | None = None
) -> AsyncIterator[Asks]:
    """Asks of a server whose connections ``answer`` serves; it gets the number of each, from 1."""
    number = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal number
        number += 1
        try:
            await answer(number, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def connect() -> Connection:
        return Connection(host="127.0.0.1", port=port, protocol=2, driver_info=None, password=password)

    asks = Asks(connect, attempt_s)
    try:
        yield asks
    finally:
        await asks.close()
        server.close()
        await server.wait_closed()


async def said(reader: asyncio.StreamReader) -> bytes:
    """The next command of the form ``("ECHO", word)``: its word."""
    lines = [await reader.readuntil(b"\r\n") for _ in range(5)]
    return lines[4][:-2]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each such command by its word; a word that begins with "no" by a refusal."""
    while True:
        word = await said(reader)
        writer.write(
            b"-READONLY %b\r\n" % word if word.startswith(b"no") else b"$%d\r\n%b\r\n" % (len(word), word)
        )


async def echoed(asks: Asks, *words: str) -> list[Any]:
    """The answers to these words."""
    return await asks.ask([("ECHO", word) for word in words])


async def test_each_gets_its_own_answers_over_one_connection() -> None:
    numbers: list[int] = []

    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        numbers.append(number)
        await echo(reader, writer)

    async with asking(answer) as asks:
        asked = [[f"{one}-{part}" for part in range(1 + one % 4)] for one in range(300)]
        found = await asyncio.gather(*(echoed(asks, *words) for words in asked))
        assert found == [[word.encode() for word in words] for words in asked]
        assert await asks.ask([]) == []
    assert numbers == [1]


async def test_a_refusal_is_the_answer_of_its_command_alone() -> None:
    async with asking(lambda _, reader, writer: echo(reader, writer)) as asks:
        before, refused, after = await echoed(asks, "one", "no way", "two")
        assert (before, after) == (b"one", b"two")
        assert isinstance(refused, ReadOnlyError)


async def test_who_went_away_takes_nobody_elses_answer() -> None:
    async with asking(lambda _, reader, writer: echo(reader, writer)) as asks:
        rng = random.Random(1)
        tasks = [asyncio.create_task(echoed(asks, f"{one}", f"{one} again")) for one in range(200)]
        await asyncio.sleep(0)
        gone = set(rng.sample(range(200), 100))
        for one in gone:
            tasks[one].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        for one, outcome in enumerate(found):
            if one in gone:
                assert isinstance(outcome, asyncio.CancelledError)
            else:
                assert outcome == [b"%d" % one, b"%d again" % one]


async def test_what_a_lost_connection_left_unanswered_is_asked_again() -> None:
    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if number == 1:
            word = await said(reader)
            writer.write(b"$%d\r\n%b\r\n$5\r\nha" % (len(word), word))  # the second answer is torn
            await writer.drain()
            return
        await echo(reader, writer)

    async with asking(answer) as asks:
        found = await asyncio.gather(*(echoed(asks, word) for word in ("one", "two", "three")))
        assert found == [[b"one"], [b"two"], [b"three"]]


@pytest.mark.parametrize("broken", [b"", b"!what\r\n"], ids=["closed", "nonsense"])
async def test_a_server_that_never_answers_well_is_asked_twice(broken: bytes) -> None:
    numbers: list[int] = []

    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        numbers.append(number)
        await said(reader)
        writer.write(broken)
        await writer.drain()

    async with asking(answer) as asks:
        with pytest.raises((Lost, InvalidResponse)):
            await echoed(asks, "one")
        assert numbers == [1, 2]
        with pytest.raises((Lost, InvalidResponse)):
            await echoed(asks, "two")  # and whoever comes later tries again
        assert numbers == [1, 2, 3, 4]


async def test_silence_ends_and_the_next_question_gets_an_answer() -> None:
    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if number <= 2:
            await reader.read()
        else:
            await echo(reader, writer)

    async with asking(answer, attempt_s=0.1) as asks:
        outcomes = await asyncio.gather(*(echoed(asks, f"{one}") for one in range(5)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [TimeoutError] * 5
        assert await echoed(asks, "later") == [b"later"]


async def test_an_answer_may_take_long_as_long_as_it_comes() -> None:
    parts = 12
    word = b"x" * parts

    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert number == 1
        await said(reader)
        for piece in (b"$%d\r\n" % parts, *(word[at : at + 1] for at in range(parts)), b"\r\n"):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.1)  # in all twice the patience

    async with asking(answer, attempt_s=0.7) as asks:
        assert await echoed(asks, "one") == [word]


async def test_nobody_hangs_when_it_is_closed() -> None:
    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with asking(answer) as asks:
        task = asyncio.create_task(echoed(asks, "one"))
        while not asks._waiting:
            await asyncio.sleep(0.001)
        await asks.close()
        with pytest.raises(Lost, match="closed"):
            await task
        with pytest.raises(Lost, match="closed"):
            await echoed(asks, "two")


async def test_a_crowd_does_not_queue_for_a_connection_that_does_not_come() -> None:
    """Given a server that takes connections and lets nobody in, all are told after the same two attempts."""
    numbers: list[int] = []

    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        numbers.append(number)
        await reader.read()

    async with asking(answer, attempt_s=0.1, password="secret") as asks:
        tasks = [asyncio.create_task(echoed(asks, f"{one}")) for one in range(50)]
        await asyncio.sleep(0)
        tasks[0].cancel()  # who began the attempt does not take it along
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes[1:]} == {TimeoutError}
        assert numbers == [1, 2]


async def test_it_can_be_closed_while_it_connects() -> None:
    async def answer(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with asking(answer, password="secret") as asks:
        task = asyncio.create_task(echoed(asks, "one"))
        while asks._opening is None:
            await asyncio.sleep(0.001)
        await asks.close()
        with pytest.raises(Lost, match="closed"):
            await task
