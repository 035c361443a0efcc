"""Game points of a hand, the target and the end of the game."""

from __future__ import annotations

from typing import Any

import pytest

from domain.game import Result
from domain.games.oopsie.scoring import bid_awards
from domain.tarot.events import Award
from domain.tarot.places import places
from tests.domain_tarot.hands import given, play, view
from tests.support.play import Playout, new

Four = tuple[int, int, int, int]


def awarded(bids: Four, points: Four, *, per_member: bool = False) -> list[int]:
    """The game points of each team for the bids."""
    totals = [0, 0]
    for award in bid_awards(bids, places(points), bonus_per_member=per_member):
        totals[award.seat % 2] += award.points
    return totals


def hand(*hands: str, options: dict[str, Any] | None = None, **changes: Any) -> Playout:
    playout = new("oopsie", 4, options=options or {}, outcomes={"starter": (0, 1, 2, 3)})
    return given(playout, hands=hands, **{"talon": "hearts-10 spades-7"} | changes)


def ending(points: Four, **changes: Any) -> Playout:
    """The last trick of a hand, won by seat 3 with worthless cards."""
    cards = ("hearts-6", "hearts-7", "hearts-8", "hearts-9")
    return play(hand(*cards, points=points, **changes), *cards)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param((30, 30, 15, 5), (1, 1, 3, 4), id="example 1: positions 1, 3 and 4 are awarded"),
        pytest.param((36, 18, 18, 8), (1, 2, 2, 4), id="example 2: positions 1, 2 and 4 are awarded"),
        pytest.param((40, 25, 10, 5), (1, 2, 3, 4), id="no tie"),
        pytest.param((20, 20, 20, 20), (1, 1, 1, 1), id="all tied"),
    ],
)
def test_tied_seats_share_the_better_place_and_the_next_is_skipped(points: Four, expected: Four) -> None:
    assert places(points) == expected


def test_first_and_fourth_place_are_worth_2_second_3_and_third_4() -> None:
    assert awarded((1, 2, 3, 4), (40, 25, 10, 5)) == [2 + 4, 3 + 2]


def test_failed_bids_are_worth_nothing() -> None:
    assert awarded((4, 3, 2, 1), (40, 25, 10, 5)) == [0, 0]


def test_both_seats_tied_for_second_are_paid_for_a_bid_of_2_and_a_bid_of_3_fails() -> None:
    assert awarded((1, 2, 2, 4), (36, 18, 18, 8)) == [2 + 3, 3 + 2]
    assert awarded((1, 3, 2, 4), (36, 18, 18, 8)) == [2 + 3, 2]


def test_each_opponent_that_failed_with_the_bid_made_good_is_1_more() -> None:
    assert awarded((1, 1, 3, 1), (40, 25, 10, 5)) == [2 + 2 + 4, 0]
    assert bid_awards((1, 1, 4, 2), places((40, 25, 10, 5))) == (
        Award(0, 2, "bid"),
        Award(0, 1, "bonus", other=1),
    )


def test_a_partner_that_failed_with_the_same_bid_is_no_bonus() -> None:
    assert awarded((1, 3, 1, 2), (40, 25, 10, 5)) == [2, 0]


def test_an_opponent_that_made_the_same_bid_good_is_no_bonus() -> None:
    assert awarded((1, 2, 2, 4), (36, 18, 18, 8)) == [5, 5]


def test_an_opponent_counts_once_for_a_team_whose_members_both_made_the_bid_good() -> None:
    bids, points = (3, 3, 3, 4), (10, 30, 10, 30)
    assert places(points) == (3, 1, 3, 1)
    assert awarded(bids, points) == [4 + 4 + 1, 0]
    assert awarded(bids, points, per_member=True) == [4 + 4 + 2, 0]


def test_members_with_different_bids_made_good_each_count_their_own_opponents() -> None:
    assert awarded((1, 1, 3, 3), (40, 25, 10, 5)) == [2 + 1 + 4 + 1, 0]


def best_hand(**settings: Any) -> Playout:
    """All bid third. Seats 0 and 2 tie for it; seat 0 catches the fourth Bird in the last trick."""
    birds = tuple(Award(2, 1, "bird", other=1, card=f"trump-{rank}") for rank in (1, 2, 3))
    return play(
        hand(
            "trump-6",
            "trump-4",
            "hearts-7",
            "hearts-8",
            points=(6, 36, 10, 24),
            bids=(3, 3, 3, 3),
            scores=(3, 0),
            awards=birds,
            **settings,
        ),
        "trump-6",
        "trump-4",
        "hearts-7",
        "hearts-8",
    )


def test_the_most_in_one_hand_is_14_points_with_all_four_bids_on_third_place() -> None:
    last = view(best_hand(), 3)["last_hand"]
    assert last["points"] == (10, 36, 10, 24)
    assert last["places"] == (3, 1, 3, 2)
    assert last["made"] == (True, False, True, False)
    assert last["scores"] == (14, 0)
    reasons = [(award["reason"], award["points"]) for award in last["awards"]]
    assert reasons.count(("bird", 1)) == 4
    assert reasons.count(("bid", 4)) == 2
    assert reasons.count(("bonus", 1)) == 2


def test_with_bonus_per_member_the_same_hand_is_16_points() -> None:
    assert view(best_hand(options={"bonus_per_member": True}), 0)["last_hand"]["scores"] == (16, 0)


def test_the_next_hand_is_dealt_and_the_starting_seat_passes_clockwise() -> None:
    playout = ending((40, 25, 10, 5), starter=3, hand=2)
    assert (playout.state.hand, playout.state.starter, playout.state.phase) == (3, 0, "passing")
    assert (playout.state.passed, playout.state.received) == (((),) * 4, ((),) * 4)
    assert "hand-3/deal" in playout.dealer.dealt


def test_20_points_of_a_team_at_the_end_of_a_hand_win_for_both_members() -> None:
    playout = ending((40, 25, 10, 5), bids=(1, 1, 1, 2), scores=(17, 19))
    assert playout.state.scores == (20, 19)
    assert playout.table.result == Result((1, 3, 1, 3), (20, 19, 20, 19), (0, 2), "target")


def test_with_both_teams_over_the_target_the_higher_total_wins() -> None:
    playout = ending((40, 25, 10, 5), bids=(1, 2, 2, 3), scores=(18, 18))
    assert playout.table.result == Result((3, 1, 3, 1), (20, 22, 20, 22), (1, 3), "target")


def test_equal_totals_share_the_victory() -> None:
    playout = ending((40, 25, 10, 5), bids=(1, 3, 2, 4), scores=(18, 18))
    assert playout.table.result == Result((1, 1, 1, 1), (20,) * 4, (0, 1, 2, 3), "target")


def test_after_4_hands_the_higher_total_wins() -> None:
    playout = ending((40, 25, 10, 5), bids=(1, 1, 1, 2), hand=4)
    assert playout.table.result == Result((1, 3, 1, 3), (3, 0, 3, 0), (0, 2), "played_out")
    assert ending((40, 25, 10, 5), bids=(1, 1, 1, 2), hand=3).state.hand == 4


def test_with_the_option_long_it_is_40_points_or_8_hands() -> None:
    options = {"long": True}
    playout = ending((40, 25, 10, 5), bids=(1, 1, 1, 2), scores=(36, 19), hand=4, options=options)
    assert (playout.state.scores, playout.state.hand) == ((39, 19), 5)
    assert (view(playout, 0)["target"], view(playout, 0)["most_hands"]) == (40, 8)
    won = ending((40, 25, 10, 5), bids=(1, 1, 1, 2), scores=(37, 19), options=options)
    assert won.table.result == Result((1, 3, 1, 3), (40, 19, 40, 19), (0, 2), "target")
    over = ending((40, 25, 10, 5), bids=(1, 1, 1, 2), hand=8, options=options)
    assert over.table.result == Result((1, 3, 1, 3), (3, 0, 3, 0), (0, 2), "played_out")


@pytest.mark.parametrize("card", ["trump-9", "trump-21", "trump-4"])
def test_a_bird_that_reaches_the_target_ends_the_game_before_any_choice(card: str) -> None:
    playout = hand(
        "trump-1 clubs-6", f"{card} clubs-7", "clubs-8 clubs-10", "clubs-9 spades-6", scores=(19, 19)
    )
    play(playout, "trump-1", card, "clubs-8", "clubs-9")
    assert playout.table.result == Result((3, 1, 3, 1), (19, 20, 19, 20), (1, 3), "target")
    assert playout.waiting() == ()
    assert all(playout.offers(seat) == [] for seat in range(4))
    assert view(playout, 1)["talon"] == (None, None)


def test_the_target_reached_in_the_last_trick_leaves_the_bids_unpaid() -> None:
    cards = ("trump-1", "trump-9", "clubs-8", "clubs-9")
    playout = play(hand(*cards, scores=(19, 19), bids=(1, 2, 3, 4), points=(40, 25, 8, 1)), *cards)
    assert playout.table.result == Result((3, 1, 3, 1), (19, 20, 19, 20), (1, 3), "target")


def test_in_the_long_game_20_points_in_mid_hand_do_not_end_it() -> None:
    playout = hand(
        "trump-1 clubs-6", "trump-9 clubs-7", "clubs-8 clubs-10", "clubs-9 spades-6",
        scores=(19, 19), options={"long": True},
    )  # fmt: skip
    play(playout, "trump-1", "trump-9", "clubs-8", "clubs-9")
    assert playout.state.scores == (19, 20)
    assert playout.table.result is None


@pytest.mark.parametrize(("seat", "winners"), [(0, (1, 3)), (2, (1, 3)), (1, (0, 2)), (3, (0, 2))])
def test_the_team_of_a_seat_that_forfeits_loses_whatever_the_scores(
    seat: int, winners: tuple[int, ...]
) -> None:
    playout = new("oopsie", 4)
    for scores in ((12, 3), (3, 12), (5, 5)):
        given(playout, hands=("fool", "clubs-6", "clubs-7", "clubs-8"), scores=scores)
        result = playout.game.forfeit(playout.state, seat)
        assert result == Result(
            tuple(1 if other in winners else 3 for other in range(4)), scores * 2, winners, "forfeit"
        )
