"""The example bots play any game through the wire contract alone."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from domain.registry import games
from tests.support.clients import Http
from tests.support.node import program
from tests.support.server import ROOT, Running, Serve
from tests.support.store import PATIENCE_S, eventually

EXAMPLES = ROOT / "examples"
MOST_LINES = 59
WS = ROOT / "clients" / "js" / "node_modules" / "ws"


def javascript(folder: Path) -> list[str]:
    """How the JavaScript example is run; skips the test where it cannot be."""
    node = program("node")
    if node is None:
        pytest.skip("Node.js 20 or newer is not there; scripts/setup-node installs it")
    knows = subprocess.run(
        [node, "-p", "typeof WebSocket"], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    if knows.stdout.strip() == "function":
        return [node, str(EXAMPLES / "bot.mjs")]
    if not WS.is_dir():
        pytest.skip("this Node.js has no WebSocket, and the package ws is not installed in clients/js")
    (folder / "node_modules").symlink_to(WS.parent)
    return [node, str(shutil.copy(str(EXAMPLES / "bot.mjs"), folder))]


async def played(here: Running, table: str, commands: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """What the bots print, one for each command, when they have played a table to its end."""
    running = [
        await asyncio.create_subprocess_exec(
            *command,
            here.url,
            table,
            f"Bot {number}",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for number, command in enumerate(commands)
    ]
    try:
        async with asyncio.timeout(2 * PATIENCE_S):
            outputs = [await bot.communicate() for bot in running]
    finally:
        for bot in running:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()
    assert [error for _, error in outputs] == [b""] * len(commands)
    return [json.loads(output) for output, _ in outputs]


async def check(here: Running, game: str, commands: Sequence[Sequence[str]]) -> None:
    """Let the bots play; all must have sat down and seen the same end."""
    async with Http(here.url) as http:
        made = await http.table(game, seats=len(commands))
        told = await played(here, made["table"], commands)
        header, lines = await http.log(made["table"])
    assert header["status"] == "finished"
    assert sorted(one["seat"] for one in told) == list(range(len(commands)))
    finished = lines[-1]["events"][-1]
    for one in told:
        assert one["result"]["places"] == finished["places"]


def every_other(first: int) -> list[Any]:
    """All games, every second of which is quick."""
    return [
        pytest.param(game, marks=[pytest.mark.long] if (number - first) % 2 else [])
        for number, game in enumerate(games())
    ]


@pytest.mark.timeout(150)
@pytest.mark.parametrize("game", every_other(0))
async def test_the_python_bot_plays_every_game_to_the_end(serve: Serve, game: str) -> None:
    here = await serve()
    seats = games()[game].seats[0]
    await check(here, game, [[sys.executable, str(EXAMPLES / "bot.py")]] * seats)


@pytest.mark.timeout(150)
@pytest.mark.parametrize("game", every_other(1))
async def test_the_javascript_bot_plays_every_game_to_the_end_also_against_the_python_one(
    serve: Serve, game: str, tmp_path: Path
) -> None:
    command = javascript(tmp_path)
    here = await serve()
    seats = games()[game].seats[0]
    python = [sys.executable, str(EXAMPLES / "bot.py")]
    await check(here, game, [python, *[command] * (seats - 1)])


@pytest.mark.timeout(150)
@pytest.mark.parametrize("name", ["bot.py", "bot.mjs"])
async def test_a_bot_whose_connection_is_lost_goes_on(serve: Serve, tmp_path: Path, name: str) -> None:
    command = [sys.executable, str(EXAMPLES / name)] if name == "bot.py" else javascript(tmp_path)
    here = await serve()
    async with Http(here.url) as http:
        made = await http.table("trinket-trove", seats=2)
        playing = asyncio.create_task(played(here, made["table"], [command] * 2))
        try:
            for version in (5, 9, 13):
                await reached(http, made["table"], version)
                for connection in list(here.server.server_state.connections):
                    if type(connection).__name__.startswith("WebSocket"):
                        connection.transport.abort()
        finally:
            told = await playing
        header, lines = await http.log(made["table"])
    assert header["status"] == "finished"
    assert [one["result"]["places"] for one in told] == [lines[-1]["events"][-1]["places"]] * 2


async def reached(http: Http, table: str, version: int) -> None:
    """Wait until a table is at a version, or beyond."""

    async def there() -> bool:
        return bool((await http.facts(table))["version"] >= version)

    await eventually(there)


def test_a_node_without_websockets_is_told_what_is_missing(tmp_path: Path) -> None:
    node = program("node")
    if node is None:
        pytest.skip("Node.js 20 or newer is not there; scripts/setup-node installs it")
    (tmp_path / "none.cjs").write_text("delete globalThis.WebSocket")
    bot = shutil.copy(EXAMPLES / "bot.mjs", tmp_path)
    command = [node, "--require", str(tmp_path / "none.cjs"), bot, "http://localhost:9", "table"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout) == (1, "")
    assert "npm install ws" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["bot.py", "bot.mjs"])
def test_an_example_is_short_and_names_no_game(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert not [game for game in games() if game in text]
    assert not any(word in text for word in ("import domain", "import server", "from domain", "from server"))
