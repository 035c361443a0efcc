"""WebSocket frames as bytes."""

from __future__ import annotations

from typing import Final

TEXT: Final = 0x81
BINARY: Final = 0x82


def framed(opcode: int, payload: bytes) -> bytes:
    """One final, unmasked WebSocket frame (RFC 6455, section 5.2)."""
    length = len(payload)
    if length < _USUAL:
        return _HEADERS[opcode][length] + payload
    return _header(opcode, length) + payload


def _header(opcode: int, length: int) -> bytes:
    if length < 126:
        return bytes((opcode, length))
    if length < 65536:
        return bytes((opcode, 126, length >> 8, length & 255))
    return bytes((opcode, 127)) + length.to_bytes(8, "big")


_USUAL: Final = 2048
_HEADERS: Final = {opcode: [_header(opcode, length) for length in range(_USUAL)] for opcode in (TEXT, BINARY)}


class _Last:
    """The frame made last: what many spectators are sent one after another is framed once."""

    def __init__(self) -> None:
        self.payload = b""
        self.opcode = 0
        self.frame = b""


_last: Final = _Last()


def framed_once(opcode: int, payload: bytes) -> bytes:
    """As `framed`; the same payload as the last time is not framed again."""
    last = _last
    if payload is not last.payload or opcode != last.opcode:
        last.payload, last.opcode, last.frame = payload, opcode, framed(opcode, payload)
    return last.frame
