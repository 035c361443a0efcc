"""The scoring card: the reconstructed ones, and what is refused of others."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.errors import BadOptions
from domain.games.thread_the_needle.scoring_card import SCORING_CARDS, level_of, needle_of
from domain.games.thread_the_needle.state import ThreadTheNeedleOptions
from domain.registry import games
from tests.domain_tarot.hands import view
from tests.games.thread_the_needle.situations import table

GAME = games()["thread-the-needle"]
PLAIN = [{"to": 9, "points": 1}, {"from": 10, "to": 19, "points": 0}, {"from": 20, "points": 3}]


@pytest.mark.parametrize("seats", [4, 5])
def test_the_card_of_4_and_5_seats_gives_1_or_3_points(seats: int) -> None:
    expected = {range(-2, 5): 3, range(5, 15): 1, range(15, 20): 3, range(20, 30): 1, range(30, 35): 3}
    expected |= {range(35, 50): 1, range(50, 120): 3}
    card = SCORING_CARDS[seats]
    assert len(card) == len(expected)
    for index, (totals, points) in enumerate(expected.items()):
        for total in totals:
            assert level_of(card, total) == index, total
            assert card[index].points == points
    assert needle_of(card) is None


def test_the_card_of_2_seats_gives_less_towards_40_which_is_the_needle() -> None:
    expected = {range(-2, 10): 4, range(10, 20): 3, range(20, 30): 2, range(30, 40): 1, range(40, 41): 1}
    expected |= {range(41, 51): 1, range(51, 61): 2, range(61, 71): 3, range(71, 90): 4}
    card = SCORING_CARDS[2]
    assert len(card) == len(expected)
    for index, (totals, points) in enumerate(expected.items()):
        for total in totals:
            assert level_of(card, total) == index, total
            assert card[index].points == points
    assert needle_of(card) == 4


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_the_reconstructed_cards_pass_the_check_of_the_option(seats: int) -> None:
    card = msgspec.to_builtins(SCORING_CARDS[seats])
    assert GAME.parse_options({"scoring_card": list(card)}, seats).scoring_card == SCORING_CARDS[seats]


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_a_replaced_card_is_the_one_in_use_and_shown(seats: int) -> None:
    playout = table(seats, options={"scoring_card": PLAIN})
    (bidder,) = playout.waiting()
    assert playout.offers(bidder) == [{"type": "bid", "level": {"one_of": [0, 1, 2]}}]
    assert view(playout, 0)["scoring_card"] == tuple(PLAIN)


def test_without_the_option_the_card_of_the_number_of_seats_is_in_use() -> None:
    for seats in (2, 4, 5):
        shown = view(table(seats), 0)["scoring_card"]
        assert shown == msgspec.to_builtins(SCORING_CARDS[seats])


def test_one_level_for_all_totals_is_a_card() -> None:
    assert GAME.parse_options({"scoring_card": [{"points": 2}]}, 4).scoring_card[0].points == 2


def level(points: Any = 1, **more: Any) -> dict[str, Any]:
    return {"points": points, **more}


NEEDLE = {"from": 10, "to": 10, "points": 1, "needle": True}
WRONG: list[tuple[int, list[Any], str]] = [
    (4, [], "scoring_card"),
    (4, [level(to=1)] + [level()] * 50, "scoring_card"),
    (4, [level(**{"from": 0})], "scoring_card[0].from"),
    (4, [level(to=9)], "scoring_card[0].to"),
    (4, [level(to=9), level()], "scoring_card[1].from"),
    (4, [level(), level(**{"from": 10})], "scoring_card[0].to"),
    (4, [level(to=9), level(to=19, **{"from": 11}), level(**{"from": 20})], "scoring_card[1].from"),
    (4, [level(to=9), level(to=19, **{"from": 10}), level(**{"from": 19})], "scoring_card[2].from"),
    (4, [level(to=9), level(to=9, **{"from": 10}), level(**{"from": 10})], "scoring_card[1].to"),
    (4, [level(to=9), level(**{"from": 10}), level(**{"from": 20})], "scoring_card[1].to"),
    (4, [level(to=9), level(to=20, **{"from": 10})], "scoring_card[1].to"),
    (4, [level(to=9.5), level(**{"from": 10})], "scoring_card[0].to"),
    (4, [level(to=True), level(**{"from": 2})], "scoring_card[0].to"),
    (4, [level(to="9"), level(**{"from": 10})], "scoring_card[0].to"),
    (4, [level(to=9), level(**{"from": None})], "scoring_card[1].from"),
    (4, [level(to=2000), level(**{"from": 2001})], "scoring_card[0].to"),
    (4, [level(-1)], "scoring_card[0].points"),
    (4, [level(101)], "scoring_card[0].points"),
    (4, [{"to": 9}, level(**{"from": 10})], "scoring_card[0]"),
    (4, ["9"], "scoring_card[0]"),
    (4, [level(to=9), NEEDLE, level(**{"from": 11})], "scoring_card[1].needle"),
    (5, [level(needle=True)], "scoring_card[0].needle"),
    (2, [level(needle=True)], "scoring_card[0].needle"),
    (2, [level(to=9), NEEDLE, level(needle=True, **{"from": 11})], "scoring_card[2].needle"),
    (2, [level(to=9), NEEDLE | {"needle": 1}, level(**{"from": 11})], "scoring_card[1].needle"),
]


@pytest.mark.parametrize(("seats", "card", "where"), WRONG)
def test_a_card_that_is_wrong_is_refused_and_the_wrong_entry_named(
    seats: int, card: list[Any], where: str
) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"scoring_card": card}, seats)
    assert refused.value.code == "bad_options"
    assert refused.value.detail == {"option": where}


def test_a_gap_and_an_overlap_are_told_with_the_number_that_is_right() -> None:
    with pytest.raises(BadOptions, match=r"11 leaves a gap: the level before ends at 9, 10 is right"):
        GAME.parse_options({"scoring_card": [level(to=9), level(**{"from": 11})]}, 4)
    with pytest.raises(BadOptions, match=r"9 overlaps: the level before ends at 9, 10 is right"):
        GAME.parse_options({"scoring_card": [level(to=9), level(**{"from": 9})]}, 4)


def test_options_are_stored_with_the_table_as_they_were_given() -> None:
    given = {"scoring_card": [level(to=9), NEEDLE, level(**{"from": 11})], "failed_needle_keeps_birds": False}
    playout = table(2, options=given)
    assert msgspec.to_builtins(playout.table.options) == {
        "scoring_card": (level(to=9), NEEDLE, level(**{"from": 11})),
        "overtrump_on_trump_lead": True,
        "failed_needle_keeps_birds": False,
    }
    again = msgspec.convert(msgspec.to_builtins(playout.table.options), ThreadTheNeedleOptions)
    assert again == playout.table.options


def test_other_options_are_booleans_and_unknown_ones_are_refused() -> None:
    for raw, where in (
        ({"failed_needle_keeps_birds": 1}, "failed_needle_keeps_birds"),
        ({"overtrump_on_trump_lead": "no"}, "overtrump_on_trump_lead"),
        ({"target": 30}, "target"),
    ):
        with pytest.raises(BadOptions) as refused:
            GAME.parse_options(raw, 2)
        assert refused.value.detail == {"option": where}
