"""Tricks, the 21, Birds and the Talon between partners."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tarot.events import Award
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import given, play, refusal, view
from tests.support.play import Playout, new

VIEWERS = (0, 1, 2, 3, SPECTATOR)
TALON = "hearts-10 diamonds-roi"


def hand(*hands: str, options: dict[str, Any] | None = None, **changes: Any) -> Playout:
    playout = new("oopsie", 4, options=options or {}, outcomes={"starter": (0, 1, 2, 3)})
    return given(playout, hands=hands, **{"talon": TALON} | changes)


def offered(playout: Playout, seat: int) -> list[str]:
    return [offer["type"] for offer in playout.offers(seat)]


def trick(*cards: str, last: bool = False, options: dict[str, Any] | None = None, **changes: Any) -> Playout:
    """Seats 0 to 3 play ``cards``; unless it is the last trick each holds another card or two."""
    rest = ("clubs-6", "clubs-7 spades-7", "clubs-8", "clubs-9")
    hands = cards if last else tuple(f"{card} {more}" for card, more in zip(cards, rest, strict=True))
    return play(hand(*hands, options=options, **changes), *cards)


# --- following and scoring ----------------------------------------------------------------------------


def test_the_rules_of_following_are_those_of_hold_my_beer() -> None:
    playout = hand("hearts-7 clubs-6", "trump-4 clubs-7", "trump-2 trump-9 clubs-8", "fool hearts-8 clubs-9")
    play(playout, "hearts-7")
    assert refusal(playout, 1, "play", card="clubs-7") == (
        "illegal_action: must trump: you hold no Hearts, but trump-4"
    )
    play(playout, "trump-4")
    assert refusal(playout, 2, "play", card="trump-2") == (
        "illegal_action: must over-trump trump-4: you hold trump-9"
    )
    play(playout, "trump-9")
    assert playout.offers(3) == [{"type": "play", "card": {"one_of": ["fool", "hearts-8"]}}]


@pytest.mark.parametrize(("option", "cards"), [(True, ["trump-9"]), (False, ["trump-4", "trump-9"])])
def test_over_trumping_a_led_trump_is_an_option(*, option: bool, cards: list[str]) -> None:
    options = {"overtrump_on_trump_lead": option}
    playout = hand(
        "trump-6 clubs-6", "trump-4 trump-9", "clubs-7 clubs-8", "clubs-9 clubs-10", options=options
    )
    assert play(playout, "trump-6").offers(1) == [{"type": "play", "card": {"one_of": cards}}]


def test_the_points_of_a_trick_are_the_winners_own_not_the_teams() -> None:
    playout = trick("hearts-9", "hearts-valet", "hearts-roi", "hearts-7")
    assert playout.state.points == (0, 0, 5, 0)
    assert view(playout, SPECTATOR)["places"] == (2, 2, 1, 2)
    assert playout.waiting() == (2,)


def test_the_winner_of_the_last_trick_also_scores_the_talon() -> None:
    playout = trick("hearts-9", "hearts-valet", "hearts-roi", "hearts-7", last=True)
    last = view(playout, 1)["last_hand"]
    assert (last["points"], last["talon"]) == ((0, 0, 9, 0), ("hearts-10", "diamonds-roi"))


# --- the 21 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "points", "outcome", "to"),
    [("keep", (0, 9, 0, 0), "kept", 1), ("give", (0, 0, 0, 9), "given", 3)],
)
def test_with_the_21_the_points_are_kept_or_given_to_the_partner_and_the_winner_leads(
    choice: str, points: tuple[int, ...], outcome: str, to: int
) -> None:
    playout = trick("hearts-roi", "trump-21", "hearts-dame", "hearts-7")
    assert playout.offers(1) == [{"type": "resolve_21", "choice": {"one_of": ["keep", "give"]}}]
    assert playout.waiting() == (1,)
    playout.act(1, "resolve_21", choice=choice)
    assert playout.state.points == points
    shown = view(playout, 0)["last_trick"]
    assert (shown["winner"], shown["points"], shown["outcome"], shown["to"]) == (1, 9, outcome, to)
    assert playout.waiting() == (1,)


def test_the_21_cannot_be_used_to_discard() -> None:
    playout = trick("hearts-roi", "trump-21", "hearts-dame", "hearts-7")
    assert "it is one of keep, give" in refusal(playout, 1, "resolve_21", choice="discard")


def test_on_the_last_trick_the_given_points_leave_but_the_talon_stays_with_the_winner() -> None:
    playout = trick("hearts-roi", "trump-21", "hearts-dame", "hearts-7", last=True)
    assert view(playout, 1)["talon"] == (None, None)
    playout.act(1, "resolve_21", choice="give")
    assert view(playout, 0)["last_hand"]["points"] == (0, 4, 0, 9)


# --- Birds --------------------------------------------------------------------------------------------


def test_a_bird_of_an_opponent_is_a_point_for_the_team_and_the_partners_is_not() -> None:
    playout = trick("trump-1", "trump-2", "trump-9", "trump-4")
    assert playout.state.scores == (2, 0)
    assert playout.state.awards == (
        Award(2, 1, "bird", other=1, card="trump-2"),
        Award(2, 1, "bird", other=3, card="trump-4"),
    )
    assert view(playout, 3)["scores"] == (2, 0)


def test_the_trump_5_is_no_bird() -> None:
    assert trick("trump-5", "trump-9", "clubs-10", "spades-6").state.scores == (0, 0)
    assert trick("hearts-7", "trump-5", "hearts-8", "hearts-9").state.phase == "playing"


def test_a_bird_caught_with_the_21_counts_for_the_team_whoever_gets_the_points() -> None:
    playout = trick("trump-2", "trump-21", "clubs-10", "spades-6")
    playout.act(1, "resolve_21", choice="give")
    assert playout.state.scores == (0, 1)


def test_the_winner_with_a_bird_scores_the_trick_or_gives_the_points_to_either_opponent() -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    assert playout.waiting() == (1,)
    assert playout.offers(1) == [
        {"type": "resolve_bird", "choice": {"one_of": ["score"]}},
        {"type": "resolve_bird", "choice": {"one_of": ["give"]}, "to": {"one_of": [0, 2]}},
    ]
    assert view(playout, 0)["phase"] == "resolving_bird"
    assert playout.state.points == (0, 0, 0, 0)


def test_a_scored_bird_trick_brings_the_look() -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="score")
    assert playout.state.points == (0, 6, 0, 0)
    assert playout.offers(1) == [{"type": "look"}, {"type": "decline"}]


@pytest.mark.parametrize("to", [0, 2])
def test_a_given_bird_trick_brings_no_look_and_the_winner_leads(to: int) -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="give", to=to)
    assert playout.state.points == tuple(6 if seat == to else 0 for seat in range(4))
    assert playout.waiting() == (1,)
    assert offered(playout, 1) == ["play"]
    assert playout.state.looks == ()
    assert view(playout, 3)["last_trick"]["to"] == to


@pytest.mark.parametrize(
    "parameters",
    [
        {"choice": "give"},
        {"choice": "give", "to": 3},
        {"choice": "give", "to": 1},
        {"choice": "give", "to": "0"},
        {"choice": "score", "to": 0},
        {"choice": "keep"},
        {},
    ],
)
def test_any_other_answer_to_a_bird_is_refused_with_what_is_possible(parameters: dict[str, Any]) -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    assert refusal(playout, 1, "resolve_bird", **parameters) == (
        "illegal_action: a trick won with a Bird is resolved with choice score, or choice give and to 0 or 2"
    )


def test_only_the_looker_sees_the_talon_and_what_it_exchanges() -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="score")
    playout.act(1, "look")
    for viewer in VIEWERS:
        cards = ("hearts-10", "diamonds-roi") if viewer == 1 else (None, None)
        assert redact_all(playout.commits[-1].events, viewer)[0]["cards"] == cards
        assert view(playout, viewer)["talon"] == cards
    assert offered(playout, 1) == ["exchange", "decline"]
    playout.act(1, "exchange", give="spades-7", take="diamonds-roi")
    assert playout.state.hands[1] == ("diamonds-roi", "clubs-7")
    assert playout.state.talon == ("hearts-10", "spades-7")
    for viewer in VIEWERS:
        cards_told = {"give": "spades-7", "take": "diamonds-roi"} if viewer == 1 else {}
        assert redact_all(playout.commits[-1].events, viewer) == [
            {"type": "card_exchanged", "seat": 1} | cards_told
        ]
        assert view(playout, viewer)["talon"] == (None, None)
        assert view(playout, viewer)["looks"] == ({"seat": 1, "trick": 1, "outcome": "exchanged"},)
    assert playout.waiting() == (1,)


@pytest.mark.parametrize(
    ("steps", "outcome"), [(("decline",), "not_looked"), (("look", "decline"), "declined")]
)
def test_the_look_and_the_exchange_may_be_declined(steps: tuple[str, ...], outcome: str) -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="score")
    for step in steps:
        playout.act(1, step)
    assert view(playout, 0)["looks"] == ({"seat": 1, "trick": 1, "outcome": outcome},)
    assert playout.state.talon == ("hearts-10", "diamonds-roi")
    assert offered(playout, 1) == ["play"]


@pytest.mark.parametrize(
    ("answer", "points"),
    [({"choice": "score"}, (0, 6 + 4, 0, 0)), ({"choice": "give", "to": 2}, (0, 4, 6, 0))],
)
def test_on_the_last_trick_a_bird_winner_is_asked_without_a_look_and_has_the_talon(
    answer: dict[str, Any], points: tuple[int, ...]
) -> None:
    playout = trick("hearts-roi", "trump-4", "hearts-7", "hearts-8", last=True)
    assert playout.state.phase == "resolving_bird"
    happened = [type(event).__name__ for event in playout.act(1, "resolve_bird", **answer)]
    assert happened == ["TrickScored", "TalonScored", "HandScored", "HandDealt"]
    assert view(playout, 0)["last_hand"]["points"] == points
    assert playout.state.hand == 2
    assert playout.state.phase == "passing"


# --- what was passed ----------------------------------------------------------------------------------


def with_passes(*cards: str) -> Playout:
    """Seat 3 has passed clubs-7 and spades-7 to seat 1; seat 1 wins the trick with the Bird."""
    passed = ((), ("clubs-9",), (), ("spades-7", "clubs-7"))
    received = ((), ("spades-7", "clubs-7"), (), ("clubs-9",))
    return trick(*cards, passed=passed, received=received)


def known(playout: Playout) -> tuple[Any, Any]:
    """What seat 3 is still sure of at seat 1, and what seat 1 still holds of it."""
    return view(playout, 3)["passed"], view(playout, 1)["received"]


def test_a_passed_card_stays_in_view_until_the_partner_plays_it() -> None:
    playout = with_passes("hearts-roi", "trump-5", "hearts-7", "hearts-8")
    assert known(playout) == (("spades-7", "clubs-7"), ("spades-7", "clubs-7"))
    playout.act(1, "play", card="clubs-7")
    assert known(playout) == (("spades-7",), ("spades-7",))


def test_after_an_exchange_of_the_partner_no_passed_card_is_sure_any_more() -> None:
    playout = with_passes("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="score")
    playout.act(1, "look")
    assert known(playout) == (("spades-7", "clubs-7"), ("spades-7", "clubs-7"))
    playout.act(1, "exchange", give="spades-7", take="diamonds-roi")
    assert known(playout) == ((), ("clubs-7",))
    assert view(playout, 1)["passed"] == ("clubs-9",)


def test_a_look_of_the_partner_without_an_exchange_leaves_the_passed_cards_in_view() -> None:
    playout = with_passes("hearts-roi", "trump-4", "hearts-7", "hearts-8")
    playout.act(1, "resolve_bird", choice="score")
    playout.act(1, "look")
    playout.act(1, "decline")
    assert known(playout) == (("spades-7", "clubs-7"), ("spades-7", "clubs-7"))
