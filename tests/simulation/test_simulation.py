"""Whole clusters under seeded faults: nothing acknowledged is lost, nothing happens twice."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.conftest import results
from tests.faults.results import Results
from tests.simulation import planted
from tests.simulation.world import run
from tests.support.counts import LONG

__all__ = ["results"]

CHUNK = 20
A_FEW = CHUNK if LONG else 5
"""Seeds out of each chunk that are run when many are not asked for."""
SHORT, SHORT_WITH_LOSSES = 40, 20
MANY = int(os.environ.get("FACEDOWN_SEEDS", "10000"))
MANY_WITH_LOSSES = MANY * 3 // 10
ENOUGH = 50
"""Seeds within which a planted fault must show."""


class Found(NamedTuple):
    """What came of some seeds; each failure stands with the command that replays it."""

    failures: list[str]
    accepted: int
    versions: int


def found(first: int, count: int, losses: bool) -> Found:
    """Run some seeds."""
    reports = [run(seed, losses=losses) for seed in range(first, first + count)]
    more = " --losses" if losses else ""
    return Found(
        [
            f"{report.failure}\nreplay: python -m tests.simulation {report.seed}{more}"
            for report in reports
            if report.failure is not None
        ],
        sum(report.accepted for report in reports),
        sum(report.versions for report in reports),
    )


@pytest.mark.parametrize("first", range(0, SHORT, CHUNK))
def test_accepted_commands_are_stored_once_and_views_tell_the_truth(first: int) -> None:
    assert not found(first, A_FEW, losses=False).failures


@pytest.mark.parametrize("first", range(0, SHORT_WITH_LOSSES, CHUNK))
def test_a_lost_history_is_noticed_and_never_used_again(first: int) -> None:
    assert not found(first, A_FEW, losses=True).failures


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("count", "losses"), [(MANY, False), (MANY_WITH_LOSSES, True)])
def test_many_seeds(count: int, losses: bool, results: Results) -> None:
    firsts = range(1_000_000, 1_000_000 + count, CHUNK)
    with ProcessPoolExecutor() as pool:
        chunks = list(pool.map(found, firsts, [CHUNK] * len(firsts), [losses] * len(firsts)))
    assert not [failure for chunk in chunks for failure in chunk.failures]
    name = "simulated clusters" + (" whose store comes back with an older state" if losses else "")
    results.add(name, count, sum(chunk.accepted for chunk in chunks), sum(chunk.versions for chunk in chunks))


@pytest.mark.interpreted
@pytest.mark.parametrize("fault", planted.FAULTS)
def test_a_planted_fault_is_noticed(fault: str, results: Results) -> None:
    with planted.planted(fault):
        for seed in range(ENOUGH):
            if run(seed, losses=fault in planted.LOSSES).failure is not None:
                results.planted(fault, "simulation", f"seed {seed}")
                return
    pytest.fail(f"{ENOUGH} seeds ran, and none noticed the fault {fault}")


def test_a_seed_always_tells_the_same_story() -> None:
    stories = set()
    for hash_seed in ("1", "2"):
        told = subprocess.run(
            [sys.executable, "-m", "tests.simulation", "7"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        stories.add(told.rpartition("\n1 seeds")[0])
    assert len(stories) == 1
    assert "digest:" in stories.pop()
