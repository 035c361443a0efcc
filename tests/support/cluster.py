"""A Redis Cluster on free ports of this machine, whose servers can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from redis.asyncio import Redis
from redis.crc import key_slot

from server.embedded import find_binary
from tests.support.store import PATIENCE_S, eventually, kill

SLOTS = 16384
PRIMARIES = 3
NODE_TIMEOUT_MS = 1000


class Range(NamedTuple):
    """Some slots, and the servers that keep them: the primary first."""

    first: int
    last: int
    servers: list[int]


class Cluster:
    """Three primaries that share the slots evenly, and replicas. Servers are known by their numbers.

    Args:
        folder: for the data of the servers.
        replicas: how many each primary has.
    """

    def __init__(self, folder: Path, replicas: Sequence[int] = (0, 0, 0)) -> None:
        self._folder = folder
        self._owners = [owner for owner, number in enumerate(replicas) for _ in range(number)]
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._buses: list[int] = []
        self.admins: list[Redis] = []
        self.ports: list[int] = []

    @property
    def url(self) -> str:
        """The address of the last primary, by which stores find the others."""
        return f"redis://127.0.0.1:{self.ports[PRIMARIES - 1]}"

    async def start(self) -> None:
        """Start all servers and wait until they agree."""
        number = PRIMARIES + len(self._owners)
        with ExitStack() as held:
            listeners = [
                held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2 * number)
            ]
            free = [listener.getsockname()[1] for listener in listeners]
        self.ports, self._buses = free[:number], free[number:]
        for server in range(number):
            self._launch(server)
            self.admins.append(Redis(host="127.0.0.1", port=self.ports[server]))
        for server in range(number):
            await eventually(lambda server=server: self._answers(server))  # type: ignore[misc]
        for server in range(PRIMARIES):
            first, last = SLOTS * server // PRIMARIES, SLOTS * (server + 1) // PRIMARIES - 1
            await self.run(server, "CLUSTER", "ADDSLOTSRANGE", first, last)
            # Servers that count from the same epoch would have to settle first which of them yields.
            await self.run(server, "CLUSTER", "SET-CONFIG-EPOCH", server + 1)
        for server in range(1, number):
            await self.run(0, "CLUSTER", "MEET", "127.0.0.1", self.ports[server], self._buses[server])
        for server in range(number):
            await eventually(lambda server=server: self._knows(server, number))  # type: ignore[misc]
        for replica, owner in enumerate(self._owners, PRIMARIES):
            ident = text(await self.run(owner, "CLUSTER", "MYID"))
            await self.run(replica, "CLUSTER", "REPLICATE", ident)
        for server in range(number):
            await eventually(lambda server=server: self._agrees(server))  # type: ignore[misc]

    def _launch(self, server: int) -> None:
        port = self.ports[server]
        folder = self._folder / str(port)
        folder.mkdir(parents=True, exist_ok=True)
        arguments = (
            f"--port {port} --cluster-port {self._buses[server]} --bind 127.0.0.1 --dir {folder} "
            f"--cluster-enabled yes --cluster-node-timeout {NODE_TIMEOUT_MS} --repl-diskless-sync-delay 0 "
            "--appendonly yes --appendfsync always --aof-load-truncated no --maxmemory-policy noeviction"
        )
        program = [str(find_binary()), *arguments.split(), "--save", ""]
        self._processes[server] = subprocess.Popen(program, stdout=subprocess.DEVNULL)

    async def run(self, server: int, *command: str | int) -> object:
        """Ask one server."""
        found: object = await self.admins[server].execute_command(*command)  # type: ignore[no-untyped-call]
        return found

    async def _answers(self, server: int) -> bool:
        try:
            return bool(await self.admins[server].ping())
        except OSError:
            return False
        except Exception as error:  # noqa: BLE001 - whatever it says while it starts
            return "onnect" not in str(error)

    async def _knows(self, server: int, number: int) -> bool:
        info = text(await self.run(server, "CLUSTER", "INFO"))
        return "cluster_state:ok" in info and f"cluster_known_nodes:{number}" in info

    async def _agrees(self, server: int) -> bool:
        told = await self.run(server, "CLUSTER", "SLOTS")
        assert isinstance(told, list)
        replicas = sum(len(servers) - 1 for _, _, *servers in told)
        linked = (await self.admins[server].info("replication")).get("master_link_status", "up") == "up"
        return replicas == len(self._owners) and linked

    # --- who keeps what -------------------------------------------------------------------------------

    async def ranges(self) -> list[Range]:
        """The slots and their servers, as a server that can be reached knows them."""
        for admin in self.admins:
            try:
                found = await admin.execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
            except Exception:  # noqa: BLE001 - it was killed; another one knows
                continue
            return [
                Range(first, last, [self.ports.index(int(server[1])) for server in servers])
                for first, last, *servers in found
            ]
        raise AssertionError("no server of the cluster answers")

    async def servers_of(self, key: str) -> list[int]:
        """The servers that keep a key: its primary, then the replicas."""
        slot = key_slot(key.encode())
        return next(found.servers for found in await self.ranges() if found.first <= slot <= found.last)

    async def move(self, slot: int, source: int, target: int) -> None:
        """Move a slot with all its keys from one primary to another."""
        ids = [text(await self.run(server, "CLUSTER", "MYID")) for server in range(PRIMARIES)]
        await self.run(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
        await self.run(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
        while keys := await self.run(source, "CLUSTER", "GETKEYSINSLOT", slot, 100):
            assert isinstance(keys, list)
            port = self.ports[target]
            await self.run(source, "MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)
        for server in (target, source, PRIMARIES - source - target):
            await self.run(server, "CLUSTER", "SETSLOT", slot, "NODE", ids[target])

    # --- what can happen to its servers ---------------------------------------------------------------

    def kill(self, server: int) -> None:
        """End a server as a crash would."""
        process = self._processes.pop(server)
        kill(process.pid)
        process.wait(PATIENCE_S)

    async def restart(self, server: int) -> None:
        """Start a killed server again and wait until it is the replica of whoever took over."""
        self._launch(server)
        await eventually(lambda: self._follows(server))

    async def _follows(self, server: int) -> bool:
        if not await self._answers(server):
            return False
        told = await self.admins[server].info("replication")
        return (told["role"], told.get("master_link_status")) == ("slave", "up")

    async def cut_off(self, replica: int) -> None:
        """Let a replica have all that there is now, and nothing of what follows until `thaw`."""
        told = await self.admins[replica].info("replication")
        primary = self.admins[self.ports.index(int(told["master_port"]))]

        async def level() -> bool:
            mine, theirs = [await one.info("replication") for one in (self.admins[replica], primary)]
            return bool(mine["slave_repl_offset"] == theirs["master_repl_offset"])

        await eventually(level)
        os.kill(self._processes[replica].pid, signal.SIGSTOP)
        # What was sent to a process that stands still would be waiting for it: the link must go, too.
        await primary.client_kill_filter(_type="replica")

    def thaw(self, server: int) -> None:
        """Let a replica that was cut off go on."""
        os.kill(self._processes[server].pid, signal.SIGCONT)

    async def hand_over(self, replica: int) -> None:
        """Let a replica take over from its primary, which goes on as the replica (CLUSTER FAILOVER)."""
        primary = self.ports.index(int((await self.admins[replica].info("replication"))["master_port"]))
        await self.run(replica, "CLUSTER", "FAILOVER")
        await self.leads(replica)
        await eventually(lambda: self._follows(primary))

    async def leads(self, server: int) -> None:
        """Wait until a server is a primary and the whole cluster can be used again."""

        async def does() -> bool:
            if (await self.admins[server].info("replication"))["role"] != "master":
                return False
            others = [other for other in range(len(self.ports)) if other in self._processes]
            infos = await asyncio.gather(*(self.run(other, "CLUSTER", "INFO") for other in others))
            return all("cluster_state:ok" in text(info) for info in infos)

        await eventually(does)

    async def stop(self) -> None:
        """Stop all servers."""
        for admin in self.admins:
            await admin.aclose()
        for process in self._processes.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self._processes.values():
            process.wait(PATIENCE_S)


def text(said: object) -> str:
    """An answer of a server as text."""
    if isinstance(said, dict):
        return "\n".join(f"{key}:{value}" for key, value in said.items())
    return said.decode() if isinstance(said, bytes) else str(said)


@asynccontextmanager
async def cluster_of(folder: Path, replicas: Sequence[int] = (0, 0, 0)) -> AsyncIterator[Cluster]:
    """A running cluster."""
    running = Cluster(folder, replicas)
    try:
        await running.start()
        yield running
    finally:
        await running.stop()
