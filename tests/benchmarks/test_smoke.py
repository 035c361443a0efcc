"""The benchmarks run: a few moves each, nothing of their speed is looked at."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import table
from tests.benchmarks.machine import ROOT, build
from tests.benchmarks.measures import Bench, medians

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the benchmarks read /proc"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="the load generator needs a C compiler"),
    pytest.mark.timeout(240),
]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The load generator."""
    return build(tmp_path_factory.mktemp("load"))


@pytest.fixture(scope="module")
def bench(load: Path) -> Bench:
    """Everything as short as it can be."""
    return Bench(load, 0.01)


@pytest.mark.parametrize(
    "views", ["patch", *(pytest.param(views, marks=pytest.mark.long) for views in ("full", "none"))]
)
def test_players_play(bench: Bench, views: str) -> None:
    found = bench.play(2, views=views)
    assert found["moves"] > 0
    assert found["server_us"] > 0
    assert "closed" in table({"closed": medians([found])})


@pytest.mark.long
def test_the_floor_answers_like_the_server(bench: Bench) -> None:
    found, floor = bench.play(1), bench.play(1, floor=True)
    assert floor["moves"] > 0
    assert abs(floor["bytes"] - found["bytes"]) < 200


@pytest.mark.long
def test_moves_come_at_a_rate_and_spectators_see_them(load: Path, bench: Bench) -> None:
    # Longer than the others: six moves are soon missed beside other tests.
    assert Bench(load, 0.25).play(2, 20)["moves"] > 0
    seen = bench.spectate(3, 20)
    assert seen["bytes_per_spectator"] > 0


def test_a_seat_comes_back(bench: Bench) -> None:
    assert 0 < bench.reconnect(8)["bytes"] <= 4096


def test_a_log_is_loaded_cold() -> None:
    # In a process of its own: the benchmark's game is not to be found by other tests.
    program = "import json; from tests.benchmarks.cold import cold_load; print(json.dumps(cold_load(60, 2)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True)
    assert json.loads(done.stdout)["events"] == 60


def test_the_peers_scripts_are_there() -> None:
    peers = Path(__file__).parent / "peers"
    for name in ("bgio", "colyseus"):
        assert {"client.js", "game.js", "package.json", "server.js"} <= {
            file.name for file in (peers / name).iterdir()
        }
