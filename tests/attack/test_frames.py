"""RFC 6455 over raw sockets, by both ways through the server: cases as in the Autobahn test suite."""

from __future__ import annotations

import asyncio
import io
import struct
from typing import NamedTuple

import pytest

from tests.attack.echo import echoing
from tests.attack.frames import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    UPGRADE,
    Frame,
    close,
    fragments,
    frame,
    handshake,
)
from tests.support.clients import PATIENCE_S
from tests.support.counts import LONG

BYE = close(1000)
AFTER = frame(PING, b"after") + frame(TEXT, b"after")
PROTOCOL, UTF8, LARGE = 1002, 1007, 1009
EURO = "κόσμε € 🂡".encode()


class Case(NamedTuple):
    """What is sent, what must come back, and the code of the close; 0: a close without one."""

    name: str
    sent: bytes
    back: list[Frame]
    code: int
    last: bytes = b""
    """What is sent when all of that has come back."""


def echoed(name: str, sent: bytes, *back: Frame) -> Case:
    """A case in which the client closes when it has what it wants."""
    return Case(name, sent, list(back), 1000, BYE)


def cut(name: str, sent: bytes, code: int = PROTOCOL) -> Case:
    """A case in which the server closes; what comes after the fault must not be taken."""
    return Case(name, sent + AFTER, [], code)


def closed(name: str, sent: bytes, code: int) -> Case:
    """A case in which the client closes; what comes after that must not be taken."""
    return Case(name, sent + AFTER, [], code)


def _messages() -> list[Case]:
    cases = []
    for size in (0, 1, 125, 126, 127, 128, 65535, 65536, 65537):
        for opcode, byte in ((TEXT, b"*"), (BINARY, b"\xfe")):
            payload = byte * size
            cases.append(echoed(f"{size} bytes of {opcode}", frame(opcode, payload), Frame(opcode, payload)))
    for size in (256 * 1024, 1024 * 1024, *((4 * 1024 * 1024, 16 * 1024 * 1024) if LONG else ())):
        payload = bytes(range(256)) * (size // 256)
        cases.append(echoed(f"{size} bytes", frame(BINARY, payload), Frame(BINARY, payload)))
        parts = [payload[start : start + size // 16] for start in range(0, size, size // 16)]
        cases.append(echoed(f"{size} in parts", fragments(BINARY, *parts), Frame(BINARY, payload)))
    many = [f"message {number}".encode() for number in range(100)]
    cases.append(
        echoed("many", b"".join(frame(TEXT, one) for one in many), *(Frame(TEXT, one) for one in many))
    )
    return cases


def _control() -> list[Case]:
    data = bytes(range(125))
    cases = [
        echoed("an empty ping", frame(PING), Frame(PONG, b"")),
        echoed("a full ping", frame(PING, data), Frame(PONG, data)),
        echoed("ten pings", frame(PING, b"x") * 10, *[Frame(PONG, b"x")] * 10),
        echoed("a pong nobody asked for", frame(PONG, b"x") + frame(PING, b"y"), Frame(PONG, b"y")),
        cut("a ping too large", frame(PING, bytes(126))),
        cut("a ping in parts", frame(PING, b"x", fin=False) + frame(CONT, b"y")),
        cut("a pong in parts", frame(PONG, b"x", fin=False)),
        cut("a close in parts", frame(CLOSE, b"\x03\xe8", fin=False)),
    ]
    for reserved in range(1, 8):
        cases += [
            cut(f"reserved {reserved} in {opcode}", frame(opcode, b"", reserved=reserved))
            for opcode in (TEXT, BINARY, PING, CLOSE)
        ]
        first = frame(TEXT, b"a", fin=False) + frame(CONT, b"b", reserved=reserved)
        cases.append(cut(f"reserved {reserved} in a continuation", first))
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        cases.append(cut(f"opcode {opcode}", frame(opcode, b"x")))
        cases.append(cut(f"opcode {opcode} within", frame(TEXT, b"a", fin=False) + frame(opcode, b"x")))
    cases += [
        cut(f"no mask on {opcode}", frame(opcode, b"\x03\xe8", masked=False))
        for opcode in (TEXT, BINARY, CONT, PING, CLOSE)
    ]
    return cases


def _fragments() -> list[Case]:
    ping = frame(PING, b"p")
    start, middle, end = (
        frame(TEXT, b"one ", fin=False),
        frame(CONT, b"two ", fin=False),
        frame(CONT, b"three"),
    )
    whole = Frame(TEXT, b"one two three")
    return [
        echoed("three parts", start + middle + end, whole),
        echoed("pings between", start + ping + middle + ping + end, *[Frame(PONG, b"p")] * 2, whole),
        echoed("empty parts", fragments(TEXT, b"", b"", b""), Frame(TEXT, b"")),
        echoed("an empty start", fragments(BINARY, b"", b"x", b""), Frame(BINARY, b"x")),
        echoed("two in turn", (start + end) * 2, *[Frame(TEXT, b"one three")] * 2),
        cut("a continuation of nothing", frame(CONT, b"x")),
        cut("an open continuation of nothing", frame(CONT, b"x", fin=False)),
        cut("another start within", start + frame(TEXT, b"x")),
        cut("another kind within", start + frame(BINARY, b"x", fin=False)),
        # The standard lets control frames stand within a message; a close that cuts one short may be a fault.
        cut("a close within", start + BYE),
    ]


GOOD_TEXT = [
    "",
    "\x00",
    "κόσμε",
    "\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff",
    "\ud7ff\ue000\ufffd\ufffe\ufdd0",
    "🂡" * 50,
]
BAD_TEXT = [
    *(b"\x80", b"\xbf", b"\xfe", b"\xff"),
    *(b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf"),  # longer than need be
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"hello \xed\xa0\x80"),  # surrogates
    *(b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80"),  # beyond the last
    *(b"\xc3", b"\xe2\x82", b"\xf0\x9f\x82", b"\xce\xba\xe1\xbd"),  # cut short
]


def _utf8() -> list[Case]:
    cases = []
    for text in GOOD_TEXT:
        payload = text.encode()
        cases.append(echoed(f"text {text[:6]!r}", frame(TEXT, payload), Frame(TEXT, payload)))
        bytewise = [payload[at : at + 1] for at in range(len(payload))] or [b""]
        cases.append(echoed(f"split {text[:6]!r}", fragments(TEXT, *bytewise), Frame(TEXT, payload)))
    cases += [
        echoed(f"split at {at}", fragments(TEXT, EURO[:at], EURO[at:]), Frame(TEXT, EURO))
        for at in range(1, len(EURO))
    ]
    for payload in BAD_TEXT:
        cases.append(cut(f"text {payload!r}", frame(TEXT, payload), UTF8))
        cases.append(cut(f"in parts {payload!r}", fragments(TEXT, EURO, payload[:1], payload[1:]), UTF8))
        cases.append(echoed(f"binary {payload!r}", frame(BINARY, payload), Frame(BINARY, payload)))
    return cases


def _closes() -> list[Case]:
    return [
        closed("a close without a code", frame(CLOSE), 0),
        closed("half a code", frame(CLOSE, b"\x03"), PROTOCOL),
        closed("a long reason", close(1000, b"x" * 123), 1000),
        closed("a reason in all letters", close(1000, EURO), 1000),
        closed("a reason too long", close(1000, b"x" * 124), PROTOCOL),
        closed("a reason that is no text", close(1000, b"\xed\xa0\x80"), UTF8),
        *(
            closed(f"code {code}", close(code), code)
            for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
        ),
        *(
            closed(f"code {code}", close(code), PROTOCOL)
            for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)
        ),
    ]


def _lengths() -> list[Case]:
    return [
        cut("a length beyond 63 bits", frame(BINARY, length=b"\x7f" + b"\xff" * 8), LARGE),
        cut("a length beyond memory", frame(BINARY, length=b"\x7f" + struct.pack("!Q", 2**40)), LARGE),
        cut(
            "a length just too large", frame(TEXT, length=b"\x7f" + struct.pack("!Q", 16 * 2**20 + 1)), LARGE
        ),
        cut("parts too large together", fragments(BINARY, *[bytes(1024 * 1024)] * 17), LARGE),
    ]


GROUPS = {
    "messages": _messages,
    "control": _control,
    "fragments": _fragments,
    "utf8": _utf8,
    "closes": _closes,
    "lengths": _lengths,
}


@pytest.mark.timeout(600 if LONG else 60)
@pytest.mark.parametrize("direct", [True, False], ids=["direct", "asgi"])
@pytest.mark.parametrize("group", GROUPS)
async def test_frames_are_taken_and_refused_as_the_standard_says(
    server_log: io.StringIO, group: str, direct: bool
) -> None:
    async with echoing(direct=direct) as (host, port):
        for case in GROUPS[group]():
            small = len(case.sent) < 2000
            for step in (0, 1, 7) if small and (LONG or group in ("fragments", "closes")) else (0,):
                async with asyncio.timeout(PATIENCE_S):
                    await _tried(host, port, case, step)


async def _tried(host: str, port: int, case: Case, step: int) -> None:
    status, raw = await handshake(host, port)
    assert status == 101
    sent = case.sent
    if step and case.sent.startswith(frame(CLOSE, b"")[:1]):
        sent = sent.removesuffix(AFTER)  # who closes and goes on in another packet is reset, and may be
    sending = asyncio.create_task(raw.send(sent, step))
    back = await raw.frames(len(case.back))
    assert back == case.back, f"{case.name} by {step}: {str(back)[:200]}"
    await asyncio.wait([sending])
    await raw.send(case.last, step)
    *more, last = await raw.frames() or [Frame(-1, b"")]
    await raw.close()
    if case.code == UTF8:  # text is looked at when its frame is whole; pings have been answered by then
        more = [one for one in more if one != Frame(PONG, b"after")]
    assert (last.opcode, more) == (CLOSE, []), f"{case.name} by {step}: {last}"
    told = struct.unpack("!H", last.payload[:2])[0] if last.payload else 0
    assert told == case.code, f"{case.name} by {step}"
    last.payload[2:].decode()


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "asgi"])
async def test_handshakes_that_are_none_are_refused(server_log: io.StringIO, direct: bool) -> None:
    async with echoing(direct=direct) as (host, port):
        right = list(UPGRADE)
        wrong = {
            "no version": right[:3],
            "an old version": [*right[:3], "Sec-WebSocket-Version: 8"],
            "no key": [*right[:2], right[3]],
            "a short key": [*right[:2], "Sec-WebSocket-Key: AAAA", right[3]],
            "a key that is none": [*right[:2], "Sec-WebSocket-Key: ???", right[3]],
            "two keys": [*right, right[2]],
            "no upgrade": [right[1], *right[2:]],
            "another upgrade": ["Upgrade: h2c", *right[1:]],
            "no connection": [right[0], *right[2:]],
        }
        for name, lines in wrong.items():
            async with asyncio.timeout(PATIENCE_S):
                status, raw = await handshake(host, port, extra=lines)
                await raw.close()
            assert 400 <= status < 500, f"{name}: {status}"
        for method in ("POST", "PUT", "HEAD"):
            async with asyncio.timeout(PATIENCE_S):
                status, raw = await handshake(host, port, method=method)
                await raw.close()
            assert 400 <= status < 500, f"{method}: {status}"
        status, raw = await handshake(host, port)
        await raw.close()
        assert status == 101
