"""The JavaScript client's own tests (clients/js/test), run by node against servers of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.node import program
from tests.support.server import ROOT

FOLDER = ROOT / "clients" / "js"
LONG = {"chaos", "examples", "replay", "resume", "verify"}
"""These play or check many whole games; `make test-long` and `make test-js` run them."""

FILES = sorted(path.name.partition(".")[0] for path in (FOLDER / "test").glob("*.test.js"))


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    """The program, with the packages that the tests need installed."""
    import fcntl

    found = program("node")
    if found is None or program("npm") is None:
        pytest.skip("Node.js 20 or newer is not there; scripts/setup-node installs it")
    shared = tmp_path_factory.getbasetemp()
    with (shared.parent if worker_id != "master" else shared).joinpath("npm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([ROOT / "scripts" / "setup-node"], check=True, timeout=240, env=environment(found))
    return found


def environment(node: str) -> dict[str, str]:
    path = f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHON": sys.executable}


@pytest.mark.timeout(600)
def test_the_types_hold(node: str) -> None:
    compiler = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
    words = [node, str(compiler), "-p", "tsconfig.json"]
    done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in LONG else []) for name in FILES]
)
def test_file(name: str, node: str) -> None:
    words = [node, "--test", "--test-timeout=600000", f"test/{name}.test.js"]
    done = subprocess.run(
        words, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=1100, env=environment(node)
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "# pass 0" not in done.stdout
