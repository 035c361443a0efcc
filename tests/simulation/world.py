"""One run: processes, clients and a store under a seed, and the judgement afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from unittest import mock

import structlog

from domain.errors import Rejected
from domain.table import Clock, Spectators
from server import tokens
from server.requests import AddBot, CreateTable, Sit
from server.settings import Settings
from server.store.base import OutcomeUnknown, StoreUnavailable
from tests.simulation import judge
from tests.simulation.clients import Player, Socket, Viewer, Violation
from tests.simulation.loop import Stuck, VirtualLoop
from tests.simulation.process import Killed, Process
from tests.simulation.store import Disk
from tests.simulation.weather import CALM, Weather, drawn

T = TypeVar("T")

EPOCH_MS = 1_700_000_000_000
LONGEST_S = 900.0
QUIET_S = 20.0
GAMES = (("trinket-trove", (2, 3)), ("mein-schatz", (2, 3)), ("trick-and-trade", (3,)))

UNFORESEEN = ("job_failed", "timers_failed", "table_unreadable", "table_not_judged", "bot_refused")


@dataclass
class Report:
    """What came of a run."""

    seed: int
    weather: Weather
    failure: str | None = None
    digest: str = ""
    accepted: int = 0
    versions: int = 0
    seconds: float = 0.0
    alerts: int = 0
    notes: list[str] = field(default_factory=list)


class World:
    """Everything in one run.

    Args:
        seed: decides all of it.
        keep_notes: whether the report tells the story.
        losses: whether the store comes back with an older state now and then.
    """

    def __init__(self, seed: int, *, keep_notes: bool = False, losses: bool = False) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.loop = VirtualLoop()
        self.loop.set_exception_handler(self._escaped)
        self.weather_now = drawn(self.rng, losses)
        self.chaos = True
        # News is never more than a hint: also when all else is well.
        self._calm = replace(CALM, deaf=self.weather_now.deaf, echo=self.weather_now.echo)
        self.settings = Settings(
            store="memory://",
            message_burst=1_000_000,
            bot_delay_ms=self.rng.choice((0, 50, 300)),
            idle_tables=self.rng.choice((0, 1000)),
            resume_window=self.rng.choice((2, 300)),
        )
        self.disk = Disk(self)
        self.processes: list[Process] = []
        self.sockets: list[Socket] = []
        self.viewers: list[Viewer] = []
        self.table = ""
        self.accepted = 0
        self.alerts: list[dict[str, Any]] = []
        self.losses = 0
        self.highest = 0
        self._begun = 0
        self._names = 0
        self._digest = hashlib.sha256()
        self._keep = keep_notes
        self._notes: list[str] = []
        self._escapes: list[str] = []

    # --- what the parts of the world use --------------------------------------------------------------

    @property
    def weather(self) -> Weather:
        """What goes wrong now."""
        return self.weather_now if self.chaos else self._calm

    def clock_ms(self) -> int:
        """The store's clock."""
        return EPOCH_MS + int(self.loop.now * 1000)

    def head(self) -> int:
        """How far the log of the table has come."""
        return len(self.disk.log(self.table))

    def stored(self) -> int:
        """The highest version that was ever stored."""
        self.highest = max(self.highest, self.head())
        return self.highest

    def note(self, *words: object) -> None:
        """Add a line to the story."""
        line = f"{self.loop.now:9.3f} {' '.join(map(str, words))}"
        self._digest.update(line.encode())
        if self._keep:
            self._notes.append(line)

    def some_process(self) -> Process | None:
        """One that clients can reach."""
        ready = [process for process in self.processes if process.ready]
        return self.rng.choice(ready) if ready else None

    # --- the run --------------------------------------------------------------------------------------

    def run(self) -> Report:
        """Do all of it. Raises nothing: what was broken stands in the report."""
        report = Report(self.seed, self.weather_now)
        asyncio.set_event_loop(self.loop)
        random.seed(self.seed)  # the jitter of pauses
        with _seeded_secrets(self.rng), self._logs():
            try:
                self.loop.run_until_complete(self._play())
            except (Violation, AssertionError) as broken:
                report.failure = f"{type(broken).__name__}: {broken}"
            except Stuck:
                report.failure = "everybody waits for something that nobody will do"
            except Exception as error:  # noqa: BLE001 - whatever it is, the seed has found it
                report.failure = "".join(traceback.format_exception(error)[-3:])
            finally:
                report.seconds = self.loop.now
                self._stop()
        report.digest = self._digest.hexdigest()
        report.accepted, report.versions, report.notes = self.accepted, self.head(), self._notes
        report.alerts = len(self.alerts)
        return report

    def _stop(self) -> None:
        self.loop.set_exception_handler(lambda loop, context: None)
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(Stuck):
            self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        asyncio.set_event_loop(None)
        self.loop.close()

    async def _play(self) -> None:
        await self.disk.inner.start()
        for _ in range(self.rng.choice((1, 2, 2, 3))):
            self._new_process()
        await self._set_up()
        chaos_end_s = self.loop.now + self.rng.choice((5.0, 20.0, 60.0))
        watching = [asyncio.create_task(viewer.run()) for viewer in self.viewers]
        self._begun = self.head() + 1
        hazards = asyncio.create_task(self._hazards())
        await self._until(watching, lambda: self._over() or self.loop.now > chaos_end_s)
        hazards.cancel()
        self.chaos = False
        self.note("calm")
        await self._until(watching, self._over)
        if not self._over():
            raise Violation(f"the table waits for {judge.waiting(self)} after {LONGEST_S:.0f} s")
        quiet_s = self.loop.now + QUIET_S
        await self._until(watching, lambda: self.loop.now > quiet_s)
        if self.losses:  # which may have taken the end of the game with them
            await self._until(watching, lambda: judge.over(self))
            quiet_s = self.loop.now + QUIET_S
            await self._until(watching, lambda: self.loop.now > quiet_s)
        judge.judge(self)

    async def _until(self, tasks: list[asyncio.Task[None]], holds: Callable[[], bool]) -> None:
        while not holds() and self.loop.now < LONGEST_S:
            await asyncio.sleep(0.25)
            for task in tasks:
                if task.done():
                    task.result()
            if self._escapes:
                raise Violation(self._escapes[0])

    def _over(self) -> bool:
        return any(viewer.status in ("finished", "abandoned") for viewer in self.viewers)

    def _new_process(self) -> None:
        self._names += 1
        self.processes.append(Process(self, f"server-{self._names}"))

    async def _hazards(self) -> None:
        step_s = 0.25
        weather, rng = self.weather_now, self.rng
        losses = sorted(self.loop.now + rng.uniform(1.0, 20.0) for _ in range(weather.losses))
        while True:
            await asyncio.sleep(step_s)
            if rng.random() < weather.kills * step_s:
                victim = rng.choice(self.processes)
                self.processes.remove(victim)
                victim.kill()
                self.loop.call_later(rng.random() * 3, self._new_process)
            if rng.random() < weather.outages * step_s and not self.disk.away:
                self.note("store away")
                self.disk.leave(rng.random() * 10)
            if rng.random() < weather.pauses * step_s and not self.disk.paused:
                self.note("store hangs")
                self.disk.pause(rng.random() * 12)
            for socket in self.sockets:
                if not socket.broken and rng.random() < weather.cut * step_s:
                    socket.cut()
            self.sockets = [socket for socket in self.sockets if not socket.broken]
            if losses and self.loop.now > losses[0] and self.head() > self._begun:
                losses.pop(0)
                keep = rng.randint(max(self._begun, self.head() - 5), self.head() - 1)
                self.note("history lost", self.head(), "->", keep)
                self.disk.forget_tail(self.table, keep)
                self.losses += 1

    # --- setting up over HTTP -------------------------------------------------------------------------

    async def _insist(self, ask: Callable[[Process], Awaitable[T]]) -> T:
        """Ask processes until one answers; only repetition with the same key or token makes that safe."""
        while True:
            process = self.some_process()
            if process is None:
                await asyncio.sleep(0.25)
                continue
            try:
                return await process.request(ask(process))  # type: ignore[arg-type]
            except (Killed, StoreUnavailable, OutcomeUnknown):
                await asyncio.sleep(self.rng.random())
            except Rejected as refused:
                if refused.code not in ("unavailable", "outcome_unknown"):
                    raise Violation(
                        f"a repeated request is refused: {refused.code} {refused.message}"
                    ) from None
                await asyncio.sleep(self.rng.random())

    async def _set_up(self) -> None:
        rng = self.rng
        game, sizes = rng.choice(GAMES)
        seats = rng.choice(sizes)
        clock = Clock(move_ms=rng.choice((500, 4000)), bank_ms=0) if rng.random() < 0.4 else None
        spectators = Spectators(delay=rng.choice((0, 0, 2)))
        body = CreateTable(game=game, seats=seats, clock=clock, spectators=spectators)
        created = await self._insist(lambda process: process.service.tables.create(body, "opening"))
        self.table = created.table
        bots = rng.randint(0, 1)
        for seat in range(seats):
            if seat < bots:
                bot = AddBot(policy="random", seat=seat)
                await self._insist(
                    lambda process, bot=bot: process.service.tables.add_bot(  # type: ignore[misc]
                        self.table, bot, created.host_token, "bot"
                    )
                )
                continue
            sit = Sit(name=f"Player {seat}", seat=seat, token=tokens.new_token())
            seated = await self._insist(
                lambda process, sit=sit: process.service.tables.sit(self.table, sit)  # type: ignore[misc]
            )
            for copy in range(rng.choice((1, 1, 2))):
                self.viewers.append(Player(self, f"player-{seat}{'ab'[copy]}", seat, seated.token))
        if clock is not None and rng.random() < 0.3:
            self.viewers.pop()
        for number in range(rng.randint(0, 2)):
            self.viewers.append(Viewer(self, f"spectator-{number}", -1, None))
        if not self.viewers:
            self.viewers.append(Viewer(self, "spectator-x", -1, None))

    # --- what must not happen -------------------------------------------------------------------------

    def _escaped(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._escapes.append(f"an exception escaped: {error!r} {context.get('message')}")

    def ended(self, task: asyncio.Task[None]) -> None:
        """A task that should have gone on has ended."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._escapes.append("".join(traceback.format_exception(error)[-3:]))

    @contextlib.contextmanager
    def _logs(self) -> Iterator[None]:
        before = structlog.get_config()
        structlog.configure(processors=[self._logged], logger_factory=structlog.ReturnLoggerFactory())
        try:
            yield
        finally:
            structlog.configure(**before)

    def _logged(self, logger: Any, method: str, event: Any) -> Any:
        name = event["event"]
        self.note("log", name, event.get("reason", ""))
        if name == "history_lost":
            self.alerts.append(dict(event))
        if name in UNFORESEEN:
            self._escapes.append(f"logged: {event}")
        raise structlog.DropEvent


class _Secrets:
    """In place of the module `secrets`: drawn from the seed."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = random.Random(rng.random())
        self.token_bytes = self._rng.randbytes
        self.choice = self._rng.choice

    def token_hex(self, size: int) -> str:
        return self._rng.randbytes(size).hex()

    def token_urlsafe(self, size: int) -> str:
        return self._rng.randbytes(size).hex()


@contextlib.contextmanager
def _seeded_secrets(rng: random.Random) -> Iterator[None]:
    with mock.patch.object(tokens, "secrets", _Secrets(rng)):
        yield


def run(seed: int, *, keep_notes: bool = False, losses: bool = False) -> Report:
    """One run."""
    return World(seed, keep_notes=keep_notes, losses=losses).run()
