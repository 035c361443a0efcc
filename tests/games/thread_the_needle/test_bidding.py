"""Decks, the deal, the starting seat, bids and the Needle as a bid."""

from __future__ import annotations

import random

import pytest

from domain.games.thread_the_needle.deck import BIRDS, DECK, HAND_SIZE, TRICKS
from domain.tarot.cards import SUIT, total
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.domain_tarot.hands import play, refusal, view
from tests.games.thread_the_needle.situations import duel, hand, kinds, table
from tests.support.play import Playout, new


@pytest.mark.parametrize(
    ("seats", "cards", "points", "on_trumps"), [(5, 78, 100, 40), (4, 63, 94, 34), (2, 50, 80, 40)]
)
def test_the_decks_have_the_cards_and_points_of_the_rulebook(
    seats: int, cards: int, points: int, on_trumps: int
) -> None:
    deck = DECK[seats]
    assert (len(deck), total(deck, fives=True)) == (cards, points)
    assert total([card for card in deck if SUIT[card] == "trump"], fives=True) == on_trumps


def test_four_seats_play_without_any_6_7_and_8_and_two_without_1_to_7_of_the_side_suits() -> None:
    assert not [card for card in DECK[4] if card.partition("-")[2] in ("6", "7", "8")]
    ranks = {card.partition("-")[2] for card in DECK[2] if SUIT[card] != "trump"}
    assert ranks == {"8", "9", "10", "valet", "cavalier", "dame", "roi"}
    assert sum(SUIT[card] == "trump" for card in DECK[2]) == 22


def test_birds_are_the_trumps_1_to_5_and_with_4_or_2_seats_1_to_4() -> None:
    assert {seats: len(birds) for seats, birds in BIRDS.items()} == {5: 5, 4: 4, 2: 4}
    assert BIRDS[5][-1] == "trump-5"


@pytest.mark.parametrize("seats", [4, 5])
def test_everybody_gets_15_cards_and_3_form_the_talon(seats: int) -> None:
    playout = new("thread-the-needle", seats)
    state = playout.state
    assert [len(cards) for cards in state.hands] == [15] * seats
    assert len(state.talon) == 3
    assert sorted((*state.talon, *(card for cards in state.hands for card in cards))) == sorted(DECK[seats])
    assert TRICKS[seats] == HAND_SIZE[seats] == 15
    assert view(playout, SPECTATOR)["talon"] == (None,) * 3


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_the_first_starting_seat_is_drawn_at_random_and_bids_first(seats: int) -> None:
    starters = set()
    for number in range(30):
        playout = new("thread-the-needle", seats, key=bytes([number]) * 32)
        assert playout.waiting() == (playout.state.starter,)
        starters.add(playout.state.starter)
    assert starters == set(range(seats))


@pytest.mark.parametrize("seats", [4, 5])
def test_all_bid_in_turn_from_the_starting_seat_and_may_bid_the_same(seats: int) -> None:
    start = (*range(2, seats), 0, 1)
    playout = table(seats, outcomes={"starter": start})
    for number, seat in enumerate(start):
        assert playout.waiting() == (seat,)
        assert playout.offers(seat) == [{"type": "bid", "level": {"one_of": list(range(7))}}]
        shown = view(playout, SPECTATOR)
        assert (shown["phase"], shown["turn"], len(shown["bids"])) == ("bidding", seat, number)
        playout.act(seat, "bid", level=3)
    shown = view(playout, SPECTATOR)
    assert shown["bids"] == [{"seat": seat, "level": 3} for seat in start]
    assert (shown["phase"], shown["turn"]) == ("playing", start[0])


def test_a_bid_is_public_when_it_is_made() -> None:
    playout = table(4)
    events = playout.act(0, "bid", level=6)
    for viewer in (0, 1, 2, 3, SPECTATOR):
        assert redact_all(events, viewer) == [{"type": "bid_made", "seat": 0, "level": 6}]


def test_a_bid_cannot_be_changed_and_is_no_play() -> None:
    playout = table(4)
    assert refusal(playout, 1, "bid", level=1) == (
        "not_your_turn: seat 1 cannot act now; the game waits for seat 0"
    )
    assert refusal(playout, 0, "bid", level=7).startswith("illegal_action: bid.level cannot be 7")
    assert refusal(playout, 0, "bid", level=True).startswith("illegal_action")
    assert refusal(playout, 0, "play", card="fool") == (
        "illegal_action: play is not possible now: every seat bids first; possible: bid"
    )
    playout.act(0, "bid", level=1)
    assert refusal(playout, 0, "bid", level=2).startswith("not_your_turn")


def test_the_needle_may_be_bid_by_one_seat_a_hand() -> None:
    playout = table(2)
    assert playout.offers(0) == [{"type": "bid", "level": {"one_of": list(range(9))}}]
    playout.act(0, "bid", level=4)
    assert playout.offers(1) == [{"type": "bid", "level": {"one_of": [0, 1, 2, 3, 5, 6, 7, 8]}}]
    assert refusal(playout, 1, "bid", level=4) == (
        "illegal_action: the Needle, level 4, is bid by seat 0; one seat a hand may bid it"
    )
    playout.act(1, "bid", level=0)
    assert playout.state.bids == ((0, 4), (1, 0))


def test_with_2_seats_any_other_level_may_be_bid_by_both() -> None:
    playout = table(2)
    playout.act(0, "bid", level=5)
    assert playout.offers(1) == [{"type": "bid", "level": {"one_of": list(range(9))}}]
    playout.act(1, "bid", level=5)
    assert playout.waiting() == (0,)


def test_with_more_seats_the_starting_seat_passes_clockwise_and_the_talon_is_dealt_anew() -> None:
    playout = hand("hearts-2", "hearts-3", "hearts-4", "hearts-9", starter=0, lead=0)
    play(playout, "hearts-2", "hearts-3", "hearts-4")
    events = playout.act(3, "play", card="hearts-9")
    assert kinds(events)[-2:] == ["HandScored", "HandDealt"]
    assert playout.waiting() == (1,)
    shown = view(playout, 0)
    assert (shown["hand"], shown["starter"], shown["lead"], shown["bids"]) == (2, 1, 1, [])
    assert shown["points"] == (0,) * 4


@pytest.mark.parametrize(
    ("scores", "last_starter", "starts"),
    [((0, 9), 0, 0), ((9, 0), 0, 1), ((9, 0), 1, 1), ((0, 9), 1, 0)],
)
def test_with_2_seats_the_lower_game_score_bids_first_and_leads(
    scores: tuple[int, int], last_starter: int, starts: int
) -> None:
    playout = duel("hearts-9", "hearts-10", scores=scores, starter=last_starter, bids=(4, 1))
    _end(playout)
    assert playout.state.hand == 2
    assert playout.waiting() == (starts,)
    playout.act(starts, "bid", level=0)
    playout.act(1 - starts, "bid", level=0)
    assert playout.waiting() == (starts,)


@pytest.mark.parametrize("last_starter", [0, 1])
def test_with_2_seats_and_equal_scores_the_other_seat_starts(last_starter: int) -> None:
    playout = duel("hearts-9", "hearts-10", scores=(4, 0), starter=last_starter, bids=(4, 1))
    _end(playout)
    assert playout.state.scores == (4, 4)
    assert playout.waiting() == (1 - last_starter,)


def _end(playout: Playout) -> None:
    play(playout, "hearts-9", "hearts-10").act(1, "take_talon", line="row-1")


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_every_hand_shuffles_under_a_label_of_its_own(seats: int) -> None:
    playout = new("thread-the-needle", seats).play(random.Random(1))
    labels = list(playout.dealer.dealt)
    hands = playout.state.hand
    assert labels == ["starter", *(f"hand-{number}/deal" for number in range(1, hands + 1))]
