"""What is compiled follows its rules, and does what the Python files do."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
BESIDE = (
    *("tests", "clients", "docs", "deploy", "examples", "scripts"),
    *(
        "pyproject.toml",
        "constraints.txt",
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
    ),
)
"""What the tests need of a checkout, apart from the packages."""

SUITES = (
    *("tests/attack", "tests/conformance", "tests/domain", "tests/domain_tarot", "tests/e2e", "tests/faults"),
    *(
        "tests/games",
        "tests/projections",
        "tests/secrecy",
        "tests/server",
        "tests/simulation",
        "tests/tables",
    ),
)

loader = SourceFileLoader("compiling", str(ROOT / "scripts" / "compile"))
compiling = ModuleType(loader.name)
compiling.__file__ = loader.path
loader.exec_module(compiling)

OURS = ("PYTHON", "PYTEST", "COV", "FACEDOWN_")
"""How variables begin that are for this run of the tests alone."""

WAITS = (ast.AsyncFunctionDef, ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith)


@pytest.mark.parametrize("module", compiling.MODULES)
def test_nothing_that_waits_and_no_type_of_msgspec_is_compiled(module: str) -> None:
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        assert not isinstance(node, WAITS), f"{module}:{node.lineno}: a coroutine or a generator"
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
            assert not bases & {"Struct", "NamedTuple"}, f"{module}:{node.lineno}: {node.name}"


def compiled_copy(folder: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "compile", folder], check=True, capture_output=True)
    for name in BESIDE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__")
            )
        else:
            shutil.copy2(source, folder / name)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose packages are compiled."""
    folder = tmp_path_factory.mktemp("compiled") / "checkout"
    compiled_copy(folder)
    return folder


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYTEST", "COV"))
        }
        | {"FACEDOWN_LONG": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.long
@pytest.mark.timeout(900)
def test_it_is_what_runs(compiled: Path) -> None:
    program = "import server.storing, domain.visibility as v; print(server.storing.__file__, v.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=compiled, capture_output=True, text=True, check=True
    )
    assert done.stdout.count(".so") == 2, done.stdout


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1, 2, 3, 7, 20, 33])
def test_a_simulated_cluster_tells_the_same_story(compiled: Path, seed: int) -> None:
    here, there = (run(folder, "tests.simulation", str(seed)).splitlines() for folder in (ROOT, compiled))
    assert "digest:" in here[-2]
    assert there[:-1] == here[:-1]  # the last line says how long it took


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("suite", SUITES)
def test_the_quick_tests_pass(compiled: Path, suite: str) -> None:
    quick = "not long and not interpreted"
    told = run(compiled, "pytest", "-q", "-p", "no:cacheprovider", "-m", quick, suite)
    assert " passed" in told
