"""The command line as processes of its own, as people and scripts run it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from domain.registry import games
from server.cli import app
from server.client import Server, play_at_random
from server.commands.local import own_store, serving
from server.settings import Settings

ROOT = Path(__file__).parents[2]
PATIENCE_S = 50.0  # far more than anything here needs


class Done(NamedTuple):
    """A command that has ended."""

    code: int
    out: str
    err: str


def command(*arguments: str) -> list[str]:
    """How to run the command with this Python."""
    return [sys.executable, "-m", "server.cli", *arguments]


def environment(folder: Path) -> dict[str, str]:
    """An environment in which nothing of ours is set, and temporary files come to ``folder``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FACEDOWN_")}
    return {**kept, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}


def is_empty(folder: Path) -> bool:
    """Whether nothing is left in a folder."""
    return not list(folder.iterdir())


async def facedown(folder: Path, *arguments: str, **variables: str) -> Done:
    """Run a command to its end."""
    process = await asyncio.create_subprocess_exec(
        *command(*arguments),
        cwd=folder,
        env={**environment(folder), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings with a store that all tests of this module share."""
    with own_store() as ready:
        yield ready


@pytest.fixture
async def url(settings: Settings) -> AsyncIterator[str]:
    """The address of a server."""
    async with serving(settings) as address:
        yield address


async def finished_table(url: str) -> tuple[str, list[str]]:
    """A table whose game is over, and the tokens of its seats."""
    server = Server(url)
    table = (await server.create("mein-schatz", seats=2))["table"]
    tokens = [(await server.sit(table, name))["token"] for name in ("Ada", "Bob Lee")]
    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(server.attach(table, token)) for token in tokens]
        await asyncio.gather(*(play_at_random(viewer, random.Random(3)) for viewer in viewers))
    return table, tokens


def test_the_installed_command_is_this_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["facedown"].partition(":")
    assert getattr(import_module(module), name) is import_module("server.cli").app


async def test_a_whole_game_is_played_at_a_server_of_its_own_that_leaves_nothing(tmp_path: Path) -> None:
    done = await facedown(
        tmp_path, "play", "trick-and-trade", "--seats", "3", "--bots", "--json", "--codec", "mixed"
    )
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["status"] == "finished"
    assert result["seats"] == len(result["places"]) == len(result["scores"]) == 3
    assert result["winners"] == [seat for seat, place in enumerate(result["places"]) if place == 1]
    assert result["versions"] > result["actions"] > 0
    assert result["duration_s"] > 0
    assert f"version {result['versions']}: finished" in done.err
    assert is_empty(tmp_path)


async def test_a_game_is_played_at_a_given_server_with_given_options(url: str, tmp_path: Path) -> None:
    done = await facedown(
        tmp_path,
        *("play", "trinket-trove", "--bots", "--url", url, "--seed", "5", "--codec", "msgpack"),
        *("--options", '{"lone_mirrors": true}'),
    )
    assert done.code == 0, done.err
    first, *places = done.out.splitlines()
    table = first.split()[3].rstrip(":")
    facts = await Server(url).facts(table)
    assert (facts["status"], facts["options"]["lone_mirrors"]) == ("finished", True)
    assert [line.split(" ")[0] for line in places[:2]] in (["1.", "2."], ["1.", "1."])
    assert places[2].startswith("winners: seat ")
    assert places[3].endswith("seed 5")
    assert places[3].startswith(f"{facts['version']} versions, ")


async def test_a_game_that_does_not_end_in_time_is_a_failure(url: str, tmp_path: Path) -> None:
    done = await facedown(tmp_path, "play", "hold-my-beer", "--bots", "--url", url, "--timeout", "0.1")
    assert done.code == 1
    assert done.out == ""
    assert "the game was not over after 0.1 s" in done.err


async def test_games_are_listed_alike_from_here_and_from_a_server(url: str, tmp_path: Path) -> None:
    here = await facedown(tmp_path, "games", "--json")
    there = await facedown(tmp_path, "games", "--json", "--url", url)
    assert here == there
    assert [game["game"] for game in json.loads(here.out)["games"]] == list(games())
    table = (await facedown(tmp_path, "games")).out.splitlines()
    assert len(table) == len(games())
    assert "trick-and-trade    Trick and Trade    3, 4, 5 seats" in table


async def test_a_log_is_written_as_the_bearer_may_read_it(url: str, tmp_path: Path) -> None:
    table, tokens = await finished_table(url)
    server = Server(url)
    as_json = await facedown(tmp_path, "log", table, "--url", url, "--json")
    assert [json.loads(line) for line in as_json.out.splitlines()] == await server.log(table)
    own = await facedown(tmp_path, "log", table, "--url", url, "--json", FACEDOWN_VIEWER_TOKEN=tokens[1])
    assert json.loads(own.out.splitlines()[0])["viewer"] == {"seat": 1}
    opened = await facedown(tmp_path, "log", table, "--url", url, "--open")
    first, *versions = opened.out.splitlines()
    assert first.startswith(f"{table}: mein-schatz, 2 seats, finished at version {len(versions)}")
    assert versions[1].endswith("seat 0  seat_taken seat=0 name=Ada bot=no")
    assert versions[2].endswith("name='Bob Lee' bot=no")
    assert "finished places=[" in versions[-1]
    assert opened.code == as_json.code == own.code == 0


async def test_a_log_with_views_is_replayed_as_its_bearer_saw_the_table(url: str, tmp_path: Path) -> None:
    table, tokens = await finished_table(url)
    words = ("log", table, "--url", url)
    for option, shown in (("--views", "game:"), ("--json", "facedown log TABLE --views")):
        taken = await facedown(tmp_path, *words, option, FACEDOWN_VIEWER_TOKEN=tokens[1])
        (tmp_path / "one.jsonl").write_text(taken.out)
        again = await facedown(tmp_path, "replay", "one.jsonl", "--at", "5")
        assert (taken.code, again.code) == (0, 0), again.err
        assert shown in again.out
    refused = await facedown(tmp_path, *words, "--views", "--open")
    assert refused.code == 2
    assert "an open log needs no --views" in refused.err


async def test_a_table_is_watched_from_its_beginning_to_its_end(url: str, tmp_path: Path) -> None:
    server = Server(url)
    table = (await server.create("mein-schatz", seats=2))["table"]
    watching = [
        await asyncio.create_subprocess_exec(
            *command("watch", table, "--url", url, *more),
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
        )
        for more in ((), ("--json",))
    ]
    async with asyncio.timeout(PATIENCE_S):
        firsts = []
        for process in watching:
            assert process.stdout is not None
            firsts.append((await process.stdout.readline()).decode())
        tokens = [(await server.sit(table, name))["token"] for name in ("Ada", "Bob Lee")]
        async with AsyncExitStack() as stack:
            viewers = [await stack.enter_async_context(server.attach(table, token)) for token in tokens]
            await asyncio.gather(*(play_at_random(viewer, random.Random(3)) for viewer in viewers))
            head = viewers[0].version
            result = (viewers[0].view or {})["result"]
        outs = [(await process.communicate())[0].decode().splitlines() for process in watching]
    assert [process.returncode for process in watching] == [0, 0]
    assert firsts[0] == f"{table}: open at version 1\n"
    lines = [line for line in outs[0] if line[:4].strip().isdigit()]
    assert [int(line[:4]) for line in lines] == list(range(2, head + 1))
    assert any("seat 1 is here" in line for line in outs[0])
    winner = result["winners"][0]
    name = ("Ada", "Bob Lee")[winner]
    assert f"1. {name} (seat {winner}): {result['scores'][winner]} points" in outs[0]
    messages: list[dict[str, Any]] = [json.loads(line) for line in (firsts[1], *outs[1])]
    assert messages[0]["type"] == "attached"
    updates = [message for message in messages if message["type"] == "update"]
    assert [message["version"] for message in updates] == list(range(2, head + 1))
    assert updates[-1]["status"] == "finished"


async def test_a_table_that_is_over_is_watched_in_no_time(url: str, tmp_path: Path) -> None:
    table, _ = await finished_table(url)
    done = await facedown(tmp_path, "watch", table, "--url", url)
    assert done.code == 0
    first, second, *_ = done.out.splitlines()
    assert first.startswith(f"{table}: finished at version ")
    assert second.startswith("1. ")


NOBODY = ("--url", "http://127.0.0.1:9")
FREE = ("--port", "0")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("play", "chess", "--bots"), 2, "there is no game 'chess'; games: hold-my-beer, mein-schatz, "),
        (("play", "oopsie", "--bots", "--seats", "7"), 2, "Oopsie is for 4, not 7"),
        (("play", "oopsie", "--bots", "--options", '{"x": 1}'), 2, "x: there is no such option"),
        (("play", "oopsie", "--bots", "--options", "{"), 2, "--options: this is not JSON"),
        (("play", "oopsie", "--bots", "--options", "[]"), 2, "--options: a JSON object is needed"),
        (("play", "oopsie"), 2, "add --bots"),
        (("play", "oopsie", "--bots", "--codec", "xml"), 2, "'xml' is not one of"),
        (("play", "oopsie", "--bots", *NOBODY), 1, "no server answers at http://127.0.0.1:9"),
        (("games", *NOBODY), 1, "is it running (facedown serve)?"),
        (("games", "--url", "localhost"), 2, "--url: the address of a server is like http://localhost:8000"),
        (("log", "a" * 20, *NOBODY), 1, "is it running (facedown serve)?"),
        (("watch", "a" * 20, *NOBODY), 1, "is it running (facedown serve)?"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    done = CliRunner().invoke(app, arguments, env=environment(tmp_path))
    assert (done.exit_code, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert isinstance(done.exception, SystemExit), "it would be a traceback"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("serve", "--port", "70000"), 2, "FACEDOWN_PORT must be from 0 to 65535"),
        (("serve", "--store", "mysql://x"), 2, "FACEDOWN_STORE must be a URL such as"),
        (("serve", "--host", "192.0.2.1"), 1, "cannot listen at 192.0.2.1, port 8000: "),
        (("serve", *FREE, "--store", "redis://127.0.0.1:1"), 1, "redis://127.0.0.1:1: ConnectionError"),
        (("serve", *FREE, "--store", "redis://127.0.0.1:1", "--workers", "2"), 1, "redis://127.0.0.1:1: "),
        (("serve", *FREE, "--data", "/dev/null/x"), 1, "the folder /dev/null/x cannot be used for the embed"),
    ],
)
async def test_why_a_server_does_not_start_is_said_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    done = await facedown(tmp_path, *arguments)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_a_port_that_is_taken_is_said_before_anything_is_started(tmp_path: Path, workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = await facedown(tmp_path, "serve", "--port", str(port), "--workers", workers)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"facedown: cannot listen at 127.0.0.1, port {port}: Address already in use\n"
    assert is_empty(tmp_path)


async def test_a_table_that_is_not_there_or_not_for_the_bearer_is_said(url: str, tmp_path: Path) -> None:
    table = (await Server(url).create("oopsie", spectators={"who": "none"}))["table"]
    for name in ("log", "watch"):
        done = await facedown(tmp_path, name, "a" * 20, "--url", url)
        assert (done.code, done.err) == (1, f"facedown: there is no table {'a' * 20!r} (no_such_table)\n")
        done = await facedown(tmp_path, name, table, "--url", url)
        assert done.code == 1
        assert "cannot be watched without a seat's token (forbidden)" in done.err
        done = await facedown(tmp_path, name, table, "--url", url, "--token", "x" * 43)
        assert (done.code, done.err) == (
            1,
            "facedown: this token is not valid at this table (unauthorized)\n",
        )


def test_the_command_line_starts_without_what_only_commands_need() -> None:
    script = "import sys, server.cli; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True).split())
    heavy = {"asyncio", "msgspec", "redis", "starlette", "uvicorn", "websockets", "server.app", "domain"}
    assert not loaded & heavy
    assert "server.cli" in loaded
