"""One attachment to one table, kept up through as many connections as it takes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Final, Literal, Self

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus
from websockets.typing import Subprotocol

from server.client.errors import RETRIED, Gone, Refused, Unreachable

Codec = Literal["json", "msgpack"]
Views = Literal["full", "patch", "none"]
Message = dict[str, Any]

_MOST_BYTES: Final = 64 * 1024 * 1024
_LONGEST_WAIT_S: Final = 2.0
_FINAL: Final = ("asked", "removed", "revoked")
_LATER: Final = (429, 502, 503, 504)
"""Answers to a handshake that may be others a moment later."""


class _Broken(Exception):
    """What came over this connection cannot be gone on with; another one is needed."""


class _Again(Exception):
    """The command has no answer yet and is to be sent again in ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


class Viewer:
    """A seat or a spectator at a table. It connects again, resumes, and asks again for answers.

    Attributes:
        viewer: who this is: ``{"seat": n}`` or ``{"spectator": true}``.
        version, at_ms, epoch, status, actions, waiting: as last told.
        view: as last told, patches applied; None with ``views="none"``.
        connections: how many connections there have been so far.
    """

    def __init__(
        self,
        url: str,
        patience_s: float,
        table: str,
        token: str | None,
        codec: Codec,
        views: Views,
        keep: bool,
    ) -> None:
        self.table = table
        self.viewer: Message = {}
        self.version = 0
        self.at_ms = 0
        self.epoch: str | None = None
        self.status = "open"
        self.view: Message | None = None
        self.actions: list[Message] = []
        self.waiting: list[int] = []
        self.connections = 0
        self._url = url
        self._patience_s = patience_s
        self._codec: Codec = codec
        self._attach: Message = {"type": "attach", "table": table, "views": views}
        if token is not None:
            self._attach["token"] = token
        self._kept: deque[Message] | None = deque() if keep else None
        self._socket: ClientConnection | None = None
        self._acts: dict[str, tuple[Message, asyncio.Future[int]]] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def seat(self) -> int | None:
        """The seat, or None for a spectator."""
        return self.viewer.get("seat")

    @property
    def over(self) -> bool:
        """Whether nothing can happen at the table any more."""
        return self.status in ("finished", "abandoned")

    @property
    def may_act(self) -> bool:
        """Whether the game waits for this seat."""
        return self.seat in self.waiting and bool(self.actions)

    async def __aenter__(self) -> Self:
        """Attach. Raises `Refused`, `Unreachable`."""
        self._task = asyncio.create_task(self._run())
        try:
            await self.until(lambda: self.epoch is not None)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connection."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.exception()  # whoever waited was told already

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until what the server tells makes ``holds`` true.

        Raises:
            Gone, Refused, Unreachable: nothing more can come, and why.
        """
        while not holds():
            if self._running.done():
                self._running.result()
            self._changed.clear()
            await self._changed.wait()

    async def messages(self) -> AsyncIterator[Message]:
        """Every message about the table from the first ``attached`` until it is over (with ``keep``)."""
        kept = self._kept
        assert kept is not None, "attach with keep=True"
        while True:
            await self.until(lambda: self.over or bool(kept))
            if not kept:
                return
            yield kept.popleft()

    async def act(self, action: Message, *, ident: str | None = None, if_version: int | None = None) -> int:
        """Give a command and wait for its answer, through as many connections as it takes.

        Args:
            action: one of those that ``actions`` offers.
            ident: the command's id: the same one again is the same command.
            if_version: refuse it when the table is at another version.

        Returns:
            The version as which it is stored; it was carried out exactly once.

        Raises:
            Refused: it changed nothing.
            Gone, Unreachable: it is not known whether it was carried out.
        """
        running = self._running
        ident = ident or secrets.token_urlsafe(18)
        message: Message = {"type": "act", "id": ident, "table": self.table, "action": action}
        if if_version is not None:
            message["if_version"] = if_version
        try:
            while True:
                answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
                self._acts[ident] = (message, answer)
                await self._send(message)
                waited: list[asyncio.Future[Any]] = [answer, running]
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    running.result()
                try:
                    return answer.result()
                except _Again as again:
                    await asyncio.sleep(again.wait_s)
        finally:
            del self._acts[ident]

    # --- the connection -----------------------------------------------------------------------------

    @property
    def _running(self) -> asyncio.Task[None]:
        if self._task is None:
            raise RuntimeError("a viewer is used inside `async with`")
        return self._task

    async def _run(self) -> None:
        try:
            while True:
                await self._connected()
        finally:
            self._changed.set()

    async def _connected(self) -> None:
        """Connect, attach, and take what comes until the connection ends."""
        loop = asyncio.get_running_loop()
        give_up, wait_s = loop.time() + self._patience_s, 0.05
        before = self.connections
        while self.connections == before:
            why: Exception
            try:
                await self._connect()
                why = ConnectionError("the server closed the connection")
            except InvalidStatus as error:
                if error.response.status_code not in _LATER:
                    raise Unreachable(f"{self._url} takes no such connection: {error}") from error
                why = error
            except (OSError, ConnectionClosed, InvalidMessage, _Broken) as error:
                if isinstance(error, ConnectionRefusedError) and self.epoch is None:
                    raise Unreachable(f"no server answers at {self._url}") from error
                why = error
            except InvalidHandshake as error:
                raise Unreachable(f"{self._url} speaks no such protocol: {error}") from error
            if self.connections == before and loop.time() > give_up:
                raise Unreachable(f"no connection to {self._url}: {why}") from why
            # Others may have lost their connections too: not all at the same moment.
            await asyncio.sleep(wait_s * (0.5 + random.random()))  # noqa: S311
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    async def _connect(self) -> None:
        async with connect(
            self._url,
            subprotocols=[Subprotocol(f"facedown.v1.{self._codec}")],
            compression=None,
            max_size=_MOST_BYTES,
            proxy=None,
        ) as socket:
            attach = {**self._attach, "id": secrets.token_urlsafe(18)}
            if self.epoch is not None:
                attach |= {"from": self.version, "epoch": self.epoch, "from_ms": self.at_ms}
            await socket.send(self._packed(attach))
            try:
                async for frame in socket:
                    await self._take(socket, self._unpacked(frame), attach["id"])
            finally:
                self._socket = None

    def _packed(self, message: Message) -> str | bytes:
        if self._codec == "json":
            return json.dumps(message)
        return msgpack.packb(message)  # type: ignore[no-any-return]

    def _unpacked(self, frame: str | bytes) -> Message:
        message: Message = json.loads(frame) if isinstance(frame, str) else msgpack.unpackb(frame)
        return message

    async def _send(self, message: Message) -> None:
        # Without a connection it is sent as soon as there is one; if this one breaks, too.
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(self._packed(message))

    # --- what the server says -----------------------------------------------------------------------

    async def _take(self, socket: ClientConnection, message: Message, attach: str) -> None:
        if self._kept is not None:
            self._kept.append(message)
        self._changed.set()
        match message["type"]:
            case "attached":
                self._attached(message)
                self._socket = socket
                self.connections += 1
                for act, _ in list(self._acts.values()):
                    await self._send(act)
            case "update":
                self._updated(message)
            case "error" if message.get("id") == attach:
                if message["code"] in RETRIED:
                    raise _Broken(message["message"])
                raise Refused.told(message)
            case "accepted" | "rejected" | "error":
                self._answered(message)
            case "detached":
                if message["reason"] in _FINAL:
                    raise Gone(message["reason"])
                raise _Broken(f"detached: {message['reason']}")

    def _attached(self, message: Message) -> None:
        self.viewer, self.epoch = message["viewer"], message["epoch"]
        if message["recovered"]:
            return  # what was missed follows as updates; its status is the one after them
        self.version, self.at_ms = message["version"], message["at_ms"]
        self._shown(message)

    def _updated(self, message: Message) -> None:
        if message["version"] != self.version + 1:
            raise _Broken(f"version {message['version']} after {self.version}")
        self.version, self.at_ms = message["version"], message["at_ms"]
        self._shown(message)

    def _shown(self, message: Message) -> None:
        self.status = message["status"]
        if "view" in message:
            self.view = message["view"]
        elif "patch" in message:
            self.view = merged(self.view, message["patch"])
        self.actions = message.get("actions", [])
        self.waiting = message["waiting"]

    def _answered(self, message: Message) -> None:
        _, answer = self._acts.get(message.get("id", ""), (None, None))
        if answer is None or answer.done():
            return
        if message["type"] == "accepted":
            answer.set_result(message["version"])
            return
        refused = Refused.told(message)
        again = message["type"] == "error" and refused.code in RETRIED
        answer.set_exception(_Again(refused.wait_s) if again else refused)


def merged(old: Any, patch: Any) -> Any:
    """``old`` after a merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new
