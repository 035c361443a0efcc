"""Whole clusters under seeded faults: nothing acknowledged is lost, nothing happens twice."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.simulation import planted
from tests.simulation.world import run

CHUNK = 20
SHORT, SHORT_WITH_LOSSES = 80, 40
LONG, LONG_WITH_LOSSES = 10_000, 3_000
ENOUGH = 50
"""Seeds within which a planted fault must show."""


def failures(first: int, count: int, losses: bool) -> list[str]:
    """The failures among some seeds, each with the command that replays it."""
    found = []
    for seed in range(first, first + count):
        report = run(seed, losses=losses)
        if report.failure is not None:
            more = " --losses" if losses else ""
            found.append(f"{report.failure}\nreplay: python -m tests.simulation {seed}{more}")
    return found


@pytest.mark.parametrize("first", range(0, SHORT, CHUNK))
def test_accepted_commands_are_stored_once_and_views_tell_the_truth(first: int) -> None:
    assert not failures(first, CHUNK, losses=False)


@pytest.mark.parametrize("first", range(0, SHORT_WITH_LOSSES, CHUNK))
def test_a_lost_history_is_noticed_and_never_used_again(first: int) -> None:
    assert not failures(first, CHUNK, losses=True)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("count", "losses"), [(LONG, False), (LONG_WITH_LOSSES, True)])
def test_many_seeds(count: int, losses: bool) -> None:
    firsts = range(1_000_000, 1_000_000 + count, CHUNK)
    with ProcessPoolExecutor() as pool:
        found = pool.map(failures, firsts, [CHUNK] * len(firsts), [losses] * len(firsts))
        assert not [failure for some in found for failure in some]


@pytest.mark.parametrize("fault", planted.FAULTS)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    with planted.planted(fault):
        for seed in range(ENOUGH):
            if run(seed, losses=fault in planted.LOSSES).failure is not None:
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
