"""Fair dealing: every shuffle of a table follows from a key that was fixed before anybody sat down.

Inputs are joined length-prefixed: each part stands behind its length in bytes as four bytes, big
endian (`joined`). With ``key`` the table's 32-byte deal key:

- commitment = SHA-256(joined("facedown/1", table id, key)), in lower-case hexadecimal;
- seed = joined(entropy of seat 0, entropy of seat 1, ...), in UTF-8, an empty part for a seat without any;
- block(label, counter) = HMAC-SHA256(key, joined("shuffle", seed, label, counter)), the counter as eight
  bytes, big endian, from 0; the stream of a label is the blocks one after another;
- a draw below n takes the next 8 bytes of the stream as a big-endian number x, again while
  x >= 2^64 - (2^64 mod n), and gives x mod n;
- a shuffle sorts the items first (numbers by value, texts by their UTF-8 bytes), then for i from the
  last index down to 1 swaps the items at i and at a draw below i + 1.

Labels are texts in UTF-8 and are used once a table. Vectors: ``tests/domain/vectors/dealing.json``.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T", str, int)

KEY_BYTES = 32


def joined(*parts: bytes) -> bytes:
    """The parts one after another, each behind its length (four bytes, big endian)."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def commitment(table: str, key: bytes) -> str:
    """What is published of a deal key at once: it fixes the key without telling it."""
    return hashlib.sha256(joined(b"facedown/1", table.encode(), key)).hexdigest()


class Dealer(Protocol):
    """The source of every random outcome of a table."""

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """``items`` in the order that belongs to ``label``; the given order does not matter."""


class KeyedDealer:
    """The dealer of a table, by the algorithm above.

    Args:
        key: the table's deal key, 32 bytes.
        entropy: what each seat added when it sat down (None for nothing), by seat.
    """

    def __init__(self, key: bytes, entropy: Sequence[bytes | None]) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a deal key has {KEY_BYTES} bytes, not {len(key)}")
        self._key = key
        self._seed = joined(*(part or b"" for part in entropy))

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        draw = _Stream(self._key, self._seed, label).below
        order = sorted(items, key=_sort_key)
        for last in range(len(order) - 1, 0, -1):
            other = draw(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


def _sort_key(item: str | int) -> Any:
    return item.encode() if isinstance(item, str) else item


class _Stream:
    def __init__(self, key: bytes, seed: bytes, label: str) -> None:
        self._key = key
        self._prefix = joined(b"shuffle", seed, label.encode()) + (8).to_bytes(4, "big")
        self._counter = 0
        self._numbers: list[int] = []  # of the current block, the next one last

    def _number(self) -> int:
        if not self._numbers:
            message = self._prefix + self._counter.to_bytes(8, "big")
            self._numbers = list(_BLOCK.unpack(hmac.digest(self._key, message, "sha256")))
            self._numbers.reverse()
            self._counter += 1
        return self._numbers.pop()

    def below(self, n: int) -> int:
        limit = (1 << 64) - (1 << 64) % n
        while (number := self._number()) >= limit:
            pass
        return number % n


_BLOCK = struct.Struct(">4Q")
