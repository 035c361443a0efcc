"""The deal, the discards and the bids."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import BadOptions
from domain.game import MOST_CHANGES
from domain.games.hold_my_beer.state import DECK
from domain.registry import games
from domain.tarot.cards import in_order, total
from domain.visibility import SPECTATOR, see
from projections.redaction import redact_all
from tests.domain_tarot.hands import refusal, view
from tests.support.play import Playout, new

VIEWERS = (0, 1, 2, SPECTATOR)


def table(**settings: Any) -> Playout:
    return new("hold-my-beer", 3, **settings)


def dealt_in_order() -> Playout:
    """Seat 0 starts and holds the trumps 1 to 18, seat 1 the rest up to spades-10, seat 2 what follows."""
    return table(outcomes={"starter": (0, 1, 2), "hand-1/deal": in_order(DECK)})


def discarded(playout: Playout, *cards: str) -> Playout:
    for seat, card in enumerate(cards):
        playout.act(seat, "discard", card=card)
    return playout


def told(playout: Playout, viewer: int) -> list[dict[str, Any]]:
    """The events of the last commit as ``viewer`` gets them."""
    return redact_all(playout.commits[-1].events, viewer)


def test_it_is_for_three_seats() -> None:
    assert games()["hold-my-beer"].seats == (3,)


def test_each_seat_gets_18_of_the_54_cards_worth_80_points_and_the_talon_is_empty() -> None:
    state = table().state
    assert [len(hand) for hand in state.hands] == [18, 18, 18]
    assert {card for hand in state.hands for card in hand} == set(DECK)
    assert total(DECK) == 80
    assert state.talon == ()


def test_the_first_starting_seat_is_drawn_and_the_deal_is_a_shuffle_of_its_own() -> None:
    playout = table()
    assert list(playout.dealer.dealt) == ["starter", "hand-1/deal"]
    assert playout.state.starter == playout.dealer.dealt["starter"][0]
    starters = {table(key=bytes([number]) * 32).state.starter for number in range(12)}
    assert starters == {0, 1, 2}


def test_a_seat_is_told_its_own_cards_of_the_deal_and_others_only_how_many() -> None:
    playout = dealt_in_order()
    order = in_order(DECK)
    for viewer in VIEWERS:
        dealt = told(playout, viewer)[-1]
        mine = range(18 * viewer, 18 * viewer + 18) if viewer >= 0 else range(0)
        assert dealt["order"] == tuple(card if n in mine else None for n, card in enumerate(order))
        hands = view(playout, viewer)["hands"]
        assert hands == tuple(order[18 * s : 18 * s + 18] if s == viewer else (None,) * 18 for s in range(3))


def test_all_seats_discard_at_the_same_time() -> None:
    playout = dealt_in_order()
    assert playout.waiting() == (0, 1, 2)
    playout.act(1, "discard", card="fool")
    assert playout.waiting() == (0, 2)
    assert playout.offers(0) == [{"type": "discard", "card": {"one_of": list(playout.state.hands[0])}}]


def test_a_discard_is_secret_and_only_who_has_chosen_is_public() -> None:
    playout = dealt_in_order()
    playout.act(1, "discard", card="fool")
    for viewer in VIEWERS:
        card = {"card": "fool"} if viewer == 1 else {}
        assert told(playout, viewer) == [{"type": "discard_chosen", "seat": 1} | card]
        assert view(playout, viewer)["chosen"] == (False, True, False)
        assert view(playout, viewer).get("discard") == card.get("card")
        assert len(view(playout, viewer)["hands"][1]) == 18


def test_when_the_last_seat_has_chosen_three_cards_lie_in_the_talon_and_17_in_each_hand() -> None:
    playout = discarded(dealt_in_order(), "trump-18", "fool", "clubs-7")
    assert playout.state.phase == "bidding"
    assert playout.state.talon == ("trump-18", "fool", "clubs-7")
    assert [len(hand) for hand in playout.state.hands] == [17, 17, 17]
    for viewer in VIEWERS:
        cards = tuple(
            card if seat == viewer else None for seat, card in enumerate(("trump-18", "fool", "clubs-7"))
        )
        assert told(playout, viewer)[-1] == {"type": "discarded", "cards": cards}
        assert view(playout, viewer)["talon"] == (None, None, None)
    assert view(playout, 1)["discard"] == "fool"
    assert "discard" not in view(playout, SPECTATOR)


def test_a_seat_may_know_nothing_of_the_choices_of_others() -> None:
    playout = dealt_in_order()
    playout.act(0, "discard", card="trump-18")
    playout.act(1, "discard", card="fool")
    assert [see(playout.state, viewer).picks for viewer in VIEWERS] == [
        ("trump-18", None, None),
        (None, "fool", None),
        (None, None, None),
        (None, None, None),
    ]
    playout.act(2, "discard", card="clubs-7")
    assert [see(playout.state, viewer).discards for viewer in VIEWERS] == [
        ("trump-18", None, None),
        (None, "fool", None),
        (None, None, "clubs-7"),
        (None, None, None),
    ]


def test_the_talon_is_kept_in_card_order_whoever_discarded_what() -> None:
    playout = dealt_in_order()
    playout.act(2, "discard", card="clubs-7")
    playout.act(1, "discard", card="spades-7")
    playout.act(0, "discard", card="trump-1")
    assert playout.state.talon == ("trump-1", "spades-7", "clubs-7")


def test_a_discard_may_be_changed_until_the_last_seat_has_chosen() -> None:
    playout = dealt_in_order()
    playout.act(0, "discard", card="trump-1")
    playout.act(0, "discard", card="trump-2")
    discarded_by_others = [(1, "fool"), (2, "clubs-7")]
    for seat, card in discarded_by_others:
        playout.act(seat, "discard", card=card)
    assert playout.state.talon == ("trump-2", "fool", "clubs-7")
    assert "trump-1" in playout.state.hands[0]
    assert refusal(playout, 0, "discard", card="trump-3") == (
        "illegal_action: discard is not possible now: all seats have discarded, and no discard can be changed"
        " any more; possible: bid"
    )


def test_the_same_discard_again_is_accepted_and_is_a_commit() -> None:
    playout = dealt_in_order()
    playout.act(0, "discard", card="trump-1")
    before = len(playout.commits)
    playout.act(0, "discard", card="trump-1")
    assert len(playout.commits) == before + 1


def test_a_choice_can_be_changed_eight_times_and_no_more() -> None:
    playout = dealt_in_order()
    for rank in range(1, 2 + MOST_CHANGES):
        playout.act(0, "discard", card=f"trump-{rank}")
    assert playout.offers(0) == []
    assert refusal(playout, 0, "discard", card="trump-1") == (
        "not_your_turn: a choice can be changed 8 times, and this seat has done so; "
        "the game waits for seat 1, seat 2"
    )
    playout.act(1, "discard", card="fool")
    playout.act(2, "discard", card="clubs-7")
    assert playout.state.talon[0] == f"trump-{1 + MOST_CHANGES}"
    assert playout.offers(0) == [{"type": "bid", "place": {"one_of": [1, 2, 3]}}]


def test_a_card_that_the_seat_does_not_hold_cannot_be_discarded() -> None:
    held = ", ".join(dealt_in_order().state.hands[0])
    assert refusal(dealt_in_order(), 0, "discard", card="fool") == (
        f"illegal_action: you cannot discard 'fool': you hold {held}"
    )


def test_bids_are_secret_until_the_last_seat_has_bid() -> None:
    playout = discarded(dealt_in_order(), "trump-18", "fool", "clubs-7")
    playout.act(2, "bid", place=2)
    playout.act(2, "bid", place=3)
    playout.act(0, "bid", place=3)
    for viewer in VIEWERS:
        own = {0: 3, 2: 3}.get(viewer)
        assert told(playout, viewer) == [
            {"type": "bid_chosen", "seat": 0} | ({"place": 3} if viewer == 0 else {})
        ]
        shown = view(playout, viewer)
        assert (shown["chosen"], shown["bids"], shown.get("bid")) == ((True, False, True), (), own)
    assert playout.waiting() == (1,)
    playout.act(1, "bid", place=1)
    for viewer in VIEWERS:
        assert told(playout, viewer)[-1] == {"type": "bids_revealed", "bids": (3, 1, 3)}
        shown = view(playout, viewer)
        assert shown["bids"] == (3, 1, 3)
        assert "bid" not in shown
        assert "chosen" not in shown


@pytest.mark.parametrize("place", [0, 4, -1, "1", True, 1.0, None])
def test_only_the_places_1_to_3_can_be_bid(place: object) -> None:
    playout = discarded(dealt_in_order(), "trump-18", "fool", "clubs-7")
    assert refusal(playout, 0, "bid", place=place).endswith("it is one of 1, 2, 3")


def test_after_the_bids_the_starting_seat_leads() -> None:
    playout = table(outcomes={"starter": (2, 0, 1), "hand-1/deal": in_order(DECK)})
    discarded(playout, "trump-18", "fool", "clubs-7")
    for seat in range(3):
        playout.act(seat, "bid", place=1)
    assert playout.waiting() == (2,)
    assert view(playout, 0)["turn"] == 2
    assert refusal(playout, 0, "play", card="trump-1") == (
        "not_your_turn: seat 0 cannot act now; the game waits for seat 2"
    )


def test_an_option_that_is_unknown_or_of_the_wrong_type_is_refused_by_its_name() -> None:
    for raw, option in (
        ({"long": True}, "long"),
        ({"overtrump_on_trump_lead": 1}, "overtrump_on_trump_lead"),
    ):
        with pytest.raises(BadOptions) as refused:
            table(options=raw)
        assert refused.value.detail == {"option": option}
