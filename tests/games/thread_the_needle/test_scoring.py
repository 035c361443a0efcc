"""Game points of a hand, the Needle, and the end of the game."""

from __future__ import annotations

from typing import Any

import pytest

from domain.game import Result
from domain.tarot.events import Award
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import play, view
from tests.games.thread_the_needle.situations import duel, hand, kinds
from tests.support.play import Playout

# --- 4 and 5 seats ------------------------------------------------------------------------------------


def finished(points: tuple[int, ...], bids: tuple[int, ...], **changes: Any) -> Playout:
    """A hand whose last trick brings nothing: seat 0 wins it, and the Talon is worth nothing."""
    cards = ["hearts-10", "hearts-2", "hearts-3", "hearts-4", "hearts-9"][: len(points)]
    playout = hand(*cards, talon="clubs-1 clubs-2 clubs-3", bids=bids, points=points, **changes)
    return play(playout, *cards)


def test_everybody_scores_the_level_of_the_own_points_and_5_more_for_having_bid_it() -> None:
    playout = finished((15, 4, 29, 50), (2, 0, 4, 5))
    assert playout.state.last_hand.levels == (2, 0, 3, 6)
    assert playout.state.last_hand.made == (True, True, False, False)
    assert playout.state.last_hand.awards == (
        Award(0, 3, "level"),
        Award(0, 5, "bid"),
        Award(1, 3, "level"),
        Award(1, 5, "bid"),
        Award(2, 1, "level"),
        Award(3, 3, "level"),
    )
    assert playout.state.scores == (8, 8, 1, 3)


def test_negative_hand_points_lie_in_the_lowest_level() -> None:
    playout = finished((-2, 5, 30, 35), (0, 0, 0, 0))
    assert playout.state.last_hand.levels == (0, 1, 4, 5)
    assert playout.state.scores == (8, 1, 3, 1)


def test_the_view_tells_game_points_with_their_reasons_and_the_hand_that_was_scored() -> None:
    bird = Award(1, 1, "bird", other=0, card="trump-2")
    playout = finished((15, 4, 29, 50), (2, 0, 4, 5), scores=(2, 3, 0, 0), awards=(bird,))
    for viewer in (0, 3, SPECTATOR):
        shown = view(playout, viewer)
        assert shown["scores"] == (10, 11, 1, 3)
        last = shown["last_hand"]
        assert last["awards"][0] == {
            "seat": 1,
            "points": 1,
            "reason": "bird",
            "other": 0,
            "card": "trump-2",
        }
        assert last["awards"][1] == {"seat": 0, "points": 3, "reason": "level"}
        assert (last["hand"], last["bids"], last["scores"]) == (1, (2, 0, 4, 5), (10, 11, 1, 3))
        assert "line" not in last
        assert "needle" not in last


def test_the_talon_counts_before_the_levels_are_looked_at() -> None:
    playout = hand(
        "hearts-10",
        "hearts-2",
        "hearts-3",
        "hearts-4",
        talon="clubs-5 clubs-roi clubs-2",
        points=(6, 0, 0, 0),
    )
    play(playout, "hearts-10", "hearts-2", "hearts-3", "hearts-4")
    assert playout.state.last_hand.points[0] == 15
    assert playout.state.last_hand.levels[0] == 2


@pytest.mark.parametrize(("seats", "target"), [(4, 20), (5, 25)])
def test_the_target_is_20_with_4_seats_and_25_with_5(seats: int, target: int) -> None:
    points, bids = (20,) * seats, (0,) * seats
    scores = (target - 2,) + (0,) * (seats - 1)
    playout = finished(points, bids, scores=scores)
    assert not playout.table.over
    assert view(playout, 0)["target"] == target
    scores = (target - 1,) + (0,) * (seats - 1)
    playout = finished(points, bids, scores=scores)
    assert playout.table.result is not None
    assert playout.table.result.reason == "target"
    assert playout.table.result.winners == (0,)
    assert playout.table.result.scores == (target,) + (1,) * (seats - 1)


def test_the_target_is_looked_at_when_the_hand_is_over_and_not_when_a_bird_reaches_it() -> None:
    playout = hand(
        "trump-9 clubs-9", "trump-2 clubs-2", "hearts-3 clubs-3", "hearts-4 clubs-4", scores=(19, 0, 0, 0)
    )
    play(playout, "trump-9", "trump-2", "hearts-3", "hearts-4")
    assert playout.state.scores[0] == 20
    assert not playout.table.over
    play(playout, "clubs-9", "clubs-2", "clubs-3", "clubs-4")
    assert playout.table.over


def test_with_more_than_one_at_the_target_the_highest_total_wins() -> None:
    playout = finished((20, 15, 20, 20), (0, 0, 0, 0), scores=(19, 19, 0, 0))
    assert playout.table.result == Result((2, 1, 3, 3), (20, 22, 1, 1), (1,), "target")


def test_equal_totals_share_the_victory() -> None:
    playout = finished((20, 20, 20, 20), (0, 0, 0, 0), scores=(19, 0, 19, 3))
    assert playout.table.result == Result((1, 4, 1, 3), (20, 1, 20, 4), (0, 2), "target")


@pytest.mark.parametrize(("seats", "hands"), [(4, 4), (5, 5)])
def test_after_4_hands_with_4_seats_and_5_with_5_the_highest_total_wins(seats: int, hands: int) -> None:
    points, bids, scores = (20,) * seats, (0,) * seats, (3,) + (0,) * (seats - 1)
    playout = finished(points, bids, scores=scores, hand=hands - 1)
    assert not playout.table.over
    assert playout.state.hand == hands == view(playout, 0)["hands_in_game"]
    playout = finished(points, bids, scores=scores, hand=hands)
    assert playout.table.result is not None
    assert (playout.table.result.reason, playout.table.result.winners) == ("played_out", (0,))
    for viewer in (0, SPECTATOR):
        shown = view(playout, viewer)
        assert (shown["phase"], shown["ended"]) == ("over", "played_out")
        assert "turn" not in shown


def test_a_level_of_a_replaced_card_gives_its_own_points() -> None:
    card = [{"to": 9, "points": 0}, {"from": 10, "points": 7}]
    playout = finished((10, 9, 0, 0), (1, 0, 1, 1), options={"scoring_card": card})
    assert playout.state.last_hand.awards == (
        Award(0, 7, "level"),
        Award(0, 5, "bid"),
        Award(1, 5, "bid"),
    )


def test_who_forfeits_ranks_last_and_the_others_by_their_game_points() -> None:
    playout = finished((20, 20, 20, 20), (0, 0, 0, 0), scores=(9, 5, 7, 0))
    result = playout.game.forfeit(playout.state, 0)
    assert (result.places, result.winners, result.reason) == ((4, 2, 1, 3), (2,), "forfeit")


# --- 2 seats ------------------------------------------------------------------------------------------


def shared(points: tuple[int, int], bids: tuple[int, int], **changes: Any) -> Playout:
    """A hand whose last trick and Talon bring nothing but the Dame that seat 1 takes with row 1."""
    talon = "clubs-dame spades-8 diamonds-8 clubs-8"
    playout = duel("hearts-9", "hearts-10", talon=talon, points=points, bids=bids, **changes)
    return play(playout, "hearts-9", "hearts-10")


def test_both_seats_score_the_level_of_their_points_and_5_for_having_bid_it() -> None:
    playout = shared((9, 68), (0, 6))
    playout.act(1, "take_talon", line="row-1")
    assert playout.state.last_hand.points == (9, 71)
    assert playout.state.last_hand.awards == (Award(0, 4, "level"), Award(0, 5, "bid"), Award(1, 4, "level"))
    assert playout.state.scores == (9, 4)
    assert "needle" not in view(playout, 0)["last_hand"]
    assert "target" not in view(playout, 0)


def test_who_made_the_needle_wins_the_game_at_once_and_nothing_else_is_scored() -> None:
    playout = shared((40, 37), (3, 4), scores=(30, 2))
    events = playout.act(1, "take_talon", line="row-1")
    assert kinds(events)[:3] == ["TalonShared", "HandScored", "GameEnded"]
    assert redact_all(events, SPECTATOR)[1] == {
        "type": "hand_scored",
        "hand": 1,
        "bids": (3, 4),
        "points": (40, 40),
        "levels": (4, 4),
        "made": (False, True),
        "awards": (),
        "needle": "made",
    }
    assert playout.table.result == Result((2, 1), (30, 2), (1,), "needle")
    assert view(playout, 0)["ended"] == "needle"
    assert view(playout, 0)["last_hand"]["needle"] == "made"


def test_the_needle_is_judged_after_the_talon_is_shared_out() -> None:
    playout = shared((40, 37), (0, 4))
    playout.act(1, "take_talon", line="row-2")
    assert playout.state.last_hand.points == (43, 37)
    assert playout.state.last_hand.needle == "missed"
    playout = shared((37, 40), (4, 0))
    playout.act(1, "take_talon", line="column-2")
    assert playout.table.result is not None
    assert playout.table.result.winners == (0,)


def test_who_missed_the_needle_gets_nothing_but_keeps_the_birds() -> None:
    birds = (
        Award(1, 1, "bird", other=0, card="trump-1"),
        Award(1, 1, "bird", other=0, card="trump-3"),
        Award(0, 1, "bird", other=1, card="trump-2"),
    )
    playout = shared((39, 38), (3, 4), scores=(1, 7), awards=birds)
    playout.act(1, "take_talon", line="row-1")
    assert playout.state.last_hand.awards == (*birds, Award(0, 1, "level"), Award(0, 5, "bid"))
    assert playout.state.scores == (7, 7)
    assert not playout.table.over


def test_with_the_option_who_missed_the_needle_loses_the_birds_of_that_hand_too() -> None:
    birds = (
        Award(1, 1, "bird", other=0, card="trump-1"),
        Award(1, 1, "bird", other=0, card="trump-3"),
        Award(0, 1, "bird", other=1, card="trump-2"),
    )
    options = {"failed_needle_keeps_birds": False}
    playout = shared((39, 38), (3, 4), scores=(1, 7), awards=birds, options=options)
    playout.act(1, "take_talon", line="row-1")
    assert playout.state.last_hand.awards[3:] == (
        Award(0, 1, "level"),
        Award(0, 5, "bid"),
        Award(1, -2, "missed_needle"),
    )
    assert playout.state.scores == (7, 5)
    without = shared((39, 38), (3, 4), scores=(1, 7), options=options)
    without.act(1, "take_talon", line="row-1")
    assert without.state.scores == (7, 7)


def test_who_lands_on_40_without_having_bid_it_scores_1() -> None:
    playout = shared((40, 37), (3, 5))
    playout.act(1, "take_talon", line="row-1")
    assert playout.state.last_hand.awards == (Award(0, 1, "level"), Award(1, 1, "level"))
    assert not playout.table.over


def test_there_is_no_target_with_2_seats_and_after_4_hands_the_highest_total_wins() -> None:
    playout = shared((9, 68), (1, 1), scores=(90, 97), hand=3)
    playout.act(1, "take_talon", line="row-1")
    assert not playout.table.over
    playout = shared((9, 68), (1, 1), scores=(90, 97), hand=4)
    playout.act(1, "take_talon", line="row-1")
    assert playout.table.result == Result((2, 1), (94, 101), (1,), "played_out")


def test_equal_totals_after_4_hands_share_the_victory() -> None:
    playout = shared((9, 68), (1, 1), scores=(9, 9), hand=4)
    playout.act(1, "take_talon", line="row-1")
    assert playout.table.result == Result((1, 1), (13, 13), (0, 1), "played_out")


def test_another_card_may_have_no_needle() -> None:
    card = [{"to": 39, "points": 1}, {"from": 40, "points": 2}]
    playout = shared((40, 37), (1, 1), options={"scoring_card": card})
    playout.act(1, "take_talon", line="row-1")
    assert playout.state.scores == (7, 7)
    assert not playout.table.over
