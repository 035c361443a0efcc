"""Which cards follow, who wins, which Birds are caught."""

from __future__ import annotations

import random

import pytest

from domain.tarot.cards import birds, deck
from domain.tarot.follow import captured, explain, legal, winner
from tests.support.counts import LONG

Trick = list[tuple[int, str]]


def trick(cards: str) -> Trick:
    return list(enumerate(cards.split()))


def may(hand: str, cards: str, *, overtrump: bool = True) -> str:
    return " ".join(legal(hand.split(), trick(cards), overtrump_on_trump_lead=overtrump))


@pytest.mark.parametrize(
    ("hand", "led", "playable"),
    [
        pytest.param("hearts-7 clubs-8 trump-4", "", "hearts-7 clubs-8 trump-4", id="lead anything"),
        pytest.param(
            "hearts-7 hearts-roi clubs-8 trump-4", "hearts-10", "hearts-7 hearts-roi", id="follow the suit"
        ),
        pytest.param("clubs-8 trump-4 trump-9", "hearts-10", "trump-4 trump-9", id="trump without the suit"),
        pytest.param("clubs-8 trump-4 trump-9", "hearts-10 trump-6", "trump-9", id="over-trump if possible"),
        pytest.param("clubs-8 trump-4 trump-5", "hearts-10 trump-6", "trump-4 trump-5", id="else any trump"),
        pytest.param("clubs-8 spades-7", "hearts-10 trump-6", "clubs-8 spades-7", id="without both anything"),
        pytest.param(
            "hearts-7 trump-9", "hearts-10 trump-6", "hearts-7", id="follow although it was trumped"
        ),
        pytest.param("clubs-8 trump-4 trump-9", "trump-6", "trump-9", id="over-trump a led trump"),
        pytest.param("clubs-8 trump-4 trump-5", "trump-6", "trump-4 trump-5", id="follow with a lower trump"),
        pytest.param("trump-7 trump-9", "trump-6 trump-8", "trump-9", id="higher than every trump"),
        pytest.param(
            "trump-7 trump-9", "trump-6 hearts-8", "trump-7 trump-9", id="thrown-off cards don't count"
        ),
        pytest.param("trump-9 fool clubs-8", "hearts-10", "trump-9 fool", id="the Fool fits when trumping"),
        pytest.param("fool hearts-7", "hearts-10", "fool hearts-7", id="the Fool fits any trick"),
        pytest.param("fool clubs-8", "hearts-10", "fool clubs-8", id="the Fool need not trump"),
        pytest.param("fool clubs-8", "trump-10", "fool clubs-8", id="the Fool need not follow trumps"),
        pytest.param("trump-4 fool", "hearts-10 trump-6", "trump-4 fool", id="the Fool need not over-trump"),
        pytest.param("fool", "hearts-10", "fool", id="the last card must be played"),
        pytest.param(
            "trump-4 trump-21 clubs-8", "fool", "trump-4 trump-21", id="any trump follows a led Fool"
        ),
        pytest.param("clubs-8 spades-7", "fool", "clubs-8 spades-7", id="no trump, any card on a led Fool"),
        pytest.param(
            "trump-4 trump-21", "hearts-7 fool", "trump-4 trump-21", id="nothing beats a played Fool"
        ),
        pytest.param("trump-4 trump-21", "trump-3 fool", "trump-4 trump-21", id="also when trump was led"),
    ],
)
def test_follow_suit_else_trump_else_anything_and_never_forced_to_the_fool(
    hand: str, led: str, playable: str
) -> None:
    assert may(hand, led) == playable


def test_with_the_option_off_any_trump_follows_a_led_trump() -> None:
    assert may("clubs-8 trump-4 trump-9", "trump-6", overtrump=False) == "trump-4 trump-9"
    assert may("clubs-8 trump-4 trump-9", "trump-6") == "trump-9"


def test_with_the_option_off_a_trumped_side_suit_must_still_be_over_trumped() -> None:
    assert may("clubs-8 trump-4 trump-9", "hearts-7 trump-6", overtrump=False) == "trump-9"


# --- a second reading of the rules, card by card ------------------------------------------------------


def height(card: str) -> int:
    """How high a trump is; 0 for other cards."""
    if card == "fool":
        return 1000
    return int(card.removeprefix("trump-")) if card.startswith("trump-") else 0


def colour(card: str) -> str:
    return "trump" if height(card) else card.partition("-")[0]


def allowed(card: str, hand: list[str], so_far: list[str], *, option: bool) -> bool:
    """Whether the rules let ``card`` be played: each sentence of the rules as one step."""
    if not so_far or card == "fool":
        return True
    counting = [
        held for held in hand if held != "fool"
    ]  # the Fool never counts as something that you can play
    trumps_there = [other for other in so_far if height(other)]

    def high_enough(trump: str) -> bool:
        return all(height(trump) > height(other) for other in trumps_there)

    led = colour(so_far[0])
    if any(colour(held) == led for held in counting):
        if colour(card) != led:
            return False
        if led != "trump" or not option:
            return True
    elif any(height(held) for held in counting):
        if not height(card):
            return False
    else:
        return True
    # A trump is due, and it must beat every trump there if one of the hand does.
    can = any(height(held) and high_enough(held) for held in counting)
    return high_enough(card) or not can


def beats(card: str, other: str, led: str) -> bool:
    ranks = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "valet", "cavalier", "dame", "roi"]
    if height(card) or height(other):
        return height(card) > height(other)
    if colour(other) != led:
        return colour(card) == led
    return colour(card) == led and ranks.index(card.split("-")[1]) > ranks.index(other.split("-")[1])


DECKS = [deck(7), deck(6), deck(), deck(1, (6, 7, 8)), deck(8)]


@pytest.mark.parametrize("option", [True, False])
def test_the_rules_and_a_second_literal_reading_agree_on_random_hands_and_tricks(*, option: bool) -> None:
    rng = random.Random(12)
    tries = 6000 if LONG else 1000
    forced = 0
    for _ in range(tries):
        cards = list(rng.choice(DECKS))
        if rng.random() < 0.5:  # more trumps, so that over-trumping comes up often
            cards = [card for card in cards if height(card) or rng.random() < 0.4]
        rng.shuffle(cards)
        size = rng.randint(1, 9)
        hand, so_far = cards[:size], cards[size : size + rng.randint(0, 4)]
        found = legal(hand, list(enumerate(so_far)), overtrump_on_trump_lead=option)
        assert found == [card for card in hand if allowed(card, hand, so_far, option=option)], (hand, so_far)
        assert found
        forced += len(found) < len(hand)
        for card in hand:
            said = explain(hand, list(enumerate(so_far)), card, overtrump_on_trump_lead=option)
            assert (said is None) == (card in found)
    assert forced > tries / 6


def test_the_winner_beats_every_other_card_by_a_second_reading() -> None:
    rng = random.Random(13)
    for _ in range(4000 if LONG else 1000):
        cards = rng.sample(rng.choice(DECKS), rng.randint(2, 5))
        won = cards[winner(list(enumerate(cards)))]
        led = colour(cards[0])
        assert all(beats(won, other, led) for other in cards if other != won), cards


@pytest.mark.parametrize(
    ("cards", "seat"),
    [
        ("hearts-7 hearts-roi hearts-dame", 1),
        ("hearts-7 clubs-roi hearts-8", 2),
        ("hearts-7 trump-1 hearts-roi", 1),
        ("hearts-7 trump-1 trump-2", 2),
        ("trump-21 fool trump-3", 1),
        ("fool trump-21 trump-20", 0),
        ("hearts-valet hearts-10 clubs-8", 0),
    ],
)
def test_the_fool_wins_else_the_highest_trump_else_the_highest_of_the_led_suit(cards: str, seat: int) -> None:
    assert winner(trick(cards)) == seat


# --- sentences ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "led", "card", "sentence"),
    [
        (
            "hearts-7 hearts-10 clubs-8",
            "hearts-9",
            "clubs-8",
            "must follow Hearts: you hold hearts-7, hearts-10",
        ),
        ("trump-3 clubs-8", "trump-2", "clubs-8", "must over-trump trump-2: you hold trump-3"),
        ("trump-3 clubs-8", "trump-4", "clubs-8", "must follow Trumps: you hold trump-3"),
        ("trump-3 clubs-8", "hearts-9", "clubs-8", "must trump: you hold no Hearts, but trump-3"),
        ("trump-3 trump-9", "hearts-9 trump-5", "trump-3", "must over-trump trump-5: you hold trump-9"),
        (
            "fool hearts-7 clubs-8",
            "hearts-9",
            "clubs-8",
            "must follow Hearts: you hold hearts-7; the fool may be played as well",
        ),
        ("hearts-7", "", "clubs-8", "you cannot play 'clubs-8': you hold hearts-7"),
    ],
)
def test_a_refused_card_is_told_the_rule_and_the_cards_that_it_asks_for(
    hand: str, led: str, card: str, sentence: str
) -> None:
    assert explain(hand.split(), trick(led), card, overtrump_on_trump_lead=True) == sentence


@pytest.mark.parametrize("card", [None, 7, True, ["hearts-7"], {"a": 1}, "x" * 500])
def test_values_that_are_no_cards_are_refused_in_words_too(card: object) -> None:
    said = explain(["hearts-7"], [], card, overtrump_on_trump_lead=True)
    assert said is not None
    assert len(said) < 120


# --- Birds --------------------------------------------------------------------------------------------


def test_birds_of_opponents_are_caught_but_not_those_of_the_own_side() -> None:
    plays = trick("trump-1 trump-2 trump-9 trump-3")
    assert captured(plays, (2,), birds(3)) == [(0, "trump-1"), (1, "trump-2"), (3, "trump-3")]
    assert captured(plays, (0, 2), birds(3)) == [(1, "trump-2"), (3, "trump-3")]
    assert captured(plays, (2,), birds(1)) == [(0, "trump-1")]
