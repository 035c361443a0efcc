"""What is measured: each function starts a fresh server, puts one load on it and gives one record."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from server.embedded import EmbeddedStore
from tests.benchmarks import tables
from tests.benchmarks.machine import Server, cores, on_core, rss_kib, serving

Record = dict[str, Any]

TABLES, PAIRS = 10, 7
"""How many old tables are set beside as many new ones, and how often."""


class Bench:
    """Runs the load generator against fresh servers.

    Args:
        load: the compiled generator.
        scale: shortens everything, for trying it out; 1 for figures.
    """

    def __init__(self, load: Path, scale: float = 1.0) -> None:
        self._load = load
        self._scale = scale

    def _generate(self, server: Server, plan: list[list[str]], floor: bool, **options: Any) -> Record:
        path = tables.write_plan(server.folder / "plan", plan)
        fixed = {"port": server.port, "pid": server.pid, "store": server.store, "floor": int(floor)}
        arguments = [f"{name}={value}" for name, value in {**fixed, **options}.items()]
        with on_core(cores()[1]):
            done = subprocess.run([self._load, path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the load generator failed: {done.stderr}")
        found: Record = json.loads(done.stdout)
        return found

    def _plan(self, server: Server, number: int, floor: bool) -> list[list[str]]:
        return tables.made_up(number) if floor else tables.open_tables(server.port, number)

    def _ms(self, ms: float) -> int:
        return max(300, round(ms * self._scale))

    def play(self, number: int, rate: float = 0, *, floor: bool = False, views: str = "full") -> Record:
        """So many tables in play; ``rate`` moves a second in all, or 0: each as soon as it can."""
        with serving("floor" if floor else "") as server:
            return self._generate(
                server,
                self._plan(server, number, floor),
                floor,
                mode="play",
                views=views,
                warm=self._ms(2000),
                ms=self._ms(4000),
                gap=round(number / rate * 1e6) if rate else 0,
            )

    def parted(self, number: int) -> Record:
        """Two servers over one store, two players of each table on either: what telling each other costs."""
        with serving() as one:
            url = EmbeddedStore(one.folder / "facedown-data").url
            with serving(FACEDOWN_STORE=url) as two:
                return self._generate(
                    one,
                    self._plan(one, number, False),
                    False,
                    mode="play",
                    warm=self._ms(2000),
                    ms=self._ms(4000),
                    port2=two.port,
                    pid2=two.pid,
                )

    def crowded(self, open_tables: int) -> Record:
        """Fifty tables in play, among so many that are open and kept in memory."""
        with serving() as server:
            plan = tables.open_tables(server.port, open_tables)
            return self._generate(
                server, plan[:50], False, mode="play", warm=self._ms(2000), ms=self._ms(4000)
            )

    def growth(self, last: int) -> Record:
        """What a move costs after so many, against one of new tables, in turn: alone, either varies more.

        Ten tables at once, since what one alone costs is mostly that the server wakes for each of its moves.
        """
        first, span = max(20, round(100 * self._scale)), max(50, round(1000 * self._scale))
        with serving() as server:

            def cost(plan: list[list[str]], since: int) -> float:
                window = f"{since * len(plan)}-{(since + span) * len(plan)}"
                found = self._generate(server, plan, False, mode="play", window=window)
                return float(found["windows"][0]["server_us"])

            old = self._plan(server, TABLES, False)
            cost(old, last - span)
            pairs = [(cost(self._plan(server, TABLES, False), first), cost(old, first)) for _ in range(PAIRS)]
            return {
                "early_us": statistics.median(early for early, _ in pairs),
                "late_us": statistics.median(late for _, late in pairs),
                "ratio": statistics.median(late / early for early, late in pairs),
                "rss_mib": rss_kib(server.pid) / 1024,
            }

    def spectate(self, spectators: int, gap_ms: int) -> Record:
        """One table, a move now and then, and so many spectators."""
        with serving() as server:
            return self._generate(
                server,
                self._plan(server, 1, False),
                False,
                mode="spectate",
                spectators=spectators,
                gap=gap_ms * 1000,
                ms=self._ms(6000),
            )

    def reconnect(self, history: int) -> Record:
        """A seat comes back again and again after so many moves."""
        times = max(5, round(55 * self._scale))
        with serving() as server:
            plan = self._plan(server, 1, False)
            return self._generate(server, plan, False, mode="reconnect", history=history, times=times)

    def table_memory(self, number: int) -> Record:
        """Started tables that nobody is connected to."""
        with serving() as server:
            tables.open_tables(server.port, 20)
            before = rss_kib(server.pid)
            tables.open_tables(server.port, number)
            after = rss_kib(server.pid)
            return {"tables": number, "base_mib": before / 1024, "kib_per_table": (after - before) / number}

    def connection_memory(self, number: int) -> Record:
        """Connections that watch one quiet table."""
        with serving() as server:
            plan = tables.write_plan(server.folder / "plan", tables.open_tables(server.port, 1))
            self._idle(server, plan, 50, lambda: None)
            before = rss_kib(server.pid)
            after = self._idle(server, plan, number, lambda: rss_kib(server.pid))
            return {"connections": number, "kib_per_connection": (after - before) / number}

    def _idle(self, server: Server, plan: Path, number: int, then: Callable[[], Any]) -> Any:
        with subprocess.Popen(
            [self._load, plan, f"port={server.port}", "mode=idle", f"connections={number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            if not process.stdout.readline():
                raise RuntimeError("the load generator failed")
            found = then()
            process.stdin.close()
        return found

    def start(self) -> Record:
        """From the command to the answer of the first request."""
        began = time.perf_counter()
        with serving("plain") as server, closing(tables.Api(server.port)) as api:
            api.get("/readyz")
            return {"ready_s": time.perf_counter() - began}


def medians(records: list[Record]) -> Record:
    """The median of every number, with the least and the greatest."""
    found: Record = {}
    for name, value in records[0].items():
        if isinstance(value, int | float):
            values = [record[name] for record in records]
            found[name] = statistics.median(values)
            found[f"{name}_range"] = [min(values), max(values)]
    return found
