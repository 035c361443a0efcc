"""Strict decoding: what no message may contain, in either encoding."""

import json
import math
import struct
import tracemalloc
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.codec import MAX_DEPTH, MAX_INTEGER, BadFrame, Kind, decode, encode, is_id, parse_body

KINDS: tuple[Kind, ...] = ("json", "msgpack")


def refusal(kind: Kind, frame: str | bytes) -> BadFrame:
    with pytest.raises(BadFrame) as caught:
        decode(kind, frame)
    assert caught.value.code == "bad_message"
    assert caught.value.message.endswith(".")
    assert str(caught.value) == caught.value.message
    return caught.value


def assert_read_or_refused(kind: Kind, frame: str | bytes) -> None:
    id_ = None
    try:
        decode(kind, frame)
    except BadFrame as refused:
        id_ = refused.id
    assert id_ is None or is_id(id_)


def nested(depth: int) -> dict[str, Any]:
    """A message with an id, `depth` deep counting itself."""
    value: Any = []
    for _ in range(depth - 2):
        value = [value]
    return {"deep": value, "id": "m1"}


def pack(value: object) -> bytes:
    return bytes(msgpack.packb(value))


BAD_JSON: list[tuple[str, str | bytes, str, str | None]] = [
    ("nothing", "", "nothing here", None),
    ("only white space", "  \n", "not JSON", None),
    ("no JSON", "hello", "not JSON", None),
    ("cut short", '{"id":"m1","a":', "not JSON", None),
    ("single quotes", "{'id':'m1'}", "line 1, column 2", None),
    ("a comma too many", '{"id":"m1",}', "not JSON", None),
    ("a comment", '{"id":"m1"} // hi', "extra data", "m1"),
    ("a second value", '{"id":"m1"}{}', "extra data", "m1"),
    ("a trailing NUL", '{"id":"m1"}\0', "extra data", "m1"),
    ("a raw line break in a string", '{"id":"m1","a":"\n"}', "not JSON", None),
    ("a leading zero", '{"a":01}', "not JSON", None),
    ("a plus sign", '{"a":+1}', "not JSON", None),
    ("a byte order mark", '\ufeff{"id":"m1"}', "byte order mark", None),
    ("a byte order mark in bytes", b'\xef\xbb\xbf{"id":"m1"}', "byte order mark", None),
    ("UTF-16", '{"id":"m1"}'.encode("utf-16-le"), "not JSON", None),
    ("bytes that are not UTF-8", b'{"id":"\xff"}', "not UTF-8 at byte 7", None),
    ("overlong UTF-8", b'{"id":"\xc0\xaf"}', "not UTF-8", None),
    ("a surrogate in UTF-8", b'{"id":"\xed\xa0\x80"}', "not UTF-8", None),
    ("a surrogate in text", '{"id":"m1","a":"\ud800"}', "surrogate", None),
    ("an escaped surrogate", '{"id":"m1","a":["\\ud800"]}', "surrogate", "m1"),
    ("a low surrogate", '{"id":"m1","a":{"b":"\\uDFFF"}}', "surrogate", "m1"),
    ("a surrogate in a key", '{"id":"m1","a":{"\\ud83d":1}}', "surrogate", "m1"),
    ("surrogates in the wrong order", '{"id":"m1","a":"\\ude00\\ud83d"}', "surrogate", "m1"),
    ("a surrogate in the id", '{"id":"\\ud800"}', "surrogate", None),
    ("the same key twice", '{"id":"m1","a":1,"a":1}', 'The key "a" occurs twice', "m1"),
    ("the same key twice, deep down", '{"a":[{"b":{"c":1,"c":2}}],"id":"m1"}', '"c" occurs twice', "m1"),
    ("the same key spelt differently", '{"id":"m1","a":1,"\\u0061":1}', '"a" occurs twice', "m1"),
    ("two ids", '{"id":"m1","id":"m1"}', '"id" occurs twice', None),
    ("NaN", '{"id":"m1","a":NaN}', "NaN is not", "m1"),
    ("Infinity", '{"id":"m1","a":Infinity}', "Infinity is not", "m1"),
    ("-Infinity", '{"a":[-Infinity],"id":"m1"}', "-Infinity is not", "m1"),
    ("a number beyond floats", '{"id":"m1","a":1e999}', "too large", "m1"),
    ("a negative number beyond floats", '{"id":"m1","a":-1.5e999}', "too large", "m1"),
    ("2^53", '{"id":"m1","a":9007199254740992}', "Integers", "m1"),
    ("-2^53", '{"id":"m1","a":-9007199254740992}', "Integers", "m1"),
    ("an integer of 5000 digits", '{"id":"m1","a":' + "9" * 5000 + "}", "Integers", "m1"),
    ("33 levels", json.dumps(nested(33)), "32 deep", "m1"),
    ("33 objects", '{"a":' * 33 + "1" + "}" * 33, "32 deep", None),
    ("100000 brackets", '{"id":"m1","a":' + "[" * 100_000, "32 deep", None),
    ("100000 levels", '{"id":"m1","a":' + "[" * 100_000 + "]" * 100_000 + "}", "32 deep", None),
    ("a list around a message", '[{"id":"m1","a":1,"a":1}]', "occurs twice", None),
    ("an id that is a number", '{"id":7,"a":NaN}', "NaN", None),
    ("an empty id", '{"id":"","a":NaN}', "NaN", None),
    ("an id of 65 characters", '{"id":"' + "x" * 65 + '","a":NaN}', "NaN", None),
    ("an id with a line break", '{"id":"a\\nb","a":NaN}', "NaN", None),
]

BAD_MSGPACK: list[tuple[str, str | bytes, str, str | None]] = [
    ("text", '{"id":"m1"}', "binary frames", None),
    ("nothing", b"", "nothing here", None),
    ("the byte that is never used", b"\xc1", "0xc1 at byte 0", None),
    ("the same after the id", b"\x82\xa2id\xa2m1\xa1a\xc1", "0xc1 at byte 9", "m1"),
    ("cut short", pack({"id": "m1", "a": "long enough"})[:-3], "too early", "m1"),
    ("cut short in a length", b"\x82\xa2id\xa2m1\xa1a\xda\x01", "too early", "m1"),
    ("cut short in a number", b"\x82\xa2id\xa2m1\xa1a\xcb\x7f\xf0", "too early", "m1"),
    ("cut short before a value", b"\x82\xa2id\xa2m1\xa1a", "too early", "m1"),
    ("a trailing byte", pack({"id": "m1"}) + b"\xc0", "from byte 7", "m1"),
    ("a second message", pack({"id": "m1"}) * 2, "Bytes follow", "m1"),
    ("the same key twice", b"\x83\xa2id\xa2m1\xa1a\x01\xa1a\x01", 'The key "a" occurs twice', "m1"),
    ("the same key in two lengths", b"\x83\xa2id\xa2m1\xa1a\x01\xd9\x01a\x01", "occurs twice", "m1"),
    ("the same key twice, deep down", b"\x82\xa1x\x91\x82\xa1c\x01\xa1c\x02\xa2id\xa2m1", "twice", "m1"),
    ("two ids", b"\x82\xa2id\xa2m1\xa2id\xa2m2", '"id" occurs twice', None),
    ("two ids, one a number", b"\x82\xa2id\x07\xa2id\xa2m2", '"id" occurs twice', None),
    ("two ids, one a list", b"\x82\xa2id\x91\x07\xa2id\xa2m2", '"id" occurs twice', None),
    ("an integer as a key", b"\x82\xa2id\xa2m1\x01\x02", "Keys must be strings; the one at byte 7", "m1"),
    ("nil as a key", b"\x82\xc0\x02\xa2id\xa2m1", "Keys must be strings", "m1"),
    ("a list as a key", b"\x82\x91\x01\x02\xa2id\xa2m1", "Keys must be strings", "m1"),
    ("binary as a key", b"\x82\xc4\x01a\x02\xa2id\xa2m1", "binary", "m1"),
    ("binary", pack({"id": "m1", "a": b"x"}), "binary", "m1"),
    ("binary of 300 bytes", pack({"id": "m1", "a": b"x" * 300}), "binary", "m1"),
    ("binary as the id", b"\x81\xa2id\xc4\x02m1", "binary", None),
    ("fixext 1", pack({"id": "m1", "a": msgpack.ExtType(5, b"x")}), "extension", "m1"),
    ("ext 8", pack({"a": msgpack.ExtType(5, b"xyz"), "id": "m1"}), "extension", "m1"),
    ("ext 16", pack({"a": msgpack.ExtType(5, b"x" * 300), "id": "m1"}), "extension", "m1"),
    ("a timestamp", b"\x82\xa2id\xa2m1\xa1a\xd6\xff\0\0\0\0", "extension", "m1"),
    ("a timestamp of 12 bytes", b"\x82\xa1a\xc7\x0c\xff" + b"\xff" * 12 + b"\xa2id\xa2m1", "extension", "m1"),
    ("NaN", pack({"id": "m1", "a": math.nan}), "finite; the one at byte 9", "m1"),
    ("Infinity", pack({"id": "m1", "a": [math.inf]}), "finite", "m1"),
    (
        "-Infinity in 32 bits",
        b"\x82\xa1a\xca" + struct.pack(">f", -math.inf) + b"\xa2id\xa2m1",
        "finite",
        "m1",
    ),
    ("2^53", pack({"id": "m1", "a": 2**53}), "Integers", "m1"),
    ("-2^53", pack({"id": "m1", "a": -(2**53)}), "Integers", "m1"),
    ("2^64 - 1", pack({"a": 2**64 - 1, "id": "m1"}), "Integers", "m1"),
    ("invalid UTF-8", b"\x82\xa2id\xa2m1\xa1a\xa1\xff", "not UTF-8", "m1"),
    ("invalid UTF-8 in a key", b"\x82\xa2id\xa2m1\xa1\xff\x01", "not UTF-8", "m1"),
    ("invalid UTF-8 in the id", b"\x81\xa2id\xa2m\xff", "not UTF-8", None),
    ("a surrogate", b"\x82\xa2id\xa2m1\xa1a\xa3\xed\xa0\x80", "not UTF-8", "m1"),
    ("33 levels", pack(nested(33)), "32 deep", "m1"),
    ("33 maps", b"\x81\xa1a" * 33 + b"\x01", "32 deep", None),
    ("5000 levels", b"\x82\xa1a" + b"\x91" * 5000 + b"\x01\xa2id\xa2m1", "32 deep", "m1"),
    ("only headers", b"\x91" * 60_000, "32 deep", None),
    ("a list of 2^32 - 1", b"\xdd\xff\xff\xff\xff", "too early", None),
    ("a map of 2^32 - 1", b"\xdf\xff\xff\xff\xff", "too early", None),
    ("a string of 2^32 - 1", b"\xdb\xff\xff\xff\xff", "too early", None),
    ("an extension of 2^32 - 1", b"\xc9\xff\xff\xff\xff\x05", "too early", None),
    ("a list around a message", b"\x91\x82\xa2id\xa2m1\xa1a\xc4\0", "binary", None),
    ("an id of 65 characters", pack({"id": "x" * 65, "a": b""}), "binary", None),
    ("an id deeper down", pack({"a": {"id": "m1"}, "b": b""}), "binary", None),
]


@pytest.mark.parametrize(
    ("frame", "words", "id_"), [case[1:] for case in BAD_JSON], ids=[case[0] for case in BAD_JSON]
)
def test_bad_json_is_refused(frame: str | bytes, words: str, id_: str | None) -> None:
    refused = refusal("json", frame)
    assert words in refused.message
    assert refused.id == id_


@pytest.mark.parametrize(
    ("frame", "words", "id_"), [case[1:] for case in BAD_MSGPACK], ids=[case[0] for case in BAD_MSGPACK]
)
def test_bad_msgpack_is_refused(frame: str | bytes, words: str, id_: str | None) -> None:
    refused = refusal("msgpack", frame)
    assert words in refused.message
    assert refused.id == id_


@pytest.mark.parametrize("kind", KINDS)
def test_the_deepest_message_passes(kind: Kind) -> None:
    message = nested(MAX_DEPTH)
    assert decode(kind, encode(kind, message)) == message


@pytest.mark.parametrize("kind", KINDS)
def test_brackets_in_strings_are_not_nesting(kind: Kind) -> None:
    message = {"a": '["{' * 100, "b": [[] for _ in range(100)], "c": "\\", "d": '\\"[' * 50}
    assert decode(kind, encode(kind, message)) == message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER, 0, 1.0, -0.5, 1e300, True, False])
def test_numbers_keep_their_types(kind: Kind, number: float) -> None:
    found = decode(kind, encode(kind, {"a": number}))
    assert isinstance(found, dict)
    assert found["a"] == number
    assert type(found["a"]) is type(number)


def test_a_surrogate_pair_is_one_character() -> None:
    assert decode("json", '{"a":"\\ud83d\\ude00"}') == {"a": "\U0001f600"}
    assert decode("json", '{"a":"\\\\ud83d"}') == {"a": "\\ud83d"}


def test_small_floats_of_msgpack_pass() -> None:
    assert decode("msgpack", b"\xca" + struct.pack(">f", 0.5)) == 0.5


def test_json_accepts_white_space_and_bytes() -> None:
    assert decode("json", b' \t\r\n{"a" : [1 , "\xc3\xa4"]}\n') == {"a": [1, "ä"]}


def test_a_body_follows_the_same_rules() -> None:
    assert parse_body(b'{"game":"oopsie"}') == {"game": "oopsie"}
    for body in (b"", b'{"a":1,"a":2}', b'{"a":NaN}', b"\xff", b"\xef\xbb\xbf{}"):
        with pytest.raises(BadFrame):
            parse_body(body)


def test_long_keys_are_shortened_in_the_sentence() -> None:
    refused = refusal("json", '{"' + "k" * 5000 + '":1,"' + "k" * 5000 + '":1}')
    assert len(refused.message) < 100


def test_the_place_of_a_control_character_is_told() -> None:
    told = refusal("json", '{"type": "ping", "id": "a\tb"}').message
    assert told == "This is not JSON: invalid control character at line 1, column 26."


def test_a_key_with_control_characters_is_escaped_in_the_sentence() -> None:
    assert refusal("json", '{"a\\n":1,"a\\n":1}').message == 'The key "a\\n" occurs twice in one object.'


@pytest.mark.parametrize("id_", ["a", "x" * 64, "two words", "ä", "7f3c-1"])
def test_ids(id_: str) -> None:
    assert is_id(id_)


@pytest.mark.parametrize("id_", ["", "x" * 65, "a\tb", "\u200b", "\ud800", 1, None, True, ["a"]])
def test_no_ids(id_: object) -> None:
    assert not is_id(id_)


def test_headers_that_promise_too_much_take_no_memory() -> None:
    # A library that makes room for what each header promises would take 256 MB for this.
    frame = b"\xdd\x00\x10\x00\x00" * 32 + b"\x01" * 1000
    tracemalloc.start()
    try:
        refusal("msgpack", frame)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "text",
    [
        '"\\' * 60_000,
        "[" * 33 + '"\\"' * 40_000,
        '{"a":' * 20_000,
        "[" * 33 + "\\" * 100_000,
        '["' + "\\u" * 60_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    refusal("json", text)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=25,
)


def exact(value: object) -> object:
    """The value with types and signs made visible, so that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return type(value), repr(value)


@pytest.mark.parametrize("kind", KINDS)
@given(message=st.dictionaries(st.text(), VALUES, max_size=6))
def test_what_is_encoded_decodes_to_the_same(kind: Kind, message: dict[str, object]) -> None:
    assert exact(decode(kind, encode(kind, message))) == exact(message)


@pytest.mark.parametrize("kind", KINDS)
@given(frame=st.binary(max_size=300) | st.text(max_size=300))
def test_any_frame_is_read_or_refused(kind: Kind, frame: str | bytes) -> None:
    assert_read_or_refused(kind, frame)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), message=st.dictionaries(st.text(), VALUES, max_size=6))
def test_a_damaged_message_is_read_or_refused(
    kind: Kind, data: st.DataObject, message: dict[str, object]
) -> None:
    raw = encode(kind, {"id": "m1", **message})
    frame = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    assert_read_or_refused(kind, bytes(frame))


@given(frame=st.binary(max_size=200))
def test_the_walk_agrees_with_the_library(frame: bytes) -> None:
    """What the library alone would refuse is refused; what passes is what the library reads."""
    try:
        found = decode("msgpack", frame)
    except BadFrame:
        return
    assert exact(found) == exact(msgpack.unpackb(frame))
