"""README.md and PROTOCOL.md say what the code does: tables are complete, examples are valid and run."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator as Validator
from typer.core import TyperGroup
from typer.main import get_command

from domain.actions import allows
from domain.events import event_name
from domain.registry import games
from domain.table import TABLE_EVENTS
from domain.visibility import audiences
from server import parsing, requests, wire
from server.commands.local import own_store, serving
from server.openapi import description
from server.routes import STATUS
from server.schema import messages
from server.settings import Settings, variable
from tests.server.test_cli import environment
from tests.support.play import new

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROTOCOL = (ROOT / "server" / "PROTOCOL.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)\n```", text, re.DOTALL)


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the tables under a heading, without their heads."""
    section = re.split(r"\n#{2,3} ", text.split(f"\n{heading}\n", 1)[1])[0]
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    heads = [number for number, row in enumerate(cells) if set("".join(row)) <= {"-"}]
    return [row for number, row in enumerate(cells) if number not in heads and number + 1 not in heads]


def code(cell: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def values(text: str) -> Iterator[Any]:
    """The JSON values in a block, one after another."""
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


def examples() -> list[dict[str, Any]]:
    """Every object shown in PROTOCOL.md, also those of the whole game."""
    found = [value for block in blocks(PROTOCOL, "json") for value in values(block)]
    for block in blocks(PROTOCOL, "text"):
        for part in re.split(r"^(?=[→←])", block, flags=re.MULTILINE):
            found += values(part.lstrip("→← \n"))
    return found


# --- PROTOCOL.md ------------------------------------------------------------------------------------


def test_every_message_is_shown_as_it_is_really_sent() -> None:
    schema = messages()
    shown: set[str] = set()
    for example in (example for example in examples() if "type" in example):
        kinds = {kind.__struct_config__.tag: kind.__name__ for kind in (*wire.TO_SERVER, *wire.TO_CLIENT)}
        name = kinds[example["type"]]
        exact = {**schema["$defs"][name], "additionalProperties": False}
        Validator({**exact, "$defs": schema["$defs"]}).validate(example)
        if name in {kind.__name__ for kind in wire.TO_SERVER}:
            parsing.parse(example)
        elif isinstance(example.get("view"), dict) and example["view"]["game"]:
            Validator(schema["games"]["mein-schatz"]["view"]).validate(example["view"]["game"])
        shown.add(name)
    assert shown == {kind.__name__ for kind in (*wire.TO_SERVER, *wire.TO_CLIENT)}


def test_every_other_object_is_a_body_or_a_line_of_a_log() -> None:
    defs = messages()["$defs"]
    names = [
        *("CreateTable", "Created", "Sit", "Seated", "Facts", "AddBot", "Admitted", "Quick", "QuickSeat"),
        *("Rematched", "Mine", "At", "ApiError"),
    ]
    for example in (example for example in examples() if "type" not in example):
        if "code" in example:
            assert example["code"] in wire.CODES
        if example.keys() & {"facedown", "events", "limits", "talk"} or list(example) in (
            ["tables"],
            ["seat"],
        ):
            continue  # lines of a log, and objects that have no type of their own
        fits = []
        for name in names:
            kind = getattr(requests, name, None)
            if kind is not None and issubclass(kind, requests.Body):
                try:
                    msgspec.convert(example, kind)
                except msgspec.ValidationError:
                    continue
                fits.append(name)
            else:
                exact = {**defs[name], "additionalProperties": False}
                if Validator({**exact, "$defs": defs}).is_valid(example):
                    fits.append(name)
        assert fits, example


@pytest.mark.parametrize("kind", [*wire.TO_SERVER, *wire.TO_CLIENT], ids=lambda kind: kind.__name__)
def test_every_field_of_a_message_is_named(kind: type[msgspec.Struct]) -> None:
    named = set(re.findall(r"`(\w+)`", PROTOCOL)) | {key for example in examples() for key in example}
    assert set(kind.__struct_encode_fields__) <= named


def test_the_codes_are_all_there_with_their_status() -> None:
    told = {code(row[0])[0]: row[1] for row in rows(PROTOCOL, "## Codes")}
    assert list(told) == list(wire.CODES)
    for name, statuses in told.items():
        if statuses != "–":
            assert statuses.split(",")[0] == str(STATUS.get(name, 409)), name


def test_the_actions_of_every_game_are_named() -> None:
    told = {code(row[0])[0]: code(row[1]) for row in rows(PROTOCOL, "## Actions") if len(code(row[0])) == 1}
    for name, game in games().items():
        kinds = {action.split("{")[0] for action in told[name] if action != "some_of"}
        assert kinds == set(game.action_shapes), name
        parameters = {
            parameter.split(":")[0].strip()
            for action in told[name]
            for inner in re.findall(r"\{(.*)\}", action)
            for parameter in re.split(r"[,;] (?=\w+(?::|$|,))", inner)
        }
        assert {key for shape in game.action_shapes.values() for key in shape} <= parameters | {"to"}, name


def test_the_events_of_tables_are_described_with_their_fields() -> None:
    told = {code(row[0])[0]: code(row[1]) for row in rows(PROTOCOL, "## Events")}
    assert told == {
        event_name(kind): [field for field, audience in audiences(kind).items() if audience.referee]
        for kind in TABLE_EVENTS
    }


def test_every_address_is_described() -> None:
    described: set[tuple[str, str]] = set()
    for row in rows(PROTOCOL, "## HTTP"):
        for call in code(row[0]):
            method, path = call.split(" ")
            described.add((method, path.replace("…", "/v1/tables/{table}").split("?")[0]))
    known = {
        (method.upper(), path)
        for path, methods in json.loads(description())["paths"].items()
        for method in methods
    }
    assert described == known


def test_every_link_leads_somewhere() -> None:
    for text, folder in ((PROTOCOL, ROOT / "server"), (README, ROOT)):
        anchors: set[str] = set()
        for heading in re.findall(
            r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
        ):
            anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            anchors.add(f"{anchor}-1" if anchor in anchors else anchor)
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if target.startswith("#"):
                assert target[1:] in anchors, target
            elif not target.startswith("http"):
                assert (folder / target).exists(), target


def test_the_picker_without_rules_picks_what_is_legal() -> None:
    scope: dict[str, Any] = {"random": random}
    exec(blocks(PROTOCOL, "python")[0], scope)
    for name, game in games().items():
        playout = new(name, game.seats[0])
        for _ in range(60):
            if playout.table.over:
                break
            seat = playout.waiting()[0]
            action = scope["pick"](playout.offers(seat))
            assert allows(playout.offers(seat), action)
            playout.do(seat, action)


# --- README.md --------------------------------------------------------------------------------------


def settings_table() -> str:
    """The table of the settings as it must stand in README.md."""
    doc = inspect.getdoc(Settings) or ""
    entries = re.split(r"\n    (?=\w+: )", doc.split("Attributes:")[1])
    about = {
        name: " ".join(text.split()) for name, _, text in (entry.strip().partition(": ") for entry in entries)
    }
    lines = ["| variable | default | |", "|---|---|---|"]
    for field in dataclasses.fields(Settings):
        default = field.default
        shown = "" if default in (None, ()) else str(int(default) if default in (True, False) else default)
        lines.append(f"| `{variable(field.name)}` | {f'`{shown}`' if shown else '–'} | {about[field.name]} |")
    return "\n".join(lines)


def test_the_settings_are_all_there_with_their_defaults() -> None:
    assert settings_table() in README, f"this table belongs into README.md:\n{settings_table()}"


def test_every_command_that_is_described_is_there_with_its_options() -> None:
    from server.cli import app

    root = get_command(app)
    assert isinstance(root, TyperGroup)
    for row in rows(README, "## The command line"):
        command = root.commands[code(row[0])[0].split()[1]]
        options = {name for parameter in command.params for name in parameter.opts}
        named = {word.split()[0] for cell in row for word in code(cell) if word.startswith("--")}
        assert named <= options


def test_every_folder_and_file_that_is_named_is_there() -> None:
    named = re.findall(r"`((?:domain|projections|server|clients|tests)/[\w./]*)`", README)
    assert len(named) > 12
    for path in named:
        assert (ROOT / path).exists(), path


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings with a store that all tests of this module share."""
    with own_store() as ready:
        yield ready.replaced(bot_delay_ms=0)


@pytest.fixture
async def url(settings: Settings) -> AsyncIterator[str]:
    """The address of a server."""
    async with serving(settings) as address:
        yield address


async def output(*command: str, folder: Path) -> str:
    """What a program writes; it must end well."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_the_first_table_by_hand_comes_about(url: str, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    script = next(block for block in blocks(README, "sh") if "curl" in block)
    here = script.replace("http://localhost:8000", url)
    assert here != script
    out = await output("bash", "-euo", "pipefail", "-c", here, folder=tmp_path)
    opened, seated, bot, *log = values(out)
    assert opened.keys() == {"table", "host_token"}
    assert (seated["seat"], bot) == (0, {"seat": 1})
    assert [line["version"] for line in log[1:4]] == [1, 2, 3]
    assert log[3]["events"][0]["bot"] is True


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.long] if number % 3 else [])
        for number, game in enumerate(games())
    ],
)
async def test_the_bot_plays_every_game_to_its_end(url: str, tmp_path: Path, game: str) -> None:
    (script,) = blocks(README, "python")
    (tmp_path / "bot.py").write_text(script)
    out = await output(sys.executable, "bot.py", url, game, folder=tmp_path)
    assert re.match(r"\{'places': \[", out)
