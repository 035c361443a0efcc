"""Events on disk: the commit's bytes, upcasts, and logs that this program cannot read."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest

from domain.errors import CorruptLog, UnknownEvent
from domain.events import Command, Event, EventCodec, Public, encode_commit, event_name, event_tag
from domain.visibility import HIDDEN, PUBLIC


class Scored(Public, frozen=True, tag="scored/2"):
    """The second version of an event: points by seat."""

    points: Annotated[tuple[int, ...], PUBLIC]


class Noted(Event, frozen=True, tag="noted"):
    """An event that tells nobody anything."""

    text: Annotated[str, HIDDEN] = ""


def from_first(old: dict[str, Any]) -> dict[str, Any]:
    """The first version named one seat and its points."""
    return {"type": "scored/1", "points": [old["points"] if seat == old["seat"] else 0 for seat in range(2)]}


def from_middle(old: dict[str, Any]) -> dict[str, Any]:
    """The one between was as the present one."""
    return {**old, "type": "scored/2"}


CODEC = EventCodec((Scored, Noted), {"scored": from_first, "scored/1": from_middle})


def entry(*events: Any, by: Any = 0, **rest: Any) -> bytes:
    return msgspec.msgpack.encode({"by": by, "events": list(events), **rest})


@pytest.mark.parametrize("by", [0, 5, "host", "server", "clock"])
@pytest.mark.parametrize("command", [None, Command("id-1", {"type": "bid", "cards": ["a", "a"]})])
def test_a_commit_comes_back_from_its_bytes(by: int | str, command: Command | None) -> None:
    events = (Scored((1, 0)), Noted("x"), Scored(()))
    commit = CODEC.decode(7, 1234, encode_commit(by, events, command))
    assert (commit.version, commit.at_ms, commit.by) == (7, 1234, by)
    assert commit.events == events
    assert commit.command == command


def test_the_bytes_of_a_commit_are_pinned() -> None:
    """Other programs read them, and old logs hold them."""
    data = encode_commit(1, (Scored((2, -1)),), Command("c", {"type": "draw"}))
    assert msgspec.msgpack.decode(data) == {
        "by": 1,
        "events": [{"type": "scored/2", "points": [2, -1]}],
        "command": {"id": "c", "action": {"type": "draw"}},
    }
    assert msgspec.msgpack.decode(encode_commit("clock", (), None)) == {"by": "clock", "events": []}


def test_the_name_of_an_event_is_its_tag_without_the_version() -> None:
    assert event_tag(Scored) == "scored/2"
    assert event_name(Scored) == "scored"


def test_an_event_class_without_a_tag_of_its_own_is_refused() -> None:
    class Bare(msgspec.Struct, frozen=True):
        """Nobody could read this again."""

    with pytest.raises(TypeError, match="no tag"):
        event_tag(Bare)


def test_two_events_cannot_share_a_tag() -> None:
    class Again(Public, frozen=True, tag="noted"):
        """Takes the tag of another."""

    with pytest.raises(TypeError, match="share a tag"):
        EventCodec((Noted, Again))


def test_an_old_event_is_read_through_every_upcast_in_turn() -> None:
    commit = CODEC.decode(3, 0, entry({"type": "scored", "seat": 1, "points": 4}))
    assert commit.events == (Scored((0, 4)),)
    assert CODEC.decode(3, 0, entry({"type": "scored/1", "points": [5]})).events == (Scored((5,)),)


def test_without_its_upcast_the_old_event_is_unknown() -> None:
    with pytest.raises(UnknownEvent, match=r"version 3 .*'scored'"):
        EventCodec((Scored, Noted)).decode(3, 0, entry({"type": "scored", "seat": 1, "points": 4}))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "invented"},
        {"type": "scored/3", "points": [1]},
        {"type": "scored/2"},
        {"type": "scored/2", "points": "many"},
        {"points": [1]},
        {"type": None},
        {"type": 3},
    ],
    ids=str,
)
def test_an_event_that_this_program_does_not_know_is_never_guessed_at(event: dict[str, Any]) -> None:
    with pytest.raises(UnknownEvent, match="version 9"):
        CODEC.decode(9, 0, entry({"type": "noted"}, event))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"not a commit",
        entry()[:-1],
        entry() + b"\0",
        msgspec.msgpack.encode([]),
        msgspec.msgpack.encode({"by": 0}),
        msgspec.msgpack.encode({"events": []}),
        msgspec.msgpack.encode({"by": 0, "events": {}}),
        entry(by=1.5),
        entry(command="draw"),
    ],
    ids=repr,
)
def test_bytes_that_are_no_commit_are_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptLog, match="version 2"):
        CODEC.decode(2, 0, data)


def test_every_truncation_of_a_commit_is_noticed() -> None:
    data = encode_commit(0, (Scored((1, 2)), Noted("note")), Command("id", {"type": "draw"}))
    for length in range(len(data)):
        with pytest.raises(CorruptLog):
            CODEC.decode(2, 0, data[:length])


@pytest.mark.parametrize("event", [7, "dealt", ["dealt"], None, {1: 2}])
def test_what_is_no_event_at_all_is_corrupt(event: Any) -> None:
    with pytest.raises(CorruptLog, match="version 3"):
        EventCodec([Current]).decode(3, 5, msgspec.msgpack.encode({"by": 0, "events": [event]}))


def test_a_field_that_this_program_does_not_know_makes_the_event_unknown() -> None:
    raw = {"by": 0, "events": [{"type": "current", "amount": 1, "more": 2}]}
    with pytest.raises(UnknownEvent):
        EventCodec([Current]).decode(3, 5, msgspec.msgpack.encode(raw))


class Current(Public, frozen=True, tag="current"):
    """An event of this release."""

    amount: Annotated[int, PUBLIC]
