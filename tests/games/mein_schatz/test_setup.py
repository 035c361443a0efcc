"""Cards, options, how rounds begin (rulebook, 'Components', 'Setup', 'New Round'; rulings 1, 2, 9)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from domain.errors import BadOptions
from domain.games.mein_schatz import GAME, deck, events
from tests.games.mein_schatz.given import box, game_view, go, only, table
from tests.support.play import new


def test_the_deck_has_30_treasure_cards_and_6_orcs() -> None:
    playout = table(3)
    assert len(playout.state.deck) == 36
    assert Counter(playout.state.deck) == Counter(deck.TREASURE_CARDS) + Counter(["orc"] * 6)


def test_the_reconstructed_treasure_cards_are_five_for_each_type() -> None:
    assert list(deck.TREASURE_CARDS) == [
        *("ring+mouse", "ring+diamond", "ring+ring", "ring+ring+sword", "ring+ring+ring"),
        *("diamond+mouse", "diamond+sword", "diamond+diamond", "diamond+diamond+necklace"),
        "diamond+diamond+diamond",
        *("sword+mouse", "sword+necklace", "sword+sword", "sword+sword+coin", "sword+sword+sword"),
        *("necklace+mouse", "necklace+coin", "necklace+necklace", "necklace+necklace+potion"),
        "necklace+necklace+necklace",
        *("coin+mouse", "coin+potion", "coin+coin", "ring+coin+coin", "coin+coin+coin"),
        *("potion+mouse", "ring+potion", "potion+potion", "diamond+potion+potion", "potion+potion+potion"),
    ]


def test_every_type_is_as_frequent_as_every_other_and_there_are_six_mice() -> None:
    assert deck.symbol_counts(deck.TREASURE_CARDS) == dict.fromkeys(deck.TYPES, 11) | {"mouse": 6}


def test_a_round_begins_with_four_empty_places_and_six_find_tokens() -> None:
    view = game_view(table(4, first=2))
    assert view["places"] == [{"place": place, "stack": []} for place in range(4)]
    assert view["tokens"] == ["ring", "diamond", "sword", "necklace", "coin", "potion"]
    assert (view["gnome_tokens"], view["orcs"], view["orcs_in_all"], view["deck"]) == (0, 0, 6, 36)
    assert view["gnomes"] == [
        {"seat": seat, "in_round": True, "stack": [], "gold": 0, "silver": 0, "value": 0} for seat in range(4)
    ]
    assert (view["phase"], view["round"], view["first"], view["drawn"]) == ("drawing", 1, 2, [])
    assert view["turn"] == {"seat": 2, "why": "first"}
    assert view["queue"] == [2, 3, 0, 1]
    assert "last_round" not in view


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_seat_is_drawn_at_random(seats: int) -> None:
    begun: Counter[int] = Counter()
    for number in range(40):
        playout = new("mein-schatz", seats, key=bytes([number]) * 32)
        drawn = only(playout.events, events.FirstDrawn)
        assert playout.state.first == playout.state.turn == drawn.order[0]
        begun[drawn.order[0]] += 1
    assert set(begun) == set(range(seats))


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_option_first_seat_names_who_begins_and_nothing_is_drawn(first: int) -> None:
    playout = table(3, first=first)
    assert playout.waiting() == (first,)
    assert not [event for event in playout.events if isinstance(event, events.FirstDrawn)]


def test_the_next_round_is_begun_by_the_seat_to_the_left_whoever_ended_the_last() -> None:
    playout = table(3, "", "", "", first=2)
    for number, first in enumerate((2, 0, 1), 1):
        assert (playout.state.round, playout.state.first, playout.waiting()) == (number, first, (first,))
        go(playout, "draw 0", "draw 1", "draw 2", "take 0 ring", "take 1 diamond")
        go(playout, *["draw 2"] * (number % 2), "take 2 sword")


def test_all_cards_are_shuffled_anew_for_a_new_round() -> None:
    playout = table(2)
    happened = go(playout, "draw 0", "draw 1", "take 0 ring", "take 1 coin")
    assert [type(event) for event in happened[-3:]] == [
        events.RoundScored,
        events.DeckShuffled,
        events.RoundBegan,
    ]
    shuffled = only(happened, events.DeckShuffled)
    assert shuffled.label == "round-2/deck"
    assert Counter(shuffled.order) == Counter(deck.full_deck(deck.TREASURE_CARDS))
    assert playout.state.deck == shuffled.order
    assert playout.state.tokens == deck.TYPES
    assert playout.state.stacks == ((), (), (), ())


def test_the_treasure_cards_of_a_printed_box_can_be_entered() -> None:
    cards = box("ring+ring+ring+ring+ring", "potion", "ring+diamond+sword+potion+mouse")
    playout = table(2, treasure_cards=cards)
    assert Counter(playout.state.deck) == Counter(cards) + Counter(["orc"] * 6)


def test_the_published_schema_says_what_a_box_is() -> None:
    schema = Draft202012Validator(msgspec.json.schema(GAME.options))
    cards = box("ring+ring+ring+ring+ring", "potion", "ring+diamond+sword+potion+mouse")
    assert schema.is_valid({"treasure_cards": cards})
    assert not schema.is_valid({"treasure_cards": cards[:-1]})
    assert not schema.is_valid({"treasure_cards": [*cards, "ring"]})
    for wrong in ("", "orc", "ring+", "ring+ring+ring+ring+ring+ring"):
        assert not schema.is_valid({"treasure_cards": [*cards[:-1], wrong]})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            "gem",
            "'gem' has the symbol 'gem'; symbols are ring, diamond, sword, necklace, coin, potion, mouse",
        ),
        ("orc", "'orc' has the symbol 'orc'"),
        ("", "'' has the symbol ''"),
        ("ring+", "'ring+' has the symbol ''"),
        ("ring+ring+ring+ring+ring+ring", "has 6 symbols; 1 to 5 are possible"),
        ("potion+ring", "'potion+ring' must be written 'ring+potion'"),
        ("mouse+ring", "'mouse+ring' must be written 'ring+mouse'"),
    ],
)
def test_a_wrong_treasure_card_is_refused_by_its_position(wrong: str, says: str) -> None:
    cards = list(deck.TREASURE_CARDS)
    cards[17] = wrong
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"treasure_cards": cards}, 3)
    assert refused.value.detail == {"option": "treasure_cards[17]"}
    assert says in refused.value.message


@pytest.mark.parametrize("number", [0, 29, 31])
def test_the_number_of_treasure_cards_must_be_30(number: int) -> None:
    with pytest.raises(BadOptions, match=f"30 codes are needed, {number} were given"):
        GAME.parse_options({"treasure_cards": ["ring"] * number}, 3)


@pytest.mark.parametrize(
    ("options", "entry"),
    [
        ({"drawn": "hidden"}, "drawn"),
        ({"places": "face up"}, "places"),
        ({"places": True}, "places"),
        ({"first_seat": -1}, "first_seat"),
        ({"first_seat": 3}, "first_seat"),
        ({"first_seat": 4}, "first_seat"),
        ({"first_seat": None}, "first_seat"),
        ({"first_seat": "1"}, "first_seat"),
        ({"first_seat": True}, "first_seat"),
        ({"treasure_cards": "ring"}, "treasure_cards"),
        ({"treasure_cards": ["ring"] * 5 + [7] + ["ring"] * 24}, "treasure_cards[5]"),
        ({"coins": 10}, "coins"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(options: dict[str, Any], entry: str) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options(options, 3)
    assert refused.value.detail == {"option": entry}


def test_first_seat_must_exist_at_this_table() -> None:
    assert GAME.parse_options({"first_seat": 3}, 4).first_seat == 3
    with pytest.raises(BadOptions, match="there is no seat 3: a table of 3 has seats 0 to 2"):
        GAME.parse_options({"first_seat": 3}, 3)
