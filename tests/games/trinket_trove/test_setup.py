"""Cards, setup and the course of the rounds (RULES.md, 'Cards', 'Setup', 'A round')."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from domain.errors import BadOptions
from domain.game import Game
from domain.games.trinket_trove import GAME, deck, events
from tests.games.trinket_trove.given import game_view, only, table
from tests.support.play import new

SEATS = (2, 3, 4, 5, 6)


def test_the_deck_has_two_full_sets_of_each_trinket_and_four_mirrors() -> None:
    counts = Counter(deck.CARDS)
    assert sum(counts.values()) == 112
    assert counts.pop("mirror") == 4
    assert counts == {
        "lure": 14,
        "feather": 14,
        "gem": 12,
        "crayon": 12,
        "bottlecap": 10,
        "marble": 10,
        "key": 8,
        "shell": 8,
        "gear": 6,
        "button": 6,
        "thimble": 4,
        "bell": 4,
    }


def test_every_ladder_is_as_long_as_the_value_of_its_trinket() -> None:
    assert deck.VALUES["mirror"] == 8
    assert {name: len(ladder) for name, ladder in deck.LADDERS.items()} == {
        name: number for name, number in deck.VALUES.items() if name != "mirror"
    }
    assert deck.LADDERS["lure"] == (5, 10, 15, 20, 25, 80, 175)
    assert deck.LADDERS["crayon"] == (20, 10, 0, 80, 100, 120)


@pytest.mark.parametrize("seats", SEATS)
def test_each_seat_is_dealt_four_cards_and_never_a_mirror(seats: int) -> None:
    for key in range(20):
        playout = new("trinket-trove", seats, key=bytes([key]) * 32)
        dealt = only(playout.events, events.Dealt)
        hands = [dealt.order[4 * seat : 4 * seat + 4] for seat in range(seats)]
        assert playout.state.hands == tuple(deck.in_order(hand) for hand in hands)
        assert all(len(hand) == 4 and "mirror" not in hand for hand in playout.state.hands)


@pytest.mark.parametrize(("seats", "timer"), [(2, 6), (3, 6), (4, 6), (5, 10), (6, 10)])
def test_the_mirrors_are_shuffled_in_before_the_timer_deck_is_taken(seats: int, timer: int) -> None:
    shuffled = only(new("trinket-trove", seats).events, events.DeckShuffled)
    assert shuffled.timer == timer
    assert Counter(shuffled.order)["mirror"] == 4
    assert len(shuffled.order) == 112 - 4 * seats


def test_a_mirror_can_be_a_timer_card() -> None:
    playout = table(["lure lure lure lure"] * 3, timer="mirror", pile="key bell gear")
    assert playout.state.lots == (("key", "mirror"), ("bell",), ("gear",))


@pytest.mark.parametrize("seats", SEATS)
def test_every_shuffle_has_a_label_of_its_own(seats: int) -> None:
    playout = new("trinket-trove", seats)
    assert list(playout.dealer.dealt) == ["order", "deal", "deck"]
    playout.play(random.Random(1))
    assert list(playout.dealer.dealt) == ["order", "deal", "deck"]


def test_the_first_turn_order_is_drawn() -> None:
    orders = {new("trinket-trove", 4, key=bytes([key]) * 32).state.order for key in range(60)}
    assert {frozenset(order) for order in orders} == {frozenset(range(4))}
    assert len(orders) > 12


def test_nimbus_stands_in_the_first_turn_order_of_two_players_only() -> None:
    firsts = {new("trinket-trove", 2, key=bytes([key]) * 32).state.order[0] for key in range(40)}
    assert firsts == {0, 1, "nimbus"}
    assert table(["key key key key", "gem gem gem gem"], order=(1, 2, 0)).state.order == (1, "nimbus", 0)
    assert new("trinket-trove", 3).state.order.count("nimbus") == 0


@pytest.mark.parametrize(("seats", "lots"), [(2, 3), (3, 3), (4, 4), (5, 5), (6, 6)])
def test_each_round_lays_out_one_lot_for_each_player_nimbus_included(seats: int, lots: int) -> None:
    playout = new("trinket-trove", seats).play(random.Random(2))
    began = [event for event in playout.events if isinstance(event, events.RoundBegan)]
    assert all(len(event.lots) == lots for event in began)


@pytest.mark.parametrize(
    ("seats", "rounds", "doubled"), [(2, 6, 1), (3, 6, 1), (4, 6, 1), (5, 5, 2), (6, 5, 2)]
)
def test_timer_cards_lie_on_the_first_lots_until_the_timer_deck_is_empty(
    seats: int, rounds: int, doubled: int
) -> None:
    playout = new("trinket-trove", seats).play(random.Random(3))
    began = [event for event in playout.events if isinstance(event, events.RoundBegan)]
    assert [event.round for event in began] == list(range(1, rounds + 1))
    for event in began:
        assert [len(lot) for lot in event.lots] == [2] * doubled + [1] * (len(event.lots) - doubled)
    shuffled = only(playout.events, events.DeckShuffled)
    assert [lot[1] for event in began for lot in event.lots[:doubled]] == list(
        shuffled.order[: shuffled.timer]
    )
    assert playout.state.timer == ()
    assert playout.table.status == "finished"


def test_lots_are_drawn_from_the_top_of_the_draw_deck() -> None:
    playout = table(["lure lure lure lure"] * 3, timer="bell", pile="key gem gear")
    assert playout.state.lots == (("key", "bell"), ("gem",), ("gear",))
    assert [lot["lot"] for lot in game_view(playout)["lots"]] == ["lot-1", "lot-2", "lot-3"]


@pytest.mark.parametrize("seats", SEATS)
def test_the_draw_deck_cannot_run_out_even_if_everybody_always_bids_0(seats: int) -> None:
    playout = new("trinket-trove", seats)
    while not playout.table.over:
        (seat,) = playout.waiting()
        (offer,) = playout.offers(seat)
        action = {"type": offer["type"]}
        for name, choice in offer.items():
            if name != "type":
                action[name] = choice["some_of"][: choice["min"]]
        playout.do(seat, action)
    assert len(playout.state.pile) == {2: 56, 3: 58, 4: 42, 5: 32, 6: 18}[seats]


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"mirrors": True}, 3)
    assert refused.value.detail == {"option": "mirrors"}


@pytest.mark.parametrize("wrong", ["true", 1, None, [True]])
def test_lone_mirrors_is_true_or_false(wrong: object) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"lone_mirrors": wrong}, 3)
    assert refused.value.detail == {"option": "lone_mirrors"}


def test_lone_mirrors_is_off_unless_asked_for() -> None:
    assert not GAME.parse_options({}, 2).lone_mirrors
    assert GAME.parse_options({"lone_mirrors": True}, 2).lone_mirrors


def test_the_catalogue_names_the_game() -> None:
    assert isinstance(GAME, Game)
    assert (GAME.name, GAME.title, GAME.seats) == ("trinket-trove", "Trinket Trove", SEATS)
    assert list(GAME.action_shapes) == ["bid", "draft", "choose_for_nimbus"]
    for trinket, ladder in deck.LADDERS.items():
        assert f"| {trinket.title()} | {len(ladder)} | {', '.join(map(str, ladder))} |" in GAME.help
