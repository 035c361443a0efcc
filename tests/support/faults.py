"""A network that misbehaves on demand, and a server that says what it is told to say."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import hiredis


class FaultProxy:
    """A TCP proxy before a server on a Unix socket.

    `swallow_reply` loses one answer: the next request that contains these bytes is passed on, its answer
    is not, and the connection ends. `swallow_request` loses the request itself in the same way. Requests
    that contain `hold` are kept back until `release`, whatever becomes of their connections meanwhile.
    Answers to requests that contain `mute` are lost as long as it is set. With
    `slow_s` every piece of data takes up to that many seconds, either way.
    """

    def __init__(self, socket_path: str) -> None:
        self._path = socket_path
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.url = ""
        self.swallow_reply: bytes | None = None
        self.swallow_request: bytes | None = None
        self.refuse = False
        self.hold: bytes | None = None
        self.mute: bytes | None = None
        self._released = asyncio.Event()
        self.slow_s = 0.0
        self.swallowed = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._flows: set[asyncio.Event] = set()

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"redis://127.0.0.1:{port}/0"

    async def stop(self) -> None:
        """Stop listening and cut every connection."""
        assert self._server is not None
        self._server.close()
        self.cut()
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def cut(self) -> None:
        """Cut every connection that is open now."""
        for writer in list(self._open):
            writer.transport.abort()
        for flow in self._flows:
            flow.set()

    def release(self) -> None:
        """Let what was held arrive, however late it is."""
        self.hold = None
        self._released.set()

    def stall(self) -> None:
        """Let every connection that is open now stay open, and pass nothing on any more."""
        for flow in self._flows:
            flow.clear()

    async def _crawl(self) -> None:
        if self.slow_s:
            await asyncio.sleep(random.random() * self.slow_s)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._open.add(writer)
        try:
            if not self.refuse:
                with suppress(OSError):
                    await self._forward(reader, writer)
        finally:
            self._open.discard(writer)
            writer.transport.abort()
            self._tasks.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_unix_connection(self._path)
        lose_next = False
        flow = asyncio.Event()
        flow.set()
        self._flows.add(flow)

        async def requests() -> None:
            nonlocal lose_next
            while data := await reader.read(65536):
                await flow.wait()
                await self._crawl()
                if self.swallow_request and self.swallow_request in data:
                    self.swallow_request = None
                    self.swallowed += 1
                    return
                if self.hold and self.hold in data:
                    self._released.clear()
                    await self._released.wait()
                if self.swallow_reply and self.swallow_reply in data:
                    self.swallow_reply = None
                    lose_next = True
                lose_next |= bool(self.mute and self.mute in data)
                up_writer.write(data)
                await up_writer.drain()

        async def replies() -> None:
            while data := await up_reader.read(65536):
                await flow.wait()
                await self._crawl()
                if lose_next:
                    self.swallowed += 1
                    return
                writer.write(data)
                await writer.drain()

        ways = [asyncio.create_task(requests()), asyncio.create_task(replies())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._flows.discard(flow)
            up_writer.transport.abort()


@asynccontextmanager
async def fault_proxy(socket_path: str) -> AsyncIterator[FaultProxy]:
    """A running proxy."""
    proxy = FaultProxy(socket_path)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()


@asynccontextmanager
async def scripted_server(answer: Callable[[list[bytes]], bytes | None]) -> AsyncIterator[str]:
    """A server that answers each command with the given raw bytes, or hangs up for None. Gives its URL."""
    open_writers: set[asyncio.StreamWriter] = set()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        open_writers.add(writer)
        parser = hiredis.Reader()
        try:
            while data := await reader.read(65536):
                parser.feed(data)
                while (command := parser.gets()) is not False:
                    reply = answer(command)
                    if reply is None:
                        return
                    writer.write(reply)
        except OSError:
            pass
        finally:
            open_writers.discard(writer)
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        for writer in list(open_writers):
            writer.transport.abort()
        while tasks:
            await asyncio.wait(set(tasks))
