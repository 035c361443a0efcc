"""Clients in the simulation: sockets without a network, players that play and write down what they saw."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

from server.connection import Connection
from tests.support.play import pick

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

ANSWERS = ("attached", "accepted", "rejected", "error", "detached", "pong")


class Violation(AssertionError):
    """A promise was broken."""


class Noted(asyncio.Event):
    """Is set whenever a frame was queued, and notes how far the log had come then."""

    def __init__(self, world: World, outbox: list[bytes]) -> None:
        super().__init__()
        self.heads: deque[int] = deque()
        self._world = world
        self._outbox = outbox

    def set(self) -> None:
        """There is something to be sent."""
        while len(self.heads) < len(self._outbox):
            self.heads.append(self._world.stored())
        super().set()


class Socket:
    """One connection of a client to a process: frames take their time, in order, until it breaks."""

    def __init__(self, world: World, process: Process) -> None:
        self.world = world
        self.process = process
        self.wire = Connection(process.service, "json")
        self.noted = self.wire.wake = Noted(world, self.wire.outbox)
        self.inbox: deque[tuple[dict[str, Any], int]] = deque()
        self.news = asyncio.Event()
        self.broken = False
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self._there: deque[str] = deque()
        self._more = asyncio.Event()
        self._tasks = [asyncio.create_task(self._down()), asyncio.create_task(self._up())]
        for task in self._tasks:
            task.add_done_callback(world.ended)
        world.sockets.append(self)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; its id must have one answer, unless the connection breaks."""
        self.asked[message["id"]] += 1
        self._there.append(json.dumps(message))
        self._more.set()

    def cut(self) -> None:
        """Break: neither end hears anything more; the server notices some time later."""
        if self.broken:
            return
        self.broken = True
        for task in self._tasks:
            task.cancel()
        self.news.set()
        if self.process.alive:
            delay = self.world.rng.random() * 2
            self.world.loop.call_later(delay, self._noticed)

    def _noticed(self) -> None:
        if self.process.alive:
            self.wire.gone()

    async def _up(self) -> None:
        while True:
            while self._there:
                await self._way()
                self.wire.receive(self._there.popleft())
            self._more.clear()
            await self._more.wait()

    async def _down(self) -> None:
        wire, outbox, heads = self.wire, self.wire.outbox, self.noted.heads
        while True:
            while outbox:
                frame = outbox.pop(0)
                head = heads.popleft()
                wire.sent(frame)
                await self._way()
                self._arrived(json.loads(frame), head)
            if wire.closing is not None:
                self.cut()
                return
            wire.wake.clear()
            await wire.wake.wait()

    def _arrived(self, message: dict[str, Any], head: int) -> None:
        ident = message.get("id")
        if ident is not None:
            self.answered[ident] += 1
            if self.answered[ident] > self.asked[ident]:
                raise Violation(f"more answers than messages: {message}")
        self.inbox.append((message, head))
        self.news.set()

    async def _way(self) -> None:
        await asyncio.sleep(self.world.rng.random() * self.world.weather.delay_s)

    async def take(self, within_s: float) -> tuple[dict[str, Any], int] | None:
        """The next message, or None when none came in time or the connection broke."""
        try:
            async with asyncio.timeout(within_s):
                while not self.inbox and not self.broken:
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            return None
        return self.inbox.popleft() if self.inbox else None


class Seen(NamedTuple):
    """What one message told of one version."""

    version: int
    at_ms: int | None
    events: Any
    view: Any
    actions: Any
    waiting: Any
    life: int


class Try:
    """A command of a client: its id, and what it was told of it."""

    def __init__(self, ident: str, action: dict[str, Any]) -> None:
        self.ident = ident
        self.action = action
        self.sent = 0
        self.answers: list[tuple[str, int | None]] = []
        self.given_up = False

    @property
    def settled(self) -> bool:
        """Whether the client need not ask again."""
        return self.given_up or any(kind in ("accepted", "rejected") for kind, _ in self.answers)


class Viewer:
    """A client that watches, resumes and checks that no version is missing or told twice."""

    def __init__(self, world: World, name: str, viewer: int, token: str | None) -> None:
        self.world = world
        self.name = name
        self.viewer = viewer
        self.token = token
        self.views = world.rng.choice(("full", "patch", "none") if viewer < 0 else ("full", "patch"))
        self.version = 0
        self.at_ms: int | None = None
        self.epoch: str | None = None
        self.view: Any = None
        self.actions: list[dict[str, Any]] = []
        self.waiting: list[int] = []
        self.status = ""
        self.seen: list[Seen] = []
        self.life = 0
        """Grows when the server tells the whole truth anew: what was seen before may be no more."""
        self.socket: Socket | None = None
        self._numbers = itertools.count(1)

    def _new_id(self, kind: str) -> str:
        return f"{self.name}-{kind}-{next(self._numbers)}"

    async def run(self) -> None:
        """Connect, watch, reconnect, for ever."""
        while True:
            process = self.world.some_process()
            if process is None:
                await asyncio.sleep(0.5)
                continue
            self.socket = Socket(self.world, process)
            try:
                await self._session(self.socket)
            finally:
                self.socket.cut()
            await asyncio.sleep(self.world.rng.random() * 0.5)

    async def _session(self, socket: Socket) -> None:
        if not await self._attach(socket):
            return
        while not socket.broken:
            taken = await socket.take(self._leisure_s())
            if taken is not None:
                if not self._hear(*taken):
                    return
            else:
                self._idle(socket)

    async def _attach(self, socket: Socket) -> bool:
        message: dict[str, Any] = {
            "type": "attach",
            "id": self._new_id("attach"),
            "table": self.world.table,
            "views": self.views,
        }
        if self.token is not None:
            message["token"] = self.token
        if self.version and self.world.rng.random() < 0.8:
            message |= {"from": self.version, "epoch": self.epoch}
            if self.at_ms is not None:
                message["from_ms"] = self.at_ms
        socket.send(message)
        while not socket.broken:
            taken = await socket.take(30.0)
            if taken is None:
                return False
            told = taken[0]
            if told.get("id") == message["id"]:
                if told["type"] != "attached":
                    return False
                return self._hear(*taken)
        return False

    def _hear(self, message: dict[str, Any], head: int) -> bool:
        """Take a message; False ends the session."""
        kind = message["type"]
        if kind == "attached":
            self._attached(message, head)
        elif kind == "update":
            self._update(message, head)
        elif kind == "detached":
            self.world.note(self.name, "detached:", message["reason"])
            if message["reason"] == "resync_required":
                self._new_life()
            return False
        else:
            self._answer(message)
        return True

    def _new_life(self) -> None:
        self.life += 1
        self.version, self.at_ms = 0, None

    def _attached(self, message: dict[str, Any], head: int) -> None:
        self.epoch = message["epoch"]
        if message["recovered"]:
            if message["version"] != self.version:
                raise Violation(f"{self.name}: resumed at {message['version']}, asked for {self.version}")
            return
        if message["version"] > head:
            raise Violation(f"{self.name}: version {message['version']} told before it was stored")
        if message["version"] < self.version and not self.world.losses:
            raise Violation(f"{self.name}: {message['version']} after {self.version}: time runs back")
        self._new_life()
        self.version, self.at_ms = message["version"], message["at_ms"]
        self._show(message, message.get("view"), None)

    def _update(self, message: dict[str, Any], head: int) -> None:
        version = message["version"]
        if version != self.version + 1:
            raise Violation(f"{self.name}: update {version} after {self.version}")
        if version > head:
            raise Violation(f"{self.name}: version {version} told before it was stored")
        self.version, self.at_ms = version, message["at_ms"]
        view = message.get("view")
        if "patch" in message:
            view = patched(self.view, message["patch"])
        self._show(message, view, message["events"])

    def _show(self, message: dict[str, Any], view: Any, events: Any) -> None:
        self.world.note(self.name, "sees", self.version)
        if view is not None:
            self.view = view
        self.status = message["status"]
        self.actions = message.get("actions", [])
        self.waiting = message.get("waiting", [])
        self.seen.append(
            Seen(
                self.version, self.at_ms, events, view, message.get("actions"), message["waiting"], self.life
            )
        )

    def _answer(self, message: dict[str, Any]) -> None:
        """An answer to a command."""

    def _leisure_s(self) -> float:
        """How long to wait for news before `_idle`."""
        return 30.0

    def _idle(self, socket: Socket) -> None:
        """Nothing came for a while."""


class Player(Viewer):
    """A viewer that acts when its seat may."""

    def __init__(self, world: World, name: str, seat: int, token: str) -> None:
        super().__init__(world, name, seat, token)
        self.tries: list[Try] = []
        self.current: Try | None = None
        self._again_at = 0.0

    def _leisure_s(self) -> float:
        if self.current is not None and not self.current.settled:
            return max(0.05, self._again_at - self.world.loop.time())
        if self.viewer in self.waiting:
            return self.world.rng.random() * 0.4 + 0.05
        return super()._leisure_s()

    def _idle(self, socket: Socket) -> None:
        rng = self.world.rng
        if self.current is not None and not self.current.settled:
            if self.world.loop.time() >= self._again_at:
                self._ask(socket, self.current)
            return
        if self.viewer in self.waiting and self.actions:
            self.current = Try(self._new_id("act"), pick(rng, self.actions))
            self.tries.append(self.current)
            self._ask(socket, self.current)
            if rng.random() < self.world.weather.resend:
                self._ask(socket, self.current)

    def _ask(self, socket: Socket, command: Try) -> None:
        command.sent += 1
        self._again_at = self.world.loop.time() + 0.2 + self.world.rng.random() * 8
        message = {"type": "act", "id": command.ident, "table": self.world.table, "action": command.action}
        self.world.note(self.name, "acts", command.ident, json.dumps(command.action))
        socket.send(message)

    def _answer(self, message: dict[str, Any]) -> None:
        ident = message.get("id")
        command = next((command for command in self.tries if command.ident == ident), None)
        if command is None:
            return
        kind = message["type"]
        said = kind if kind != "error" else message["code"]
        self.world.note(self.name, "is told", ident, said)
        if said not in ("accepted", "rejected", "unavailable", "outcome_unknown", "resync_required"):
            raise Violation(f"{self.name}: {message}")
        command.answers.append((said, message.get("version")))
        if said == "accepted":
            if message["version"] > self.version:
                raise Violation(f"{self.name}: {ident} accepted as {message['version']} at {self.version}")
            self.world.accepted += 1
        elif said == "unavailable" and len(command.answers) == command.sent:
            # Certainly not stored, says the server; so another move is as good.
            if all(answer == "unavailable" for answer, _ in command.answers):
                command.given_up = self.world.rng.random() < self.world.weather.fickle
        elif said == "resync_required":
            command.given_up = True


def patched(view: Any, patch: Any) -> Any:
    """An RFC 7396 merge patch applied."""
    if not isinstance(patch, dict):
        return patch
    result = dict(view) if isinstance(view, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = patched(result.get(name), value)
    return result
