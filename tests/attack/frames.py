"""WebSocket frames by hand, right and wrong (RFC 6455, section 5)."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Sequence
from typing import NamedTuple

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MASK = b"\x13\x57\x9b\xdf"


class Frame(NamedTuple):
    """A frame from the server."""

    opcode: int
    payload: bytes


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    masked: bool = True,
    length: bytes | None = None,
) -> bytes:
    """A frame of a client.

    Args:
        opcode: which kind, 0 to 15.
        payload: what it carries.
        fin: whether it is the last of its message.
        reserved: the three reserved bits, 0 to 7.
        masked: as a client must.
        length: the bytes of the length in place of the shortest right ones, without the mask's bit.
    """
    size = len(payload)
    if length is None:
        if size < 126:
            length = bytes([size])
        elif size < 65536:
            length = b"\x7e" + struct.pack("!H", size)
        else:
            length = b"\x7f" + struct.pack("!Q", size)
    head = bytes([fin << 7 | reserved << 4 | opcode, masked << 7 | length[0]]) + length[1:]
    if not masked:
        return head + payload
    whole = int.from_bytes((MASK * (size // 4 + 1))[:size], "big")
    return head + MASK + (int.from_bytes(payload, "big") ^ whole).to_bytes(size, "big")


def close(code: int, reason: bytes = b"") -> bytes:
    """A closing frame of a client."""
    return frame(CLOSE, struct.pack("!H", code) + reason)


def fragments(opcode: int, *parts: bytes) -> bytes:
    """A message in several frames."""
    last = len(parts) - 1
    return b"".join(
        frame(CONT if number else opcode, part, fin=number == last) for number, part in enumerate(parts)
    )


class Raw:
    """A connection that sends bytes as they are, and reads frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes, step: int = 0) -> None:
        """Send, in pieces of ``step`` bytes if that is not 0; whoever closes meanwhile has heard enough."""
        with contextlib.suppress(ConnectionError):
            for start in range(0, len(data), step or len(data) or 1):
                self.writer.write(data[start : start + (step or len(data))])
                await self.writer.drain()
                if step:
                    await asyncio.sleep(0)

    async def frames(self, most: int | None = None) -> list[Frame]:
        """So many frames, or all until the socket is closed: each whole, unmasked, as short as can be."""
        found: list[Frame] = []
        while most is None or len(found) < most:
            try:
                head = await self.reader.read(1)
            except ConnectionResetError:
                break
            if not head:
                break
            found.append(await self._frame(head[0]))
        return found

    async def _frame(self, first: int) -> Frame:
        (second,) = await self.reader.readexactly(1)
        assert first & 0x70 == 0, "a reserved bit is set"
        assert second & 0x80 == 0, "masked"
        assert first & 0x80, "in parts"
        size = second
        if second == 126:
            (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            assert size > 125
        elif second == 127:
            (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
            assert size > 65535
        return Frame(first & 0x0F, await self.reader.readexactly(size))

    async def close(self) -> None:
        """Close the socket."""
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


async def handshake(
    host: str, port: int, path: str = "/", extra: Sequence[str] = (), method: str = "GET"
) -> tuple[int, Raw]:
    """Open a connection; gives the status of the answer."""
    reader, writer = await asyncio.open_connection(host, port)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", *(extra or UPGRADE), "", ""]
    writer.write("\r\n".join(lines).encode())
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split()[1]), Raw(reader, writer)


UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Version: 13",
)
