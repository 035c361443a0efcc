"""Frames that are no messages: each gets one `bad_message`, with its id where it can be read."""

from __future__ import annotations

import json
from typing import Any

import msgpack

from tests.support.clients import Client, Kind, client
from tests.support.server import Running

TABLE = "aaaaaaaaaaaa"

NOT_JSON = {
    "nothing": "",
    "blank": " ",
    "half an object": '{"type":"ping"',
    "a word": "ping",
    "a single quote": "{'type':'ping'}",
    "a comment": '{"type":"ping"}//',
    "two values": '{"type":"ping"}{"type":"ping"}',
    "trailing text": '{"type":"ping"} x',
    "a trailing comma": '{"type":"ping",}',
    "a byte order mark": '\ufeff{"type":"ping"}',
    "NaN": '{"type":"ping","id":NaN}',
    "an array": "[]",
    "an array of messages": '[{"type":"ping"}]',
    "null": "null",
    "a number": "1",
    "a string": '"ping"',
    "a lone surrogate in the type": '{"type":"\\ud800"}',
    "a huge nest": "[" * 30_000,
}
NOT_JSON_WITH_ID = {
    "a duplicate key": '{"id":"here","type":"ping","type":"ping"}',
    "a duplicate key deep inside": '{"id":"here","type":"act","table":"t","action":{"type":"a","x":1,"x":1}}',
    "Infinity": '{"id":"here","type":"attach","table":"t","from":Infinity}',
    "a number that overflows": '{"id":"here","type":"attach","table":"t","from":1e999,"epoch":"e"}',
    "an integer beyond 2^53": '{"id":"here","type":"attach","table":"t","from":9007199254740992}',
    "an integer below -2^53": '{"id":"here","type":"attach","table":"t","from":-9007199254740992}',
    "a thousand digits": '{"id":"here","type":"attach","table":"t","epoch":"e","from":' + "9" * 5000 + "}",
    "a lone surrogate": '{"id":"here","type":"attach","table":"\\udc00"}',
    "33 levels": '{"id":"here","type":"act","table":"t","action":' + "[" * 32 + "]" * 32 + "}",
}
MAP1 = b"\x81\xa4type\xa4ping"
NOT_MSGPACK = {
    "nothing": b"",
    "half a map": b"\x81\xa4type",
    "a map that promises more": b"\xdf\xff\xff\xff\xff\xa4type\xa4ping",
    "an array that promises more": b"\xdd\xff\xff\xff\xff",
    "a string that promises more": b"\xdb\xff\xff\xff\xff",
    "the byte that is never used": b"\xc1",
    "nil": b"\xc0",
    "a number": b"\x01",
    "an array": b"\x90",
    "a string": b"\xa4ping",
    "a bin": b"\xc4\x04ping",
    "a timestamp": b"\xd6\xff\x00\x00\x00\x00",
    "a key that is a number": b"\x81\x01\xa4ping",
    "a key that is binary": b"\x81\xc4\x04type\xa4ping",
    "two values": MAP1 + MAP1,
    "trailing bytes": MAP1 + b"\x00",
    "a huge nest": b"\x91" * 30_000,
    "text": b'{"type":"ping"}',
}


def _packed(pairs: int, *rest: bytes) -> bytes:
    """A map with the id `here`, the type `attach` and what follows."""
    head = bytes([0x80 | (pairs + 2)]) + b"\xa2id\xa4here" + b"\xa4type\xa6attach"
    return head + b"".join(rest)


NOT_MSGPACK_WITH_ID = {
    "a duplicate key": _packed(2, b"\xa5table\xa1t", b"\xa5table\xa1t"),
    "an extension inside": _packed(1, b"\xa5table\xd4\x01\x00"),
    "a bin inside": _packed(1, b"\xa5table\xc4\x01t"),
    "a NaN": _packed(2, b"\xa5table\xa1t", b"\xa4from\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
    "an infinity": _packed(2, b"\xa5table\xa1t", b"\xa4from\xca\x7f\x80\x00\x00"),
    "an integer beyond 2^53": _packed(2, b"\xa5table\xa1t", b"\xa4from\xcf\x00\x20\x00\x00\x00\x00\x00\x00"),
    "an integer below -2^53": _packed(2, b"\xa5table\xa1t", b"\xa4from\xd3\xff\xe0\x00\x00\x00\x00\x00\x00"),
    "text that is no UTF-8": _packed(1, b"\xa5table\xa1\xff"),
    "33 levels": _packed(1, b"\xa5table" + b"\x91" * 32 + b"\xc0"),
    "a key that is nil": _packed(1, b"\xc0\xc0"),
}

TYPE_FAULTS: dict[str, dict[str, Any]] = {
    "no type": {},
    "a type that is null": {"type": None},
    "a type that is a number": {"type": 1},
    "an unknown type": {"type": "pong"},
    "a type of the server": {"type": "attached", "table": TABLE},
    "a type in capitals": {"type": "PING"},
    "an unknown field": {"type": "ping", "at_ms": 1},
    "an unknown field in attach": {"type": "attach", "table": TABLE, "seat": 1},
    "attach without table": {"type": "attach"},
    "a table that is a number": {"type": "attach", "table": 1},
    "a table that is null": {"type": "attach", "table": None},
    "a token that is empty": {"type": "attach", "table": TABLE, "token": ""},
    "a token that is null": {"type": "attach", "table": TABLE, "token": None},
    "a token that is a number": {"type": "attach", "table": TABLE, "token": 1},
    "a token that is far too long": {"type": "attach", "table": TABLE, "token": "x" * 1000},
    "from without epoch": {"type": "attach", "table": TABLE, "from": 1},
    "epoch without from": {"type": "attach", "table": TABLE, "epoch": "e"},
    "from_ms without from": {"type": "attach", "table": TABLE, "from_ms": 1},
    "from_ms and epoch without from": {"type": "attach", "table": TABLE, "from_ms": 1, "epoch": "e"},
    "from_ms and from without epoch": {"type": "attach", "table": TABLE, "from_ms": 1, "from": 1},
    "from that is negative": {"type": "attach", "table": TABLE, "from": -1, "epoch": "e"},
    "from that is a text": {"type": "attach", "table": TABLE, "from": "1", "epoch": "e"},
    "from that is true": {"type": "attach", "table": TABLE, "from": True, "epoch": "e"},
    "from that is a fraction": {"type": "attach", "table": TABLE, "from": 1.5, "epoch": "e"},
    "from that is null": {"type": "attach", "table": TABLE, "from": None, "epoch": None},
    "views that are unknown": {"type": "attach", "table": TABLE, "views": "some"},
    "views that are null": {"type": "attach", "table": TABLE, "views": None},
    "detach without table": {"type": "detach"},
    "act without table": {"type": "act", "action": {"type": "play"}},
    "act without action": {"type": "act", "table": TABLE},
    "an action that is null": {"type": "act", "table": TABLE, "action": None},
    "an action that is a list": {"type": "act", "table": TABLE, "action": []},
    "an action that is a text": {"type": "act", "table": TABLE, "action": "play"},
    "an action without type": {"type": "act", "table": TABLE, "action": {}},
    "an action whose type is a number": {"type": "act", "table": TABLE, "action": {"type": 1}},
    "if_version that is a text": {"type": "act", "table": TABLE, "action": {"type": "a"}, "if_version": "1"},
    "if_version that is null": {"type": "act", "table": TABLE, "action": {"type": "a"}, "if_version": None},
    "act with a token": {"type": "act", "table": TABLE, "action": {"type": "a"}, "token": "t"},
    "act with a seat": {"type": "act", "table": TABLE, "action": {"type": "a"}, "seat": 0},
    "a game that is a number": {"type": "watch_lobby", "game": 1},
    "unwatch_lobby with a game": {"type": "unwatch_lobby", "game": "oopsie"},
}
BAD_IDS: dict[str, Any] = {
    "an empty id": "",
    "an id of 65 characters": "x" * 65,
    "an id that is a number": 1,
    "an id that is null": None,
    "an id that is a list": ["a"],
    "an id with a line break": "a\nb",
    "an id with a NUL": "a\0b",
    "an id with an invisible character": "a\u200bb",
}


async def refused(one: Client, frame: str | bytes, ident: str | None, what: str = "") -> None:
    """The frame gets exactly one `bad_message`, which carries the id; the connection goes on."""
    one.seen.clear()
    await one.raw(frame, ident)
    assert (await one.ask({"type": "ping"}))["type"] == "pong"
    *answers, _ = one.seen
    assert [(answer["type"], answer["code"]) for answer in answers] == [("error", "bad_message")], what
    assert answers[0].get("id") == ident, what
    assert len(answers[0]["message"]) < 300


async def test_what_is_no_json_object_is_refused(here: Running) -> None:
    async with client(here.url) as one:
        for what, frame in NOT_JSON.items():
            await refused(one, frame, None, what)


async def test_the_id_of_broken_json_is_echoed(here: Running) -> None:
    async with client(here.url) as one:
        for what, frame in NOT_JSON_WITH_ID.items():
            await refused(one, frame, "here", what)


async def test_what_is_no_msgpack_map_is_refused(here: Running) -> None:
    async with client(here.url, "msgpack") as one:
        for what, frame in NOT_MSGPACK.items():
            await refused(one, frame, None, what)


async def test_the_id_of_broken_msgpack_is_echoed(here: Running) -> None:
    async with client(here.url, "msgpack") as one:
        for what, frame in NOT_MSGPACK_WITH_ID.items():
            await refused(one, frame, "here", what)


async def test_faults_of_envelope_and_type_are_bad_messages(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for what, message in TYPE_FAULTS.items():
            await one.raw(one.pack({**message, "id": what}), what)
            await one.until(lambda what=what: what in one.answers)  # type: ignore[misc]
            (answer,) = one.answers[what]
            assert (answer["type"], answer["code"]) == ("error", "bad_message"), what


async def test_faults_without_an_id_get_one_answer_too(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for number, message in enumerate(TYPE_FAULTS.values(), start=1):
            await one.send(message)
            await one.until(lambda number=number: len(one.seen) >= number)  # type: ignore[misc]
        assert (await one.ask({"type": "ping"}))["type"] == "pong"
        assert [answer["code"] for answer in one.seen[:-1]] == ["bad_message"] * len(TYPE_FAULTS)
        assert not any("id" in answer for answer in one.seen[:-1])


async def test_an_id_that_is_none_is_refused_and_not_echoed(here: Running, kind: Kind) -> None:
    act = {"type": "act", "table": TABLE, "action": {"type": "a"}}
    async with client(here.url, kind) as one:
        for what, ident in BAD_IDS.items():
            for message in ({"type": "ping"}, act):
                await refused(one, one.pack({**message, "id": ident}), None, what)


async def test_an_act_needs_an_id(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        await refused(one, one.pack({"type": "act", "table": TABLE, "action": {"type": "play"}}), None)


async def test_an_id_of_64_characters_of_any_script_is_one(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for ident in ("x" * 64, "é" * 64, "卡" * 64, "🂡" * 64, "a b", "~"):
            assert (await one.ask({"type": "ping", "id": ident}))["id"] == ident


async def test_a_flood_of_broken_frames_ends_nobody_elses_connection(here: Running) -> None:
    async with client(here.url) as one, client(here.url, "msgpack") as other:
        for _ in range(5):
            for frame in [*NOT_JSON.values(), *NOT_JSON_WITH_ID.values()]:
                await one.raw(frame, "here")
        assert (await other.ask({"type": "ping"}))["type"] == "pong"
        assert (await one.ask({"type": "ping"}))["type"] == "pong"
        assert len(one.seen) == 5 * (len(NOT_JSON) + len(NOT_JSON_WITH_ID)) + 1


async def test_both_encodings_may_be_deep_up_to_32(here: Running, kind: Kind) -> None:
    """Depth 32 is a message (refused for its table), 33 is not."""
    async with client(here.url, kind) as one:
        action: Any = 1
        for _ in range(29):
            action = [action]
        message = {"type": "act", "table": TABLE, "action": {"type": "a", "x": action}}
        assert (await one.ask(message))["code"] == "forbidden"
        message = {"type": "act", "table": TABLE, "action": {"type": "a", "x": [[action]]}}
        assert (await one.ask(message))["code"] == "bad_message"


async def test_the_largest_integers_are_integers(here: Running, kind: Kind) -> None:
    async with client(here.url, kind) as one:
        for number in (2**53 - 1, -(2**53 - 1)):
            action = {"type": "a", "x": number}
            assert (await one.ask({"type": "act", "table": TABLE, "action": action}))["code"] == "forbidden"
        action = {"type": "a", "x": 2**53}
        assert (await one.ask({"type": "act", "table": TABLE, "action": action}))["code"] == "bad_message"


def test_the_frames_above_are_what_they_say() -> None:
    """A test of the test: the frames that only break one rule are otherwise readable."""
    assert msgpack.unpackb(MAP1) == {"type": "ping"}
    assert msgpack.unpackb(NOT_MSGPACK_WITH_ID["an integer beyond 2^53"])["from"] == 2**53
    assert msgpack.unpackb(NOT_MSGPACK_WITH_ID["an integer below -2^53"])["from"] == -(2**53)
    assert json.loads(NOT_JSON_WITH_ID["an integer beyond 2^53"])["from"] == 2**53
