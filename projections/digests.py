"""The digest chain of a log: each line says by what the lines before it, and itself, can be known.

The digest of a line is the SHA-256, in lower-case hexadecimal, of the digest of the line before it (those 64
characters; nothing before the first line) followed by the line in canonical form, without its own ``digest``.
The canonical form is JSON in UTF-8 without blanks, the members of objects in the order of their names, texts
escaped as little as JSON allows (RFC 8785; there are no numbers but whole ones).

The chain covers what the viewer of the log was shown and nothing else. It finds a line that was lost, moved
or changed by accident or by somebody who does not care; whoever changes a line and reckons all digests anew
is found only by the last digest, which two people can compare, and by the deal key (`projections.verify`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

MEMBER = "digest"

_canonical = msgspec.json.Encoder(order="sorted").encode


def digest(before: str, line: Mapping[str, Any]) -> str:
    """The digest of ``line``, which may hold one already; ``before`` is that of the line before it."""
    bare = {name: value for name, value in line.items() if name != MEMBER}
    return hashlib.sha256(before.encode() + _canonical(bare)).hexdigest()


def chained(lines: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each line with its digest as its last member."""
    before = ""
    for line in lines:
        before = digest(before, line)
        yield {**line, MEMBER: before}
