"""``python -m tests.benchmarks.pairs FOLDER``: other servers with the same game, in pairs with this one.

FOLDER is where their packages are installed; nothing of theirs is kept here. Each round measures each peer
and this server directly after it, and the median of the pairs' ratios counts: alone, each varies far more.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.machine import build, cores, on_core
from tests.benchmarks.measures import Bench, Record
from tests.benchmarks.postgres import postgres, programs

HERE = Path(__file__).parent / "peers"
PORT = 18100
CONFIGURATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "col-now": ("colyseus", {"PATCH": "now"}),
    "bgio-mem": ("bgio", {"STORE": "mem"}),
    "bgio-pg": ("bgio", {"STORE": "pg"}),
}


def install(folder: Path) -> None:
    """Copy the scripts into ``folder`` and let npm install what they need."""
    if shutil.which("npm") is None:
        raise RuntimeError("the peers need Node.js 20 or newer with npm")
    for name in ("bgio", "colyseus"):
        shutil.copytree(HERE / name, folder / name, dirs_exist_ok=True)
        quiet = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(quiet, cwd=folder / name, check=True)
    shutil.copy(HERE / "bench.js", folder / "bench.js")


@contextlib.contextmanager
def peer(folder: Path, name: str) -> Iterator[int]:
    """The server of a peer on the first core; gives its process."""
    part, settings = CONFIGURATIONS[name]
    with contextlib.ExitStack() as stack:
        if settings.get("STORE") == "pg":
            there = programs()
            assert there is not None
            with on_core(cores()[1]):
                settings = {**settings, "PGURI": stack.enter_context(postgres(there))}
        yield from _node(folder, part, settings, name)


def _node(folder: Path, part: str, settings: dict[str, str], name: str) -> Iterator[int]:
    with on_core(cores()[0]):
        process = subprocess.Popen(
            ["node", "--expose-gc", f"{part}/server.js"],
            cwd=folder,
            env={
                "NODE_ENV": "production",
                "PORT": str(PORT),
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                **settings,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    try:
        assert process.stdout is not None
        if not any("READY" in line for line in process.stdout):
            raise RuntimeError(f"{name} did not start")
        yield process.pid
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def generate(folder: Path, name: str, mode: str, **options: object) -> Record:
    """One load on one peer, in the terms of our own records."""
    part, _ = CONFIGURATIONS[name]
    with peer(folder, name) as pid, on_core(cores()[1]):
        given = [f"{key}={value}" for key, value in {"port": PORT, "pid": pid, **options}.items()]
        done = subprocess.run(
            ["node", "bench.js", part, mode, *given], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr[-500:]}")
    found: Record = json.loads(done.stdout)
    return {
        "mps": found["mps"],
        "server_us": found["cpuUs"],
        "bytes": found["bytes"],
        "last_p50_ms": found["all50"] / 1000,
        "last_p99_ms": found["all99"] / 1000,
        "generator_core": found["genCpu"],
        "others_core": found["otherCpu"],
    }


def main() -> None:
    """Measure in pairs."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.pairs")
    parser.add_argument("folder", type=Path, help="where the peers' packages are installed")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--tables", type=int, nargs="*", default=[50])
    parser.add_argument("--ms", type=int, default=4000)
    parser.add_argument("--pause-s", type=float, default=0.5)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    install(given.folder)
    # PostgreSQL is measured where it is installed.
    chosen = [name for name in CONFIGURATIONS if name != "bgio-pg" or programs() is not None]
    pairs: dict[tuple[int, str], list[tuple[Record, Record]]] = {}
    with tempfile.TemporaryDirectory(prefix="facedown-bench-") as folder:
        bench = Bench(build(Path(folder)), given.ms / 4000)
        for _ in range(given.times):
            for number in given.tables:
                for name in (*chosen, "floor"):
                    if name == "floor":
                        theirs = bench.play(number, floor=True)
                    else:
                        theirs = generate(
                            given.folder, name, "load", n=number, warm=given.ms // 2, dur=given.ms
                        )
                    time.sleep(given.pause_s)
                    ours = bench.play(number)
                    pairs.setdefault((number, name), []).append((theirs, ours))
                    sys.stderr.write(json.dumps({"tables": number, name: theirs, "facedown": ours}) + "\n")
    sys.stdout.write(summary(pairs))


def summary(pairs: dict[tuple[int, str], list[tuple[Record, Record]]]) -> str:
    """The medians, and the ratios of processor time a move with their least and greatest."""
    lines = [
        "| tables | beside | its us a move | ours | ours / its [range] | moves/s | ours | bytes | ours |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (number, name), found in pairs.items():
        ratios = [ours["server_us"] / theirs["server_us"] for theirs, ours in found]

        def middle(which: int, key: str, found: list[tuple[Record, Record]] = found) -> float:
            return float(statistics.median(pair[which][key] for pair in found))

        lines.append(
            f"| {number} | {name} | {middle(0, 'server_us'):.0f} | {middle(1, 'server_us'):.0f} "
            f"| {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}] "
            f"| {middle(0, 'mps'):,.0f} | {middle(1, 'mps'):,.0f} "
            f"| {middle(0, 'bytes'):,.0f} | {middle(1, 'bytes'):,.0f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
