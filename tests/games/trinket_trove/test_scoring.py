"""Sets, Mirrors and the ranking (RULES.md, 'Scoring')."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement

import pytest

from domain.games.trinket_trove import deck
from domain.games.trinket_trove.scoring import arrangement, points, standing
from tests.support.counts import LONG


def cards(text: str) -> list[str]:
    """``"2 gear 4 mirror"`` as a list of cards."""
    words = text.split()
    return [card for number, card in zip(words[::2], words[1::2], strict=True) for _ in range(int(number))]


def sets(text: str, lone_mirrors: bool = False) -> list[tuple[str, int, int, int]]:
    """Each set as its trinket, its real cards, its Mirrors, its points."""
    return [
        (one.trinket, one.cards.count(one.trinket), one.cards.count("mirror"), one.points)
        for one in arrangement(cards(text), lone_mirrors).sets
    ]


# --- worked examples --------------------------------------------------------------------------------


def test_brisbys_hand_of_the_rulebook_makes_170() -> None:
    hand = "4 feather 3 thimble 3 crayon 1 mirror"
    assert points(cards(hand)) == 170
    assert sets(hand) == [
        ("feather", 4, 0, 50),
        ("crayon", 3, 1, 80),
        ("thimble", 2, 0, 35),
        ("thimble", 1, 0, 5),
    ]


def test_8_crayons_are_6_and_2_and_make_130() -> None:
    assert points(cards("8 crayon")) == 130
    assert sets("8 crayon") == [("crayon", 6, 0, 120), ("crayon", 2, 0, 10)]


def test_5_crayons_and_2_mirrors_make_120_and_a_mirror_stays_unassigned() -> None:
    laid = arrangement(cards("5 crayon 2 mirror"))
    assert (laid.points, laid.unassigned) == (120, 1)
    assert sets("5 crayon 2 mirror") == [("crayon", 5, 1, 120)]


def test_2_gears_and_4_mirrors_make_55() -> None:
    laid = arrangement(cards("2 gear 4 mirror"))
    assert (laid.points, laid.unassigned) == (55, 3)


def test_with_lone_mirrors_5_crayons_and_2_mirrors_make_140() -> None:
    laid = arrangement(cards("5 crayon 2 mirror"), lone_mirrors=True)
    assert (laid.points, laid.unassigned) == (140, 0)
    assert sets("5 crayon 2 mirror", lone_mirrors=True) == [("crayon", 5, 1, 120), ("crayon", 0, 1, 20)]


def test_with_lone_mirrors_2_gears_and_4_mirrors_make_110() -> None:
    laid = arrangement(cards("2 gear 4 mirror"), lone_mirrors=True)
    assert (laid.points, laid.unassigned) == (110, 0)


# --- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trinket", deck.TRINKETS)
def test_each_set_scores_its_ladder(trinket: str) -> None:
    for number, worth in enumerate(deck.LADDERS[trinket], 1):
        assert points([trinket] * number) == worth


@pytest.mark.parametrize("trinket", deck.TRINKETS)
def test_all_cards_of_a_trinket_make_two_full_sets(trinket: str) -> None:
    assert points([trinket] * 2 * deck.VALUES[trinket]) == 2 * deck.LADDERS[trinket][-1]


def test_several_mirrors_may_join_the_same_set() -> None:
    assert sets("4 lure 3 mirror") == [("lure", 4, 3, 175)]


def test_a_set_never_exceeds_its_full_size() -> None:
    assert sets("6 lure 3 mirror") == [("lure", 6, 1, 175)]


def test_a_mirror_joins_no_full_set_and_opens_none() -> None:
    laid = arrangement(cards("3 gear 2 mirror"))
    assert (laid.points, laid.unassigned, len(laid.sets)) == (55, 2, 1)


def test_mirrors_alone_score_nothing() -> None:
    laid = arrangement(cards("4 mirror"))
    assert (laid.points, laid.unassigned, laid.sets) == (0, 4, ())


def test_with_lone_mirrors_even_mirrors_alone_score() -> None:
    # Four Crayons.
    assert arrangement(cards("4 mirror"), lone_mirrors=True).points == 80


def test_a_mirror_stays_unassigned_where_every_place_would_lower_the_total() -> None:
    laid = arrangement(cards("1 crayon 1 mirror"))
    assert (laid.points, laid.unassigned) == (20, 1)


def test_a_mirror_that_adds_nothing_is_placed_all_the_same() -> None:
    laid = arrangement(cards("1 bottlecap 1 mirror"))
    assert (laid.points, laid.unassigned) == (5, 0)


def test_mirrors_are_placed_together_not_one_by_one() -> None:
    # One Mirror alone does best with the Gears (+35 against 5); two together do better with the Lures (+150).
    assert points(cards("5 lure 2 gear 1 mirror")) == 25 + 20 + 55
    assert sets("5 lure 2 gear 2 mirror") == [("lure", 5, 2, 175), ("gear", 2, 0, 20)]
    # A step down on the way: 2 Crayons lose ten points with one Mirror and gain seventy with two.
    assert sets("2 crayon 2 mirror") == [("crayon", 2, 2, 80)]


def test_a_mirror_can_fill_the_overflow_set() -> None:
    assert sets("5 gear 1 mirror") == [("gear", 3, 0, 55), ("gear", 2, 1, 55)]


def test_the_same_hand_is_always_laid_out_alike() -> None:
    hand = cards("1 bottlecap 1 marble 2 gem 1 key 3 mirror")
    laid = arrangement(hand)
    for seed in range(20):
        random.Random(seed).shuffle(hand)
        assert arrangement(hand) == laid


def test_an_empty_hand_scores_nothing() -> None:
    assert points([]) == 0
    assert arrangement([]).sets == ()


# --- against every placing of the Mirrors -----------------------------------------------------------


@cache
def _points_of(trinket: str, real: int, mirrors: int, lone: bool) -> int | None:
    """Points of one trinket by the letter of the rules; None where so many Mirrors cannot join it."""
    ladder = {number + 1: worth for number, worth in enumerate(deck.LADDERS[trinket])}
    full = max(ladder)
    piles, loose = [], real + mirrors if lone else real
    while loose >= full:
        piles.append(full)
        loose -= full
    if loose:
        piles.append(loose)
    if mirrors and not lone:
        if not piles or piles[-1] == full or piles[-1] + mirrors > full:
            return None
        piles[-1] += mirrors
    return sum(ladder[pile] for pile in piles)


def _brute_force(hand: Iterable[str], lone: bool) -> tuple[int, int]:
    """The best points over all placings of all Mirrors, and the fewest unassigned Mirrors among the best."""
    counts = Counter(hand)
    mirrors = counts.pop("mirror", 0)
    base = {trinket: _points_of(trinket, counts[trinket], 0, lone) or 0 for trinket in deck.TRINKETS}
    total = sum(base.values())
    best = (-1, 0)
    for places in combinations_with_replacement(("", *deck.TRINKETS), mirrors):
        result = total
        for trinket in set(places) - {""}:
            worth = _points_of(trinket, counts[trinket], places.count(trinket), lone)
            if worth is None:
                break
            result += worth - base[trinket]
        else:
            best = max(best, (result, -places.count("")))
    return best[0], -best[1]


def _hand(rng: random.Random) -> list[str]:
    """A hand with 0 to 4 Mirrors, of all trinkets or of a few."""
    few = rng.sample(deck.TRINKETS, rng.randint(1, 12))
    pool = [card for card in deck.TRINKET_CARDS if card in few]
    return [*rng.sample(pool, rng.randint(0, min(len(pool), 30))), *["mirror"] * rng.randint(0, 4)]


def _check_laid_out(hand: list[str], lone: bool) -> None:
    laid = arrangement(hand, lone)
    assert (laid.points, laid.unassigned) == _brute_force(hand, lone), hand
    assert laid.points == points(hand, lone) == sum(one.points for one in laid.sets)
    shown = [card for one in laid.sets for card in one.cards] + ["mirror"] * laid.unassigned
    assert Counter(shown) == Counter(hand)
    partial = []
    for one in laid.sets:
        assert one.points == deck.LADDERS[one.trinket][len(one.cards) - 1]
        assert set(one.cards) <= {one.trinket, "mirror"}
        assert lone or one.trinket in one.cards
        if len(one.cards) < deck.VALUES[one.trinket]:
            partial.append(one.trinket)
    assert len(partial) == len(set(partial)), "two partial sets of one trinket"


@pytest.mark.no_cover
def test_no_placing_of_the_mirrors_beats_the_arrangement_in_2000_hands() -> None:
    rng = random.Random(20)
    for _ in range(2000 if LONG else 200):
        _check_laid_out(_hand(rng), False)


@pytest.mark.no_cover
def test_no_placing_of_the_mirrors_beats_the_arrangement_in_1000_hands_with_lone_mirrors() -> None:
    rng = random.Random(21)
    for _ in range(1000 if LONG else 100):
        _check_laid_out(_hand(rng), True)


# --- ranking ----------------------------------------------------------------------------------------


def test_the_most_points_win() -> None:
    result = standing([cards("1 key"), cards("2 key"), cards("3 lure")], (0, 1, 2), False)
    assert (result.scores, result.places, result.winners) == ((10, 30, 15), (3, 1, 2), (1,))


def test_of_equal_totals_the_one_nearest_to_first_in_the_final_turn_order_wins() -> None:
    hands = [cards("1 key"), cards("1 shell"), cards("2 lure"), cards("1 gear")]
    assert standing(hands, (3, 2, 0, 1), False).winners == (2,)
    assert standing(hands, (3, 2, 0, 1), False).places == (2, 3, 1, 4)
    assert standing(hands, (1, 3, 0, 2), False).places == (2, 1, 3, 4)


def test_nimbus_between_two_players_changes_nothing_in_a_tie() -> None:
    hands = [cards("1 key"), cards("1 shell")]
    assert standing(hands, ("nimbus", 1, 0), False).winners == (1,)
    assert standing(hands, (0, "nimbus", 1), False).winners == (0,)


def test_the_option_counts_in_the_standing() -> None:
    hands = [cards("5 crayon 2 mirror"), cards("2 gear 4 mirror")]
    assert standing(hands, (0, 1), False).scores == (120, 55)
    assert standing(hands, (0, 1), True).scores == (140, 110)
