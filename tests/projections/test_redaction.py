"""Redaction of events, merge patches and the frame around a view."""

from __future__ import annotations

import random
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from domain.events import Event, Public
from domain.registry import games
from domain.table import TABLE_EVENTS
from domain.visibility import EACH_OWN, HIDDEN, PUBLIC, REFEREE, SECRET, SPECTATOR, only
from projections import frame
from projections.patch import apply_patch, merge_patch
from projections.redaction import redact, redact_all
from projections.registry import RESERVED, check_all, projection
from projections.viewer import on_wire
from tests.support import play


class Passed(Public, frozen=True, tag="passed/3"):
    """One field of each kind."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, only("seat")]
    hands: Annotated[tuple[tuple[str, ...], ...], EACH_OWN]
    key: Annotated[str, SECRET] = "key"
    silent: str = "silent"
    extra: Annotated[str | None, PUBLIC] = None


class Whispered(Event, frozen=True, tag="whispered"):
    """An event of which only its seat learns."""

    known_to = only("seat")
    seat: Annotated[int, PUBLIC]


class Unsaid(Event, frozen=True, tag="unsaid"):
    """An event that does not say who learns of it."""

    text: Annotated[str, PUBLIC] = "x"


PASSED = Passed(1, "hearts-7", (("a",), ("b", "c")))


def test_a_viewer_gets_what_it_may_know_and_nothing_else() -> None:
    public = {"type": "passed", "seat": 1}
    assert redact(PASSED, 0) == {**public, "hands": (("a",), (None, None))}
    assert redact(PASSED, 1) == {**public, "card": "hearts-7", "hands": ((None,), ("b", "c"))}
    assert redact(PASSED, SPECTATOR) == {**public, "hands": ((None,), (None, None))}


def test_the_referee_gets_everything_but_secrets() -> None:
    assert redact(PASSED, REFEREE) == {
        "type": "passed",
        "seat": 1,
        "card": "hearts-7",
        "hands": (("a",), ("b", "c")),
        "silent": "silent",
    }


def test_an_event_known_to_its_seat_reaches_only_that_seat() -> None:
    assert redact_all([Whispered(1), Whispered(0)], 0) == [{"type": "whispered", "seat": 0}]
    assert redact_all([Whispered(1), Whispered(0)], SPECTATOR) == []


def test_an_event_that_does_not_say_who_learns_of_it_reaches_nobody() -> None:
    assert [redact(Unsaid(), viewer) for viewer in (0, 1, SPECTATOR)] == [None, None, None]
    assert Unsaid.known_to is HIDDEN
    assert redact(Unsaid(), REFEREE) == {"type": "unsaid", "text": "x"}


@pytest.mark.parametrize("viewer", [0, 1, SPECTATOR, REFEREE])
def test_hashes_and_the_deal_key_of_a_table_are_in_no_redacted_event(viewer: int) -> None:
    playout = play.new("trick-and-trade", 3)
    text = msgspec.json.encode(redact_all(playout.events, viewer))
    assert b"hash" not in text
    assert b"deal_key" not in text
    assert play.KEY.hex().encode() not in text


def test_all_events_of_tables_declare_who_may_know_them() -> None:
    for kind in TABLE_EVENTS:
        assert kind.known_to is PUBLIC


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {}, {"a": None}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 3}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
        ({"a": {"b": 1}}, {"a": [1]}, {"a": [1]}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {}}, {"a": {}}, {}),
        ({}, {"a": {}}, {"a": {}}),
        ({"a": 1}, {"a": None}, {"a": None}),
        ({"a": None}, {"a": 1}, {"a": 1}),
        ({"a": None}, {}, {}),
    ],
)
def test_a_patch_holds_what_differs(old: Any, new: Any, patch: Any) -> None:
    assert merge_patch(old, new) == patch
    patched = apply_patch(old, patch)
    assert without_none(patched) == without_none(new)


def without_none(view: dict[str, Any]) -> dict[str, Any]:
    """A member that is None counts as absent."""
    return {key: value for key, value in view.items() if value is not None}


leaves = st.one_of(st.integers(0, 3), st.text(max_size=2), st.lists(st.integers(0, 2), max_size=2))
objects = st.recursive(
    st.dictionaries(st.sampled_from("abc"), leaves, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), leaves | inner, max_size=3),
    max_leaves=8,
)


@given(old=objects, new=objects)
def test_a_patch_turns_the_old_object_into_the_new_one(old: dict[str, Any], new: dict[str, Any]) -> None:
    patched = apply_patch(old, merge_patch(old, new))
    assert msgspec.json.encode(patched, order="deterministic") == msgspec.json.encode(
        new, order="deterministic"
    )
    assert merge_patch(new, new) == {}


def test_before_the_start_a_view_has_no_game_and_names_those_who_sit() -> None:
    table = play.new("trick-and-trade", 3).states[1]
    assert frame.plain(frame.view(table, 0)) == {
        "status": "open",
        "seats": (
            {"seat": 0, "name": "Player 0", "bot": False},
            {"seat": 1, "bot": False},
            {"seat": 2, "bot": False},
        ),
        "game": None,
    }


def test_a_snapshot_holds_version_status_view_actions_and_whom_the_table_waits_for() -> None:
    playout = play.new("trick-and-trade", 3)
    (turn,) = playout.waiting()
    shot = frame.snapshot(playout.table, turn)
    assert (shot.version, shot.status, shot.waiting) == (5, "playing", (turn,))
    assert shot.actions == playout.offers(turn)
    assert frame.snapshot(playout.table, SPECTATOR).actions == []
    assert shot.view.result is UNSET


def test_the_view_of_a_finished_table_has_its_result() -> None:
    playout = play.new("trick-and-trade", 3).play(random.Random(1))
    assert frame.view(playout.table, SPECTATOR).result == playout.table.result
    assert frame.view(playout.table, SPECTATOR).status == "finished"


def test_every_game_has_a_view_and_none_takes_a_reserved_name() -> None:
    check_all()
    for name in games():
        assert name.replace("-", "_") not in RESERVED
        assert issubclass(projection(name).view_type, msgspec.Struct)


def test_a_game_cannot_take_the_name_of_another_module() -> None:
    with pytest.raises(TypeError, match="cannot be called 'frame'"):
        projection("frame")


def test_how_viewers_are_named_on_the_wire() -> None:
    assert on_wire(3) == {"seat": 3}
    assert on_wire(SPECTATOR) == {"spectator": True}
    assert on_wire(REFEREE) == {"open": True}


def test_a_patch_tells_false_from_zero() -> None:
    assert merge_patch({"a": False, "b": [1]}, {"a": 0, "b": [True]}) == {"a": 0, "b": [True]}
    assert merge_patch({"a": {"b": 1}}, {"a": {"b": 1}}) == {}
