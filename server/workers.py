"""Several server processes behind one port: a parent that owns the port and the store, and its workers."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import structlog
from prometheus_client import multiprocess

from server.settings import Settings, variable

log = structlog.get_logger(__name__)

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
DRAIN_SIGNAL = signal.SIGUSR1
"""Tells a server, or the parent of several, to take no new connections."""
SHORTEST_LIFE_S = 5.0
"""A worker that dies sooner is started again only after a pause."""
TICK_S = 0.2


def environment(settings: Settings) -> dict[str, str]:
    """The settings as environment variables, from which `Settings.from_env` makes the same ones."""
    found = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        match value:
            case None:
                continue
            case bool():
                text = "1" if value else "0"
            case tuple():
                text = ",".join(value)
            case float():
                text = f"{value:.6f}".rstrip("0").rstrip(".")
            case _:
                text = str(value)
        found[variable(field.name)] = text
    return found


class Workers:
    """Starts the workers, starts dead ones again, stops all of them.

    Args:
        settings: with the store to connect to.
        started: called with the address once the port is open.
        keep: called now and then, in the main thread.
    """

    def __init__(self, settings: Settings, started: Callable[[str], None], keep: Callable[[], None]) -> None:
        self._settings = settings
        self._started = started
        self._keep = keep
        self._stop = threading.Event()
        self._draining = False
        self._figures = tempfile.TemporaryDirectory(prefix="facedown-metrics-")
        self._born: dict[subprocess.Popen[bytes], float] = {}

    def run(self) -> bool:
        """Run until a signal says stop. Gives whether the port could be opened."""
        family = socket.AF_INET6 if ":" in self._settings.host else socket.AF_INET
        with socket.create_server(
            (self._settings.host, self._settings.port), family=family, backlog=4096
        ) as listening:
            host, port = listening.getsockname()[:2]
            before = {number: signal.signal(number, self._ask_to_stop) for number in STOP_SIGNALS}
            before[DRAIN_SIGNAL] = signal.signal(DRAIN_SIGNAL, self._ask_to_drain)
            try:
                for _ in range(self._settings.workers):
                    self._spawn(listening)
                self._started(f"http://{host}:{port}")
                self._watch(listening)
            finally:
                self._end()
                self._figures.cleanup()
                for number, handler in before.items():
                    signal.signal(number, handler)
        return True

    def _ask_to_stop(self, number: int, frame: object) -> None:
        self._stop.set()

    def _ask_to_drain(self, number: int, frame: object) -> None:
        """Any worker was told to take no new connections: so are all, and those that are started later."""
        self._draining = True
        for process in self._born:
            process.send_signal(DRAIN_SIGNAL)

    def _spawn(self, listening: socket.socket) -> None:
        descriptor = listening.fileno()
        env = {
            **os.environ,
            **environment(self._settings),
            "FACEDOWN_PARENT": str(os.getpid()),
            "PROMETHEUS_MULTIPROC_DIR": self._figures.name,
            **({"FACEDOWN_DRAINING": "1"} if self._draining else {}),
        }
        # The workers leave the terminal's group, so that Ctrl-C reaches the parent alone.
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "server.workers", str(descriptor)],
            env=env,
            pass_fds=[descriptor],
            start_new_session=True,
        )
        self._born[process] = time.monotonic()
        log.info("worker_started", pid=process.pid)

    def _watch(self, listening: socket.socket) -> None:
        while not self._stop.wait(TICK_S):
            self._keep()
            for process, born in list(self._born.items()):
                if (code := process.poll()) is None:
                    continue
                del self._born[process]
                log.error("worker_died", pid=process.pid, code=code)
                multiprocess.mark_process_dead(process.pid, self._figures.name)  # type: ignore[no-untyped-call]
                if time.monotonic() - born < SHORTEST_LIFE_S:
                    self._stop.wait(1.0)
                if not self._stop.is_set():
                    self._spawn(listening)

    def _end(self) -> None:
        for process in self._born:
            process.terminate()
        deadline = time.monotonic() + self._settings.shutdown_grace_s + 5
        for process in self._born:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _end_with(parent: int) -> None:
    """Stop this process when its parent is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """One worker: serve on a socket that the parent opened."""
    from server import logs
    from server.run import serve_here

    parent = int(os.environ.pop("FACEDOWN_PARENT"))
    draining = os.environ.pop("FACEDOWN_DRAINING", "") == "1"
    settings = Settings.from_env(os.environ)
    logs.configure(settings.log_level)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        listening.setblocking(False)
        if not serve_here(settings, sockets=[listening], draining=draining):
            sys.exit(3)


if __name__ == "__main__":
    main()
