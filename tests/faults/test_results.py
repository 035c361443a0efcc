"""The tables of a long run are brought up to date row by row."""

from __future__ import annotations

from pathlib import Path

from tests.faults.results import Results


def test_rows_are_replaced_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "long-run.md"
    first = Results()
    first.add("store hangs", 50, 285, 291)
    first.add("network is slow", 50, 285, 291)
    first.planted("no-id-check", "simulation", "seed 2")
    first.planted("no-id-check", "processes", "run 1")
    first.write(path)
    second = Results()
    second.add("store hangs", 60, 300, 306)
    second.planted("no-id-check", "simulation", "seed 7")
    second.figure("tables played and archived", "2000")
    second.write(path)
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    assert lines == [
        "| fault | injected | commands accepted and found in the log once | versions |",
        "|---|---|---|---|",
        "| network is slow | 50 | 285 | 291 |",
        "| store hangs | 60 | 300 | 306 |",
        "| planted fault | suite | noticed by |",
        "|---|---|---|",
        "| no-id-check | processes | run 1 |",
        "| no-id-check | simulation | seed 7 |",
        "| what | figures |",
        "|---|---|",
        "| tables played and archived | 2000 |",
    ]
    before = path.read_text()
    Results().write(path)
    assert path.read_text() == before
