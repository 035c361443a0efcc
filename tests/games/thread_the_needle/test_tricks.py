"""Tricks of 4 and 5 seats: following, points, the 21, Birds and the Talon."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tarot.events import Award
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import play, refusal, view
from tests.games.thread_the_needle.situations import hand, kinds, offered, playable
from tests.support.play import Playout

VIEWERS = (0, 1, 2, 3, SPECTATOR)


# --- following ----------------------------------------------------------------------------------------


def test_who_cannot_follow_must_trump_and_over_trump_as_in_the_rulebook() -> None:
    playout = hand("hearts-10 clubs-9", "trump-4 clubs-10", "trump-2 trump-9", "hearts-2 trump-20")
    play(playout, "hearts-10")
    assert playable(playout, 1) == ["trump-4"]
    assert refusal(playout, 1, "play", card="clubs-10") == (
        "illegal_action: must trump: you hold no Hearts, but trump-4"
    )
    play(playout, "trump-4")
    assert playable(playout, 2) == ["trump-9"]
    assert refusal(playout, 2, "play", card="trump-2") == (
        "illegal_action: must over-trump trump-4: you hold trump-9"
    )
    play(playout, "trump-9")
    assert playable(playout, 3) == ["hearts-2"]
    assert refusal(playout, 3, "play", card="trump-20") == (
        "illegal_action: must follow Hearts: you hold hearts-2"
    )


def test_a_led_trump_must_be_over_trumped_unless_the_option_is_off() -> None:
    hands = ("trump-10 clubs-9", "trump-4 trump-12", "clubs-2 clubs-3", "clubs-4 clubs-1")
    assert playable(play(hand(*hands), "trump-10"), 1) == ["trump-12"]
    off = {"overtrump_on_trump_lead": False}
    assert playable(play(hand(*hands, options=off), "trump-10"), 1) == ["trump-4", "trump-12"]


def test_the_fool_fits_any_trick_and_wins_it_but_is_never_forced() -> None:
    playout = hand("hearts-10 clubs-9", "fool hearts-2", "fool clubs-2", "clubs-3 clubs-4")
    play(playout, "hearts-10")
    assert playable(playout, 1) == ["fool", "hearts-2"]
    play(playout, "hearts-2")
    assert playable(playout, 2) == ["fool", "clubs-2"]
    play(playout, "fool", "clubs-3")
    assert playout.waiting() == (2,)
    assert playout.state.points == (0, 0, -2, 0)


# --- points -------------------------------------------------------------------------------------------


def test_player_1_scores_10_with_a_roi_a_valet_a_7_a_5_and_a_9_as_in_the_rulebook() -> None:
    playout = hand(
        "hearts-roi clubs-2",
        "hearts-valet clubs-3",
        "hearts-7 clubs-4",
        "hearts-5 clubs-1",
        "hearts-9 clubs-9",
    )
    play(playout, "hearts-roi", "hearts-valet", "hearts-7", "hearts-5", "hearts-9")
    assert playout.state.points == (10, 0, 0, 0, 0)
    assert playout.waiting() == (0,)
    for viewer in (0, 3, SPECTATOR):
        shown = view(playout, viewer)
        assert (shown["points"], shown["levels"]) == ((10, 0, 0, 0, 0), (1, 0, 0, 0, 0))
        assert shown["last_trick"] == {
            "hand": 1,
            "trick": 1,
            "plays": [
                {"seat": 0, "card": "hearts-roi"},
                {"seat": 1, "card": "hearts-valet"},
                {"seat": 2, "card": "hearts-7"},
                {"seat": 3, "card": "hearts-5"},
                {"seat": 4, "card": "hearts-9"},
            ],
            "winner": 0,
            "points": 10,
            "outcome": "scored",
            "to": 0,
        }


def test_the_trump_5_is_worth_2() -> None:
    playout = hand("trump-9 clubs-2", "trump-5 clubs-3", "clubs-4 clubs-5", "clubs-1 clubs-9")
    play(playout, "trump-9", "trump-5", "clubs-4", "clubs-1")
    assert playout.state.points == (4, 0, 0, 0)


# --- the 21 -------------------------------------------------------------------------------------------


def with_21() -> Playout:
    playout = hand(
        "trump-21 clubs-2", "trump-1 clubs-3", "hearts-5 clubs-4", "hearts-roi clubs-1", lead=1, trick=4
    )
    return play(playout, "trump-1", "hearts-5", "hearts-roi", "trump-21")


def test_who_wins_with_the_21_is_asked_whether_to_keep_or_discard_the_points() -> None:
    playout = with_21()
    assert playout.waiting() == (0,)
    assert playout.offers(0) == [{"type": "resolve_21", "choice": {"one_of": ["keep", "discard"]}}]
    shown = view(playout, SPECTATOR)
    assert (shown["phase"], shown["turn"], shown["winner"], len(shown["plays"])) == ("resolving_21", 0, 0, 4)
    assert refusal(playout, 0, "resolve_21", choice="give").startswith("illegal_action")


def test_kept_points_are_scored() -> None:
    playout = with_21()
    playout.act(0, "resolve_21", choice="keep")
    assert playout.state.points == (13, 0, 0, 0)
    assert (playout.state.last_trick.outcome, playout.state.last_trick.to) == ("kept", 0)


def test_discarded_points_are_nobodys_but_the_bird_counts_and_the_winner_leads() -> None:
    playout = with_21()
    playout.act(0, "resolve_21", choice="discard")
    assert playout.state.points == (0, 0, 0, 0)
    assert (playout.state.last_trick.outcome, playout.state.last_trick.to) == ("discarded", None)
    assert "to" not in view(playout, 1)["last_trick"]
    assert playout.state.scores == (1, 0, 0, 0)
    assert playout.waiting() == (0,)
    assert offered(playout, 0) == ["play"]


def test_in_the_last_trick_the_trick_can_be_discarded_but_not_the_talon() -> None:
    playout = hand("trump-21", "hearts-2", "hearts-5", "hearts-roi", talon="clubs-5 clubs-dame trump-9")
    play(playout, "trump-21", "hearts-2", "hearts-5", "hearts-roi")
    assert view(playout, 0)["talon"] == (None, None, None)
    events = playout.act(0, "resolve_21", choice="discard")
    assert kinds(events)[:3] == ["TrickScored", "TalonScored", "HandScored"]
    assert playout.state.last_hand.points == (10, 0, 0, 0)


# --- Birds --------------------------------------------------------------------------------------------


def test_birds_of_opponents_are_1_game_point_each_at_once_and_the_own_is_none() -> None:
    playout = hand(
        "trump-5 clubs-2", "trump-1 clubs-3", "trump-2 clubs-4", "hearts-2 clubs-1", "trump-4 clubs-9"
    )
    play(playout, "trump-5", "trump-1", "trump-2", "hearts-2")
    events = playout.act(4, "play", card="trump-4")
    assert kinds(events) == ["CardPlayed", "TrickWon", "BirdsCaptured", "TrickScored", "ChoiceOwed"]
    awards = (
        Award(0, 1, "bird", other=1, card="trump-1"),
        Award(0, 1, "bird", other=2, card="trump-2"),
        Award(0, 1, "bird", other=4, card="trump-4"),
    )
    assert playout.state.awards == awards
    assert playout.state.scores == (3, 0, 0, 0, 0)
    assert view(playout, SPECTATOR)["awards"][0] == {
        "seat": 0,
        "points": 1,
        "reason": "bird",
        "other": 1,
        "card": "trump-1",
    }


@pytest.mark.parametrize(("seats", "bird"), [(5, True), (4, False)])
def test_the_trump_5_is_a_bird_with_5_seats_and_none_with_4(*, seats: int, bird: bool) -> None:
    hands = ["trump-9 clubs-2", "trump-5 clubs-3", "hearts-2 clubs-4", "hearts-3 clubs-1", "hearts-4 clubs-9"]
    playout = play(
        hand(*hands[:seats]), "trump-9", "trump-5", "hearts-2", "hearts-3", *["hearts-4"][: seats - 4]
    )
    assert playout.state.scores[0] == int(bird)
    hands[0], hands[1] = "trump-5 clubs-2", "hearts-9 clubs-3"
    playout = play(
        hand(*hands[:seats]), "trump-5", "hearts-9", "hearts-2", "hearts-3", *["hearts-4"][: seats - 4]
    )
    assert playout.state.phase == ("looking" if bird else "playing")


def won_with_a_bird(*, talon: str = "hearts-10 diamonds-roi clubs-9", **changes: Any) -> Playout:
    playout = hand(
        "trump-3 clubs-2", "hearts-2 clubs-3", "hearts-4 clubs-4", "hearts-3 clubs-1", talon=talon, **changes
    )
    return play(playout, "trump-3", "hearts-2", "hearts-4", "hearts-3")


def test_who_wins_with_a_bird_may_look_at_the_talon_and_alone_learns_what_it_holds() -> None:
    playout = won_with_a_bird()
    assert playout.offers(0) == [{"type": "look"}, {"type": "decline"}]
    assert view(playout, 0)["talon"] == (None, None, None)
    events = playout.act(0, "look")
    cards = ("hearts-10", "diamonds-roi", "clubs-9")
    assert redact_all(events, 0) == [{"type": "talon_looked", "seat": 0, "cards": cards}]
    for viewer in (1, 2, 3, SPECTATOR):
        assert redact_all(events, viewer) == [{"type": "talon_looked", "seat": 0, "cards": (None,) * 3}]
        assert view(playout, viewer)["talon"] == (None,) * 3
    assert view(playout, 0)["talon"] == cards
    assert view(playout, SPECTATOR)["looks"] == ({"seat": 0, "trick": 1, "outcome": "looking"},)
    assert playout.offers(0) == [
        {"type": "exchange", "give": {"one_of": ["clubs-2"]}, "take": {"one_of": list(cards)}},
        {"type": "decline"},
    ]


def test_an_exchange_changes_hand_and_talon_and_the_cards_are_told_to_that_seat_only() -> None:
    playout = won_with_a_bird()
    playout.act(0, "look")
    events = playout.act(0, "exchange", give="clubs-2", take="diamonds-roi")
    assert playout.state.hands[0] == ("diamonds-roi",)
    assert playout.state.talon == ("hearts-10", "clubs-2", "clubs-9")
    told = {"type": "card_exchanged", "seat": 0, "give": "clubs-2", "take": "diamonds-roi"}
    assert redact_all(events, 0) == [told]
    for viewer in (1, 2, 3, SPECTATOR):
        assert redact_all(events, viewer) == [{"type": "card_exchanged", "seat": 0}]
    for viewer in VIEWERS:
        assert view(playout, viewer)["talon"] == (None,) * 3
        assert view(playout, viewer)["looks"] == ({"seat": 0, "trick": 1, "outcome": "exchanged"},)
    assert playout.waiting() == (0,)
    assert offered(playout, 0) == ["play"]


def test_a_seat_may_look_and_decline_or_not_look_at_all_and_leads_in_either_case() -> None:
    looked = won_with_a_bird()
    looked.act(0, "look")
    events = looked.act(0, "decline")
    assert redact_all(events, 2) == [{"type": "declined", "seat": 0, "what": "exchange"}]
    without = won_with_a_bird()
    events = without.act(0, "decline")
    assert redact_all(events, 2) == [{"type": "declined", "seat": 0, "what": "look"}]
    for playout, outcome in ((looked, "declined"), (without, "not_looked")):
        assert view(playout, 3)["looks"] == ({"seat": 0, "trick": 1, "outcome": outcome},)
        assert (playout.waiting(), offered(playout, 0)) == ((0,), ["play"])
        assert playout.state.hands[0] == ("clubs-2",)


def test_an_exchange_takes_one_hand_card_and_one_talon_card() -> None:
    playout = won_with_a_bird()
    assert refusal(playout, 0, "exchange", give="clubs-2", take="clubs-9").startswith("illegal_action")
    playout.act(0, "look")
    assert refusal(playout, 0, "exchange", give="clubs-9", take="clubs-2").startswith("illegal_action")
    assert refusal(playout, 0, "look").startswith("illegal_action")
    assert refusal(playout, 0, "look", line="row-1").startswith("illegal_action")
    assert refusal(playout, 1, "decline").startswith("not_your_turn")


def test_on_the_last_trick_a_bird_gives_no_look() -> None:
    playout = hand("trump-3", "hearts-2", "hearts-4", "hearts-3")
    play(playout, "trump-3", "hearts-2", "hearts-4")
    events = playout.act(3, "play", card="hearts-3")
    assert "ChoiceOwed" not in kinds(events)
    assert "TalonScored" in kinds(events)


# --- what a seat gave by exchange ---------------------------------------------------------------------


def two_birds() -> Playout:
    """Seat 0 has won with a Bird and given the 2 of clubs for the 1; then seat 1 wins with a Bird."""
    playout = hand(
        "trump-3 clubs-2 clubs-4",
        "hearts-2 hearts-9 trump-1",
        "hearts-4 diamonds-1 diamonds-2",
        "hearts-3 diamonds-3 diamonds-9",
        lead=1,
    )
    play(playout, "hearts-2", "hearts-4", "hearts-3", "trump-3").act(0, "look")
    playout.act(0, "exchange", give="clubs-2", take="clubs-1")
    return play(playout, "clubs-1", "trump-1", "diamonds-1", "diamonds-3")


def test_a_seat_sees_the_card_that_it_gave_until_another_seat_exchanges() -> None:
    playout = two_birds()
    assert view(playout, 0)["given"] == ({"card": "clubs-2"},)
    assert all("given" not in view(playout, viewer) for viewer in (1, 2, 3, SPECTATOR))
    playout.act(1, "look")
    assert "clubs-2" in view(playout, 1)["talon"]
    assert view(playout, 0)["given"] == ({"card": "clubs-2"},)
    playout.act(1, "exchange", give="hearts-9", take="hearts-10")
    assert "given" not in view(playout, 0)
    assert view(playout, 1)["given"] == ({"card": "hearts-9"},)


def test_a_look_that_changes_nothing_leaves_what_others_gave_certain() -> None:
    playout = two_birds()
    playout.act(1, "look")
    playout.act(1, "decline")
    assert view(playout, 0)["given"] == ({"card": "clubs-2"},)


def test_a_card_taken_back_is_not_in_the_talon_any_more_and_others_that_were_given_stay() -> None:
    playout = hand(
        "trump-3 trump-2 clubs-2 clubs-3",
        *(f"{suit}-2 {suit}-3 {suit}-4 {suit}-9" for suit in ("hearts", "spades", "diamonds")),
    )
    play(playout, "trump-3", "hearts-2", "spades-2", "diamonds-2").act(0, "look")
    playout.act(0, "exchange", give="clubs-2", take="clubs-1")
    play(playout, "trump-2", "hearts-3", "spades-3", "diamonds-3").act(0, "look")
    assert view(playout, 0)["given"] == ({"card": "clubs-2"},)
    playout.act(0, "exchange", give="clubs-3", take="clubs-2")
    assert view(playout, 0)["given"] == ({"card": "clubs-3"},)


# --- the Talon ----------------------------------------------------------------------------------------


def test_the_winner_of_the_last_trick_scores_the_talon_which_is_turned_up_in_card_order() -> None:
    playout = hand("hearts-2", "hearts-4", "hearts-9", "hearts-3", talon="clubs-5 trump-9 clubs-dame")
    play(playout, "hearts-2", "hearts-4", "hearts-9")
    events = playout.act(3, "play", card="hearts-3")
    told = {"type": "talon_scored", "seat": 2, "cards": ("trump-9", "clubs-5", "clubs-dame"), "points": 10}
    for viewer in VIEWERS:
        assert told in redact_all(events, viewer)
        assert view(playout, viewer)["last_hand"]["talon"] == told["cards"]
    assert playout.state.last_hand.points == (0, 0, 10, 0)
