"""Bots that think ahead do so in a process of their own, so that nobody waits for them.

What is sent there is a `Question`: nothing but what the bot's seat may read, as it would read it.
"""

from __future__ import annotations

import asyncio
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.events import Commit
from domain.registry import games
from domain.table import Table
from domain.visibility import see
from projections import history
from server.bots.policies import PLAYOUTS, Action, AnyGame, seeded, strong

PATIENCE_S: Final = 30.0
"""How long a table waits for an answer; many tables may have asked before."""

LONGEST_S: Final = 20
"""A process that thinks longer than this about one move has gone astray, and ends itself."""


class Question(msgspec.Struct, frozen=True):
    """What a bot that thinks ahead is asked.

    Args:
        game: name of the game.
        table: the table's id.
        version: of the table.
        seat: the bot's.
        offers: what it may do.
        log: the lines of the log as the seat may read them, the header first.
        playouts: how many games to play out.
    """

    game: str
    table: str
    version: int
    seat: int
    offers: list[dict[str, Any]]
    log: list[dict[str, Any]]
    playouts: int


class ThinkingFailed(Exception):
    """There is no answer: the process could not be started, has ended, or takes too long."""


def question(game: AnyGame, table: Table, commits: list[Commit], seat: int) -> bytes | None:
    """The question of what ``seat`` is to do, or None where it may do nothing.

    Args:
        game: the table's game.
        table: the table.
        commits: all commits that led to it.
        seat: the seat.
    """
    if table.state is None or table.paused or table.over:
        return None
    offers = game.actions(see(table.state, seat), seat)
    if not offers:
        return None
    lines = [history.header(table, seat), *(history.line(commit, seat) for commit in commits)]
    return msgspec.json.encode(Question(game.name, table.id, table.version, seat, offers, lines, PLAYOUTS))


def answer(asked: bytes) -> Action:
    """What the strong policy does: the same for the same question, in whatever process."""
    given = msgspec.json.decode(asked, type=Question)
    rng = seeded(given.table, given.version, given.seat)
    return strong(games()[given.game], given.log, given.seat, given.offers, rng, given.playouts)


class Thinker:
    """A process that answers questions one after another; started with the first one."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    async def answer(self, asked: bytes) -> Action:
        """The answer to a question. Raises `ThinkingFailed`."""
        if self._closed:
            raise ThinkingFailed("the server stops")
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, spawn, _begin)
        pool = self._pool
        try:
            # Not `wait_for`, which swallows (until Python 3.12) a cancellation that comes with the answer.
            async with asyncio.timeout(PATIENCE_S):
                return await asyncio.wrap_future(pool.submit(_answer, asked))
        except (BrokenExecutor, OSError) as error:
            if self._pool is pool:
                self._pool = None
                pool.shutdown(wait=False, cancel_futures=True)
            raise ThinkingFailed(f"the process that thinks has ended: {error}") from error
        except TimeoutError as error:
            raise ThinkingFailed(f"no answer within {PATIENCE_S:.0f} s") from error
        except Exception as error:
            raise ThinkingFailed(repr(error)) from error

    async def close(self) -> None:
        """Answer nothing more, and end the process."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)


def _answer(asked: bytes) -> Action:
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(LONGEST_S, exit=True, file=nowhere)
        try:
            return answer(asked)
        finally:
            faulthandler.cancel_dump_traceback_later()


def _begin() -> None:
    """In the new process: leave it to the server to handle Ctrl-C, and end when the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()
