"""Tricks, the 21, Birds and the Talon."""

from __future__ import annotations

from typing import Any

import pytest

from domain.events import Event
from domain.tarot.events import Award
from domain.tarot.state import Look
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import given, play, refusal, view
from tests.support.play import Playout, new

VIEWERS = (0, 1, 2, SPECTATOR)
TALON = "hearts-10 diamonds-roi clubs-7"


def hand(*hands: str, options: dict[str, Any] | None = None, **changes: Any) -> Playout:
    playout = new("hold-my-beer", 3, options=options or {}, outcomes={"starter": (0, 1, 2)})
    return given(playout, hands=hands, **{"talon": TALON} | changes)


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [type(event).__name__ for event in events]


def offered(playout: Playout, seat: int) -> list[str]:
    return [offer["type"] for offer in playout.offers(seat)]


# --- following ----------------------------------------------------------------------------------------


def test_player_1_leads_the_10_of_hearts_as_in_the_rulebook() -> None:
    playout = hand("hearts-10 clubs-8", "trump-4 clubs-9", "trump-2 trump-9 clubs-10", talon="clubs-7")
    play(playout, "hearts-10")
    assert playout.offers(1) == [{"type": "play", "card": {"one_of": ["trump-4"]}}]
    assert refusal(playout, 1, "play", card="clubs-9") == (
        "illegal_action: must trump: you hold no Hearts, but trump-4"
    )
    play(playout, "trump-4")
    assert playout.offers(2) == [{"type": "play", "card": {"one_of": ["trump-9"]}}]
    assert refusal(playout, 2, "play", card="trump-2") == (
        "illegal_action: must over-trump trump-4: you hold trump-9"
    )


def test_a_seat_that_can_follow_must_follow() -> None:
    playout = play(hand("hearts-7 clubs-7", "hearts-8 hearts-10 trump-4", "clubs-8 clubs-9"), "hearts-7")
    assert playout.offers(1) == [{"type": "play", "card": {"one_of": ["hearts-8", "hearts-10"]}}]
    assert refusal(playout, 1, "play", card="trump-4") == (
        "illegal_action: must follow Hearts: you hold hearts-8, hearts-10"
    )


def test_a_led_trump_must_be_over_trumped_unless_the_option_is_off() -> None:
    hands = ("trump-6 clubs-7", "trump-4 trump-9", "clubs-8 clubs-9")
    assert playable(play(hand(*hands), "trump-6"), 1) == ["trump-9"]
    off = {"overtrump_on_trump_lead": False}
    assert playable(play(hand(*hands, options=off), "trump-6"), 1) == ["trump-4", "trump-9"]


def playable(playout: Playout, seat: int) -> list[str]:
    (offer,) = playout.offers(seat)
    cards = offer["card"]["one_of"]
    assert isinstance(cards, list)
    return cards


def test_the_fool_is_offered_for_any_trick_but_never_forced() -> None:
    playout = play(hand("hearts-7 clubs-7", "fool hearts-8", "fool clubs-8"), "hearts-7")
    assert playable(playout, 1) == ["fool", "hearts-8"]
    play(playout, "hearts-8")
    assert playable(playout, 2) == ["fool", "clubs-8"]


def test_a_play_is_refused_before_its_turn_and_for_a_card_of_another_hand() -> None:
    playout = hand("hearts-7 clubs-7", "hearts-8 clubs-8", "hearts-9 clubs-9")
    assert refusal(playout, 1, "play", card="hearts-8").startswith("not_your_turn")
    assert refusal(playout, 0, "play", card="hearts-8") == (
        "illegal_action: you cannot play 'hearts-8': you hold hearts-7, clubs-7"
    )
    assert refusal(playout, 0, "play").startswith("illegal_action: play needs the parameter card")


# --- winning and scoring ------------------------------------------------------------------------------


def test_the_winner_scores_the_trick_at_once_and_leads_the_next() -> None:
    playout = hand("hearts-9 clubs-8", "hearts-valet clubs-9", "hearts-roi clubs-10")
    play(playout, "hearts-9", "hearts-valet", "hearts-roi")
    assert playout.state.points == (0, 0, 5)
    assert playout.waiting() == (2,)
    for viewer in VIEWERS:
        shown = view(playout, viewer)
        assert (shown["points"], shown["places"], shown["turn"]) == ((0, 0, 5), (2, 2, 1), 2)
        assert shown["last_trick"] == {
            "hand": 1,
            "trick": 1,
            "plays": [
                {"seat": 0, "card": "hearts-9"},
                {"seat": 1, "card": "hearts-valet"},
                {"seat": 2, "card": "hearts-roi"},
            ],
            "winner": 2,
            "points": 5,
            "outcome": "scored",
            "to": 2,
        }


def test_the_fool_wins_every_trick_and_costs_two_points() -> None:
    playout = hand("hearts-9 clubs-8", "fool clubs-9", "hearts-10 clubs-10")
    play(playout, "hearts-9", "fool", "hearts-10")
    assert playout.state.points == (0, -2, 0)
    assert playout.waiting() == (1,)


def test_the_winner_of_the_last_trick_scores_the_talon_which_is_turned_up_for_all() -> None:
    playout = hand("hearts-9", "hearts-valet", "hearts-roi")
    play(playout, "hearts-9", "hearts-valet", "hearts-roi")
    last = view(playout, SPECTATOR)["last_hand"]
    assert last["points"] == (0, 0, 5 + 4)
    assert last["talon"] == tuple(TALON.split())
    turned = [e for e in redact_all(playout.commits[-1].events, SPECTATOR) if e["type"] == "talon_scored"]
    assert turned == [{"type": "talon_scored", "seat": 2, "cards": tuple(TALON.split()), "points": 4}]


# --- the 21 -------------------------------------------------------------------------------------------


def won_with_21(*hands: str, **changes: Any) -> Playout:
    playout = hand(*(hands or ("hearts-roi clubs-8", "trump-21 clubs-9", "hearts-dame clubs-10")), **changes)
    return play(playout, *(cards.split()[0] for cards in hands or ("hearts-roi", "trump-21", "hearts-dame")))


def test_the_winner_with_the_21_is_asked_to_keep_or_to_discard() -> None:
    playout = won_with_21()
    assert playout.waiting() == (1,)
    assert playout.offers(1) == [{"type": "resolve_21", "choice": {"one_of": ["keep", "discard"]}}]
    assert playout.offers(0) == []
    assert playout.state.points == (0, 0, 0)
    shown = view(playout, 0)
    assert (shown["phase"], shown["winner"], shown["turn"], len(shown["plays"])) == ("resolving_21", 1, 1, 3)


@pytest.mark.parametrize(("choice", "points"), [("keep", 9), ("discard", 0)])
def test_a_kept_trick_scores_and_a_discarded_one_does_not_and_the_winner_leads(
    choice: str, points: int
) -> None:
    playout = won_with_21()
    playout.act(1, "resolve_21", choice=choice)
    assert playout.state.points == (0, points, 0)
    assert playout.waiting() == (1,)
    last = view(playout, 2)["last_trick"]
    assert last["points"] == 9
    assert (last["outcome"], last.get("to")) == (("kept", 1) if choice == "keep" else ("discarded", None))


def test_a_21_that_is_beaten_by_the_fool_owes_no_choice() -> None:
    playout = won_with_21("hearts-roi clubs-8", "trump-21 clubs-9", "fool clubs-10")
    assert playout.state.phase == "playing"
    assert playout.state.points == (0, 0, 4 + 2 - 2)


def test_a_bird_caught_with_the_21_counts_although_the_trick_is_discarded() -> None:
    playout = won_with_21("trump-2 clubs-8", "trump-21 clubs-9", "hearts-dame clubs-10")
    assert playout.state.scores == (0, 1, 0)
    playout.act(1, "resolve_21", choice="discard")
    assert playout.state.scores == (0, 1, 0)
    assert playout.state.points == (0, 0, 0)


def test_on_the_last_trick_the_trick_may_be_discarded_but_not_the_talon_and_the_choice_comes_first() -> None:
    playout = won_with_21("hearts-roi", "trump-21", "hearts-dame")
    assert view(playout, 1)["talon"] == (None, None, None)
    events = playout.act(1, "resolve_21", choice="discard")
    assert kinds(events)[:3] == ["TrickScored", "TalonScored", "HandScored"]
    assert view(playout, 0)["last_hand"]["points"] == (0, 4, 0)


def test_any_other_choice_for_the_21_is_refused() -> None:
    assert "it is one of keep, discard" in refusal(won_with_21(), 1, "resolve_21", choice="give")


# --- Birds --------------------------------------------------------------------------------------------


def won_with_bird(**changes: Any) -> Playout:
    playout = hand("hearts-9 clubs-8", "trump-3 clubs-9 spades-7", "hearts-8 clubs-10", **changes)
    return play(playout, "hearts-9", "trump-3", "hearts-8")


def test_each_bird_of_an_opponent_is_a_game_point_at_once() -> None:
    playout = hand("trump-1 clubs-8", "trump-2 clubs-9", "trump-9 clubs-10")
    events = play(playout, "trump-1", "trump-2", "trump-9").commits[-1].events
    assert kinds(events) == ["CardPlayed", "TrickWon", "BirdsCaptured", "TrickScored"]
    assert playout.state.scores == (0, 0, 2)
    assert playout.state.awards == (
        Award(2, 1, "bird", other=0, card="trump-1"),
        Award(2, 1, "bird", other=1, card="trump-2"),
    )
    assert view(playout, SPECTATOR)["awards"][0] == {
        "seat": 2,
        "points": 1,
        "reason": "bird",
        "other": 0,
        "card": "trump-1",
    }


def test_a_bird_that_wins_is_not_captured_but_it_captures_lower_ones() -> None:
    assert won_with_bird().state.scores == (0, 0, 0)
    playout = play(
        hand("trump-1 clubs-8", "trump-3 clubs-9", "trump-2 clubs-10"), "trump-1", "trump-3", "trump-2"
    )
    assert playout.state.scores == (0, 2, 0)
    assert offered(playout, 1) == ["look", "decline"]


def test_the_trump_4_is_no_bird() -> None:
    playout = play(
        hand("trump-4 clubs-8", "trump-9 clubs-9", "clubs-10 clubs-7"), "trump-4", "trump-9", "clubs-10"
    )
    assert playout.state.scores == (0, 0, 0)
    playout = play(
        hand("hearts-7 clubs-8", "trump-4 clubs-9", "hearts-8 clubs-7"), "hearts-7", "trump-4", "hearts-8"
    )
    assert playout.state.phase == "playing"


def test_the_winner_with_a_bird_scores_and_may_look_or_not() -> None:
    playout = won_with_bird()
    assert playout.state.points == (0, 2, 0)
    assert playout.waiting() == (1,)
    assert playout.offers(1) == [{"type": "look"}, {"type": "decline"}]
    assert view(playout, 0)["phase"] == "looking"
    assert view(playout, 1)["talon"] == (None, None, None)


def test_a_look_not_wanted_is_declined_and_everybody_learns_that() -> None:
    playout = won_with_bird()
    playout.act(1, "decline")
    for viewer in VIEWERS:
        told = redact_all(playout.commits[-1].events, viewer)
        assert told == [{"type": "declined", "seat": 1, "what": "look"}]
        assert view(playout, viewer)["looks"] == ({"seat": 1, "trick": 1, "outcome": "not_looked"},)
    assert playout.waiting() == (1,)
    assert offered(playout, 1) == ["play"]


def test_only_the_seat_that_looks_sees_the_talon_and_in_card_order() -> None:
    playout = won_with_bird(talon="clubs-7 fool hearts-10")
    playout.act(1, "look")
    for viewer in VIEWERS:
        cards = ("fool", "hearts-10", "clubs-7") if viewer == 1 else (None, None, None)
        told = redact_all(playout.commits[-1].events, viewer)
        assert told == [{"type": "talon_looked", "seat": 1, "cards": cards}]
        assert view(playout, viewer)["talon"] == cards
        assert view(playout, viewer)["looks"] == ({"seat": 1, "trick": 1, "outcome": "looking"},)
    assert playout.offers(1) == [
        {
            "type": "exchange",
            "give": {"one_of": ["spades-7", "clubs-9"]},
            "take": {"one_of": ["fool", "hearts-10", "clubs-7"]},
        },
        {"type": "decline"},
    ]
    assert playout.offers(0) == playout.offers(2) == []


def test_an_exchange_is_public_but_its_cards_are_not() -> None:
    playout = won_with_bird()
    playout.act(1, "look")
    playout.act(1, "exchange", give="spades-7", take="diamonds-roi")
    assert playout.state.hands[1] == ("diamonds-roi", "clubs-9")
    assert playout.state.talon == ("hearts-10", "spades-7", "clubs-7")
    for viewer in VIEWERS:
        cards = {"give": "spades-7", "take": "diamonds-roi"} if viewer == 1 else {}
        told = redact_all(playout.commits[-1].events, viewer)
        assert told == [{"type": "card_exchanged", "seat": 1} | cards]
        assert view(playout, viewer)["talon"] == (None, None, None)
        assert view(playout, viewer)["looks"] == ({"seat": 1, "trick": 1, "outcome": "exchanged"},)
    assert playout.waiting() == (1,)
    assert offered(playout, 1) == ["play"]


def test_after_a_look_the_exchange_may_be_declined() -> None:
    playout = won_with_bird()
    playout.act(1, "look")
    playout.act(1, "decline")
    assert playout.state.looks == (Look(1, 1, "declined"),)
    assert playout.state.talon == tuple(TALON.split())
    assert view(playout, 1)["talon"] == (None, None, None)
    assert offered(playout, 1) == ["play"]


def test_only_hand_cards_can_be_given_and_only_talon_cards_taken() -> None:
    playout = won_with_bird()
    playout.act(1, "look")
    assert refusal(playout, 1, "exchange", give="clubs-7", take="clubs-7") == (
        "illegal_action: you cannot give 'clubs-7': you hold spades-7, clubs-9"
    )
    assert refusal(playout, 1, "exchange", give="clubs-9", take="clubs-9") == (
        "illegal_action: you cannot take 'clubs-9': you looked at hearts-10, diamonds-roi, clubs-7"
    )
    assert "exchange needs the parameter take" in refusal(playout, 1, "exchange", give="clubs-9")


def test_on_the_last_trick_a_winning_bird_brings_no_look() -> None:
    playout = play(hand("hearts-9", "trump-3", "hearts-8"), "hearts-9", "trump-3", "hearts-8")
    assert playout.state.hand == 2
    assert playout.state.looks == ()
    assert view(playout, 0)["last_hand"]["points"] == (0, 2 + 4, 0)


# --- the own discard ----------------------------------------------------------------------------------

DISCARDS = tuple(TALON.split())


def own_discards(playout: Playout) -> list[str | None]:
    return [view(playout, seat).get("discard") for seat in range(3)]


def test_a_discard_stays_in_view_until_another_seat_exchanges() -> None:
    playout = won_with_bird(discards=DISCARDS)
    playout.act(1, "look")
    assert own_discards(playout) == list(DISCARDS)
    playout.act(1, "exchange", give="spades-7", take="hearts-10")
    assert own_discards(playout) == [None, "diamonds-roi", None]


def test_a_discard_leaves_the_view_when_its_seat_takes_it_back() -> None:
    playout = won_with_bird(discards=DISCARDS)
    playout.act(1, "look")
    playout.act(1, "exchange", give="spades-7", take="diamonds-roi")
    assert own_discards(playout) == [None, None, None]


def test_a_look_without_an_exchange_leaves_every_discard_in_view() -> None:
    playout = won_with_bird(discards=DISCARDS)
    playout.act(1, "look")
    playout.act(1, "decline")
    assert own_discards(playout) == list(DISCARDS)


def test_with_the_talon_turned_up_no_discard_is_listed_any_more() -> None:
    playout = hand("hearts-9", "hearts-valet", "hearts-roi", discards=DISCARDS, hand=6)
    play(playout, "hearts-9", "hearts-valet", "hearts-roi")
    assert playout.table.status == "finished"
    assert own_discards(playout) == [None, None, None]
