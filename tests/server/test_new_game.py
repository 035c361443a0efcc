"""``facedown new-game``: a seventh game that works at once, without a line changed in the server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.cli import app

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.interpreted  # it works on a copy of the Python files


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's Python with one new game in it."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("domain", "projections", "server", "tests", "clients/js/src"):
        left_out = shutil.ignore_patterns("__pycache__", "browser", "benchmarks", "golden")
        shutil.copytree(ROOT / name, root / name, ignore=left_out)
    shutil.copy(ROOT / "pyproject.toml", root)
    made = run(root, "server.cli", "new-game", "high-card", "--title", "High Card")
    assert made.returncode == 0, made.stderr
    assert "High Card can be played:  facedown play high-card" in made.stdout
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=False
    )


def test_its_tests_and_the_laws_hold_for_it_at_once(checkout: Path) -> None:
    tests = (
        "tests/games/high_card",
        "tests/conformance",
        "-k",
        "high_card or high-card",
        "-m",
        "long or not long",
    )
    done = run(checkout, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(done.stdout.rsplit(" passed", 1)[0].rsplit(None, 1)[-1]) > 50


def test_it_is_in_the_catalogue_and_can_be_played_over_sockets(checkout: Path) -> None:
    listed = run(checkout, "server.cli", "games")
    assert "high-card" in listed.stdout
    played = run(checkout, "server.cli", "play", "high-card", "--seats", "3", "--bots", "--json")
    assert played.returncode == 0, played.stderr
    assert '"scores"' in played.stdout


def test_what_it_writes_is_formatted_and_clean(checkout: Path) -> None:
    paths = [
        str(path.relative_to(checkout))
        for path in checkout.rglob("*high_card*")
        if not {"golden", "__pycache__"} & set(path.parts)
    ]
    assert len(paths) >= 3
    for words in (("check",), ("format", "--check")):
        done = run(checkout, "ruff", *words, *paths)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "name",
    [
        *("High Card", "high_card", "-x", "", "registry", "trick-and-trade"),
        *("class", "none", "true", "async", "game", "options", "exception"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, checkout: Path) -> None:
    done = CliRunner().invoke(app, ["new-game", "--root", str(ROOT), "--", name])
    assert done.exit_code == 2
    assert "facedown:" in done.stderr


@pytest.mark.parametrize("title", ['Ti"tle', "Title\\", "Ti\ntle", " "])
def test_a_title_that_python_could_not_read_is_refused(title: str, checkout: Path) -> None:
    done = CliRunner().invoke(app, ["new-game", "--root", str(checkout), "--title", title, "low-card"])
    assert done.exit_code == 2
    assert "facedown:" in done.stderr
    assert not (checkout / "domain" / "games" / "low_card").exists()


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new-game", "high-card", "--root", str(tmp_path)])
    assert done.exit_code == 2
    assert "no checkout" in done.stderr
