"""Encoded objects to which members are added without encoding the others again."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from server.codec import Kind


@mypyc_attr(acyclic=True)
class Members:
    """The members of an encoded object, to which others are added without encoding these again.

    Args:
        kind: the encoding.
        encoded: an object of at most 65,535 members, as `encode` writes it.
    """

    __slots__ = ("_begun", "_body", "_count", "_json", "_total")

    def __init__(self, kind: Kind, encoded: bytes) -> None:
        self._json = kind == "json"
        self._count = 0
        self._total = -1
        self._begun = b""
        if self._json:
            self._body = encoded[1:-1]
        else:
            self._count, start = _map_header(encoded)
            self._body = encoded[start:]

    def joined(self, encoded: bytes) -> bytes:
        """The object with the members of another one, which come last; no name may be in both."""
        if self._json:
            more = encoded[1:-1]
            return b"{%b%b%b}" % (self._body, b"," if more and self._body else b"", more)
        number, start = _map_header(encoded)
        total = self._count + number
        if total != self._total:
            self._total = total
            header = bytes((0x80 | total,)) if total < 16 else bytes((0xDE, total >> 8, total & 255))
            self._begun = header + self._body
        return self._begun + encoded[start:]


def _map_header(encoded: bytes) -> tuple[int, int]:
    """How many members a MessagePack map has, and where the first begins."""
    first = encoded[0]
    if first < 0x90:
        return first & 15, 1
    return encoded[1] << 8 | encoded[2], 3
