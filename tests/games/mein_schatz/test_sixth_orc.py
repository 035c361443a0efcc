"""The sixth orc (rulebook, 'The Cave Orc Approaches', 'Order of Gnomes Without Treasure'; ruling 7)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from domain.games.mein_schatz import deck, events
from tests.games.mein_schatz.given import game_view, go, kinds, only, table
from tests.support.play import Playout

FIVE_ORCS = "orc orc orc orc orc"


def four(*after: str, tokens: Sequence[str] = ()) -> Playout:
    """Four seats; a card on each place, then five orcs, so that seat 1 is asked; then ``after``."""
    cards = " ".join(("ring+mouse coin+coin potion+potion sword+sword", FIVE_ORCS, *after))
    playout = table(4, cards, tokens=tokens)
    go(playout, "draw 0", "draw 1", "draw 2", "draw 3", *["draw"] * 5)
    assert playout.waiting() == (1,)
    return playout


def test_the_unused_tokens_are_turned_and_shuffled() -> None:
    playout = four("orc")
    happened = go(playout, "draw")
    assert kinds(happened) == ["OrcDrawn", "TokensTurned"]
    turned = only(happened, events.TokensTurned)
    assert turned.label == "round-1/tokens"
    assert sorted(turned.order) == sorted(deck.TYPES)
    assert (playout.state.tokens, playout.state.gnomes) == ((), turned.order)
    view = game_view(playout)
    assert (view["phase"], view["orcs"]) == ("last_chance", 6)
    assert (view["tokens"], view["gnome_tokens"]) == ([], 6)


def test_tokens_that_were_taken_before_are_not_among_the_turned_ones() -> None:
    playout = four("orc")
    go(playout, "take 0 necklace")
    assert playout.waiting() == (2,)
    turned = only(go(playout, "draw"), events.TokensTurned)
    assert sorted(turned.order) == sorted({*deck.TYPES} - {"necklace"})


def test_the_seat_to_the_left_of_the_drawer_takes_first_and_the_drawer_last() -> None:
    playout = four("orc")
    turned = only(go(playout, "draw"), events.TokensTurned)
    assert turned.takers == (2, 3, 0, 1)
    assert game_view(playout)["queue"] == [2, 3, 0, 1]
    for seat, place in ((2, 3), (3, 0), (0, 2), (1, 1)):
        assert playout.waiting() == (seat,)
        assert game_view(playout)["turn"] == {"seat": seat, "why": "sixth_orc"}
        go(playout, f"take {place}")
    assert playout.state.round == 2


def test_seats_with_a_treasure_are_passed_over() -> None:
    playout = four("potion+mouse orc")
    go(playout, "draw 1", "take 3 coin", "draw")
    assert only(playout.events, events.TokensTurned).takers == (0, 1, 3)
    go(playout, "take 0", "take 1")
    assert playout.waiting() == (3,)


def test_the_last_gnome_that_draws_the_sixth_orc_still_gets_its_chance() -> None:
    playout = table(2, f"ring+mouse coin+coin {FIVE_ORCS} orc")
    go(playout, "draw 0", "draw 1", "take 0 ring", *["draw"] * 6)
    assert playout.waiting() == (1,)
    assert playout.offers(1) == [{"type": "take", "place": {"one_of": [1]}}]
    assert "RoundScored" in kinds(go(playout, "take 1"))


def test_only_a_place_is_chosen_and_nobody_draws_any_more() -> None:
    playout = four("orc")
    go(playout, "draw")
    assert playout.offers(2) == [{"type": "take", "place": {"one_of": [0, 1, 2, 3]}}]
    go(playout, "take 1")
    assert playout.offers(3) == [{"type": "take", "place": {"one_of": [0, 2, 3]}}]
    assert playout.offers(2) == playout.offers(0) == playout.offers(1) == []


def test_each_gets_the_top_one_of_the_shuffled_tokens() -> None:
    order = ("sword", "potion", "ring", "coin", "diamond", "necklace")
    playout = four("orc", tokens=order)
    go(playout, "draw", "take 3", "take 2", "take 0")
    assert playout.state.held == ("ring", None, "sword", "potion")
    assert playout.state.gnomes == ("coin", "diamond", "necklace")
    scores = only(go(playout, "take 1"), events.RoundScored).scores
    assert [score.token for score in scores] == ["ring", "coin", "sword", "potion"]
    assert [score.gnome_side for score in scores] == [True] * 4
    assert [score.treasures for score in scores] == [2, 2, 2, 2]


def test_the_token_is_unknown_to_everybody_until_scoring() -> None:
    playout = four("orc")
    go(playout, "draw", "take 3")
    for viewer in (-1, 0, 1, 2, 3):
        view = game_view(playout, viewer)
        assert "token" not in view["gnomes"][2]
        assert view["gnomes"][2]["token_side"] == "gnome"
        assert view["gnome_tokens"] == 5


def test_an_empty_place_may_not_be_taken_while_another_holds_a_card() -> None:
    playout = table(3, f"ring+mouse coin+coin {FIVE_ORCS} orc")
    go(playout, "draw 1", "draw 2", *["draw"] * 6)
    assert playout.waiting() == (2,)
    assert playout.offers(2) == [{"type": "take", "place": {"one_of": [1, 2]}}]


def test_where_no_open_place_holds_a_card_an_empty_one_is_taken_for_no_treasure() -> None:
    playout = table(3, f"ring+ring {FIVE_ORCS} orc")
    go(playout, "draw 1", *["draw"] * 6)
    go(playout, "take 1")
    (seat,) = playout.waiting()
    assert playout.offers(seat) == [{"type": "take", "place": {"one_of": [0, 2, 3]}}]
    assert kinds(go(playout, "take 3")) == ["ChanceTaken"]
    (last,) = playout.waiting()
    assert playout.offers(last) == [{"type": "take", "place": {"one_of": [0, 2]}}]
    scored = only(go(playout, "take 0"), events.RoundScored)
    assert [scored.scores[number].treasures for number in (seat, last)] == [0, 0]
    assert [scored.stacks[number] for number in (seat, last)] == [(), ()]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_six_orcs_at_once_leave_everybody_with_nothing_and_no_coins(seats: int) -> None:
    playout = table(seats, f"{FIVE_ORCS} orc", first=1)
    go(playout, *["draw"] * 6)
    for place in range(seats - 1):
        go(playout, f"take {place}")
    scores = only(go(playout, "take 3"), events.RoundScored).scores
    assert [score.why for score in scores] == ["nobody_scores"] * seats
    assert playout.state.gold == playout.state.silver == (0,) * seats
    assert playout.state.round == 2


def test_in_the_next_round_all_tokens_lie_treasure_side_up_again() -> None:
    playout = table(2, f"ring+mouse coin+coin {FIVE_ORCS} orc", "", tokens=deck.TYPES)
    go(playout, "draw 0", "draw 1", *["draw"] * 6, "take 0", "take 1")
    view = game_view(playout)
    assert (view["phase"], view["orcs"], view["gnome_tokens"]) == ("drawing", 0, 0)
    assert view["tokens"] == list(deck.TYPES)
    go(playout, "draw 0", "take 0 ring")
    (seat,) = {0, 1} - set(playout.waiting())
    gnome = game_view(playout)["gnomes"][seat]
    assert (gnome["token"], gnome["token_side"]) == ("ring", "treasure")
