"""The proxy of `deploy/`, run as an operator would: the shipped file, with other ports and another folder."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import time
from pathlib import Path

from tests.support.server import ROOT
from tests.support.store import PATIENCE_S

CONFIG = ROOT / "deploy" / "nginx.conf"


def find_nginx() -> str | None:
    """The program; Debian keeps it where not everybody's PATH leads."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def lasting_port() -> int:
    """A free port that no outgoing connection takes while its server is away: below the ephemeral ones."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def rendered(folder: Path, port: int, servers: tuple[int, int]) -> str:
    """`deploy/nginx.conf` for this machine: nothing but addresses and folders differ."""
    text = CONFIG.read_text()
    changes = {
        "listen 8080;": f"listen 127.0.0.1:{port};",
        "server server-1:8000 ": f"server 127.0.0.1:{servers[0]} ",
        "server server-2:8000 ": f"server 127.0.0.1:{servers[1]} ",
    }
    for shipped, here in changes.items():
        assert text.count(shipped) == 1, f"{shipped!r} is not there once"
        text = text.replace(shipped, here)
    return text.replace(" /tmp/nginx", f" {folder}/nginx")


class Nginx:
    """A running proxy.

    Args:
        folder: for its configuration, its logs and what it keeps in files.
        servers: the ports of the two servers behind it.
    """

    def __init__(self, folder: Path, servers: tuple[int, int]) -> None:
        program = find_nginx()
        assert program is not None
        folder.mkdir()
        port = lasting_port()
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._out, self._errors = folder / "access.log", folder / "error.log"
        config = folder / "nginx.conf"
        config.write_text(rendered(folder, port, servers))
        # Started by root, its workers would be nobody, whom the tests' folders are closed to.
        more = " user root;" if os.geteuid() == 0 else ""
        with self._out.open("wb") as out, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [program, "-p", folder, "-c", config, "-e", "stderr", "-g", f"daemon off;{more}"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
            )
        self._wait()

    @property
    def log(self) -> str:
        """All that it wrote: requests and errors."""
        return self._out.read_text() + self._errors.read_text()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            assert self._process.poll() is None, self.log
            try:
                socket.create_connection(("127.0.0.1", self._port)).close()
            except ConnectionError:
                time.sleep(0.01)
            else:
                return
        raise AssertionError(f"nginx does not listen:\n{self.log}")

    def stop(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)
