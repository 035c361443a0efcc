"""Audiences: what each kind shows to whom, and that silence means hidden."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET

from domain.visibility import (
    COUNT,
    EACH_OWN,
    HIDDEN,
    PUBLIC,
    REFEREE,
    SECRET,
    SPECTATOR,
    Audience,
    audiences,
    blanks,
    each_own,
    only,
    rule,
    see,
    undeclared,
    when,
)

HAND = ("hearts-7", "trump-1")


class Holder(msgspec.Struct, frozen=True):
    """Names seats in each of the ways in which a field can."""

    seat: Annotated[int, PUBLIC] = 1
    nobody: Annotated[int | None, PUBLIC] = None
    several: Annotated[tuple[int, ...], PUBLIC] = (0, 2)
    over: Annotated[bool, PUBLIC] = False


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
@pytest.mark.parametrize(
    ("audience", "expected"),
    [
        (PUBLIC, {0: HAND, 1: HAND, 2: HAND, SPECTATOR: HAND}),
        (HIDDEN, {}),
        (SECRET, {}),
        (COUNT, dict.fromkeys((0, 1, 2, SPECTATOR), (None, None))),
        (only("seat"), {1: HAND}),
        (only("several"), {0: HAND, 2: HAND}),
        (only("nobody"), {}),
        (only("seat", "several"), {0: HAND, 1: HAND, 2: HAND}),
        (
            only("seat", others=COUNT),
            {0: (None, None), 1: HAND, 2: (None, None), SPECTATOR: (None, None)},
        ),
        (when(lambda holder: holder.over, PUBLIC, COUNT), dict.fromkeys((0, 1, 2, SPECTATOR), (None, None))),
        (when(lambda holder: not holder.over, only("seat"), PUBLIC), {1: HAND}),
        (
            rule("the first card", lambda value, holder, viewer: value[:1]),
            dict.fromkeys((0, 1, 2, -1), HAND[:1]),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Audience) else "",
)
def test_an_audience_shows_exactly_this(audience: Audience, expected: dict[int, Any], viewer: int) -> None:
    assert audience.shown(HAND, Holder(), viewer) == expected.get(viewer, UNSET)


@pytest.mark.parametrize("viewer", [0, 1, SPECTATOR])
def test_each_seat_knows_its_own_element_and_the_length_of_the_others(viewer: int) -> None:
    hands = (("a", "b"), ("c",), ())
    blank = ((None, None), (None,), ())
    expected = tuple(hands[seat] if seat == viewer else blank[seat] for seat in range(3))
    assert EACH_OWN.shown(hands, Holder(), viewer) == expected


def test_elements_hidden_altogether_keep_their_positions() -> None:
    assert each_own(HIDDEN).shown((3, 1, None), Holder(), 0) == (3, None, None)
    assert each_own(HIDDEN).shown((3, 1, None), Holder(), 1) == (None, 1, None)
    assert each_own(HIDDEN).shown((3, 1, None), Holder(), SPECTATOR) == (None, None, None)
    assert EACH_OWN.shown((None, ("a",)), Holder(), 0) == (None, (None,))


def test_a_value_that_is_none_stays_none() -> None:
    assert EACH_OWN.shown(None, Holder(), 0) is None
    assert COUNT.shown(None, Holder(), 0) is None
    assert blanks(None) is None


def test_the_spectator_is_no_seat_even_when_a_field_counts_from_the_end() -> None:
    assert only("seat").shown("x", Holder(seat=0), SPECTATOR) is UNSET
    assert EACH_OWN.shown((("a",), ("b",)), Holder(), SPECTATOR) == ((None,), (None,))


@pytest.mark.parametrize("audience", [HIDDEN, COUNT, EACH_OWN, only("nobody"), PUBLIC])
def test_the_referee_sees_everything_that_is_not_secret(audience: Audience) -> None:
    assert audience.shown(HAND, Holder(), REFEREE) == HAND


def test_nobody_is_ever_shown_a_secret() -> None:
    assert SECRET.shown("key", Holder(), REFEREE) is UNSET


class Mixed(msgspec.Struct, frozen=True):
    """One field of each kind, and two that say nothing."""

    open: Annotated[str, PUBLIC]
    counted: Annotated[tuple[str, ...], COUNT]
    hands: Annotated[tuple[tuple[str, ...], ...], EACH_OWN]
    secret: Annotated[str, SECRET]
    silent: str
    described: Annotated[str, msgspec.Meta(description="says nothing about who may know it")]


MIXED = Mixed("o", ("a", "b"), (("c",), ("d",)), "key", "silent", "described")


def test_a_field_that_declares_nothing_is_hidden_and_reported() -> None:
    assert audiences(Mixed)["silent"] is HIDDEN
    assert audiences(Mixed)["described"] is HIDDEN
    assert undeclared(Mixed) == ("silent", "described")
    assert undeclared(Holder) == ()


def test_what_a_viewer_sees_of_a_state_has_the_same_type_and_masks_the_rest() -> None:
    seen: Any = see(MIXED, 1)
    assert type(seen) is Mixed
    assert msgspec.structs.astuple(seen) == ("o", (None, None), ((None,), ("d",)), None, None, None)


def test_the_referee_sees_the_state_without_its_secrets() -> None:
    assert see(MIXED, REFEREE) == msgspec.structs.replace(MIXED, secret=None)


def test_seeing_leaves_the_state_as_it_was() -> None:
    before = msgspec.structs.astuple(MIXED)
    see(MIXED, 0)
    assert msgspec.structs.astuple(MIXED) == before


def test_a_subclass_may_declare_another_audience_for_an_inherited_field() -> None:
    class Opened(Mixed, frozen=True):
        hands: Annotated[tuple[tuple[str, ...], ...], PUBLIC]

    assert audiences(Opened)["hands"] is PUBLIC
    assert audiences(Mixed)["hands"] is EACH_OWN
