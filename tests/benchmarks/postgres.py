"""A PostgreSQL server of one's own in a folder, for the peers that store their matches there."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


def programs() -> Path | None:
    """Where PostgreSQL's programs are, or None where it is not installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@contextlib.contextmanager
def postgres(there: Path) -> Iterator[str]:
    """A server with its defaults (fsync, synchronous_commit); gives the URL of an empty database.

    Args:
        there: from `programs`.
    """
    with tempfile.TemporaryDirectory(prefix="facedown-bench-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        # It refuses to be root.
        who: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
            who = ["runuser", "-u", "postgres", "--"]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"

        def run(*command: str | Path) -> None:
            done = subprocess.run([*who, *command], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{command[0]}: {done.stderr}")

        run(there / "initdb", "-D", data, "-A", "trust", "-U", "postgres")
        run(there / "pg_ctl", "-D", data, "-w", "-o", options, "-l", Path(folder) / "log", "start")
        try:
            run(there / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "bench")
            yield f"postgresql://postgres@127.0.0.1:{port}/bench"
        finally:
            run(there / "pg_ctl", "-D", data, "-m", "immediate", "stop")
