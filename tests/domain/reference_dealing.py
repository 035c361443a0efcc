"""The dealing algorithm written a second time, straight from its description, for the test vectors.

It shares no code with `domain.dealing`. ``python -m tests.domain.reference_dealing --write`` writes
``vectors/dealing.json``, which clients in other languages test themselves against as well.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
import sys
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "vectors" / "dealing.json"

KEYS = ("00" * 32, "ff" * 32, bytes(range(32)).hex(), hashlib.sha256(b"facedown").hexdigest())


def commitment(table: str, key: bytes) -> str:
    """SHA-256 over three parts, each behind its length."""
    digest = hashlib.sha256()
    for part in (b"facedown/1", table.encode("utf-8"), key):
        digest.update(struct.pack(">I", len(part)))
        digest.update(part)
    return digest.hexdigest()


def words(key: bytes, entropy: list[bytes], label: str, blocks: int) -> list[int]:
    """The first ``4 * blocks`` numbers of the stream of a label."""
    seed = b""
    for part in entropy:
        seed += struct.pack(">I", len(part)) + part
    name = label.encode("utf-8")
    numbers: list[int] = []
    for counter in range(blocks):
        message = (
            struct.pack(">I", 7)
            + b"shuffle"
            + struct.pack(">I", len(seed))
            + seed
            + struct.pack(">I", len(name))
            + name
            + struct.pack(">IQ", 8, counter)
        )
        block = hmac.new(key, message, hashlib.sha256).digest()
        numbers += struct.unpack(">4Q", block)
    return numbers


def shuffle(key: bytes, entropy: list[bytes], label: str, items: list[Any]) -> list[Any]:
    """Fisher-Yates from the last index down, with rejection sampling."""
    order = sorted(items, key=lambda item: item.encode("utf-8") if isinstance(item, str) else item)
    numbers = words(key, entropy, label, len(order) // 4 + 10)
    position = 0
    index = len(order) - 1
    while index > 0:
        n = index + 1
        while numbers[position] >= 2**64 - 2**64 % n:
            position += 1
        other = numbers[position] % n
        position += 1
        keep = order[index]
        order[index] = order[other]
        order[other] = keep
        index -= 1
    return order


def vectors() -> dict[str, Any]:
    """Commitments, streams and shuffles for fixed inputs."""
    commitments = [
        {"table": table, "key": key, "commitment": commitment(table, bytes.fromhex(key))}
        for table in ("testtable", "a", "tisch-äöü")
        for key in KEYS
    ]
    cards = [f"{suit}-{rank}" for suit in ("hearts", "spades") for rank in range(1, 11)]
    cases: list[tuple[str, list[str], str, list[Any]]] = [
        (KEYS[0], ["", "", ""], "deal", [0, 1, 2]),
        (KEYS[2], ["", "", ""], "lead", [2, 1, 0]),
        (KEYS[2], ["salt", "", "zwölf"], "lead", [0, 1, 2]),
        (KEYS[2], ["", "salt", "zwölf"], "lead", [0, 1, 2]),
        (KEYS[3], ["00ff" * 16, "", "ab"], "hand-1/deal", cards),
        (KEYS[3], ["00ff" * 16, "", "ab"], "hand-2/deal", cards),
        (KEYS[3], ["00ff" * 16, "ab"], "hand-2/deal", cards),
        (KEYS[1], ["", ""], "gleiche Karten äöü", ["lure", "mirror", "lure", "gear", "mirror", "Zinn", "ä"]),
        (KEYS[1], ["", ""], "one", ["only"]),
        (KEYS[1], ["", ""], "none", []),
        (KEYS[0], [""] * 6, "numbers", list(range(-5, 120))),
    ]
    shuffles = [
        {
            "key": key,
            "entropy": entropy,
            "label": label,
            "items": items,
            "order": shuffle(bytes.fromhex(key), [part.encode() for part in entropy], label, items),
        }
        for key, entropy, label, items in cases
    ]
    streams = [
        {
            "key": KEYS[2],
            "entropy": ["", "aa"],
            "label": "deal",
            "numbers": [
                f"{number:016x}" for number in words(bytes.fromhex(KEYS[2]), [b"", b"aa"], "deal", 3)
            ],
        }
    ]
    return {"commitments": commitments, "streams": streams, "shuffles": shuffles}


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    VECTORS.write_text(json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
