"""The deck of each game, the points of the cards, and their order."""

from __future__ import annotations

import pytest

from domain.tarot.cards import (
    FULL_DECK,
    SUIT,
    TRUMP,
    birds,
    deck,
    in_order,
    suit_name,
    total,
    without,
)


@pytest.mark.parametrize(
    ("lowest", "removed", "size", "trumps", "sides", "fives"),
    [
        pytest.param(7, (), 54, 40, 40, False, id="Hold My Beer"),
        pytest.param(6, (), 58, 40, 40, False, id="Oopsie"),
        pytest.param(1, (), 78, 40, 60, True, id="Thread the Needle with 5"),
        pytest.param(1, (6, 7, 8), 63, 34, 60, True, id="Thread the Needle with 4"),
        pytest.param(8, (), 50, 40, 40, True, id="Thread the Needle with 2"),
    ],
)
def test_each_deck_has_the_size_and_the_points_that_the_rulebook_gives(
    lowest: int, removed: tuple[int, ...], size: int, trumps: int, sides: int, *, fives: bool
) -> None:
    cards = deck(lowest, removed)
    assert len(cards) == len(set(cards)) == size
    assert total([card for card in cards if SUIT[card] == TRUMP], fives=fives) == trumps
    assert total([card for card in cards if SUIT[card] != TRUMP], fives=fives) == sides


def test_removed_ranks_leave_the_trumps_as_well_but_a_lowest_rank_does_not() -> None:
    assert not {"trump-6", "trump-7", "trump-8", "hearts-6", "clubs-8"} & set(deck(1, (6, 7, 8)))
    assert {"trump-16", "trump-18", "hearts-9"} <= set(deck(1, (6, 7, 8)))
    assert {"trump-1", "trump-6"} <= set(deck(7))
    assert "hearts-6" not in deck(7)


def test_a_roi_a_valet_and_a_9_are_5_points_as_in_the_rulebook() -> None:
    assert total(["hearts-roi", "hearts-valet", "hearts-9"]) == 5


def test_where_fives_count_a_roi_a_valet_a_7_a_5_and_a_9_are_10_points_as_in_the_rulebook() -> None:
    trick = ["hearts-roi", "hearts-valet", "hearts-7", "hearts-5", "hearts-9"]
    assert total(trick, fives=True) == 10
    assert total(trick) == 5


def test_each_card_is_worth_what_the_rulebook_says() -> None:
    worth = {
        "clubs-roi": 4,
        "clubs-dame": 3,
        "clubs-cavalier": 2,
        "clubs-valet": 1,
        "clubs-10": 0,
        "clubs-5": 0,
    }
    worth |= {"trump-1": 2, "trump-5": 2, "trump-21": 2, "fool": -2}
    assert {card: total([card]) for card in worth} == worth
    assert total(["clubs-5"], fives=True) == 5
    assert total(["trump-5"], fives=True) == 2


def test_card_order_is_trumps_then_the_fool_then_the_suits_from_low_to_high() -> None:
    cards = ["clubs-7", "spades-10", "hearts-roi", "fool", "hearts-valet", "trump-10", "hearts-10", "trump-9"]
    assert in_order(cards) == (
        "trump-9",
        "trump-10",
        "fool",
        "hearts-10",
        "hearts-valet",
        "hearts-roi",
        "spades-10",
        "clubs-7",
    )
    assert in_order(reversed(FULL_DECK)) == FULL_DECK


def test_birds_are_the_lowest_trumps() -> None:
    assert birds(3) == ("trump-1", "trump-2", "trump-3")
    assert len(birds(5)) == 5


def test_a_card_is_taken_out_once_and_a_missing_one_changes_nothing() -> None:
    assert without(("fool", "clubs-7"), "fool") == ("clubs-7",)
    assert without(("clubs-7",), "fool") == ("clubs-7",)


def test_suits_are_named_in_sentences() -> None:
    assert suit_name("hearts") == "Hearts"
    assert suit_name("trump") == "Trumps"
