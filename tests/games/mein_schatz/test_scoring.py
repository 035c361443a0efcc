"""Scoring and the end of the game (rulebook, 'Scoring', 'End of Game'; ruling 8)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.mein_schatz import GAME, deck, events
from domain.games.mein_schatz.scoring import WhyCoins, award, scored, standing
from tests.games.mein_schatz.given import box, game_view, go, only, table
from tests.support.play import Playout


def coins(*treasures: int) -> list[tuple[int, int, WhyCoins]]:
    return [award(number, max(treasures)) for number in treasures]


def test_the_example_of_the_rulebook_8_6_and_5_treasures() -> None:
    assert coins(8, 6, 5) == [(1, 0, "most"), (0, 1, "two_fewer"), (0, 0, "too_few")]


def test_the_example_of_the_rulebook_played_at_a_table() -> None:
    anna, peter, karl = range(3)
    cards = box(
        *("potion+potion+potion+potion+potion", "ring+ring+ring+ring+ring", "coin+coin+coin+coin+coin"),
        *("potion+potion+mouse", "ring"),
    )
    playout = table(3, " ".join(cards[:5]), treasure_cards=cards)
    go(playout, "draw 0", "draw 1", "draw 2", "draw 0", "draw 1")
    go(playout, "take 2 coin", "take 0 potion")
    scores = only(go(playout, "take 1 ring"), events.RoundScored).scores
    assert [scores[seat].treasures for seat in (anna, peter, karl)] == [8, 6, 5]
    assert [playout.state.gold[seat] for seat in (anna, peter, karl)] == [1, 0, 0]
    assert [playout.state.silver[seat] for seat in (anna, peter, karl)] == [0, 1, 0]


def test_five_potions_on_the_stack_and_a_potion_token_make_5_treasures() -> None:
    stacks = [("coin+potion", "diamond+potion+potion", "potion+potion"), ()]
    (score, _) = scored(stacks, ["potion", "ring"], [])
    assert (score.matching, score.mice, score.treasures) == (5, 0, 5)


def test_only_symbols_of_the_own_token_and_mice_count() -> None:
    stacks = [("ring+ring+sword", "ring+mouse", "coin+mouse", "coin+coin"), ("ring+ring+ring",)]
    one, other = scored(stacks, ["ring", "coin"], [1])
    assert (one.matching, one.mice, one.treasures) == (3, 2, 5)
    assert (other.matching, other.mice, other.treasures) == (0, 0, 0)
    assert (one.gnome_side, other.gnome_side) == (False, True)


@pytest.mark.parametrize(
    ("treasures", "paid"),
    [
        ((8, 8, 7, 7), [(1, 0), (1, 0), (0, 2), (0, 2)]),
        ((3, 2, 1, 0), [(1, 0), (0, 2), (0, 1), (0, 0)]),
        ((4, 2, 2), [(1, 0), (0, 1), (0, 1)]),
        ((9, 6), [(1, 0), (0, 0)]),
        ((5, 5, 5, 5), [(1, 0)] * 4),
        ((1, 0), [(1, 0), (0, 2)]),
        ((2, 0, 0), [(1, 0), (0, 1), (0, 1)]),
        ((0, 0, 0), [(0, 0)] * 3),
    ],
)
def test_coins_go_by_the_distance_to_the_most(
    treasures: tuple[int, ...], paid: list[tuple[int, int]]
) -> None:
    assert [(gold, silver) for gold, silver, _ in coins(*treasures)] == paid


def test_where_the_most_is_0_nobody_gets_a_coin_and_the_scoring_says_so() -> None:
    assert coins(0, 0) == [(0, 0, "nobody_scores")] * 2


def test_the_view_shows_the_last_round_with_what_counted_and_why() -> None:
    playout = table(2, "ring+mouse sword+sword+coin ring+ring")
    go(playout, "draw 0", "draw 1", "draw 0", "take 1 sword", "take 0 ring")
    none = dict.fromkeys(deck.SYMBOLS, 0)
    assert game_view(playout)["last_round"] == {
        "round": 1,
        "scores": [
            {
                "seat": 0,
                "token": "ring",
                "gnome_side": False,
                "symbols": none | {"ring": 3, "mouse": 1},
                "matching": 3,
                "mice": 1,
                "treasures": 4,
                "gold": 1,
                "silver": 0,
                "value": 3,
                "why": "most",
            },
            {
                "seat": 1,
                "token": "sword",
                "gnome_side": False,
                "symbols": none | {"sword": 2, "coin": 1},
                "matching": 2,
                "mice": 0,
                "treasures": 2,
                "gold": 0,
                "silver": 1,
                "value": 1,
                "why": "two_fewer",
            },
        ],
    }
    assert [(gnome["gold"], gnome["silver"], gnome["value"]) for gnome in game_view(playout)["gnomes"]] == [
        (1, 0, 3),
        (0, 1, 1),
    ]


def with_coins(playout: Playout, gold: tuple[int, ...], silver: tuple[int, ...]) -> Playout:
    """The table as if these coins had been won before."""
    state = replace(playout.state, gold=gold, silver=silver)
    playout.states[-1] = replace(playout.table, state=state)
    return playout


def round_of(treasures: tuple[int, ...], gold: tuple[int, ...], silver: tuple[int, ...]) -> Playout:
    """A table after a round in which the seats scored so many treasures (up to 5) on top of these coins."""
    types = deck.TYPES[: len(treasures)]
    other = "potion"
    special = [
        "+".join([name] * number) if number else other for name, number in zip(types, treasures, strict=True)
    ]
    playout = with_coins(table(len(treasures), " ".join(special), treasure_cards=box(*special)), gold, silver)
    go(playout, *(f"draw {place}" for place in range(len(treasures))))
    go(playout, *(f"take {place} {name}" for place, name in enumerate(types)))
    return playout


def test_gold_counts_3_silver_towards_the_8_that_end_the_game() -> None:
    playout = round_of((3, 0), (1, 0), (2, 0))
    assert playout.state.gold == (2, 0)
    assert playout.table.status == "finished"
    assert only(playout.commits[-1].events, events.TargetReached).seats == (0,)
    assert playout.table.result is not None
    assert playout.table.result.scores == (8, 0)
    assert playout.table.result.winners == (0,)
    assert playout.table.result.reason == "target"


def test_a_value_of_7_does_not_end_the_game() -> None:
    playout = round_of((3, 0), (1, 0), (1, 0))
    assert playout.table.status == "playing"
    assert playout.state.round == 2


def test_8_silver_coins_end_the_game_too() -> None:
    playout = round_of((3, 2), (0, 0), (0, 6))
    assert playout.table.status == "finished"
    assert playout.table.result is not None
    assert playout.table.result.winners == (1,)
    assert playout.table.result.places == (2, 1)


def test_the_highest_value_wins_even_if_another_reached_8_too() -> None:
    playout = round_of((3, 3, 0), (2, 3, 0), (0, 0, 0))
    assert only(playout.commits[-1].events, events.TargetReached).seats == (0, 1)
    assert playout.table.result is not None
    assert playout.table.result.scores == (9, 12, 0)
    assert playout.table.result.winners == (1,)


def test_of_equal_values_whoever_got_more_in_the_last_round_wins() -> None:
    playout = round_of((3, 2), (2, 0), (0, 7))
    assert playout.table.result is not None
    assert playout.table.result.scores == (9, 9)
    assert playout.table.result.winners == (0,)
    assert playout.table.result.places == (1, 2)


def test_equal_values_and_equal_last_rounds_share_the_victory() -> None:
    playout = round_of((3, 3, 2), (2, 2, 0), (0, 0, 5))
    assert playout.table.result is not None
    assert playout.table.result.scores == (9, 9, 7)
    assert playout.table.result.winners == (0, 1)
    assert playout.table.result.places == (1, 1, 3)


def test_the_coin_supply_is_no_limit() -> None:
    playout = round_of((3, 2, 0), (0, 0, 0), (0, 4, 7))
    assert playout.state.silver == (0, 6, 7)
    assert playout.table.status == "playing", "13 silver coins lie with the seats, 10 are in the box"


def test_the_view_of_a_finished_game_keeps_the_last_scoring_and_asks_nobody() -> None:
    view = game_view(playout := round_of((3, 2), (2, 0), (0, 7)))
    assert view["phase"] == "over"
    assert "turn" not in view
    assert view["queue"] == []
    assert view["last_round"]["round"] == 1
    assert playout.waiting() == ()
    assert playout.offers(0) == playout.offers(1) == []


def test_before_the_first_scoring_everybody_stands_equal() -> None:
    assert standing((0, 0, 0), (0, 0, 0), ()).places == (1, 1, 1)


def test_the_standing_counts_scored_rounds_only() -> None:
    playout = round_of((3, 2), (0, 0), (0, 0))
    go(playout, "draw 0", "draw 1", "take 0 ring")
    now = GAME.standing(playout.state)
    assert (now.scores, now.places) == ((3, 2), (1, 2))


def test_a_seat_that_forfeits_ranks_last_whatever_it_has() -> None:
    playout = round_of((3, 2, 0), (0, 0, 0), (0, 0, 0))
    result: Any = GAME.forfeit(playout.state, 0)
    assert (result.places, result.winners, result.reason) == ((3, 1, 2), (1,), "forfeit")
