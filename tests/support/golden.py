"""Golden games: one recorded game for each registered game and number of seats.

``python -m tests.support.golden --write`` writes into ``tests/games/<game>/golden/``:

- ``<seats>.txt``, to be read: the commands with what each viewer is told and may do. A change of rules,
  events, views or actions shows here: read the difference before you commit it. The steps in the middle of a
  long game are one line each, with a digest of all that the viewers get.
- ``<seats>.log``, to last: the stored commits of the game, with what they lead to. A log is written once and
  then kept, because recorded games replay for ever; logs of earlier releases may lie beside it, under any
  name that ends in ``.log``. ``--write-logs`` replaces them, which is right only before the first release
  that wrote such events.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from domain import table as tables
from domain.events import Commit, encode_commit
from domain.registry import codec, games
from domain.table import Table
from domain.visibility import SPECTATOR
from projections import frame
from projections.redaction import redact_all
from tests.support.play import Playout, fold

COMMAND = "python -m tests.support.golden --write"
FULL_AT_START, FULL_AT_END = 30, 15
GAMES = Path(__file__).parents[1] / "games"


def folder(game: str) -> Path:
    """Where the golden games of a game lie."""
    return GAMES / game.replace("-", "_") / "golden"


def record(game: str, seats: int) -> Playout:
    """The golden game of a setup, played again."""
    seed = f"golden/{game}/{seats}"
    playout = Playout(games()[game], seats, key=hashlib.sha256(seed.encode()).digest())
    return playout.play(random.Random(seed), changes=0.1)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _name(viewer: int) -> str:
    return "spectator" if viewer == SPECTATOR else f"seat {viewer}"


def _viewers(table: Table) -> tuple[int, ...]:
    return (*range(len(table.seats)), SPECTATOR)


# --- the text ---------------------------------------------------------------------------------------


def text(playout: Playout) -> str:
    """A golden game to be read."""
    last = len(playout.commits)
    title = f"# {playout.game.name} with {playout.seats} seats: {last} versions. Written by {COMMAND}"
    lines = [title]
    middle = range(FULL_AT_START + 1, last - FULL_AT_END + 1)
    views = {playout.seats + 2, (FULL_AT_START + playout.seats + 2) // 2, last}
    for commit, table in zip(playout.commits, playout.states, strict=True):
        lines.append("")
        lines[-1] += f"[{commit.version}] by {commit.by}" + _command(playout, commit)
        if commit.version in middle:
            lines[-1] += f" | {_digest(playout, commit, table)}"
            continue
        lines += [f"  {line}" for line in _told(playout, commit, table)]
        if commit.version in views:
            lines += [f"  {line}" for line in _views(table)]
    return "\n".join(lines) + "\n"


def _command(playout: Playout, commit: Commit) -> str:
    step = commit.version - playout.seats - 3
    return f": {_json(playout.steps[step].action)}" if step >= 0 else ""


def _digest(playout: Playout, commit: Commit, table: Table) -> str:
    told = [
        (
            redact_all(commit.events, viewer),
            frame.view(table, viewer),
            tables.actions(playout.game, table, viewer),
        )
        for viewer in _viewers(table)
    ]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:12]


def _told(playout: Playout, commit: Commit, table: Table) -> Iterator[str]:
    for event in commit.events:
        forms: dict[str, list[int]] = {}
        for viewer in _viewers(table):
            for shown in redact_all([event], viewer):
                forms.setdefault(_json(shown), []).append(viewer)
        for form, who in forms.items():
            everybody = len(who) == len(table.seats) + 1
            yield ("all" if everybody else ", ".join(map(_name, who))) + f": {form}"
    yield f"waiting: {_json(tables.waiting(playout.game, table))}"
    for seat in range(len(table.seats)):
        if offers := tables.actions(playout.game, table, seat):
            yield f"seat {seat} may: {_json(offers)}"


def _views(table: Table) -> Iterator[str]:
    """The spectator's view, and of each seat's view what is different."""
    common: dict[str, Any] = json.loads(_json(frame.view(table, SPECTATOR)))["game"]
    yield "view of a spectator:"
    yield from (f"  {key}: {_json(value)}" for key, value in common.items())
    for seat in range(len(table.seats)):
        own = json.loads(_json(frame.view(table, seat)))["game"]
        yield f"view of seat {seat}, where it differs:"
        yield from (f"  {key}: {_json(own[key])}" for key in own if own[key] != common.get(key))
        yield from (f"  {key}: absent" for key in common if key not in own)


# --- the log ----------------------------------------------------------------------------------------


def outcome(commits: list[Commit], game: str) -> dict[str, Any]:
    """What a log leads to: the state and result, and a digest of the redacted events of each viewer."""
    table = fold(games()[game], commits)
    told = {
        _name(viewer): hashlib.sha256(
            msgspec.json.encode([redact_all(commit.events, viewer) for commit in commits])
        ).hexdigest()
        for viewer in _viewers(table)
    }
    return {
        "game": game,
        "status": table.status,
        "version": table.version,
        "result": json.loads(_json(table.result)),
        "state": json.loads(_json(table.state)),
        "events": told,
    }


def log(playout: Playout) -> str:
    """A golden game to last: its outcome, then one line for each stored commit."""
    lines = [_json(outcome(playout.commits, playout.game.name))]
    for commit in playout.commits:
        data = encode_commit(commit.by, commit.events, commit.command)
        lines.append(f"{commit.version} {commit.at_ms} {base64.b64encode(data).decode()}")
    return "\n".join(lines) + "\n"


def read_log(path: Path) -> tuple[dict[str, Any], list[Commit]]:
    """What a log is recorded to lead to, and its commits as they are read today."""
    first, *entries = path.read_text(encoding="utf-8").splitlines()
    expected: dict[str, Any] = json.loads(first)
    decode = codec(expected["game"]).decode
    commits = []
    for entry in entries:
        version, at_ms, data = entry.split()
        commits.append(decode(int(version), int(at_ms), base64.b64decode(data)))
    return expected, commits


def write(names: list[str], *, replace_logs: bool) -> Iterator[Path]:
    """Write the golden games of ``names``; gives the paths written."""
    for name in names:
        folder(name).mkdir(parents=True, exist_ok=True)
        for seats in games()[name].seats:
            playout = record(name, seats)
            path = folder(name) / f"{seats}.txt"
            path.write_text(text(playout), encoding="utf-8")
            yield path
            kept = folder(name) / f"{seats}.log"
            if replace_logs or not kept.exists():
                kept.write_text(log(playout), encoding="utf-8")
                yield kept


if __name__ == "__main__":
    asked = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if not {"--write", "--write-logs"} & set(sys.argv):
        sys.exit(f"usage: {COMMAND} [--write-logs] [game ...]\n\n{__doc__}")
    for written in write(asked or list(games()), replace_logs="--write-logs" in sys.argv):
        sys.stdout.write(f"{written.stat().st_size:8} {written}\n")
