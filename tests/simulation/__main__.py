"""Run seeds of the simulation: ``python -m tests.simulation SEED`` tells the story of one.

``--count N`` runs N seeds from SEED on and tells only what failed; ``--losses`` lets the store come back
with an older state; ``--plant FAULT`` shows that a fault is noticed.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.simulation import planted
from tests.simulation.world import run


def main() -> int:
    """The exit code: 1 where a seed failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--most", type=int, default=10, help="stop after so many failures")
    parser.add_argument("--losses", action="store_true", help="the store comes back with an older state")
    parser.add_argument("--plant", choices=planted.FAULTS, help="plant a fault in the server")
    asked = parser.parse_args()
    failed = done = 0
    began = time.perf_counter()
    with planted.planted(asked.plant):
        for seed in range(asked.seed, asked.seed + asked.count):
            report = run(seed, keep_notes=asked.count == 1, losses=asked.losses)
            done += 1
            if asked.count == 1:
                _say(*report.notes, f"weather: {report.weather.named()}")
                _say(f"{report.versions} versions, {report.accepted} accepted, {report.seconds:.0f} s")
                _say(f"digest: {report.digest}")
            if report.failure is not None:
                failed += 1
                _say(f"seed {seed}: {report.failure[:600]}")
                if failed >= asked.most:
                    break
    _say(f"{done} seeds, {failed} failed, {time.perf_counter() - began:.1f} s")
    return 1 if failed else 0


def _say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")


sys.exit(main())
