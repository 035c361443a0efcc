"""The shape of the project: who imports whom, names that are taken, and files that stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.events import Command, Commit
from domain.registry import games
from domain.table import Seat, Table
from projections.registry import RESERVED, projection
from projections.views import View

ROOT = Path(__file__).parents[1]
OURS = ("server", "domain", "projections", "tests")
MOST_LINES = 400

SHARED_VIEWS = {"tarot_views"}
"""Modules that several games' views share."""

LONGER_FILES: dict[str, int] = {
    "tests/server/store/test_faults.py": 450,  # one list of what can go wrong
}
"""Files that may have more lines than `MOST_LINES`, with their own limit and a reason beside it."""


def python_files(*folders: str) -> Iterator[Path]:
    """Our Python files."""
    for folder in folders:
        yield from sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.timeout(180)
def test_the_import_contracts_hold() -> None:
    """Layers, independent games, a pure domain, and a server that names no game (see ``pyproject.toml``)."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "0 broken" in ran.stdout


def test_the_domain_uses_the_standard_library_and_msgspec_alone() -> None:
    for path in python_files("domain"):
        foreign = imported(path) - sys.stdlib_module_names - {"domain", "msgspec"}
        assert not foreign, f"{path.relative_to(ROOT)} imports {foreign}"


def test_the_projections_use_the_domain_the_standard_library_and_msgspec_alone() -> None:
    for path in python_files("projections"):
        foreign = imported(path) - sys.stdlib_module_names - {"domain", "projections", "msgspec"}
        assert not foreign, f"{path.relative_to(ROOT)} imports {foreign}"


IMPURE = {"asyncio", "datetime", "io", "logging", "os", "pathlib", "random", "secrets", "shutil", "socket"}
IMPURE |= {"subprocess", "sys", "tempfile", "threading", "time", "uuid", "multiprocessing", "concurrent"}


def test_the_domain_has_no_clock_no_randomness_and_no_input_or_output() -> None:
    for path in python_files("domain", "projections"):
        used = imported(path) & IMPURE
        assert not used, f"{path.relative_to(ROOT)} imports {used}"
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"open", "print", "input", "eval", "exec"}, path


def test_the_server_names_no_game() -> None:
    games = sorted(
        path.name for path in (ROOT / "domain" / "games").iterdir() if (path / "__init__.py").exists()
    )
    assert games
    for path in python_files("server"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for game in games:
            assert not {game, game.replace("_", "-")} & (texts | names), (
                f"{path.relative_to(ROOT)} names {game}"
            )


def test_modules_beside_the_views_of_the_games_have_reserved_names() -> None:
    """A game called like one of them could not have a view."""
    games = {path.name for path in (ROOT / "domain" / "games").iterdir() if path.is_dir()}
    modules = {path.stem for path in (ROOT / "projections").glob("*.py")} - {"__init__"}
    assert games - {"__pycache__"} <= modules, "a game has no view"
    assert modules - games - SHARED_VIEWS <= RESERVED
    assert not RESERVED & games


def test_every_folder_of_tests_is_a_package() -> None:
    """Else two test files of the same name hide each other."""
    for path in python_files("tests"):
        assert (path.parent / "__init__.py").exists(), f"{path.parent.relative_to(ROOT)} has no __init__.py"


def test_no_file_is_too_long() -> None:
    for path in python_files(*OURS):
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= LONGER_FILES.get(name, MOST_LINES), f"{name} has {lines} lines"
    for name, most in LONGER_FILES.items():
        assert most > MOST_LINES
        assert (ROOT / name).exists(), f"{name} is gone: take it off the list"


def test_every_module_of_ours_says_what_it_is() -> None:
    for path in python_files(*OURS):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not tree.body or ast.get_docstring(tree), f"{path.relative_to(ROOT)} has no docstring"


def test_the_collector_has_nothing_to_do_with_values() -> None:
    """States, events, commits and views cannot hold themselves: tracking costs every move a part of it."""
    for name, game in games().items():
        view = projection(name).view_type
        kinds: tuple[Any, ...] = (Table, Seat, Commit, Command, View, game.options, game.state, view)
        for kind in (*kinds, *game.events):
            assert kind.__struct_config__.gc is False, f"{name}: {kind.__name__} is tracked"
