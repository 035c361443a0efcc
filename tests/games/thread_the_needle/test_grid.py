"""The 21, Birds and the 2x2 Talon with 2 seats."""

from __future__ import annotations

from typing import Any

import pytest

from domain.visibility import SPECTATOR, see
from projections.redaction import redact_all
from tests.domain_tarot.hands import play, refusal, view
from tests.games.thread_the_needle.situations import duel, kinds, offered
from tests.support.play import Playout

TALON = "spades-roi trump-12 hearts-8 clubs-dame"
"""Row by row, in neither line in card order but for the second row."""

LINES = {
    "row-1": ("trump-12", "spades-roi"),
    "row-2": ("hearts-8", "clubs-dame"),
    "column-1": ("hearts-8", "spades-roi"),
    "column-2": ("trump-12", "clubs-dame"),
}
"""The two cards of each line, in card order."""

VIEWERS = (0, 1, SPECTATOR)


# --- the 21 -------------------------------------------------------------------------------------------


def with_21(**changes: Any) -> Playout:
    playout = duel("trump-21 clubs-8", "hearts-roi trump-2 clubs-9", **changes)
    return play(playout, "trump-21", "trump-2")


def test_who_wins_with_the_21_may_keep_the_points_or_give_them_to_the_opponent() -> None:
    playout = with_21()
    assert playout.offers(0) == [{"type": "resolve_21", "choice": {"one_of": ["keep", "give"]}}]
    assert refusal(playout, 0, "resolve_21", choice="discard").startswith("illegal_action")
    playout.act(0, "resolve_21", choice="keep")
    assert playout.state.points == (4, 0)


def test_given_points_are_the_opponents_but_lead_and_bird_stay_with_the_winner() -> None:
    playout = with_21()
    playout.act(0, "resolve_21", choice="give")
    assert playout.state.points == (0, 4)
    assert playout.state.scores == (1, 0)
    assert playout.waiting() == (0,)
    last = view(playout, SPECTATOR)["last_trick"]
    assert (last["winner"], last["outcome"], last["to"], last["points"]) == (0, "given", 1, 4)


def test_on_the_last_trick_the_21_is_answered_before_the_talon_is_turned_up() -> None:
    playout = play(duel("trump-21", "hearts-roi", talon=TALON), "trump-21", "hearts-roi")
    assert view(playout, 1)["talon"] == (None,) * 4
    events = playout.act(0, "resolve_21", choice="give")
    assert kinds(events) == ["TrickScored", "TalonRevealed"]
    assert playout.waiting() == (0,)
    assert offered(playout, 0) == ["take_talon"]


# --- looking at a line --------------------------------------------------------------------------------


def won_with_a_bird(mine: str = "clubs-8 diamonds-9", **changes: Any) -> Playout:
    playout = duel(f"trump-4 {mine}", "hearts-10 diamonds-8 diamonds-10", **{"talon": TALON} | changes)
    return play(playout, "trump-4", "hearts-10")


def test_who_wins_with_a_bird_may_look_at_a_row_or_a_column_of_the_talon() -> None:
    playout = won_with_a_bird()
    assert playout.offers(0) == [
        {"type": "look", "line": {"one_of": ["row-1", "row-2", "column-1", "column-2"]}},
        {"type": "decline"},
    ]
    assert refusal(playout, 0, "look").startswith("illegal_action: look needs the parameter line")
    assert refusal(playout, 0, "look", line="diagonal").startswith("illegal_action: look.line cannot be")
    assert refusal(playout, 1, "look", line="row-1").startswith("not_your_turn")


@pytest.mark.parametrize("line", LINES)
def test_the_two_cards_of_the_line_are_told_in_card_order_to_that_seat_only(line: str) -> None:
    playout = won_with_a_bird()
    events = playout.act(0, "look", line=line)
    told = {"type": "line_looked", "seat": 0, "line": line}
    assert redact_all(events, 0) == [told | {"cards": LINES[line]}]
    assert view(playout, 0)["looking_at"] == LINES[line]
    for viewer in (1, SPECTATOR):
        assert redact_all(events, viewer) == [told | {"cards": (None, None)}]
        assert "looking_at" not in view(playout, viewer)
    for viewer in VIEWERS:
        shown = view(playout, viewer)
        assert shown["talon"] == (None,) * 4
        assert shown["looks"] == ({"seat": 0, "trick": 1, "outcome": "looking", "line": line},)
        assert (shown["phase"], shown["turn"]) == ("exchanging", 0)
    assert playout.offers(0) == [
        {
            "type": "exchange",
            "give": {"one_of": ["diamonds-9", "clubs-8"]},
            "take": {"one_of": list(LINES[line])},
        },
        {"type": "decline"},
    ]


@pytest.mark.parametrize(
    ("line", "take", "after"),
    [
        ("row-1", "spades-roi", ("clubs-8", "trump-12", "hearts-8", "clubs-dame")),
        ("column-1", "hearts-8", ("spades-roi", "trump-12", "clubs-8", "clubs-dame")),
        ("column-2", "clubs-dame", ("spades-roi", "trump-12", "hearts-8", "clubs-8")),
    ],
)
def test_the_card_given_lies_where_the_card_taken_lay(line: str, take: str, after: tuple[str, ...]) -> None:
    playout = won_with_a_bird()
    playout.act(0, "look", line=line)
    playout.act(0, "exchange", give="clubs-8", take=take)
    assert playout.state.talon == after
    assert take in playout.state.hands[0]
    assert "clubs-8" not in playout.state.hands[0]


def test_an_exchange_tells_others_the_line_but_neither_a_card_nor_a_place() -> None:
    playout = won_with_a_bird()
    playout.act(0, "look", line="row-1")
    events = playout.act(0, "exchange", give="clubs-8", take="trump-12")
    assert redact_all(events, 0)[0] == {
        "type": "card_exchanged",
        "seat": 0,
        "give": "clubs-8",
        "take": "trump-12",
    }
    for viewer in (1, SPECTATOR):
        assert redact_all(events, viewer) == [{"type": "card_exchanged", "seat": 0}]
    for viewer in VIEWERS:
        shown = view(playout, viewer)
        assert shown["looks"] == ({"seat": 0, "trick": 1, "outcome": "exchanged", "line": "row-1"},)
        assert shown["talon"] == (None,) * 4
        assert "looking_at" not in shown


def test_a_card_outside_the_line_cannot_be_taken() -> None:
    playout = won_with_a_bird()
    playout.act(0, "look", line="row-1")
    assert refusal(playout, 0, "exchange", give="clubs-8", take="hearts-8") == (
        "illegal_action: you cannot take 'hearts-8': you looked at trump-12, spades-roi"
    )


def test_a_seat_may_look_and_decline_or_not_look_at_all() -> None:
    looked = won_with_a_bird()
    looked.act(0, "look", line="column-2")
    looked.act(0, "decline")
    assert view(looked, 1)["looks"] == ({"seat": 0, "trick": 1, "outcome": "declined", "line": "column-2"},)
    assert "looking_at" not in view(looked, 0)
    without = won_with_a_bird()
    without.act(0, "decline")
    assert view(without, 1)["looks"] == ({"seat": 0, "trick": 1, "outcome": "not_looked"},)
    for playout in (looked, without):
        assert (playout.waiting(), offered(playout, 0)) == ((0,), ["play"])
        assert playout.state.talon == tuple(TALON.split())


def test_strawmen_are_never_exchanged() -> None:
    playout = won_with_a_bird(front=("spades-9 . . . . .", ""))
    playout.act(0, "look", line="row-1")
    assert refusal(playout, 0, "exchange", give="spades-9", take="trump-12") == (
        "illegal_action: strawmen are never exchanged, and spades-9 is one; you hold diamonds-9, clubs-8"
    )


def test_with_no_card_left_in_hand_a_seat_may_look_and_then_only_decline() -> None:
    playout = won_with_a_bird("", front=("spades-9 . . . . .", ""))
    assert offered(playout, 0) == ["look", "decline"]
    playout.act(0, "look", line="row-1")
    assert view(playout, 0)["looking_at"] == LINES["row-1"]
    assert playout.offers(0) == [{"type": "decline"}]
    assert refusal(playout, 0, "exchange", give="spades-9", take="trump-12") == (
        "illegal_action: you have no card left in hand to exchange; strawmen are never exchanged"
    )
    playout.act(0, "decline")
    assert offered(playout, 0) == ["play"]


def test_after_the_last_trick_there_is_no_look() -> None:
    playout = play(duel("trump-4", "hearts-10", talon=TALON), "trump-4")
    assert kinds(playout.act(1, "play", card="hearts-10"))[-2:] == ["TrickScored", "TalonRevealed"]


def test_a_trump_5_is_no_bird_with_2_seats() -> None:
    playout = play(duel("trump-5 clubs-8", "hearts-10 clubs-9"), "trump-5", "hearts-10")
    assert offered(playout, 0) == ["play"]


# --- what a seat gave ---------------------------------------------------------------------------------


def two_birds(line: str) -> Playout:
    """Seat 0 has given the 8 of clubs into a line; then seat 1 wins with a Bird."""
    playout = duel(
        "trump-4 clubs-8 diamonds-9", "hearts-10 trump-3 spades-8 spades-9", talon=TALON, lead=1, trick=3
    )
    play(playout, "hearts-10", "trump-4").act(0, "look", line=line)
    playout.act(0, "exchange", give="clubs-8", take=LINES[line][1])
    return play(playout, "diamonds-9", "trump-3")


@pytest.mark.parametrize(
    ("mine", "theirs", "certain"),
    [
        ("row-1", "row-2", True),
        ("row-2", "row-1", True),
        ("column-2", "column-1", True),
        ("row-1", "row-1", False),
        ("row-1", "column-1", False),
        ("row-1", "column-2", False),
        ("column-1", "row-2", False),
    ],
)
def test_a_given_card_stays_known_until_the_other_exchanges_at_a_line_that_may_hold_it(
    *, mine: str, theirs: str, certain: bool
) -> None:
    playout = two_birds(mine)
    known = ({"card": "clubs-8", "line": mine},)
    assert view(playout, 0)["given"] == known
    assert all("given" not in view(playout, viewer) for viewer in (1, SPECTATOR))
    playout.act(1, "look", line=theirs)
    assert view(playout, 0)["given"] == known
    take = next(card for card in view(playout, 1)["looking_at"] if card != "clubs-8")
    playout.act(1, "exchange", give="spades-8", take=take)
    assert view(playout, 0).get("given") == (known if certain else None)
    assert view(playout, 1)["given"] == ({"card": "spades-8", "line": theirs},)


def test_a_new_hand_begins_with_nothing_given() -> None:
    playout = duel("trump-4 clubs-8", "diamonds-8 hearts-10", talon=TALON)
    play(playout, "trump-4", "diamonds-8").act(0, "look", line="row-1")
    playout.act(0, "exchange", give="clubs-8", take="trump-12")
    assert "given" in view(playout, 0)
    play(playout, "trump-12", "hearts-10").act(0, "take_talon", line="row-2")
    assert playout.state.hand == 2
    assert "given" not in view(playout, 0)


def test_the_state_that_a_viewer_may_know_holds_neither_what_others_look_at_nor_what_they_gave() -> None:
    playout = two_birds("row-1")
    playout.act(1, "look", line="row-1")
    for viewer in VIEWERS:
        seen = see(playout.state, viewer)
        assert seen.looking_at == (playout.state.looking_at if viewer == 1 else (None, None))
        assert seen.given[0] == (playout.state.given[0] if viewer == 0 else None)
        assert seen.talon == (None,) * 4
        assert seen.face_down is None


# --- the Talon ----------------------------------------------------------------------------------------


def at_the_talon(**changes: Any) -> Playout:
    return play(duel("hearts-9", "hearts-10", **{"talon": TALON} | changes), "hearts-9", "hearts-10")


def test_the_winner_of_the_last_trick_reveals_the_talon_to_all_and_takes_a_line() -> None:
    playout = at_the_talon()
    told = {"type": "talon_revealed", "seat": 1, "cards": tuple(TALON.split())}
    for viewer in VIEWERS:
        assert redact_all(playout.commits[-1].events, viewer)[-1] == told
        shown = view(playout, viewer)
        assert shown["talon"] == tuple(TALON.split())
        assert (shown["phase"], shown["turn"]) == ("taking_talon", 1)
    assert playout.offers(1) == [
        {"type": "take_talon", "line": {"one_of": ["row-1", "row-2", "column-1", "column-2"]}}
    ]
    assert refusal(playout, 0, "take_talon", line="row-1").startswith("not_your_turn")
    assert refusal(playout, 1, "take_talon", line="row-3").startswith("illegal_action")


@pytest.mark.parametrize(
    ("line", "points"), [("row-1", (3, 6)), ("row-2", (6, 3)), ("column-1", (5, 4)), ("column-2", (4, 5))]
)
def test_the_line_scores_for_its_taker_and_the_rest_for_the_opponent(
    line: str, points: tuple[int, int]
) -> None:
    playout = at_the_talon(points=(20, 30))
    events = playout.act(1, "take_talon", line=line)
    told = {"type": "talon_shared", "seat": 1, "line": line, "points": points}
    for viewer in VIEWERS:
        assert redact_all(events, viewer)[0] == told
        last = view(playout, viewer)["last_hand"]
        assert last["points"] == (20 + points[0], 30 + points[1])
        assert (last["line"], last["talon"]) == (line, tuple(TALON.split()))
