"""Closing while a connection is being made, in whatever step, against a server that lets nobody in.

The client library sends its handshake by `asyncio.wait_for`, which on Python 3.11 swallows a cancel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from redis.asyncio import Connection
from redis.exceptions import RedisError

from server.ending import end
from server.store.appends import Append
from server.store.asks import Asks
from server.store.flight import take_off
from server.store.link import FAILURES, Settings
from server.store.subscriber import Subscriber
from server.store.writer import Writer
from tests.support.store import PATIENCE_S

SETTINGS = Settings(attempt_s=10 * PATIENCE_S, settle_s=10 * PATIENCE_S)
STEPS = 30  # more than a handshake has up to where it waits for the answer

Connect = Callable[[], Connection]
Close = Callable[[], Awaitable[None]]


def asks(connect: Connect) -> Close:
    """Ask."""
    made = Asks(connect, SETTINGS.attempt_s)

    async def ask() -> None:
        with suppress(*FAILURES):
            await made.ask([("PING",)])

    task = asyncio.create_task(ask())

    async def close() -> None:
        await made.close()
        await task

    return close


def subscriber(connect: Connect) -> Close:
    """Listen."""
    made = Subscriber(
        connect, SETTINGS, lambda *_: None, lambda *_: None, on_ready=lambda: None, on_trouble=lambda: None
    )
    task = asyncio.create_task(made.start())

    async def close() -> None:
        await made.close()
        await end(task)

    return close


def writer(connect: Connect) -> Close:
    """Append."""
    made = Writer(connect, SETTINGS)
    made.start()
    outcome: list[object] = []
    until = asyncio.get_running_loop().time() + SETTINGS.settle_s
    take_off(made, Append("t", 1, b"x", None, outcome.append, until, doubtful=False))

    async def close() -> None:
        await made.close()
        assert outcome

    return close


@pytest.mark.parametrize("made", [asks, subscriber, writer])
async def test_what_connects_can_be_closed_in_any_step(made: Callable[[Connect], Close]) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def connect() -> Connection:
        return Connection(
            host="127.0.0.1",
            port=port,
            protocol=2,
            driver_info=None,
            password="x",
            socket_timeout=10 * PATIENCE_S,
        )

    async with server:
        for steps in range(STEPS):
            close = made(connect)
            for _ in range(steps):
                await asyncio.sleep(0)
            async with asyncio.timeout(PATIENCE_S):
                await close()


async def test_the_end_of_a_task_does_not_depend_on_one_cancel() -> None:
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while swallowed < 3:
            try:
                await asyncio.sleep(10 * PATIENCE_S)
            except asyncio.CancelledError:
                swallowed += 1
        raise RedisError("nobody's business")

    async def meek() -> None:
        await asyncio.sleep(10 * PATIENCE_S)

    tasks = asyncio.create_task(stubborn()), asyncio.create_task(meek())
    await asyncio.sleep(0)
    await end(*tasks)
    assert swallowed == 3
    assert all(task.done() for task in tasks)
    await end(*tasks)
    await end()
