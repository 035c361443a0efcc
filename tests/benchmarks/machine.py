"""Starting, pinning and watching the processes of a benchmark."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOAD = Path(__file__).parent / "load"
PATIENCE_S = 60.0
UNLIMITED = {
    "FACEDOWN_MESSAGE_BURST": "1000000",
    "FACEDOWN_MESSAGE_RATE_PER_S": "1000000",
    "FACEDOWN_REQUEST_BURST": "1000000",
    "FACEDOWN_REQUEST_RATE_PER_S": "1000000",
    "FACEDOWN_TABLES_PER_ADDRESS_PER_HOUR": "1000000",
    "FACEDOWN_MAX_CONNECTIONS_PER_ADDRESS": "1000000",
    "FACEDOWN_IDLE_TABLES": "1000000",
    "FACEDOWN_LOG_LEVEL": "warning",
}


def cores() -> tuple[int, int]:
    """The core of the server, and that of the generator and the store."""
    there = sorted(os.sched_getaffinity(0))
    return there[0], there[-1]


def pin(pid: int, core: int) -> None:
    """Keep a process and its threads on one core."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {core})


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """What is started here runs on this core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def children(pid: int) -> list[int]:
    """The processes that a process has started and that live."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def rss_kib(pid: int) -> int:
    """The resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


def cpu_us(pid: int) -> float:
    """The processor time of a process in microseconds, by the scheduler's clock."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1000


def build(folder: Path) -> Path:
    """Compile the load generator. Raises RuntimeError where there is no C compiler."""
    program = folder / "load"
    try:
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-Wall", "-o", program, LOAD / "load.c"], check=True
        )
    except FileNotFoundError:
        raise RuntimeError(
            "the load generator is written in C: install a compiler, or name one with CC"
        ) from None
    return program


@dataclass
class Server:
    """A server that runs for a benchmark."""

    process: subprocess.Popen[str]
    port: int
    folder: Path
    started_s: float
    store: int = 0
    _more: list[int] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid


@contextlib.contextmanager
def serving(kind: str = "", folder: Path | None = None, **settings: str) -> Iterator[Server]:
    """A server with an embedded store in a folder of its own; pinned, the store to the generator's core.

    Args:
        kind: "floor" for the floor, "plain" for the server as it is shipped.
        folder: where its data are; None for a new one that is removed in the end.
    """
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(
                stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="facedown-bench-", ignore_cleanup_errors=True)
                )
            )
        arguments = (
            ["-c", "from server.cli import app; app()", "serve"]
            if kind == "plain"
            else ["-m", "tests.benchmarks.serve", *([kind] if kind else [])]
        )
        here, there = cores()
        began = time.perf_counter()
        with on_core(here):
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=folder,
                # `make bench` names the compiled packages there, before the others.
                env={"PYTHONPATH": str(ROOT), **os.environ, "FACEDOWN_PORT": "0", **UNLIMITED, **settings},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        stack.callback(_end, process)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(r"serves at http://\S+:(\d+)", line):
                server = Server(process, int(found[1]), folder, time.perf_counter() - began)
                server.store = next(iter(children(process.pid)), 0)
                if server.store:
                    pin(server.store, there)
                yield server
                return
        raise RuntimeError(f"the server did not start:\n{said}")


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()
