"""The grammar of actions: exact kinds, exact parameters, multisets, canonical form, explanations."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.actions import allows, brief, canonical, explain, offer, one_of, size, some_of

OFFERS = [
    offer("play", card=one_of(("hearts-7", "hearts-8"))),
    offer("bid", level=one_of((0, 1, 2))),
    offer("bid_cards", cards=some_of(("lure", "lure", "gear"), 0, 2)),
    offer("exchange", give=one_of(("a", "b")), take=one_of(("c", "d"))),
    offer("resolve_bird", choice=one_of(("score",))),
    offer("resolve_bird", choice=one_of(("give",)), to=one_of((1, 3))),
    offer("draw"),
]


@pytest.mark.parametrize(
    "action",
    [
        {"type": "play", "card": "hearts-7"},
        {"card": "hearts-8", "type": "play"},
        {"type": "bid", "level": 0},
        {"type": "bid_cards", "cards": []},
        {"type": "bid_cards", "cards": ["lure", "lure"]},
        {"type": "bid_cards", "cards": ("gear", "lure")},
        {"type": "exchange", "give": "b", "take": "c"},
        {"type": "resolve_bird", "choice": "score"},
        {"type": "resolve_bird", "choice": "give", "to": 3},
        {"type": "draw"},
    ],
    ids=str,
)
def test_every_combination_of_what_is_offered_is_allowed(action: dict[str, Any]) -> None:
    assert allows(OFFERS, action)


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"type": None},
        {"type": ["play"]},
        {"type": "fly"},
        {"type": "play"},
        {"card": "hearts-7"},
        {"type": "play", "card": "hearts-9"},
        {"type": "play", "card": None},
        {"type": "play", "card": ["hearts-7"]},
        {"type": "play", "card": {"one_of": ["hearts-7"]}},
        {"type": "play", "card": "hearts-7", "seat": 1},
        {"type": "bid", "level": 3},
        {"type": "bid", "level": -1},
        {"type": "bid", "level": True},
        {"type": "bid", "level": False},
        {"type": "bid", "level": 1.0},
        {"type": "bid", "level": "1"},
        {"type": "bid_cards", "cards": ["lure", "lure", "gear"]},
        {"type": "bid_cards", "cards": ["gear", "gear"]},
        {"type": "bid_cards", "cards": "lure"},
        {"type": "bid_cards", "cards": {"lure": 1}},
        {"type": "bid_cards", "cards": [["lure"]]},
        {"type": "bid_cards", "cards": [1]},
        {"type": "bid_cards", "cards": [None]},
        {"type": "bid_cards"},
        {"type": "exchange", "give": "a"},
        {"type": "exchange", "give": "c", "take": "a"},
        {"type": "resolve_bird", "choice": "give"},
        {"type": "resolve_bird", "choice": "score", "to": 1},
        {"type": "resolve_bird", "choice": "give", "to": True},
        {"type": "draw", "card": "hearts-7"},
    ],
    ids=str,
)
def test_nothing_else_is_allowed(action: dict[str, Any]) -> None:
    assert not allows(OFFERS, action)
    assert explain(OFFERS, action)


def test_where_nothing_is_offered_nothing_is_allowed() -> None:
    assert not allows([], {"type": "draw"})


@given(
    held=st.lists(st.sampled_from("abc"), max_size=6),
    least=st.integers(0, 3),
    most=st.integers(0, 6),
    chosen=st.lists(st.sampled_from("abcd"), max_size=7),
)
def test_some_of_is_a_multiset_within_its_bounds(
    held: list[str], least: int, most: int, chosen: list[str]
) -> None:
    offers = [offer("bid", cards=some_of(held, least, most))]
    fits = least <= len(chosen) <= most and not Counter(chosen) - Counter(held)
    assert allows(offers, {"type": "bid", "cards": chosen}) == fits


def test_equal_values_are_named_once_in_one_of_and_as_often_as_held_in_some_of() -> None:
    assert one_of(("lure", "gear", "lure")) == {"one_of": ["lure", "gear"]}
    assert some_of(("lure", "gear", "lure"), 1, 2) == {
        "some_of": ["lure", "gear", "lure"],
        "min": 1,
        "max": 2,
    }


values = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3))
json_values = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(action=st.dictionaries(st.text(max_size=4), json_values, max_size=4))
def test_any_action_at_all_is_judged_and_explained_without_an_error(action: dict[str, Any]) -> None:
    assert not allows(OFFERS, action) or action["type"] == "draw"
    assert isinstance(explain(OFFERS, action), str)


@given(action=st.dictionaries(st.text(max_size=4), json_values, max_size=4))
def test_the_canonical_form_is_its_own_canonical_form(action: dict[str, Any]) -> None:
    once = canonical(action)
    assert canonical(once) == once
    assert list(once) == sorted(action)


@given(cards=st.lists(st.sampled_from(["lure", "gear", "mirror"]), max_size=6), data=st.data())
def test_the_order_of_a_multiset_does_not_change_the_canonical_form(cards: list[str], data: Any) -> None:
    other = data.draw(st.permutations(cards))
    assert canonical({"type": "bid", "cards": cards}) == canonical({"cards": other, "type": "bid"})


def test_the_canonical_form_keeps_kinds_apart() -> None:
    encode = msgspec.msgpack.encode
    assert encode(canonical({"x": [1, "1", True]})) != encode(canonical({"x": [1, "1", 1]}))
    assert encode(canonical({"x": True})) != encode(canonical({"x": 1}))


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (
            {"type": "fly"},
            "'fly' is not possible now; possible: play, bid, bid_cards, exchange, resolve_bird, draw",
        ),
        (
            {"type": True},
            "true is not possible now; possible: play, bid, bid_cards, exchange, resolve_bird, draw",
        ),
        ({"type": "play"}, "play needs the parameter card: one of hearts-7, hearts-8"),
        ({"type": "draw", "card": "x"}, "draw has no parameter 'card'; it has: none"),
        ({"type": "play", "card": "x"}, "play.card cannot be 'x'; it is one of hearts-7, hearts-8"),
        ({"type": "bid", "level": True}, "bid.level cannot be true; it is one of 0, 1, 2"),
        (
            {"type": "bid_cards", "cards": ["gear", "gear"]},
            "bid_cards.cards cannot be ['gear', 'gear']; it is a list of 0 to 2 of lure, lure, gear",
        ),
    ],
    ids=str,
)
def test_an_explanation_names_what_was_wrong_and_what_would_be_right(
    action: dict[str, Any], sentence: str
) -> None:
    assert explain(OFFERS, action) == sentence


def test_an_explanation_quotes_a_long_value_in_short() -> None:
    assert len(brief("x" * 5000)) == 60
    assert len(explain(OFFERS, {"type": "x" * 5000})) < 200


def test_size_counts_the_combinations() -> None:
    assert size([]) == 0
    assert size([offer("draw")]) == 1
    assert size([offer("exchange", give=one_of("ab"), take=one_of("cde"))]) == 6
    assert size([offer("draw"), offer("play", card=one_of(("x",)))]) == 2
    assert size([offer("bid", cards=some_of(("x",), 0, 1))]) == 2
