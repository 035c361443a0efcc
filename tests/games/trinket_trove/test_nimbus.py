"""The bot of a table of two (RULES.md, 'Nimbus, at a table of two')."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from domain.errors import Rejected
from domain.events import Event
from domain.games.trinket_trove import events
from domain.games.trinket_trove.lots import strongest
from tests.games.trinket_trove.given import bid, draft, game_view, only, table
from tests.support.play import Playout


def claims(happened: Sequence[Event]) -> list[events.LotsClaimed]:
    return [event for event in happened if isinstance(event, events.LotsClaimed)]


def one_place_tied() -> Playout:
    """The new order is nimbus, 1, 0. lot-1 is sure; lot-3, bid-1 and bid-0 (all Value 3) tie for a place."""
    playout = table(
        ["gear lure lure lure", "button lure lure lure"],
        order=(2, 0, 1),
        pile="key bell gear mirror mirror",
        timer="shell",
    )
    bid(playout, 0, "gear")
    bid(playout, 1, "button")
    return playout


def two_places_tied() -> Playout:
    """The new order is nimbus, 1, 0. lot-1 and both bids (two cards, together 4) tie for both places."""
    playout = table(
        ["bell thimble lure lure", "bell thimble gem gem"],
        order=(2, 0, 1),
        pile="bell feather gear mirror mirror",
        timer="thimble",
    )
    bid(playout, 0, "bell thimble")
    bid(playout, 1, "thimble bell")
    return playout


def tied_after_a_seat() -> Playout:
    """The new order is 0, nimbus, 1. Seat 0 has drafted lot-1 and bid-nimbus; lot-2, lot-3 and bid-1 tie."""
    playout = table(
        ["lure lure lure lure", "button key key key"],
        order=(2, 1, 0),
        pile="key gear gear mirror mirror",
        timer="shell",
    )
    bid(playout, 1, "button")
    bid(playout, 0, "lure lure lure")
    assert playout.state.order == (0, "nimbus", 1)
    draft(playout, 0, "lot-1 bid-nimbus")
    return playout


def test_nimbus_bids_two_cards_flipped_from_the_draw_deck_whenever_it_is_its_turn() -> None:
    playout = table(
        ["key key key key", "gem gem gem gem"], order=(2, 0, 1), pile="bell bell gear mirror thimble lure"
    )
    made = [event for event in playout.events if isinstance(event, events.BidMade)]
    assert made == [events.BidMade("nimbus", ("mirror", "thimble"), "nimbus")]
    assert playout.state.pile[0] == "lure"
    assert playout.waiting() == (0,)


def test_nimbus_bids_at_once_when_the_seat_before_it_has_bid() -> None:
    playout = table(
        ["key key key key", "gem gem gem gem"], order=(0, 2, 1), pile="bell bell gear lure mirror thimble"
    )
    assert playout.state.bids == ()
    happened = bid(playout, 0)
    assert [event for event in happened if isinstance(event, events.BidMade)] == [
        events.BidMade(0, ("lure",), "zero"),
        events.BidMade("nimbus", ("mirror", "thimble"), "nimbus"),
    ]
    assert playout.waiting() == (1,)


def test_the_bid_of_nimbus_ranks_like_any_other() -> None:
    playout = table(
        ["key key key key", "gem gem gem gem"], order=(0, 2, 1), pile="bell bell gear mirror thimble"
    )
    bid(playout, 0, "key key key")
    bid(playout, 1, "gem gem")
    assert playout.state.order == (0, 1, "nimbus")


def test_nimbus_takes_the_two_strongest_lots_out_of_the_game_face_up() -> None:
    playout = table(
        ["key bell lure lure", "gem gem lure lure"],
        order=(2, 0, 1),
        pile="bell bell feather mirror mirror",
        timer="gear",
    )
    bid(playout, 0, "key bell")
    happened = bid(playout, 1, "gem")
    assert claims(happened) == [
        events.LotsClaimed("nimbus", ("lot-1", "bid-0"), ("bell", "gear", "key", "bell"), "strongest")
    ]
    assert game_view(playout)["removed"] == ["bell", "gear", "key", "bell"]
    assert playout.state.hands == (("lure", "lure"), ("lure", "lure", "gem"))


def test_more_cards_are_stronger_for_nimbus_than_a_higher_value() -> None:
    lots = {"lot-1": ("bell", "bell"), "lot-2": ("mirror",), "lot-3": ("lure",)}
    assert strongest(lots, 2) == (("lot-1", "lot-2"), ())


def test_a_flipped_0_bid_is_a_lot_of_one_card_for_nimbus() -> None:
    playout = table(
        ["button lure lure lure", "button key key key"],
        order=(2, 0, 1),
        pile="bell bell gear mirror mirror feather",
        timer="gear",
    )
    bid(playout, 0, "button")
    happened = bid(playout, 1)
    assert only(happened, events.OrderSet).order == ("nimbus", 0, 1)
    assert claims(happened)[0].lots == ("lot-1", "bid-1")


def test_nimbus_may_not_claim_its_own_bid_unless_it_is_last() -> None:
    playout = one_place_tied()
    assert "bid-nimbus" not in playout.state.tied + playout.state.sure


def test_nimbus_as_last_takes_what_is_left_its_own_bid_included() -> None:
    playout = table(
        ["key key key key", "gem gem gem gem"], order=(2, 0, 1), pile="bell bell gear mirror mirror"
    )
    bid(playout, 0, "key key key")
    bid(playout, 1, "gem gem gem")
    assert playout.state.order == (1, 0, "nimbus")
    draft(playout, 1, "lot-1 bid-0")
    happened = draft(playout, 0, "bid-1 lot-3")
    assert claims(happened)[-1] == events.LotsClaimed(
        "nimbus", ("lot-2", "bid-nimbus"), ("bell", "mirror", "mirror"), "last"
    )


def test_lots_that_tie_for_as_many_places_are_taken_without_a_choice() -> None:
    playout = table(
        ["key key lure lure", "gem gem lure lure"],
        order=(2, 0, 1),
        pile="key bell bell mirror mirror",
        timer="shell",
    )
    bid(playout, 0, "key key")
    happened = bid(playout, 1, "gem")
    assert claims(happened)[0].lots == ("lot-1", "bid-0")
    assert claims(happened)[0].why == "strongest"


def test_more_lots_that_tie_than_places_are_put_to_the_seat_nearest_to_first() -> None:
    playout = one_place_tied()
    assert playout.state.order == ("nimbus", 1, 0)
    tied = only(playout.events, events.NimbusTied)
    assert tied == events.NimbusTied(1, ("lot-1",), ("lot-3", "bid-1", "bid-0"), 1)
    assert playout.waiting() == (1,)
    assert playout.offers(0) == []
    assert playout.offers(1) == [
        {
            "type": "choose_for_nimbus",
            "lots": {"some_of": ["lot-3", "bid-1", "bid-0"], "min": 1, "max": 1},
        }
    ]


def test_lots_of_equal_cards_are_put_to_a_seat_as_well() -> None:
    playout = one_place_tied()
    assert playout.state.lots[2] == playout.state.bids[1].cards == ("gear",)
    assert {"lot-3", "bid-0"} <= set(playout.state.tied)


@pytest.mark.parametrize(("lot", "card"), [("lot-3", "gear"), ("bid-1", "button"), ("bid-0", "gear")])
def test_the_chosen_lot_goes_to_nimbus_with_the_sure_one(lot: str, card: str) -> None:
    playout = one_place_tied()
    happened = playout.act(1, "choose_for_nimbus", lots=[lot])
    assert happened == (
        events.TieBroken(1, (lot,)),
        events.LotsClaimed("nimbus", ("lot-1", lot), ("key", "shell", card), "tie_broken"),
    )
    assert playout.state.tied == playout.state.sure == ()
    assert playout.waiting() == (1,)
    assert playout.offers(1)[0]["type"] == "draft"


def test_the_choosing_seat_may_give_nimbus_its_own_bid() -> None:
    playout = one_place_tied()
    playout.act(1, "choose_for_nimbus", lots=["bid-1"])
    assert "button" in playout.state.removed


def test_both_places_are_chosen_at_once_where_all_tie() -> None:
    playout = two_places_tied()
    assert only(playout.events, events.NimbusTied) == events.NimbusTied(1, (), ("lot-1", "bid-1", "bid-0"), 2)
    happened = playout.act(1, "choose_for_nimbus", lots=["bid-0", "lot-1"])
    assert claims(happened)[0].lots == ("lot-1", "bid-0")
    assert playout.offers(1)[0]["lots"]["some_of"] == ["lot-2", "lot-3", "bid-nimbus"]


def test_a_seat_that_has_drafted_already_chooses_if_it_is_nearest_to_first() -> None:
    playout = tied_after_a_seat()
    assert playout.waiting() == (0,)
    (offer,) = playout.offers(0)
    # bid-0 with three cards is sure.
    assert offer == {
        "type": "choose_for_nimbus",
        "lots": {"some_of": ["lot-2", "lot-3", "bid-1"], "min": 1, "max": 1},
    }
    happened = playout.act(0, "choose_for_nimbus", lots=["lot-3"])
    assert [claim.who for claim in claims(happened)] == ["nimbus", 1]
    assert claims(happened)[0].lots == ("lot-3", "bid-0")
    assert claims(happened)[1].lots == ("lot-2", "bid-1")
    assert playout.state.round == 2


def test_the_view_says_who_chooses_among_what_and_why() -> None:
    shown = game_view(one_place_tied())
    assert shown["turn"] == {"seat": 1, "action": "choose_for_nimbus", "why": "nearest_to_first"}
    assert shown["tie"] == {"lots": ["lot-3", "bid-1", "bid-0"], "places": 1, "sure": ["lot-1"]}
    assert "tie" not in game_view(tied_after_the_choice())


def tied_after_the_choice() -> Playout:
    playout = one_place_tied()
    playout.act(1, "choose_for_nimbus", lots=["lot-3"])
    return playout


@pytest.mark.parametrize(
    ("lots", "message"),
    [
        (["lot-1"], "'lot-1' is not one of the tied lots; tied: lot-3, bid-1, bid-0"),
        (["bid-nimbus"], "'bid-nimbus' is not one of the tied lots; tied: lot-3, bid-1, bid-0"),
        ([], "Nimbus has places for exactly 1 of the tied lots; you named 0"),
        (["lot-3", "bid-0"], "Nimbus has places for exactly 1 of the tied lots; you named 2"),
        (["lot-3", "lot-3"], "lot-3 is one lot and can be claimed once; you named it 2 times"),
    ],
)
def test_a_choice_that_is_not_among_the_tied_lots_is_refused(lots: list[str], message: str) -> None:
    playout = one_place_tied()
    with pytest.raises(Rejected) as refused:
        playout.act(1, "choose_for_nimbus", lots=lots)
    assert (refused.value.code, refused.value.message) == ("illegal_action", message)
    assert playout.state.tied


@pytest.mark.parametrize("kind", ["draft", "bid"])
def test_nothing_else_is_possible_while_a_seat_chooses_for_nimbus(kind: str) -> None:
    playout = one_place_tied()
    with pytest.raises(Rejected) as refused:
        playout.act(1, kind, lots=["lot-2", "lot-3"])
    assert refused.value.message == (
        f"{kind} is not possible now: lots that Nimbus is to take are equally strong, and you choose among"
        " them (choose_for_nimbus)"
    )


def test_nimbus_does_not_score() -> None:
    playout = one_place_tied()
    standing = playout.game.standing(playout.state)
    assert len(standing.scores) == len(standing.places) == 2
    assert len(game_view(playout)["hands"]) == 2


def test_without_nimbus_no_view_speaks_of_removed_cards() -> None:
    playout = table(["key key key key", "gem gem gem gem", "lure lure lure lure"])
    assert "removed" not in game_view(playout)
