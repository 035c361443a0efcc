"""Hypothesis against the connection machine: any messages in any order and encoding, closes at random.

Whatever comes: nothing is raised, every message with an id gets exactly one answer, the close codes are those
of the contract (never 1011), and of a connection that is gone nothing is left behind.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

import msgpack
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain.errors import Rejected
from server import metrics
from server.codec import Kind, is_id
from server.connection import Connection
from server.requests import CreateTable, Sit
from server.service import Service
from server.settings import Settings
from server.store import MemoryStore
from server.wire import CODES
from tests.support.clients import PATIENCE_S, Message, chosen
from tests.support.counts import LONG

T = TypeVar("T")

GAMES = (("mein-schatz", 2), ("trick-and-trade", 3))
CLOSES = {1003, 1008, 1012}
QUEUE = 60
TYPES = ("attach", "detach", "act", "say", "ping", "watch_lobby", "unwatch_lobby", "nothing", "")
FIELDS = ("id", "table", "token", "from", "epoch", "from_ms", "views", "action", "if_version", "text", "game")

idents = st.one_of(
    st.integers(1, 40).map(lambda number: f"id {number}"), st.text(min_size=1, max_size=64).filter(is_id)
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(),
    st.text(max_size=30),
    st.just("a" * 70),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
strays = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | values},
    optional=dict.fromkeys(FIELDS, values),
)


class Wire:
    """One connection under attack, and what is owed to it."""

    def __init__(self, connection: Connection, kind: Kind) -> None:
        self.connection = connection
        self.kind: Kind = kind
        self.owed: Counter[str] = Counter()
        self.perhaps: Counter[str] = Counter()
        self.offers: dict[str, list[Message]] = {}
        self.reads = True

    def pack(self, message: Any) -> str | bytes:
        """A message as a frame."""
        if self.kind == "json":
            return json.dumps(message)
        packed: bytes = msgpack.packb(message)
        return packed

    def read(self) -> None:
        """Take all that waits, and check it against what is owed."""
        while self.connection.outbox:
            frame = self.connection.outbox.pop(0)
            self.connection.sent(frame)
            message = json.loads(frame) if self.kind == "json" else msgpack.unpackb(frame)
            if "code" in message:
                assert message["code"] in CODES
                assert message["message"]
            if "id" in message:
                self._answered(message["id"])
            table = message.get("table", "")
            if message["type"] in ("attached", "update") and message.get("actions"):
                self.offers[table] = message["actions"]

    def _answered(self, ident: str) -> None:
        if self.owed[ident]:
            self.owed[ident] -= 1
        else:
            assert self.perhaps[ident], f"an answer too many for {ident!r}"
            self.perhaps[ident] -= 1

    @property
    def waits(self) -> bool:
        """Whether an answer is owed that can still come."""
        return self.connection.closing is None and +self.owed != Counter()


class Attack(RuleBasedStateMachine):
    """A service with three tables, up to five connections, and no manners."""

    @initialize()
    def start(self) -> None:
        """A process of its own, without a socket."""
        self.runner = asyncio.Runner()
        self.faults: list[Message] = []
        self.runner.get_loop().set_exception_handler(lambda loop, context: self.faults.append(context))
        self.errors = metrics.ERRORS._value.get()
        self.wires: list[Wire] = []
        self.tables: list[str] = []
        self.hosts: list[str] = []
        self.tokens: list[list[str]] = []
        self.run(self._start())

    async def _start(self) -> None:
        given = Settings(
            store="memory://", queue_messages=QUEUE, message_burst=200, max_attached_tables=2, idle_tables=0
        )
        self.service = Service(MemoryStore(), given, lambda: 1_700_000_000_000)
        await self.service.start()
        for game, seats in (*GAMES, GAMES[0]):
            made = await self.service.tables.create(CreateTable(game=game, seats=seats))
            self.tables.append(made.table)
            self.hosts.append(made.host_token)
            sat = [await self.service.tables.sit(made.table, Sit(name=f"Ann {n}")) for n in range(seats)]
            self.tokens.append([one.token for one in sat])
        # Everybody at the first table is there already, and so is somebody who looks on.
        for kind, token in (("json", self.tokens[0][0]), ("msgpack", self.tokens[0][1]), ("json", None)):
            wire = Wire(Connection(self.service, cast(Kind, kind)), cast(Kind, kind))
            self.wires.append(wire)
            message = {"type": "attach", "table": self.tables[0]} | ({"token": token} if token else {})
            wire.connection.receive(wire.pack(message))
        await self._settle()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something to its end on the machine's loop."""
        return self.runner.run(work)

    async def _settle(self) -> None:
        """Let everything that was begun come to its end."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for wire in self.wires:
                    if wire.reads:
                        wire.read()
                busy = any(wire.waits and wire.reads for wire in self.wires)
                if not busy and not any(room.running for room in self.service._rooms.values()):
                    break
                await asyncio.sleep(0)
        for _ in range(5):
            await asyncio.sleep(0)
        for wire in self.wires:
            if wire.reads:
                wire.read()

    # --- what is done -------------------------------------------------------------------------------

    @precondition(lambda self: len(self.wires) < 5)
    @rule(kind=st.sampled_from(("json", "msgpack")))
    def connect(self, kind: Kind) -> None:
        """A new connection."""

        async def make() -> Connection:
            return Connection(self.service, kind)

        self.wires.append(Wire(self.run(make()), kind))

    def _send(self, wire: Wire, message: Any, *, sure: bool = True) -> None:
        self._raw(wire, wire.pack(message), message.get("id"), sure=sure)

    def _raw(self, wire: Wire, frame: str | bytes, ident: Any, *, sure: bool) -> None:
        if is_id(ident) and wire.connection.closing is None:
            (wire.owed if sure else wire.perhaps)[ident] += 1

        async def receive() -> None:
            wire.connection.receive(frame)

        self.run(receive())

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), ident=idents, named=st.booleans(), views=st.sampled_from(("full", "patch", "none")))
    def attach(self, data: st.DataObject, ident: str, named: bool, views: str) -> None:
        """Attach somewhere, with a right or a wrong token, from some version or none."""
        number = data.draw(st.integers(0, len(self.tables) - 1))
        known = [*self.tokens[number], self.hosts[number], *self.tokens[number - 1], "x" * 43]
        message: Message = {"type": "attach", "table": self.tables[number], "views": views}
        if token := data.draw(st.none() | st.sampled_from(known)):
            message["token"] = token
        if data.draw(st.booleans()):
            room = self.service.known(self.tables[number])
            epochs = ["x", *([room.table.epoch] if room is not None and room.live is not None else [])]
            message |= {"from": data.draw(st.integers(0, 12)), "epoch": data.draw(st.sampled_from(epochs))}
        self._send(self._wire(data), message | ({"id": ident} if named else {}))

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), ident=idents, seed=st.integers(0, 2**32), same=st.booleans())
    def act(self, data: st.DataObject, ident: str, seed: int, same: bool) -> None:
        """A command: one that was offered, or another, in turn or not, perhaps twice."""
        wire = self._wire(data)
        table = data.draw(st.sampled_from(self.tables))
        offers = wire.offers.get(table)
        action = chosen(random.Random(seed), offers) if offers else {"type": "draw"}
        for _ in range(2 if same else 1):
            self._send(wire, {"type": "act", "id": ident, "table": table, "action": action})

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), ident=idents, named=st.booleans())
    def say_something_simple(self, data: st.DataObject, ident: str, named: bool) -> None:
        """Anything else that a client may send."""
        table = data.draw(st.sampled_from([*self.tables, "nowhere1", "x", "../../etc"]))
        message = data.draw(
            st.sampled_from(
                [
                    {"type": "ping"},
                    {"type": "watch_lobby"},
                    {"type": "watch_lobby", "game": "oopsie"},
                    {"type": "watch_lobby", "game": "chess"},
                    {"type": "unwatch_lobby"},
                    {"type": "detach", "table": table},
                    {"type": "say", "table": table, "text": "hello"},
                    {"type": "say", "table": table, "reaction": "clap"},
                    {"type": "say", "table": table, "text": "\u202e"},
                ]
            )
        )
        self._send(self._wire(data), message | ({"id": ident} if named else {}))

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), message=strays)
    def send_strays(self, data: st.DataObject, message: Message) -> None:
        """A message with fields of any type, some of which no JSON may hold."""
        wire = self._wire(data)
        try:
            frame = wire.pack(message)
        except (OverflowError, ValueError, UnicodeEncodeError):
            return
        self._raw(wire, frame, message.get("id"), sure=False)

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), junk=st.binary(max_size=60), text=st.text(max_size=60), cut=st.integers(0, 40))
    def send_junk(self, data: st.DataObject, junk: bytes, text: str, cut: int) -> None:
        """Bytes or text that stand for nothing, and a message that is cut short."""
        wire = self._wire(data)
        frame = wire.pack({"type": "ping", "id": "junk", "deep": [[[]]]})
        for sent in (junk if wire.kind == "msgpack" else text, frame[:cut]):
            self._raw(wire, sent, "junk", sure=False)

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), size=st.sampled_from((65_000, 65_600, 131_000)), ident=idents)
    def send_much(self, data: st.DataObject, size: int, ident: str) -> None:
        """A message about as large as may be, or larger."""
        self._send(self._wire(data), {"type": "ping", "id": ident, "pad": "x" * size})

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), frame=st.sampled_from(("{}", b"{}")))
    def send_a_frame_of_either_kind(self, data: st.DataObject, frame: str | bytes) -> None:
        """Text or binary: the wrong one ends the connection."""
        self._raw(self._wire(data), frame, None, sure=True)

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), number=st.sampled_from((2, 50, 70, 250)))
    def flood(self, data: st.DataObject, number: int) -> None:
        """Many pings at once."""
        wire = self._wire(data)
        for _ in range(number):
            self._send(wire, {"type": "ping", "id": "flood"})

    @precondition(lambda self: self.wires)
    @rule(data=st.data())
    def stop_reading(self, data: st.DataObject) -> None:
        """From now on nothing is read; what piles up must end the connection, and nobody else's."""
        self._wire(data).reads = False

    @rule(data=st.data(), seat=st.integers(0, 2))
    def seat_changes(self, data: st.DataObject, seat: int) -> None:
        """The host removes somebody, or somebody sits down: viewers' tokens die in mid-sentence."""
        number = data.draw(st.integers(0, len(self.tables) - 1))
        table, host = self.tables[number], self.hosts[number]

        async def change() -> None:
            try:
                await self.service.tables.leave(table, seat, host)
                made = await self.service.tables.sit(table, Sit(name="Bob", seat=seat))
                self.tokens[number][seat] = made.token
            except (Rejected, IndexError):
                pass

        self.run(change())

    @rule()
    def let_all_be_done(self) -> None:
        """Wait for the answers: only here, so that much is under way at once."""
        self.run(self._settle())

    @precondition(lambda self: self.wires)
    @rule(data=st.data(), how=st.sampled_from(("gone", "lost", "shut")), turns=st.integers(0, 8))
    def disconnect(self, data: st.DataObject, how: str, turns: int) -> None:
        """The client goes, its network goes, or the server does, while anything may be under way."""
        wire = self._wire(data)
        last: list[Message] = [{"type": "attach", "table": table} for table in self.tables]
        last += [{"type": "watch_lobby"}, {"type": "unwatch_lobby"}, {"type": "nothing"}]
        said = data.draw(st.sampled_from(last))

        async def end() -> None:
            wire.connection.receive(wire.pack(said))
            for _ in range(turns):
                await asyncio.sleep(0)
            if how == "shut":
                wire.connection.shut()
            elif how == "lost":
                wire.connection.lost()
            wire.connection.gone()

        self.run(end())
        self.wires.remove(wire)
        self.run(self._settle())
        self._nothing_left_of(wire.connection)

    def _wire(self, data: st.DataObject) -> Wire:
        return self.wires[data.draw(st.integers(0, len(self.wires) - 1))]

    def _nothing_left_of(self, connection: Connection) -> None:
        assert connection.attachments == {}
        assert connection not in self.service.lobby._watchers
        for room in self.service._rooms.values():
            assert all(there.sink is not connection for there in room.attachments())

    # --- what must hold -----------------------------------------------------------------------------

    @invariant()
    def nothing_was_raised(self) -> None:
        """No exception escaped, and none was turned into an answer."""
        if hasattr(self, "faults"):
            assert self.faults == []
            assert metrics.ERRORS._value.get() == self.errors

    @invariant()
    def connections_end_as_the_contract_says(self) -> None:
        """Each close has a code of the contract and a reason, and nothing is watched after it."""
        for wire in getattr(self, "wires", []):
            if (closing := wire.connection.closing) is not None:
                assert closing[0] in CLOSES
                assert closing[1]
                assert wire.connection.attachments == {}
            assert len(wire.connection.outbox) <= QUEUE + 3

    def teardown(self) -> None:
        """Everybody is answered; then everybody goes."""
        if not hasattr(self, "runner"):
            return
        try:
            self.run(self._settle())
            for wire in self.wires:
                assert not wire.waits or not wire.reads
            self.run(self._end())
            for wire in self.wires:
                self._nothing_left_of(wire.connection)
            self.nothing_was_raised()
        finally:
            self.runner.close()

    async def _end(self) -> None:
        for wire in self.wires:
            wire.connection.gone()
        await self.service.drained()
        await self.service.close()


Attack.TestCase.settings = settings(
    max_examples=500 if LONG else 8,
    stateful_step_count=60 if LONG else 40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestConnection = Attack.TestCase
