"""Clients as a third party would write them, but strict: whatever the contract forbids fails the test.

They know the wire contract only: no code of the server is used here, but for the schemas that it publishes.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.support.api import CODES, PATIENCE_S, Http
from tests.support.contract import contract
from tests.support.mirror import Message, Mirror, merged, without_nulls

__all__ = [
    "CODES",
    "PATIENCE_S",
    "Client",
    "Closed",
    "Http",
    "Kind",
    "Message",
    "Mirror",
    "address",
    "chosen",
    "client",
    "join",
    "merged",
    "without_nulls",
]

Kind = Literal["json", "msgpack"]

REASONS = {"asked", "removed", "revoked", "closed", "slow", "shutdown", "resync_required"}


def address(url: str) -> str:
    """Where the WebSocket of a server is."""
    return url.replace("http", "ws", 1) + "/v1/ws"


def chosen(rng: random.Random, offers: list[Message]) -> Message:
    """One of the actions that the offers stand for."""
    offer = rng.choice(offers)
    action: Message = {"type": offer["type"]}
    for name, choice in offer.items():
        if name == "type":
            continue
        if "one_of" in choice:
            action[name] = rng.choice(choice["one_of"])
        else:
            action[name] = rng.sample(choice["some_of"], rng.randint(choice["min"], choice["max"]))
    return action


class Closed(Exception):
    """The connection ended while something was waited for."""


class Client:
    """One WebSocket connection. All that arrives is checked, recorded and taken into the mirrors.

    Args:
        url: the address of the server.
        socket: the connection.
        kind: its encoding.
        validate: is given what the client sends, before it does.
    """

    _ids = itertools.count(1)

    def __init__(
        self, url: str, socket: ClientConnection, kind: Kind, validate: Callable[[Message], None] | None
    ) -> None:
        self.url = url
        self.socket = socket
        self.kind: Kind = kind
        self.seen: list[Message] = []
        self.tables: dict[str, Mirror] = {}
        self.answers: dict[str, list[Message]] = {}
        self.failure: BaseException | None = None
        self.closed: tuple[int, str] | None = None
        self.repeats: set[str] = set()  # ids of commands that other connections sent before
        self._asked: dict[str, Message] = {}
        self._sent: Counter[str] = Counter()
        self.left: dict[str, Mirror] = {}
        self._validate = validate
        self._changed = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    # --- out ----------------------------------------------------------------------------------------

    def pack(self, message: Message) -> str | bytes:
        """A message as a frame."""
        if self.kind == "json":
            return json.dumps(message)
        packed: bytes = msgpack.packb(message)
        return packed

    async def send(self, message: Message) -> None:
        """Send a message. Raises `Closed`."""
        if isinstance(ident := message.get("id"), str):
            self._asked[ident] = message
            self._sent[ident] += 1
        if self._validate is not None:
            self._validate(message)
        try:
            await self.socket.send(self.pack(message))
        except ConnectionClosed:
            await self.end()
            raise Closed(*(self.closed or ())) from None

    async def raw(self, frame: str | bytes, ident: str | None = None) -> None:
        """Send a frame as it is; ``ident`` is the id in it that an answer may carry."""
        if ident is not None:
            self._asked[ident] = {}
            self._sent[ident] += 1
        await self.socket.send(frame)

    def remember(self, mirror: Mirror) -> None:
        """What another connection knew of a table: for a resume on this one."""
        self.left[mirror.table] = mirror

    async def ask(self, message: Message) -> Message:
        """Send a message, with a new id if it has none, and give its answer."""
        message = {"id": f"{message['type']}-{next(self._ids)}", **message}
        number = self._sent[message["id"]]
        await self.send(message)
        await self.until(lambda: len(self.answers.get(message["id"], [])) > number)
        return self.answers[message["id"]][number]

    async def attach(self, table: str, token: str | None = None, **more: Any) -> Message:
        """Become a viewer; gives the answer. After a resume also waits for all that it promises."""
        said = {} if token is None else {"token": token}
        answer = await self.ask({"type": "attach", "table": table, **said, **more})
        if answer["type"] == "attached":
            await self.until(lambda: table not in self.tables or not self.tables[table].owed)
        return answer

    async def act(self, table: str, action: Message, **more: Any) -> Message:
        """A command; gives the answer."""
        return await self.ask({"type": "act", "table": table, "action": action, **more})

    # --- in -----------------------------------------------------------------------------------------

    async def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something that arrived makes the condition hold."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            while not holds():
                self.check()
                if self.closed is not None:
                    raise Closed(*self.closed)
                await self._changed.wait()
        self.check()

    async def next(self, kind: str, where: Callable[[Message], Any] = lambda message: True) -> Message:
        """The first message of a type from the beginning of the recording, waiting for it if need be."""

        def found() -> list[Message]:
            return [message for message in self.seen if message["type"] == kind and where(message)]

        await self.until(found)
        return found()[0]

    async def version(self, table: str, version: int) -> Mirror:
        """Wait until the table is at this version or beyond."""
        await self.until(lambda: table in self.tables and self.tables[table].version >= version)
        return self.tables[table]

    async def end(self) -> tuple[int, str]:
        """Wait for the server to close; gives code and reason."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.wait([self._reader])
        self.check()
        assert self.closed is not None
        return self.closed

    def check(self) -> None:
        """Raise what went wrong while reading."""
        if self.failure is not None:
            raise self.failure

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                await self._take(self._unpack(frame))
            raise AssertionError("unreachable: the iteration ends with the connection")
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            if isinstance(error, AssertionError) and "unreachable" in str(error):
                error = ConnectionClosed(None, None)
            async with self._changed:
                if isinstance(error, ConnectionClosed):
                    self.closed = (self.socket.close_code or 0, self.socket.close_reason or "")
                else:
                    self.failure = error
                self._changed.notify_all()

    def _unpack(self, frame: str | bytes) -> Message:
        assert isinstance(frame, str) == (self.kind == "json"), "a frame of the wrong kind"
        message = json.loads(frame) if isinstance(frame, str) else msgpack.unpackb(frame)
        assert isinstance(message, dict)
        return message

    async def _take(self, message: Message) -> None:
        contract().received(message)
        async with self._changed:
            self._checked(message)
            self.seen.append(message)
            self._changed.notify_all()

    def _checked(self, message: Message) -> None:
        kind = message["type"]
        if "id" in message:
            self._answered(message)
        if "code" in message:
            assert message["code"] in CODES, f"a code out of the closed list: {message}"
            assert message["message"], f"no sentence: {message}"
        table = message.get("table", "")
        if kind == "attached":
            self._attached(message)
        elif kind == "detached":
            assert message["reason"] in REASONS
            if (gone := self.tables.pop(table, None)) is not None:
                self.left[table] = gone
        elif kind == "update":
            assert table in self.tables, f"an update of a table that is not watched: {message}"
            self.tables[table].update(message)
        elif kind == "presence":
            assert table in self.tables, f"presence at a table that is not watched: {message}"
            self.tables[table].presence[message["seat"]] = message["connected"]

    def _attached(self, message: Message) -> None:
        table = message["table"]
        asked = self._asked.get(message.get("id", ""), {})
        before = self.tables.get(table) or self.left.get(table)
        mirror = Mirror(table, message["viewer"], asked.get("views", "full"))
        mirror.attached(message, before)
        self.tables[table] = mirror

    def _answered(self, message: Message) -> None:
        ident, kind = message["id"], message["type"]
        assert ident in self._asked, f"an answer nobody asked for: {message}"
        self.answers.setdefault(ident, []).append(message)
        assert len(self.answers[ident]) <= self._sent[ident], f"answered twice: {self.answers[ident]}"
        asked = self._asked[ident]
        allowed = {
            "attach": {"attached"},
            "detach": {"detached"},
            "act": {"accepted", "rejected"},
            "watch_lobby": {"lobby"},
            "unwatch_lobby": {"lobby_unwatched"},
            "ping": {"pong"},
            "say": {"heard"},
        }.get(asked.get("type", ""), set())
        assert kind in allowed | {"error"}, f"{asked} was answered by {message}"
        if kind == "accepted":
            mirror = self.tables[message["table"]]
            assert message["version"] <= mirror.version, "accepted before its update"
            if len(self.answers[ident]) == 1 and ident not in self.repeats:
                self._directly_after_its_update(message)

    def _directly_after_its_update(self, message: Message) -> None:
        last = self.seen[-1]
        told = (last["type"], last.get("table"), last.get("version"))
        assert told == ("update", message["table"], message["version"]), f"{message} follows {last}"

    async def close(self) -> None:
        """Close the connection, and check what arrived until then."""
        await self.socket.close()
        await asyncio.wait([self._reader])
        self.check()

    async def drop(self) -> None:
        """Lose the connection as a broken network would."""
        self.socket.transport.abort()
        await asyncio.wait([self._reader])
        self.check()


@asynccontextmanager
async def client(
    url: str, kind: Kind = "json", validate: Callable[[Message], None] | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client that is closed at the end."""
    one = await join(url, kind, validate, **options)
    try:
        yield one
    finally:
        await one.close()


async def join(
    url: str, kind: Kind = "json", validate: Callable[[Message], None] | None = None, **options: Any
) -> Client:
    """A new client."""
    socket = await connect(
        address(url),
        subprotocols=[Subprotocol(f"facedown.v1.{kind}")],
        compression=None,
        max_size=None,
        **options,
    )
    assert socket.subprotocol == f"facedown.v1.{kind}"
    return Client(url, socket, kind, validate)
