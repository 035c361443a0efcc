"""Strawmen: the deal of 2 seats, what can be played, and when back cards turn up."""

from __future__ import annotations

import random
from typing import Any

from domain.games.thread_the_needle.deck import DECK
from domain.games.thread_the_needle.events import StrawmenTurned, Turned
from domain.visibility import REFEREE, SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import play, refusal, view
from tests.games.thread_the_needle.situations import duel, kinds, offered, playable, table
from tests.support.play import Playout, new

ORDER = DECK[2]
BACK_0, FRONT_0 = ORDER[20:27], ORDER[27:33]
BACK_1, FRONT_1 = ORDER[33:40], ORDER[40:46]
VIEWERS = (0, 1, SPECTATOR)


def dealt() -> Playout:
    return table(2, outcomes={"hand-1/deal": ORDER})


# --- the deal -----------------------------------------------------------------------------------------


def test_each_seat_gets_10_cards_7_strawmen_face_down_and_6_face_up_and_4_cards_form_the_talon() -> None:
    playout = dealt()
    state = playout.state
    assert state.hands == (ORDER[:10], ORDER[10:20])
    assert state.face_down == (BACK_0, BACK_1)
    assert state.front == (FRONT_0, FRONT_1)
    assert state.talon == ORDER[46:]
    for viewer in VIEWERS:
        shown = view(playout, viewer)
        assert [rows["front"] for rows in shown["strawmen"]] == [FRONT_0, FRONT_1]
        assert [rows["back"] for rows in shown["strawmen"]] == [(None,) * 7] * 2
        assert shown["talon"] == (None,) * 4
        hands = [ORDER[:10], ORDER[10:20]]
        assert shown["hands"] == tuple(hands[seat] if seat == viewer else (None,) * 10 for seat in range(2))
        assert shown["tricks"] == 23


def test_face_down_strawmen_are_hidden_from_their_own_seat_too() -> None:
    playout = dealt()
    (deal,) = [event for event in playout.events if kinds([event]) == ["StrawmenDealt"]]
    fronts = {*range(27, 33), *range(40, 46)}
    hands = {0: set(range(10)), 1: set(range(10, 20)), SPECTATOR: set()}
    for viewer, own in hands.items():
        (told,) = redact_all([deal], viewer)
        shown = {place for place, card in enumerate(told["order"]) if card is not None}
        assert shown == fronts | own
        assert all(told["order"][place] == ORDER[place] for place in shown)


def test_the_referee_sees_what_lies_face_down() -> None:
    assert [rows["back"] for rows in view(dealt(), REFEREE)["strawmen"]] == [BACK_0, BACK_1]


# --- playing ------------------------------------------------------------------------------------------


def test_hand_and_open_strawmen_can_be_led() -> None:
    playout = dealt()
    playout.act(0, "bid", level=0)
    playout.act(1, "bid", level=0)
    assert playable(playout, 0) == [*ORDER[:10], *FRONT_0]
    assert view(playout, 1)["strawmen"][0]["open"] == FRONT_0


ROWS: dict[str, Any] = {
    "front": (". . . . spades-9 spades-10", "spades-roi . . . . ."),
    "back": (". . trump-9 . ?hearts-9 ?clubs-9 ?clubs-10", "?trump-8 ?trump-7 . . . . ."),
}


def test_a_played_strawman_is_gone_and_everybody_sees_it() -> None:
    playout = play(duel("hearts-8 clubs-8", "hearts-valet", **ROWS), "trump-9")
    for viewer in VIEWERS:
        rows = view(playout, viewer)["strawmen"][0]
        assert rows["front"] == ("gone",) * 4 + ("spades-9", "spades-10")
        assert rows["back"] == ("gone",) * 4 + (None,) * 3
        assert rows["open"] == ("spades-9", "spades-10")
    assert playout.state.hands[0] == ("hearts-8", "clubs-8")


def test_following_looks_at_hand_and_open_strawmen_together() -> None:
    playout = duel("hearts-8 spades-8", "hearts-valet trump-5", **ROWS)
    play(playout, "spades-8")
    assert playable(playout, 1) == ["spades-roi"]
    assert refusal(playout, 1, "play", card="trump-5") == (
        "illegal_action: must follow Spades: you hold spades-roi"
    )
    assert refusal(playout, 1, "play", card="trump-8") == (
        "illegal_action: you cannot play 'trump-8': you hold trump-5, hearts-valet, spades-roi"
    )


def test_a_strawman_that_is_a_trump_must_be_played_by_who_cannot_follow() -> None:
    playout = duel("hearts-8 diamonds-8", "hearts-valet clubs-8", **ROWS, lead=1)
    play(playout, "clubs-8")
    assert playable(playout, 0) == ["trump-9"]


def test_strawmen_face_down_do_not_count_when_it_is_asked_what_a_seat_can_do() -> None:
    playout = duel("hearts-8 diamonds-8", "clubs-8", **ROWS)
    play(playout, "diamonds-8")
    assert playable(playout, 1) == ["clubs-8", "spades-roi"]


def test_a_card_of_the_other_seats_rows_cannot_be_played() -> None:
    playout = duel("hearts-8", "clubs-8", **ROWS)
    assert refusal(playout, 0, "play", card="spades-roi").startswith("illegal_action: you cannot play")


# --- turning up ---------------------------------------------------------------------------------------


def test_back_cards_that_nothing_covers_turn_up_when_the_trick_is_over_and_not_before() -> None:
    playout = duel("hearts-8 diamonds-8", "clubs-8 clubs-9", **ROWS)
    playout.act(0, "play", card="spades-9")
    assert view(playout, 0)["strawmen"][0]["back"] == ("gone", "gone", "trump-9", "gone", None, None, None)
    events = playout.act(1, "play", card="spades-roi")
    turned = (Turned(0, 4, "hearts-9"), Turned(1, 0, "trump-8"), Turned(1, 1, "trump-7"))
    assert events[-1] == StrawmenTurned(turned)
    for viewer in VIEWERS:
        rows = view(playout, viewer)["strawmen"]
        assert rows[0]["back"] == ("gone", "gone", "trump-9", "gone", "hearts-9", None, None)
        assert rows[1]["back"][:2] == ("trump-8", "trump-7")
        assert rows[0]["open"] == ("spades-10", "trump-9", "hearts-9")
        told = redact_all(events, viewer)[-1]["cards"]
        assert told == turned
    assert playable(playout, 1) == ["clubs-8", "clubs-9", "trump-8", "trump-7"]


def test_a_back_card_covered_by_one_of_two_stays_face_down() -> None:
    rows: dict[str, Any] = {
        "front": (". . spades-8 spades-9 . .", ""),
        "back": (". . ?clubs-8 ?clubs-9 ?clubs-10 . .", ""),
    }
    playout = duel("hearts-8", "hearts-9 diamonds-9", **rows)
    playout.act(0, "play", card="spades-9")
    playout.act(1, "play", card="hearts-9")
    assert playout.state.back[0][2:5] == (None, None, "clubs-10")


def test_the_ends_of_the_back_row_lie_under_one_card_only() -> None:
    rows: dict[str, Any] = {
        "front": ("spades-8 . . . . spades-9", ""),
        "back": ("?clubs-8 ?clubs-9 . . . ?hearts-8 ?hearts-9", ""),
    }
    playout = duel("", "diamonds-8 diamonds-9 diamonds-10", **rows)
    play(playout, "spades-8", "diamonds-8")
    assert playout.state.back[0][:2] == ("clubs-8", "clubs-9")
    assert playout.state.back[0][5:] == (None, None)
    play(playout, "spades-9", "diamonds-9")
    assert playout.state.back[0][5:] == ("hearts-8", "hearts-9")


def test_nothing_is_told_where_nothing_turns_up() -> None:
    playout = duel("hearts-8 diamonds-8", "hearts-9 diamonds-9", **ROWS)
    play(playout, "hearts-8")
    assert "StrawmenTurned" not in kinds(playout.act(1, "play", card="hearts-9"))


def test_back_cards_turn_up_after_the_birds_exchange() -> None:
    rows: dict[str, Any] = {"front": ("trump-3 . . . . .", ""), "back": ("?clubs-9 ?clubs-10 . . . . .", "")}
    playout = duel("hearts-9", "diamonds-9 clubs-valet spades-9 spades-10", **rows)
    play(playout, "trump-3")
    events = playout.act(1, "play", card="diamonds-9")
    assert kinds(events)[-2:] == ["TrickScored", "ChoiceOwed"]
    assert "StrawmenTurned" not in kinds(playout.act(0, "look", line="row-1"))
    assert playout.state.back[0][:2] == (None, None)
    events = playout.act(0, "exchange", give="hearts-9", take="hearts-8")
    assert kinds(events) == ["CardExchanged", "StrawmenTurned"]
    assert playout.state.back[0][:2] == ("clubs-9", "clubs-10")


def test_back_cards_turn_up_after_a_declined_look() -> None:
    rows: dict[str, Any] = {"front": ("trump-3 . . . . .", ""), "back": ("?clubs-9 ?clubs-10 . . . . .", "")}
    playout = duel("hearts-9", "diamonds-9 clubs-valet spades-9 spades-10", **rows)
    play(playout, "trump-3", "diamonds-9")
    assert kinds(playout.act(0, "decline")) == ["Declined", "StrawmenTurned"]


def test_back_cards_turn_up_after_the_choice_of_the_21() -> None:
    rows: dict[str, Any] = {"front": ("trump-21 . . . . .", ""), "back": ("?clubs-9 ?clubs-10 . . . . .", "")}
    playout = duel("hearts-9", "diamonds-9 clubs-valet spades-9 spades-10", **rows)
    play(playout, "trump-21", "diamonds-9")
    assert playout.state.back[0][:2] == (None, None)
    events = playout.act(0, "resolve_21", choice="keep")
    assert kinds(events) == ["TrickScored", "StrawmenTurned"]


def test_a_hand_has_23_tricks_and_every_strawman_is_played() -> None:
    playout = new("thread-the-needle", 2)
    playout.play(random.Random(4), until=lambda now: now.state.phase == "taking_talon")
    assert playout.state.last_trick.trick == 23
    assert kinds(playout.events).count("CardPlayed") == 46
    assert playout.state.front == (("gone",) * 6,) * 2
    assert playout.state.back == (("gone",) * 7,) * 2
    (taker,) = playout.waiting()
    assert offered(playout, taker) == ["take_talon"]
    assert view(playout, 0)["trick"] == 23
