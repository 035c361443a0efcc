"""Game points of a hand, the target and the end of the game."""

from __future__ import annotations

from typing import Any

import pytest

from domain.game import Result
from domain.games.hold_my_beer.scoring import bid_awards
from domain.tarot.events import Award
from domain.tarot.places import places
from domain.visibility import SPECTATOR
from tests.domain_tarot.hands import given, play, view
from tests.support.play import Playout, new


def awarded(bids: tuple[int, int, int], points: tuple[int, int, int]) -> list[int]:
    """The game points of each seat for the bids."""
    totals = [0, 0, 0]
    for award in bid_awards(bids, places(points)):
        totals[award.seat] += award.points
    return totals


def hand(*hands: str, **changes: Any) -> Playout:
    playout = new("hold-my-beer", 3, outcomes={"starter": (0, 1, 2)})
    return given(playout, hands=hands, **{"talon": "hearts-10 spades-7 clubs-7"} | changes)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param((30, 30, 20), (1, 1, 3), id="example 1: 30 and 30 share first, second is skipped"),
        pytest.param((40, 20, 20), (1, 2, 2), id="example 2: 20 and 20 share second, third is skipped"),
        pytest.param((27, 26, 25), (1, 2, 3), id="no tie"),
        pytest.param((0, 0, 0), (1, 1, 1), id="all tied"),
        pytest.param((-2, 41, 41), (3, 1, 1), id="negative points rank last"),
    ],
)
def test_tied_seats_share_the_better_place_and_the_next_is_skipped(
    points: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert places(points) == expected


def test_first_and_third_place_are_worth_1_and_second_3() -> None:
    assert awarded((1, 2, 3), (40, 25, 15)) == [1, 3, 1]


def test_failed_bids_are_worth_nothing() -> None:
    assert awarded((2, 3, 1), (40, 25, 15)) == [0, 0, 0]


def test_a_place_that_a_tie_skips_cannot_be_made_good() -> None:
    assert awarded((1, 2, 3), (30, 30, 20)) == [1, 0, 1]
    assert awarded((1, 2, 3), (40, 20, 20)) == [1, 3, 0]


def test_both_of_a_tie_are_paid_for_the_shared_place() -> None:
    assert awarded((1, 1, 2), (30, 30, 20)) == [1, 1, 0]


def test_a_bid_made_good_earns_1_for_every_other_seat_that_failed_with_the_same() -> None:
    assert awarded((1, 1, 3), (40, 25, 15)) == [2, 0, 1]
    assert awarded((2, 2, 2), (40, 25, 15)) == [0, 5, 0]
    assert bid_awards((2, 2, 1), places((40, 25, 15))) == (Award(1, 3, "bid"), Award(1, 1, "bonus", other=0))


def test_a_bonus_needs_the_own_bid_made_good_and_the_other_failed() -> None:
    assert awarded((3, 3, 2), (40, 25, 15)) == [0, 0, 0]
    assert awarded((1, 2, 2), (40, 20, 20)) == [1, 3, 3]


def last_trick_of_the_best_hand() -> Playout:
    """Seat 1 has 20 points and two captured Birds; it captures the third in the last trick for 24 points."""
    birds = (Award(1, 1, "bird", other=0, card="trump-1"), Award(1, 1, "bird", other=0, card="trump-2"))
    return hand(
        "trump-3",
        "trump-4",
        "hearts-7",
        points=(36, 20, 20),
        scores=(0, 2, 0),
        awards=birds,
        bids=(2, 2, 2),
        lead=0,
    )


def test_the_most_in_one_hand_is_8_points() -> None:
    playout = play(last_trick_of_the_best_hand(), "trump-3", "trump-4", "hearts-7")
    last = view(playout, SPECTATOR)["last_hand"]
    assert last == {
        "hand": 1,
        "bids": (2, 2, 2),
        "points": (36, 24, 20),
        "places": (1, 2, 3),
        "made": (False, True, False),
        "talon": ("hearts-10", "spades-7", "clubs-7"),
        "awards": (
            {"seat": 1, "points": 1, "reason": "bird", "other": 0, "card": "trump-1"},
            {"seat": 1, "points": 1, "reason": "bird", "other": 0, "card": "trump-2"},
            {"seat": 1, "points": 1, "reason": "bird", "other": 0, "card": "trump-3"},
            {"seat": 1, "points": 3, "reason": "bid"},
            {"seat": 1, "points": 1, "reason": "bonus", "other": 0},
            {"seat": 1, "points": 1, "reason": "bonus", "other": 2},
        ),
        "scores": (0, 8, 0),
    }


def ending(points: tuple[int, int, int] = (0, 0, 0), **changes: Any) -> Playout:
    """The last trick of a hand, won by seat 2 with worthless cards."""
    playout = hand("hearts-7", "hearts-8", "hearts-9", points=points, **changes)
    return play(playout, "hearts-7", "hearts-8", "hearts-9")


def test_the_next_hand_is_dealt_and_the_starting_seat_passes_clockwise() -> None:
    playout = ending(starter=2, hand=4, bids=(1, 1, 1), points=(30, 20, 10))
    state = playout.state
    assert (state.hand, state.starter, state.phase, state.trick) == (5, 0, "discarding", 1)
    assert (state.points, state.bids, state.awards, state.looks) == ((0, 0, 0), (), (), ())
    assert state.scores == (3, 0, 0)
    assert "hand-5/deal" in playout.dealer.dealt
    assert playout.waiting() == (0, 1, 2)
    assert view(playout, 0)["last_trick"]["hand"] == 4


def test_20_points_at_the_end_of_a_hand_win() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 1, 1), scores=(17, 0, 19))
    assert playout.table.result == Result((1, 3, 2), (20, 0, 19), (0,), "target")
    assert playout.waiting() == ()
    assert playout.state.phase == "over"
    assert view(playout, 0)["ended"] == "target"


def test_19_points_do_not_end_the_game() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 1, 3), scores=(17, 0, 18))
    assert playout.state.scores == (19, 0, 19)
    assert playout.table.result is None


def test_with_two_over_the_target_after_a_hand_the_highest_total_wins() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 2, 3), scores=(19, 18, 0))
    assert playout.table.result == Result((2, 1, 3), (20, 21, 1), (1,), "target")


def test_equal_totals_over_the_target_share_the_victory() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 2, 3), scores=(19, 17, 0))
    assert playout.table.result == Result((1, 1, 3), (20, 20, 1), (0, 1), "target")


def test_after_6_hands_the_highest_total_wins() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 2, 3), scores=(3, 0, 0), hand=6)
    assert playout.table.result == Result((1, 2, 3), (4, 3, 1), (0,), "played_out")


def test_equal_totals_after_6_hands_share_the_victory() -> None:
    playout = ending(points=(40, 25, 15), bids=(1, 2, 3), scores=(2, 0, 2), hand=6)
    assert playout.table.result == Result((1, 1, 1), (3, 3, 3), (0, 1, 2), "played_out")


def test_after_5_hands_there_is_a_sixth() -> None:
    assert ending(points=(40, 25, 15), hand=5).state.hand == 6


def test_a_bird_that_reaches_the_target_ends_the_game_in_mid_hand() -> None:
    playout = hand(
        "trump-1 clubs-8", "trump-9 clubs-9", "hearts-7 clubs-10", scores=(18, 19, 0), bids=(1, 1, 1)
    )
    events = play(playout, "trump-1", "trump-9", "hearts-7").commits[-1].events
    assert [type(event).__name__ for event in events] == [
        "CardPlayed",
        "TrickWon",
        "BirdsCaptured",
        "GameEnded",
        "Finished",
    ]
    assert playout.table.result == Result((2, 1, 3), (18, 20, 0), (1,), "target")
    assert all(playout.offers(seat) == [] for seat in range(3))


def test_the_target_comes_before_the_choice_that_the_21_owes() -> None:
    playout = hand("trump-1 clubs-8", "trump-21 clubs-9", "hearts-7 clubs-10", scores=(0, 19, 0))
    play(playout, "trump-1", "trump-21", "hearts-7")
    assert playout.table.result == Result((2, 1, 2), (0, 20, 0), (1,), "target")
    assert view(playout, 0)["winner"] == 1


def test_the_target_comes_before_the_look_that_a_bird_owes() -> None:
    playout = hand("trump-1 clubs-8", "trump-2 clubs-9", "hearts-7 clubs-10", scores=(0, 19, 0))
    play(playout, "trump-1", "trump-2", "hearts-7")
    assert playout.table.status == "finished"
    assert view(playout, 1)["talon"] == (None, None, None)


def test_the_target_reached_by_a_bird_of_the_last_trick_leaves_the_bids_unpaid() -> None:
    playout = hand("trump-1", "trump-9", "hearts-7", scores=(19, 19, 0), bids=(1, 2, 3), points=(50, 20, 6))
    play(playout, "trump-1", "trump-9", "hearts-7")
    assert playout.table.result == Result((2, 1, 3), (19, 20, 0), (1,), "target")
    assert playout.state.last_hand is None


def test_who_forfeits_ranks_last_and_the_others_as_they_stand() -> None:
    playout = hand("trump-1 clubs-8", "trump-9 clubs-9", "hearts-7 clubs-10", scores=(9, 5, 7))
    assert playout.game.forfeit(playout.state, 0) == Result((3, 2, 1), (9, 5, 7), (2,), "forfeit")
