"""``facedown replay`` and ``facedown inspect`` over the log of a whole game."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from domain.events import encode_commit
from projections import frame, history
from projections.viewer import REFEREE
from server.cli import app
from server.embedded import EmbeddedStore
from server.store import open_store
from tests.support.play import Playout, new


@pytest.fixture(scope="module")
def game() -> Playout:
    return new("trick-and-trade", 3).play(random.Random(4))


@pytest.fixture(scope="module")
def opened(game: Playout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("log") / "open.jsonl", game, REFEREE)


def written(path: Path, game: Playout, viewer: int, *, patches: bool = False) -> Path:
    lines = [history.header(game.table, viewer), *history.lines(game.commits, viewer, patches=patches)]
    path.write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return path


def called(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def shown(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("viewer", [0, 1, 2])
def test_an_open_log_is_seen_as_each_seat_saw_it(viewer: int, game: Playout, opened: Path) -> None:
    lines = shown(called("replay", str(opened), "--as", f"seat:{viewer}", "--json"))
    assert len(lines) == len(game.commits)
    for line, commit, table in zip(lines, game.commits, game.states, strict=True):
        told = json.loads(msgspec.json.encode(history.line(commit, viewer)))
        assert {name: line[name] for name in told} == told
        assert line["view"] == json.loads(msgspec.json.encode(frame.view(table, viewer)))


def test_one_version_is_shown_with_its_view(opened: Path) -> None:
    result = called("replay", str(opened), "--at", "20", "--as", "spectator")
    assert result.exit_code == 0
    assert "  20  " in result.stdout
    assert "hands: [[? ?" in result.stdout


def test_a_log_of_a_seat_shows_its_own_views_and_nobody_elses(game: Playout, tmp_path: Path) -> None:
    path = written(tmp_path / "seat.jsonl", game, 1, patches=True)
    lines = shown(called("replay", str(path), "--json"))
    for line, table in zip(lines, game.states, strict=True):
        view = json.loads(msgspec.json.encode(frame.view(table, 1)))
        assert line["view"] == {name: member for name, member in view.items() if member is not None}
    refused = called("replay", str(path), "--as", "seat:0", "--json")
    assert refused.exit_code == 1
    assert "only an open log" in refused.stderr


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--at", "1000"], 1, "the log has versions 1 to"),
        (["--as", "seat:3"], 2, "seat:0 to seat:2"),
        (["--as", "host"], 2, "a viewer is"),
    ],
)
def test_what_cannot_be_shown_is_said(words: list[str], code: int, text: str, opened: Path) -> None:
    result = called("replay", str(opened), "--json", *words)
    assert result.exit_code == code
    assert text in result.stderr


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text('{"a": 1}\n{')
    result = called("replay", str(path))
    assert result.exit_code == 1
    assert "line 2" in result.stderr


def store(folder: Path, game: Playout, most: int) -> None:
    """Put the first ``most`` commits of a game into an embedded store."""

    async def fill(url: str) -> None:
        there = open_store(url)
        await there.start()
        for commit in game.commits[:most]:
            data = encode_commit(commit.by, commit.events, commit.command)
            await there.append("testtable", commit.version, data)
        await there.close()

    with EmbeddedStore(folder) as url:
        asyncio.run(fill(url))


def test_a_stored_table_is_shown_as_everybody_saw_it(game: Playout, tmp_path: Path) -> None:
    store(tmp_path / "data", game, len(game.commits))
    result = called("inspect", "testtable", "--data", str(tmp_path / "data"), "--at", "12", "--json")
    everybody = shown(result)
    viewers = [{"open": True}, {"spectator": True}, *({"seat": seat} for seat in range(3))]
    assert [one["viewer"] for one in everybody] == viewers
    for viewer, one in enumerate(everybody[2:]):
        snapshot = frame.snapshot(game.states[11], viewer)
        assert one["view"] == json.loads(msgspec.json.encode(snapshot.view))
        assert one["actions"] == snapshot.actions
    words = called("inspect", "testtable", "--data", str(tmp_path / "data"), "--as", "seat:1")
    assert "--- seat 1" in words.stdout
    missing = called("inspect", "nosuchtable", "--data", str(tmp_path / "data"))
    assert missing.exit_code == 1
    assert "no table" in missing.stderr


def test_a_running_game_is_shown_in_development_only(game: Playout, tmp_path: Path) -> None:
    store(tmp_path / "data", game, 20)
    refused = called("inspect", "testtable", "--data", str(tmp_path / "data"))
    assert refused.exit_code == 1
    assert "--dev" in refused.stderr
    allowed = called("inspect", "testtable", "--data", str(tmp_path / "data"), "--dev", "--json")
    assert len(shown(allowed)) == 5
