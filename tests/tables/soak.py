"""Many tables for minutes: bots, and people who drop out, return and leave, over several server processes.

    python -m tests.tables.soak --minutes 10 --tables 200

Prints figures while it runs and a summary, and fails where a table got stuck, where a viewer was told
something wrong, or where memory or keys grew. Everything is on 127.0.0.1 and in a folder that is removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import tempfile
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import httpx
import typer
from redis.asyncio import Redis

from server.embedded import EmbeddedStore
from tests.support.server import ServerProcess
from tests.tables.people import LONGEST_AWAY_S, OVER, Person, World
from tests.tables.sitting import UNLIMITED

STUCK_S = 90.0
"""A table at which so long nothing has happened is stuck: every clock here is far shorter."""
SAMPLE_S = 10.0
GRACE_S = 600.0
"""How long the last games may take after the time is over."""
HALF_OPEN_H = 0.05


class Sample(NamedTuple):
    """Figures at one moment; memory in MiB.

    A table's log is kept, and its talk for weeks: both grow with the number of tables, nothing else does.
    """

    at_s: float
    tables: int
    over: int
    moves: int
    servers_mib: float
    store_mib: float
    logs: int
    talks: int
    other_keys: int
    deadlines: int
    hurry: bool


class Soak:
    """The run.

    Args:
        world: the servers.
        games: the catalogue.
        until_s: when no new table is opened any more, by the loop's clock.
    """

    def __init__(self, world: World, games: list[dict[str, Any]], until_s: float) -> None:
        self.world = world
        self.games = games
        self.until_s = until_s
        self.live: set[str] = set()
        self.stuck: list[str] = []
        self.samples: list[Sample] = []

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return asyncio.get_running_loop().time() > self.until_s

    async def place(self) -> None:
        """Keep one table going: when it is over, its rematch or another one."""
        await asyncio.sleep(self.world.rng.uniform(0, 5))
        while not self.over:
            quick = self.world.rng.random() < 0.1
            people, table = await (self._quick() if quick else self._opened())
            while table is not None:
                await self._played(table, people)
                # Quick players do not know each other: each goes on alone.
                table = None if quick else await self._again(table, people)

    async def _opened(self) -> tuple[list[Person], str | None]:
        rng = self.world.rng
        game = rng.choice(self.games)
        seats = rng.choice(game["seats"])
        body: dict[str, Any] = {
            "game": game["game"],
            "seats": seats,
            "listed": rng.random() < 0.7,
            "clock": {"move_ms": rng.randint(2000, 5000), "bank_ms": rng.choice((0, 3000))},
            "on_timeout": rng.choices(("bot", "wait", "forfeit"), (6, 3, 1))[0],
            "spectators": {"delay": rng.choice((0, 0, 5))},
        }
        made = (await self.world.ask("POST", "/v1/tables", body)).json()
        table, host = made["table"], made["host_token"]
        people: list[Person] = []
        number = rng.randint(0, seats)
        for seat in range(seats):
            path = f"/v1/tables/{table}/{'seats' if seat < number else 'bots'}"
            wanted = {"name": f"Player {seat}"} if seat < number else {"policy": "greedy"}
            sat = (await self.world.ask("POST", path, {**wanted, "seat": seat}, token=host)).json()
            if seat < number:
                people.append(Person(self.world, table, seat, sat["token"]))
        return people, table

    async def _quick(self) -> tuple[list[Person], str | None]:
        game = self.world.rng.choice(self.games)
        body = {"name": "Quick", "seats": game["seats"][0]}
        answer = await self.world.ask("POST", f"/v1/games/{game['game']}/quick", body)
        sat = answer.json()
        if answer.status_code != 201:
            self.world.fault(f"quick join: {sat}")
            return [], None
        self.world.counts["quick seats"] += 1
        return [Person(self.world, sat["table"], sat["seat"], sat["token"])], sat["table"]

    async def _played(self, table: str, people: list[Person]) -> None:
        """Play a table to its end; seats that were left are taken by others now and then."""
        self.live.add(table)
        self.world.counts["tables"] += 1
        async with asyncio.TaskGroup() as group:
            for person in people:
                group.create_task(person.play())
            host = group.create_task(self._looked_after(table, people, group))
            if await host in ("stuck", "lost"):
                for person in people:
                    person.quit()
        self.live.discard(table)
        self.world.counts[f"ended: {host.result()}"] += 1

    async def _looked_after(self, table: str, people: list[Person], group: asyncio.TaskGroup) -> str:
        loop = asyncio.get_running_loop()
        version, since_s = 0, loop.time()
        while True:
            await asyncio.sleep(self.world.rng.uniform(1, 3))
            # As a player knows it: others may see it with a delay.
            token = next((person.token for person in people if not person.left), None)
            answer = await self.world.ask("GET", f"/v1/tables/{table}", token=token)
            if answer.status_code == 401:
                continue  # that player has left in this moment
            facts = answer.json()
            if answer.status_code != 200:
                self.world.fault(f"{table}: {facts}")
                return "lost"
            if facts["status"] in OVER:
                return str(facts["status"])
            if all(person.left for person in people) and people and facts["status"] == "open":
                return "left"
            if facts["version"] != version:
                version, since_s = facts["version"], loop.time()
            elif loop.time() - since_s > STUCK_S and facts["status"] == "playing":
                self.stuck.append(f"{table}: {facts}")
                return "stuck"
            free = [seat["seat"] for seat in facts["seats"] if seat["name"] is None]
            if facts["status"] == "playing" and free and self.world.rng.random() < 0.5:
                await self._sits_in(table, people, group)

    async def _sits_in(self, table: str, people: list[Person], group: asyncio.TaskGroup) -> None:
        answer = await self.world.ask("POST", f"/v1/tables/{table}/seats", {"name": "Newcomer"})
        if answer.status_code == 201:
            self.world.counts["sat in"] += 1
            person = Person(self.world, table, answer.json()["seat"], answer.json()["token"])
            people.append(person)
            group.create_task(person.play())

    async def _again(self, table: str, people: list[Person]) -> str | None:
        """The rematch, asked for by all who are still there at once; None for none."""
        there = [person for person in people if not person.left]
        if self.over or not there or self.world.rng.random() < 0.6:
            return None
        path = f"/v1/tables/{table}/rematch"
        answers = await asyncio.gather(
            *(self.world.ask("POST", path, token=person.token) for person in there)
        )
        following = {answer.json().get("next") for answer in answers}
        if {answer.status_code for answer in answers} != {201}:
            codes = {answer.json().get("code") for answer in answers}
            if not codes <= {"need_players", "unauthorized", None}:
                self.world.fault(f"rematch of {table}: {codes}")
            return None
        if len(following) != 1:
            self.world.fault(f"rematches of {table}: {following}")
        self.world.counts["rematches"] += 1
        (found,) = following
        for person in there:
            person.table, person.status = str(found), ""
        people[:] = there
        return str(found)


def memory_mib(pid: int | None) -> float:
    """The memory of a process and its children."""
    own = Path(f"/proc/{pid}/status").read_text()
    mib = next(int(line.split()[1]) / 1024 for line in own.splitlines() if line.startswith("VmRSS"))
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return mib + sum(memory_mib(int(child)) for child in children)


async def watched(soak: Soak, servers: list[ServerProcess], store: EmbeddedStore) -> None:
    """Take samples until cancelled."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    redis = Redis.from_url(store.url)
    try:
        while True:
            await asyncio.sleep(SAMPLE_S)
            keys = [key async for key in redis.scan_iter(count=1000)]
            logs, talks = (sum(key.endswith(end) for key in keys) for end in (b":log", b":talk"))
            shelves = [key for key in keys if key.startswith(b"fd:deadlines:")]
            due = [await redis.zcard(shelf) for shelf in shelves]
            soak.samples.append(
                Sample(
                    loop.time() - began,
                    len(soak.live),
                    sum(n for name, n in soak.world.counts.items() if name.startswith("ended")),
                    soak.world.counts["moves"],
                    sum(memory_mib(server.pid) for server in servers),
                    memory_mib(store.pid),
                    logs,
                    talks,
                    len(keys) - logs - talks,
                    sum(due),
                    soak.world.hurry,
                )
            )
            last = soak.samples[-1]
            typer.echo(
                f"{last.at_s:5.0f} s  {last.tables:4} tables  {last.over:5} over  {last.moves:7} moves  "
                f"servers {last.servers_mib:6.1f} MiB  store {last.store_mib:5.1f} MiB  "
                f"{last.logs:5} logs  {last.talks:4} talks  {last.other_keys:4} other keys  "
                f"{last.deadlines:4} deadlines"
            )
    finally:
        await redis.aclose()


def summary(soak: Soak) -> bool:
    """Print what came out; gives whether all is well."""
    typer.echo("")
    for name, number in sorted(soak.world.counts.items()):
        typer.echo(f"{name:28} {number}")
    # The first third warms up; of the rest, until no more tables are opened, the two halves are compared.
    steady = [one for one in soak.samples if not one.hurry]
    warm = steady[len(steady) // 3 :]
    flat = True
    for name, most in (("servers_mib", 1.15), ("other_keys", 1.25), ("deadlines", 1.25)):
        values = [getattr(one, name) for one in warm]
        half = len(values) // 2
        if half >= 3:
            first, second = statistics.median(values[:half]), statistics.median(values[half:])
            flat &= second <= max(first * most, first + 20)
            typer.echo(f"{name:28} {first:.0f} -> {second:.0f} (median of either half)")
    typer.echo(f"{'stuck tables':28} {len(soak.stuck)}")
    typer.echo(f"{'faults':28} {len(soak.world.faults)}")
    for line in (*soak.stuck[:10], *soak.world.faults[:10]):
        typer.echo(f"  {line}")
    if not flat:
        typer.echo("memory or keys have grown")
    return flat and not soak.stuck and not soak.world.faults


async def run(minutes: float, tables: int, processes: int, seed: str, folder: Path) -> bool:
    """The whole run; gives whether all is well."""
    settings = {**UNLIMITED, "bot_delay_ms": 150, "idle_tables": 50, "open_hours": HALF_OPEN_H}
    store = EmbeddedStore(folder / "store")
    with store as url, contextlib.ExitStack() as stack:
        servers = [ServerProcess(folder / f"server-{n}", url, **settings) for n in range(processes)]
        for server in servers:
            await server.start()
            stack.callback(server.end)
        async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=50)) as http:
            world = World([server.url for server in servers], http, seed)
            games = (await world.ask("GET", "/v1/games")).json()["games"]
            soak = Soak(world, games, asyncio.get_running_loop().time() + 60 * minutes)
            async with asyncio.timeout(60 * minutes + GRACE_S), asyncio.TaskGroup() as group:
                sampler = group.create_task(watched(soak, servers, store))
                places = [group.create_task(soak.place()) for _ in range(tables)]
                await asyncio.wait(places, timeout=60 * minutes)
                world.hurry = True
                await asyncio.wait(places)
                sampler.cancel()
            return summary(soak)


def main(
    minutes: Annotated[float, typer.Option(help="How long new tables are opened.", min=0.1, max=120)] = 10,
    tables: Annotated[int, typer.Option(help="How many tables are kept going.", min=1, max=1000)] = 200,
    processes: Annotated[int, typer.Option(help="How many server processes.", min=1, max=8)] = 2,
    seed: Annotated[str, typer.Option(help="What people do follows from it.")] = "1",
) -> None:
    """Keep many tables going for minutes and look whether anything gets stuck or grows."""
    typer.echo(f"{tables} tables, {processes} processes, {minutes} minutes, away up to {LONGEST_AWAY_S} s")
    with tempfile.TemporaryDirectory(prefix="facedown-soak-") as folder:
        well = asyncio.run(run(minutes, tables, processes, seed, Path(folder)))
    raise typer.Exit(0 if well else 1)


if __name__ == "__main__":
    typer.run(main)
