"""``python -m tests.benchmarks``: measure this server and print JSON lines, then a table.

python -m tests.benchmarks [--times 3] [--quick] [--only WORD] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from server.app import is_compiled
from tests.benchmarks.cold import cold_load
from tests.benchmarks.machine import build
from tests.benchmarks.measures import Bench, Record, medians

Measure = Callable[[], Record]


def plan(bench: Bench, quick: bool) -> dict[str, Measure]:
    """Every measurement by name, in the order in which they are interleaved."""
    many = 500 if quick else 10_000
    return {
        "floor, 1 table": lambda: bench.play(1, floor=True),
        "closed, 1 table": lambda: bench.play(1),
        "floor, 50 tables": lambda: bench.play(50, floor=True),
        "closed, 50 tables": lambda: bench.play(50),
        "closed, 50 tables, patch": lambda: bench.play(50, views="patch"),
        "closed, 50 tables, none": lambda: bench.play(50, views="none"),
        "floor, 200 tables": lambda: bench.play(200, floor=True),
        "closed, 200 tables": lambda: bench.play(200),
        "two processes, 50 tables": lambda: bench.parted(50),
        "open, 50 moves/s": lambda: bench.play(50, 50),
        "open, 500 moves/s": lambda: bench.play(50, 500),
        "0 spectators": lambda: bench.spectate(0, 200),
        "500 spectators": lambda: bench.spectate(100 if quick else 500, 200),
        "2,000 spectators": lambda: bench.spectate(200 if quick else 2000, 400),
        "reconnect after 40": lambda: bench.reconnect(40),
        "reconnect after 1,000": lambda: bench.reconnect(200 if quick else 1000),
        "memory of a table": lambda: bench.table_memory(200 if quick else 2000),
        "memory of a connection": lambda: bench.connection_memory(200 if quick else 2000),
        f"50 of {many} open tables": lambda: bench.crowded(many),
        "move 25,000": lambda: bench.growth(1000 if quick else 25_000),
        "cold load": lambda: dict(cold_load(200 if quick else 2000, 5 if quick else 30)),
        "start": bench.start,
    }


COLUMNS = (
    ("mps", "moves/s", 0),
    ("server_us", "server us", 1),
    ("store_us", "store us", 1),
    ("bytes", "bytes", 0),
    ("own_p50_ms", "mover p50", 2),
    ("own_p99_ms", "p99", 2),
    ("last_p50_ms", "last p50", 2),
    ("last_p99_ms", "p99", 2),
    ("server_core", "server", 2),
    ("generator_core", "generator", 2),
    ("others_core", "others", 2),
)
OTHERS = (
    ("p50_ms", "p50 ms", 2),
    ("p99_ms", "p99 ms", 2),
    ("kib_per_table", "KiB a table", 1),
    ("kib_per_connection", "KiB a connection", 1),
    ("bytes_per_spectator", "bytes a spectator", 0),
    ("early_us", "us early", 1),
    ("late_us", "us late", 1),
    ("ratio", "ratio", 3),
    ("load_ms", "load ms", 2),
    ("ready_s", "ready s", 3),
)


def table(results: dict[str, Record]) -> str:
    """The medians as a table for people; latencies in milliseconds, processor time per move."""
    lines = ["| load | " + " | ".join(title for _, title, _ in COLUMNS) + " | more |"]
    lines.append("|" + "---|" * (len(COLUMNS) + 2))
    for name, record in results.items():
        cells = [f"{record[key]:,.{digits}f}" if key in record else "" for key, _, digits in COLUMNS]
        more = ", ".join(f"{title} {record[key]:,.{n}f}" for key, title, n in OTHERS if key in record)
        lines.append(f"| {name} | {' | '.join(cells)} | {more} |")
    return "\n".join(lines)


def shape() -> Record:
    """The machine and the moment."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": len(os.sched_getaffinity(0)),
        "machine": platform.machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiled": is_compiled(),
        "load": os.getloadavg(),
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--times", type=int, default=3, help="how often each is measured; the median counts")
    parser.add_argument("--quick", action="store_true", help="a few moves each, to see that everything runs")
    parser.add_argument("--only", default="", help="measure only what has this in its name")
    parser.add_argument("--out", type=Path, help="also append the JSON lines to this file")
    given = parser.parse_args()
    found: dict[str, list[Record]] = {}

    def say(record: Record) -> None:
        line = json.dumps(record)
        sys.stderr.write(line + "\n")
        if given.out is not None:
            with given.out.open("a") as file:
                file.write(line + "\n")

    say(shape())
    with tempfile.TemporaryDirectory(prefix="facedown-bench-") as folder:
        measures = plan(Bench(build(Path(folder)), 0.1 if given.quick else 1.0), given.quick)
        for _ in range(given.times):
            for name, measure in measures.items():
                if given.only in name:
                    record = measure()
                    found.setdefault(name, []).append(record)
                    say({"load": name, **record})
    sys.stdout.write(table({name: medians(records) for name, records in found.items()}) + "\n")


if __name__ == "__main__":
    main()
