"""What a seat is told that tries something at the wrong time or with a card that it does not have."""

from __future__ import annotations

from typing import Any

import pytest

from domain.registry import games
from tests.domain_tarot.hands import given, play, refusal
from tests.support.play import Playout, new

STARTER = {"starter": (0, 1, 2, 3)}


def beer(*hands: str, **changes: Any) -> Playout:
    playout = new("hold-my-beer", 3, outcomes={"starter": (0, 1, 2)})
    return given(playout, hands=hands, talon="hearts-10 diamonds-roi clubs-7", **changes)


def oopsie(*hands: str) -> Playout:
    return given(new("oopsie", 4, outcomes=STARTER), hands=hands, talon="hearts-10 diamonds-roi")


def told(playout: Playout, seat: int, kind: str) -> str:
    """Why ``kind`` is not possible now, with what is."""
    code, _, said = refusal(playout, seat, kind).partition(": ")
    assert code == "illegal_action"
    assert said.startswith(f"{kind} is not possible now: ")
    return said.removeprefix(f"{kind} is not possible now: ")


def all_choose(playout: Playout, kind: str, **parameters: Any) -> Playout:
    for seat in range(playout.seats):
        choice = parameters or {"card": playout.state.hands[seat][0]}
        playout.act(seat, kind, **choice)
    return playout


# --- choices of all seats -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bid", "play", "look", "resolve_21"])
def test_before_the_discards_nothing_else_is_possible(kind: str) -> None:
    assert told(new("hold-my-beer", 3), 0, kind) == (
        "every seat lays a card to the Talon first; possible: discard"
    )


def test_a_discard_cannot_be_changed_once_all_have_discarded() -> None:
    playout = all_choose(new("hold-my-beer", 3), "discard")
    assert told(playout, 0, "play") == "every seat bids first; possible: bid"
    late = "all seats have discarded, and no discard can be changed any more"
    assert told(playout, 0, "discard") == f"{late}; possible: bid"
    all_choose(playout, "bid", place=1)
    (seat,) = playout.waiting()
    assert told(playout, seat, "discard") == f"{late}; possible: play"


def test_a_bid_cannot_be_changed_once_all_have_bid() -> None:
    playout = all_choose(all_choose(new("oopsie", 4), "pass"), "bid", place=1)
    late = "all seats have bid, and no bid can be changed any more"
    assert told(playout, 0, "bid") == f"{late}; possible: pass"
    all_choose(playout, "pass")
    (seat,) = playout.waiting()
    assert told(playout, seat, "bid") == f"{late}; possible: play"


def test_a_pass_waits_for_the_bids_and_cannot_be_changed_after_the_second() -> None:
    playout = new("oopsie", 4)
    assert told(playout, 0, "bid") == "every seat passes a card to its partner first; possible: pass"
    all_choose(playout, "pass")
    assert told(playout, 0, "pass") == "every seat bids first; possible: bid"
    all_choose(playout, "bid", place=1)
    assert told(playout, 0, "play") == "every seat passes a second card to its partner first; possible: pass"
    all_choose(playout, "pass")
    (seat,) = playout.waiting()
    assert told(playout, seat, "pass") == (
        "all seats have passed their cards, and no pass can be changed any more; possible: play"
    )


# --- choices of the winner of a trick -----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["look", "exchange", "decline"])
def test_only_after_winning_with_a_bird_the_talon_is_looked_at(kind: str) -> None:
    assert told(beer("hearts-7", "hearts-8", "hearts-9"), 0, kind) == (
        "only a seat that has just won a trick with a Bird looks at the Talon; possible: play"
    )


def test_only_after_winning_with_the_21_or_a_bird_a_trick_is_resolved() -> None:
    playout = oopsie("hearts-7", "hearts-8", "hearts-9", "hearts-6")
    for kind, card in (("resolve_21", "the trump 21"), ("resolve_bird", "a Bird")):
        assert told(playout, 0, kind) == (
            f"only a seat that has just won a trick with {card} chooses so; possible: play"
        )


def test_the_trick_won_with_the_21_comes_before_the_next() -> None:
    playout = play(beer("hearts-7 clubs-8", "trump-21 clubs-9", "hearts-8 clubs-10"), "hearts-7")
    play(playout, "trump-21", "hearts-8")
    assert told(playout, 1, "play") == (
        "you won the trick with the trump 21 and say first what becomes of its points; possible: resolve_21"
    )


def test_the_trick_won_with_a_bird_comes_before_the_look_and_the_look_before_the_next() -> None:
    playout = play(
        oopsie("hearts-7 clubs-8", "trump-2 clubs-9", "hearts-8 clubs-10", "hearts-9 clubs-6"),
        *("hearts-7", "trump-2", "hearts-8", "hearts-9"),
    )
    assert told(playout, 1, "look") == (
        "you won the trick with a Bird and say first what becomes of its points; possible: resolve_bird"
    )
    playout.act(1, "resolve_bird", choice="score")
    for kind in ("play", "exchange", "resolve_bird"):
        assert told(playout, 1, kind) == (
            "you won the trick with a Bird and say first whether you look at the Talon;"
            " possible: look, decline"
        )
    playout.act(1, "look")
    assert told(playout, 1, "play") == (
        "you looked at the Talon and exchange a card or decline first; possible: exchange, decline"
    )


def test_the_talon_of_two_seats_is_taken_by_the_winner_of_the_last_trick() -> None:
    playout = all_choose(new("thread-the-needle", 2, outcomes={"starter": (0, 1)}), "bid", level=0)
    assert (
        told(playout, 0, "take_talon") == "the Talon is taken by the winner of the last trick; possible: play"
    )


# --- others -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hold-my-beer", "oopsie", "thread-the-needle"])
def test_an_action_that_the_game_does_not_have_gets_the_general_sentence(name: str) -> None:
    playout = new(name, games()[name].seats[-1])
    (seat, *_) = playout.waiting()
    assert refusal(playout, seat, "meld").startswith("illegal_action: 'meld' is not possible now; possible: ")


@pytest.mark.parametrize("card", [None, 7, True, ["hearts-7"], {"a": 1}])
def test_a_discard_that_is_no_card_is_refused_in_words(card: object) -> None:
    said = refusal(new("hold-my-beer", 3), 0, "discard", card=card)
    assert said.startswith("illegal_action: you cannot discard ")
    assert ": you hold " in said
