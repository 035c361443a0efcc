"""Bids and their ranking (RULES.md, 'A round')."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.dealing import KeyedDealer
from domain.emitter import Emitted
from domain.errors import Rejected
from domain.games.trinket_trove import GAME, events
from domain.games.trinket_trove.lots import ranked_bids
from domain.games.trinket_trove.state import Bid
from tests.games.trinket_trove.given import bid, game_view, only, table
from tests.support.play import Playout


def four(pile: str = "lure lure lure lure", order: tuple[int, ...] = (0, 1, 2, 3)) -> Playout:
    return table(
        ["key key gem gem", "shell thimble marble marble", "bell bell gem gem", "gear gear button key"],
        order=order,
        pile=pile,
    )


def row(playout: Playout) -> list[object]:
    return [pile["who"] for pile in game_view(playout)["bids"]]


def refusal(playout: Playout, seat: int, **action: object) -> Rejected:
    with pytest.raises(Rejected) as refused:
        playout.do(seat, dict(action))
    return refused.value


def test_the_four_bids_of_the_rulebook_are_ranked_brisby_wander_gouda_templeton() -> None:
    wander, brisby, templeton, gouda = range(4)
    playout = four()
    bid(playout, wander, "key")
    bid(playout, brisby, "shell thimble")
    bid(playout, templeton)
    happened = bid(playout, gouda, "gear")
    assert only(happened, events.OrderSet).order == (brisby, wander, gouda, templeton)
    assert playout.state.order == (brisby, wander, gouda, templeton)
    assert playout.waiting() == (brisby,)


def test_the_row_is_sorted_anew_after_each_bid() -> None:
    playout = four()
    bid(playout, 0, "key")
    assert row(playout) == [0]
    bid(playout, 1, "shell thimble")
    assert row(playout) == [1, 0]
    bid(playout, 2)
    assert row(playout) == [1, 0, 2]
    bid(playout, 3, "gear")
    assert row(playout) == [1, 0, 3, 2]


def test_seats_bid_from_first_to_last_and_nobody_else_may() -> None:
    playout = four(order=(2, 0, 3, 1))
    for seat in (2, 0, 3, 1):
        assert playout.waiting() == (seat,)
        for other in {0, 1, 2, 3} - {seat}:
            assert playout.offers(other) == []
            assert refusal(playout, other, type="bid", cards=[]).code == "not_your_turn"
        bid(playout, seat)
    assert playout.state.phase == "drafting"


def test_a_bid_is_any_number_of_cards_of_the_own_hand() -> None:
    playout = four()
    assert playout.offers(0) == [
        {"type": "bid", "cards": {"some_of": ["gem", "gem", "key", "key"], "min": 0, "max": 4}}
    ]
    made = only(bid(playout, 0, "key gem key"), events.BidMade)
    assert made == events.BidMade(0, ("gem", "key", "key"), "hand")
    assert playout.state.hands[0] == ("gem",)


def test_the_whole_hand_may_be_bid() -> None:
    playout = four()
    bid(playout, 0, "key gem key gem")
    assert playout.state.hands[0] == ()


def test_a_0_bid_flips_the_top_card_of_the_draw_deck() -> None:
    playout = four(pile="lure lure lure lure mirror")
    before = len(playout.state.pile)
    made = only(bid(playout, 0), events.BidMade)
    assert made == events.BidMade(0, ("mirror",), "zero")
    assert len(playout.state.hands[0]) == 4
    assert len(playout.state.pile) == before - 1
    (pile,) = game_view(playout)["bids"]
    assert (pile["zero"], pile["cards"], pile["value"]) == (True, ["mirror"], 8)


def test_a_seat_with_an_empty_hand_is_asked_and_bids_0_without_cards() -> None:
    # Every round brings at least two cards, so no course of a game leads here: the state is made by hand.
    game, state = GAME, replace(four().state, hands=((), ("key",), ("key",), ("key",)))
    assert game.waiting(state) == (0,)
    assert game.actions(state, 0) == [{"type": "bid"}]
    emit = Emitted(game, state)
    game.decide(emit, 0, {"type": "bid"}, KeyedDealer(bytes(32), []))
    assert emit.events == [events.BidMade(0, state.pile[:1], "zero")]
    sentence = game.explain(state, 0, {"type": "bid", "cards": []}, [{"type": "bid"}])
    assert sentence == "your hand is empty, so you can only bid 0: a bid without the parameter cards"


def ranking(*bids: tuple[str, bool]) -> list[object]:
    made = [Bid(who, tuple(cards.split()), zero) for who, (cards, zero) in enumerate(bids)]
    return [placed.who for placed in ranked_bids(made)]


def test_more_cards_beat_a_higher_value() -> None:
    assert ranking(("mirror", False), ("bell bell", False)) == [1, 0]


def test_the_higher_sum_of_values_beats_the_lower() -> None:
    assert ranking(("key bell", False), ("gear key", False), ("bell bell", False)) == [1, 0, 2]


def test_of_equal_bids_the_later_is_stronger() -> None:
    assert ranking(("gem bell", False), ("key shell", False), ("marble gear", False)) == [2, 1, 0]


def test_a_mirror_counts_8_in_a_bid() -> None:
    assert ranking(("mirror", False), ("lure", False)) == [0, 1]
    assert ranking(("mirror", False), ("mirror", False)) == [1, 0]
    assert ranking(("lure bell", False), ("mirror bell", False)) == [1, 0]


def test_a_0_bid_ranks_below_every_bid_of_real_cards() -> None:
    assert ranking(("mirror", True), ("bell", False)) == [1, 0]
    assert ranking(("bell", False), ("mirror", True)) == [0, 1]


def test_0_bids_rank_by_the_flipped_value_and_then_the_later_first() -> None:
    assert ranking(("marble", True), ("gear", True)) == [0, 1]
    assert ranking(("gear", True), ("marble", True)) == [1, 0]
    assert ranking(("marble", True), ("bottlecap", True)) == [1, 0]
    playout = four(pile="lure lure lure lure bottlecap gear marble mirror")
    for seat in range(4):
        bid(playout, seat)
    assert playout.state.order == (3, 2, 0, 1)


def test_cards_that_are_not_held_cannot_be_bid() -> None:
    playout = four()
    refused = refusal(playout, 0, type="bid", cards=["key", "key", "key"])
    assert refused.code == "illegal_action"
    assert refused.message == (
        "a bid is made of cards of your hand, and you hold 2 key, not 3; your hand: gem, gem, key, key"
    )
    assert "you hold 0 bell, not 1" in refusal(playout, 0, type="bid", cards=["gem", "bell"]).message
    assert "'goose' is no trinket" in refusal(playout, 0, type="bid", cards=["goose"]).message
    assert playout.table.version == 6


@pytest.mark.parametrize(
    "action",
    [
        {"type": "bid"},
        {"type": "bid", "cards": "key"},
        {"type": "bid", "cards": [1]},
        {"type": "bid", "cards": [["key"]]},
        {"type": "bid", "cards": None},
        {"type": "bid", "cards": ["key"], "lots": []},
        {"type": "pass"},
        {"type": "draft"},
        {"type": "draft", "lots": ["lot-1", "lot-2"]},
        {"type": "choose_for_nimbus", "lots": ["lot-1"]},
    ],
)
def test_what_is_no_bid_is_refused_while_bids_are_made(action: dict[str, object]) -> None:
    playout = four()
    refused = refusal(playout, 0, **action)
    assert refused.code == "illegal_action"
    assert refused.message
    assert playout.state.bids == ()


def test_the_refusal_of_a_draft_says_that_bids_come_first() -> None:
    refused = refusal(four(), 0, type="draft", lots=["lot-1", "lot-2"])
    assert refused.message == "draft is not possible now: everybody bids first; it is your turn to bid"


def test_the_order_in_which_cards_are_named_makes_no_difference() -> None:
    one, other = four(), four()
    assert bid(one, 0, "key gem key") == bid(other, 0, "key key gem")
