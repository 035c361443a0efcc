"""Drafting (RULES.md, 'A round')."""

from __future__ import annotations

import pytest

from domain.errors import Rejected
from domain.games.trinket_trove import events
from tests.games.trinket_trove.given import bid, draft, game_view, only, table
from tests.support.play import Playout


def bidden() -> Playout:
    """Three seats have bid; the new order is 1, 2, 0.

    lot-1: feather, mirror; lot-2: gem; lot-3: crayon; bid-1: marble, marble; bid-2: shell; bid-0: bell.
    """
    playout = table(
        ["bell lure lure lure", "marble marble lure lure", "shell gear gear gear"],
        order=(0, 1, 2),
        pile="feather gem crayon key key key",
        timer="mirror button",
    )
    bid(playout, 0, "bell")
    bid(playout, 1, "marble marble")
    bid(playout, 2, "shell")
    assert playout.state.order == (1, 2, 0)
    return playout


def refusal(playout: Playout, seat: int, lots: object) -> str:
    with pytest.raises(Rejected) as refused:
        playout.act(seat, "draft", lots=lots)
    assert refused.value.code == "illegal_action"
    return refused.value.message


def test_a_seat_drafts_exactly_two_lots_of_the_row_or_bids_of_others() -> None:
    playout = bidden()
    assert playout.offers(1) == [
        {
            "type": "draft",
            "lots": {"some_of": ["lot-1", "lot-2", "lot-3", "bid-2", "bid-0"], "min": 2, "max": 2},
        }
    ]
    taken = only(draft(playout, 1, "bid-0 lot-1"), events.LotsClaimed)
    assert taken == events.LotsClaimed(1, ("lot-1", "bid-0"), ("feather", "mirror", "bell"), "chosen")
    assert playout.state.hands[1] == ("mirror", "lure", "lure", "feather", "bell")


def test_bids_are_offered_from_the_strongest_to_the_weakest() -> None:
    playout = bidden()
    draft(playout, 1, "lot-2 lot-3")
    assert playout.offers(2)[0]["lots"]["some_of"] == ["lot-1", "bid-1", "bid-0"]


def test_the_new_order_is_the_order_of_drafting() -> None:
    playout = bidden()
    assert playout.waiting() == (1,)
    draft(playout, 1, "lot-1 lot-2")
    assert playout.waiting() == (2,)
    assert playout.offers(0) == []


def test_the_own_bid_cannot_be_claimed() -> None:
    playout = bidden()
    message = refusal(playout, 1, ["bid-1", "lot-1"])
    assert message == (
        "your own bid (bid-1) is not yours to claim; claimable: lot-1, lot-2, lot-3, bid-2, bid-0"
    )


def test_a_claimed_lot_cannot_be_claimed_again() -> None:
    playout = bidden()
    draft(playout, 1, "lot-1 bid-0")
    assert refusal(playout, 2, ["lot-1", "lot-2"]) == (
        "lot-1 was claimed by seat 1; claimable: lot-2, lot-3, bid-1"
    )


@pytest.mark.parametrize("lots", [[], ["lot-1"], ["lot-1", "lot-2", "lot-3"]])
def test_one_lot_or_three_are_refused(lots: list[str]) -> None:
    assert refusal(bidden(), 1, lots) == f"you claim exactly 2 lots; you named {len(lots)}"


def test_the_same_lot_twice_is_refused() -> None:
    assert refusal(bidden(), 1, ["lot-1", "lot-1"]) == (
        "lot-1 is one lot and can be claimed once; you named it 2 times"
    )


@pytest.mark.parametrize("lots", [["lot-1", "lot-4"], ["lot-1", "bid-nimbus"], ["lot-1", "gem"]])
def test_lots_that_are_not_there_are_refused(lots: list[str]) -> None:
    assert refusal(bidden(), 1, lots).startswith(
        f"there is no lot '{lots[1]}' in this round; claimable: lot-1"
    )


@pytest.mark.parametrize("lots", ["lot-1", [1, 2], [["lot-1"], "lot-2"], None, {"lot-1": 1, "lot-2": 1}])
def test_what_is_no_list_of_lots_is_refused(lots: object) -> None:
    playout = bidden()
    assert refusal(playout, 1, lots)
    assert playout.state.claims == ()


def test_a_bid_while_lots_are_drafted_is_refused() -> None:
    playout = bidden()
    with pytest.raises(Rejected) as refused:
        playout.act(1, "bid", cards=[])
    assert refused.value.message == (
        "bid is not possible now: the bidding is over; it is your turn to draft two lots"
    )


def test_the_last_takes_what_is_left_without_being_asked() -> None:
    playout = bidden()
    draft(playout, 1, "lot-1 bid-0")
    happened = draft(playout, 2, "lot-2 lot-3")
    last = [event for event in happened if isinstance(event, events.LotsClaimed)][-1]
    assert last == events.LotsClaimed(0, ("bid-1", "bid-2"), ("marble", "marble", "shell"), "last")
    assert playout.state.hands[0] == ("lure", "lure", "lure", "marble", "marble", "shell")


def test_the_last_may_be_left_with_its_own_bid() -> None:
    playout = bidden()
    draft(playout, 1, "lot-1 bid-2")
    happened = draft(playout, 2, "lot-2 bid-1")
    last = [event for event in happened if isinstance(event, events.LotsClaimed)][-1]
    assert last == events.LotsClaimed(0, ("lot-3", "bid-0"), ("crayon", "bell"), "last")


def test_the_turn_order_carries_over_to_the_next_bidding() -> None:
    playout = bidden()
    draft(playout, 1, "lot-1 bid-0")
    happened = draft(playout, 2, "lot-2 lot-3")
    began = only(happened, events.RoundBegan)
    assert began == events.RoundBegan(2, (1, 2, 0), (("key", "button"), ("key",), ("key",)), 1)
    assert (playout.state.round, playout.state.phase, playout.waiting()) == (2, "bidding", (1,))


def test_claims_stay_visible_until_the_next_round_begins() -> None:
    playout = bidden()
    draft(playout, 1, "lot-1 bid-0")
    shown = game_view(playout)
    assert {lot["lot"]: lot.get("claimed_by") for lot in shown["lots"] + shown["bids"]} == {
        "lot-1": 1,
        "lot-2": None,
        "lot-3": None,
        "bid-1": None,
        "bid-2": None,
        "bid-0": 1,
    }
    assert shown["lots"][0] == {"lot": "lot-1", "cards": ["feather", "mirror"], "claimed_by": 1}
    draft(playout, 2, "lot-2 lot-3")
    shown = game_view(playout)
    assert shown["bids"] == []
    assert [lot["cards"] for lot in shown["lots"]] == [["key", "button"], ["key"], ["key"]]
    assert not any("claimed_by" in lot for lot in shown["lots"])


def test_who_claimed_which_and_why_stays_in_view_until_the_next_round_is_drafted() -> None:
    playout = bidden()
    assert game_view(playout)["claims"] == []
    draft(playout, 1, "lot-1 bid-0")
    chosen = {"round": 1, "who": 1, "lots": ["lot-1", "bid-0"], "why": "chosen"}
    assert game_view(playout)["claims"] == [chosen]
    draft(playout, 2, "lot-2 lot-3")
    claims = [
        chosen,
        {"round": 1, "who": 2, "lots": ["lot-2", "lot-3"], "why": "chosen"},
        {"round": 1, "who": 0, "lots": ["bid-1", "bid-2"], "why": "last"},
    ]
    assert (game_view(playout)["round"], game_view(playout)["claims"]) == (2, claims)
    for seat in playout.state.order:
        bid(playout, seat)
    assert game_view(playout)["claims"] == claims
    (seat,) = playout.waiting()
    draft(playout, seat, "lot-1 lot-2")
    assert game_view(playout)["claims"] == [
        {"round": 2, "who": seat, "lots": ["lot-1", "lot-2"], "why": "chosen"}
    ]


def test_there_is_no_hand_limit() -> None:
    playout = table(["lure lure lure lure", "gem gem gem gem", "key key key key"], order=(0, 1, 2))
    for _ in range(6):
        order = playout.state.order
        for seat in order:
            bid(playout, seat)
        while playout.state.phase == "drafting" and playout.state.bids:
            (seat,) = playout.waiting()
            draft(playout, seat, " ".join(playout.offers(seat)[0]["lots"]["some_of"][:2]))
            if playout.table.over:
                break
    assert playout.table.over
    assert sum(map(len, playout.state.hands)) == 12 + 6 * 7
    assert max(map(len, playout.state.hands)) > 15
