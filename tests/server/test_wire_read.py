"""The quick way to read an act gives what the strict one gives, whatever arrives."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.codec import BadFrame, decode
from server.parsing import parse, read
from server.wire import Act

ACT = {"type": "act", "id": "a-1", "table": "abcdefgh", "action": {"type": "play", "card": 7}}


def packed(value: Any) -> bytes:
    """As MessagePack; floats in single precision."""
    found: bytes = msgpack.packb(value, use_single_float=True)
    return found


def outcome(run: Any) -> Any:
    """What a reader gives, types included, or its refusal."""
    try:
        message = run()
    except BadFrame as bad:
        return bad.code, bad.message, bad.id
    if isinstance(message, Act):
        return message.id, message.table, repr(message.action), message.if_version
    return message


def same(frame: bytes) -> Any:
    """Hold both ways against each other."""
    quick = outcome(lambda: read("msgpack", frame))
    assert quick == outcome(lambda: parse(decode("msgpack", frame)))
    return quick


TWICE = b"\x85" + packed(ACT)[1:] + packed("id") + packed("b")
TWICE_INSIDE = packed({**ACT, "action": {"type": "play"}})[:-10] + b"\x82" + 2 * (packed("a") + packed(1))


@pytest.mark.parametrize(
    "frame",
    [
        packed(ACT),
        packed(dict(reversed(ACT.items()))),
        packed({**ACT, "if_version": 3}),
        packed({**ACT, "if_version": 3.0}),
        packed({**ACT, "if_version": -1}),
        packed({**ACT, "id": ""}),
        packed({**ACT, "id": "a\n"}),
        packed({**ACT, "id": "x" * 65}),
        packed({**ACT, "more": 1}),
        packed({**ACT, "action": {}}),
        packed({**ACT, "action": {"type": 1}}),
        packed({**ACT, "action": {"type": ["a"]}}),
        packed({**ACT, "action": {"card": "a"}}),
        packed({**ACT, "action": []}),
        *(
            packed({**ACT, "action": {"type": "play", "card": value}})
            for value in (1.0, 3e4, True, None, b"x", {"a": 1}, [1, "a"], [1.0], [[1]], [None], 2**16, 2**60)
        ),
        packed({key: value for key, value in ACT.items() if key != "id"}),
        packed(ACT) + b"\x00",
        packed(ACT)[:-1],
        TWICE,
        TWICE_INSIDE,
        packed(ACT).replace(b"\xa3act", b"\xd9\x03act"),
        packed(ACT).replace(b"\x07", b"\xcd\x00\x07"),
        packed(ACT).replace(b"\x07", b"\xcb" + b"\x00" * 8),
        packed(ACT).replace(b"a-1", b"\xed\xa0\x80"),
        packed({**ACT, "action": {1: 2, "type": "play"}}),
        packed({"type": "ping"}),
        packed([1]),
        b"",
    ],
)
def test_frames_are_read_as_the_strict_way_reads_them(frame: bytes) -> None:
    same(frame)


def test_a_usual_act_is_an_act() -> None:
    assert same(packed(ACT)) == ("a-1", "abcdefgh", repr(ACT["action"]), same(packed(ACT))[3])


def test_a_key_that_occurs_twice_is_refused() -> None:
    assert same(TWICE)[0] == "bad_message"


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**54), 2**54), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["type", "card", "cards"]), VALUES), st.text(max_size=66))
def test_any_action_is_read_as_the_strict_way_reads_it(action: dict[str, Any], ident: str) -> None:
    same(msgpack.packb({**ACT, "id": ident, "action": action}))
