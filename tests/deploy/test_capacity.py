"""The arithmetic of the capacity plan in deploy/README.md."""

from __future__ import annotations

import re

from tests.support.server import ROOT

README = (ROOT / "deploy" / "README.md").read_text()
PLAN = README.split("\n## Capacity\n")[1].split("\n## ")[0]
TABLES = [
    [cell.strip() for cell in line.split("|")[1:-1]] for line in PLAN.splitlines() if line.startswith("|")
]


def _unit(begin: str) -> float:
    (found,) = [row[1] for row in TABLES if len(row) == 2 and row[0] == begin]
    return float(found.split()[0])


MOVE = _unit("a move at a table of four, in the process that carries it out")
ELSEWHERE = _unit("the same in each other process that has viewers of the table")
SPECTATOR = _unit("a spectator, for each move")
CONNECTION = _unit("a connection")
TABLE = _unit("a table, in each process that has viewers of it")
PROCESS = _unit("a process itself")
TOLD = _unit("a move, told to one viewer as a whole view")
STORE_US = _unit("a move in the store, alone")
STORE_BYTES = _unit("a move in the store")
DISK = _unit("a move on the store's disk")


def _plan(players: int, processes: int) -> dict[str, float]:
    """What the formulas of the text give."""
    moves = players / 12
    places = processes * (1 - (1 - 1 / processes) ** 5)
    cores = moves * (MOVE + SPECTATOR + ELSEWHERE * (places - 1)) / 1e6
    memory = (players * 1.25 * CONNECTION + players / 4 * places * TABLE) / 1024 + processes * PROCESS
    return {
        "moves a second": moves,
        "CPU of all processes, cores": cores,
        "CPU of each, percent": cores / processes * 100,
        "connections of each": players * 1.25 / processes,
        "memory of all processes, MiB": memory,
        "sent, Mbit/s": moves * TOLD * 5 * 8 / 1e6,
        "CPU of the store, percent of one core": moves * STORE_US / 1e4,
        "memory that the store fills in an hour, MB": moves * 3600 * STORE_BYTES / 1e6,
        "written by the store in a day, GB": moves * 86400 * DISK / 1e9,
    }


def test_the_examples_follow_from_the_costs_of_each_unit() -> None:
    rows = {row[0]: [float(cell.replace(",", "")) for cell in row[1:]] for row in TABLES if _is_example(row)}
    players, processes = rows.pop("players"), rows.pop("processes, each on a core")
    assert players == [1_000, 10_000, 100_000]
    assert (
        f"D = K × (1 - (1 - 1/K)^5)` of them on average, and a move costs `{MOVE:.0f} + {SPECTATOR:.0f}"
        in PLAN
    )
    for column, (many, count) in enumerate(zip(players, processes, strict=True)):
        plan = _plan(int(many), int(count))
        assert set(plan) == set(rows)
        for name, value in plan.items():
            told = rows[name][column]
            digits = 2 if "cores" in name else 1 if name.startswith(("sent", "written")) else 0
            assert told == round(value, digits), f"{name} of {many}: {value}"
            if name == "CPU of each, percent":
                assert told <= 60


def _is_example(row: list[str]) -> bool:
    return len(row) == 4 and set(row[1]) <= set("0123456789.,")


def test_what_the_advice_counts_with_is_right() -> None:
    moved = re.search(r"([\d.]+) ms for each of ([\d,]+) are (\d+) s of CPU, some (\d+) s over seven", PLAN)
    assert moved is not None
    total = float(moved[1]) * int(moved[2].replace(",", "")) / 1000
    assert (int(moved[3]), int(moved[4])) == (round(total), round(total / 7))
    workers = re.search(r"([\d,]+) for each worker of `nginx.conf`, so (\d+) workers", PLAN)
    assert workers is not None
    each = int(workers[1].replace(",", ""))
    assert f"worker_connections {each};" in (ROOT / "deploy" / "nginx.conf").read_text()
    assert int(workers[2]) == -(-2 * 125_000 // each)
    assert len([line for line in PLAN.splitlines() if line]) <= 60
