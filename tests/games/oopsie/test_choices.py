"""The deal, the passes and the bids."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import BadOptions
from domain.game import MOST_CHANGES
from domain.games.oopsie.state import DECK
from domain.registry import games
from domain.tarot.cards import in_order, total
from domain.visibility import SPECTATOR, see
from projections.redaction import redact_all
from tests.domain_tarot.hands import refusal, view
from tests.support.play import Playout, new

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def dealt_in_order() -> Playout:
    """Seat 0 starts and holds the trumps 1 to 14, seat 1 the next 14 in card order, and so on."""
    return new("oopsie", 4, outcomes={"starter": (0, 1, 2, 3), "hand-1/deal": in_order(DECK)})


def passing(playout: Playout, *cards: str) -> Playout:
    for seat, card in enumerate(cards):
        playout.act(seat, "pass", card=card)
    return playout


def bidding(playout: Playout, *places: int) -> Playout:
    for seat, place in enumerate(places):
        playout.act(seat, "bid", place=place)
    return playout


def told(playout: Playout, viewer: int) -> list[dict[str, Any]]:
    """The events of the last commit as ``viewer`` gets them."""
    return redact_all(playout.commits[-1].events, viewer)


FIRST = ("trump-1", "fool", "diamonds-6", "clubs-6")
"""A card of each seat in the deal in order."""


def test_it_is_for_four_seats() -> None:
    assert games()["oopsie"].seats == (4,)


def test_each_seat_gets_14_of_the_58_cards_worth_80_points_and_two_form_the_talon() -> None:
    state = new("oopsie", 4).state
    assert [len(hand) for hand in state.hands] == [14, 14, 14, 14]
    assert len(state.talon) == 2
    assert {card for hand in state.hands for card in hand} | set(state.talon) == set(DECK)
    assert (len(DECK), total(DECK)) == (58, 80)


def test_the_talon_of_the_deal_is_known_to_nobody() -> None:
    playout = dealt_in_order()
    for viewer in VIEWERS:
        dealt = told(playout, viewer)[-1]
        assert dealt["order"][56:] == (None, None)
        assert [card for card in dealt["order"] if card] == (
            list(in_order(DECK)[14 * viewer : 14 * viewer + 14]) if viewer >= 0 else []
        )
        assert view(playout, viewer)["talon"] == (None, None)


def test_the_talon_is_kept_in_card_order_not_as_it_was_dealt() -> None:
    order = tuple(reversed(in_order(DECK)))
    playout = new("oopsie", 4, outcomes={"hand-1/deal": order})
    assert order[56:] == ("trump-2", "trump-1")
    assert playout.state.talon == ("trump-1", "trump-2")


def test_all_pass_a_card_at_the_same_time_and_only_who_has_chosen_is_public() -> None:
    playout = dealt_in_order()
    assert playout.waiting() == (0, 1, 2, 3)
    playout.act(2, "pass", card="diamonds-6")
    assert playout.waiting() == (0, 1, 3)
    for viewer in VIEWERS:
        card = {"card": "diamonds-6"} if viewer == 2 else {}
        assert told(playout, viewer) == [{"type": "pass_chosen", "seat": 2} | card]
        assert view(playout, viewer)["chosen"] == (False, False, True, False)
        assert view(playout, viewer).get("passing") == card.get("card")


def test_the_cards_go_to_the_partners_and_only_giver_and_receiver_know_them() -> None:
    playout = passing(dealt_in_order(), *FIRST)
    hands = playout.state.hands
    assert [FIRST[(seat + 2) % 4] in hands[seat] for seat in range(4)] == [True] * 4
    assert [FIRST[seat] in hands[seat] for seat in range(4)] == [False] * 4
    assert [len(hand) for hand in hands] == [14, 14, 14, 14]
    evens, odds = (FIRST[0], None, FIRST[2], None), (None, FIRST[1], None, FIRST[3])
    for viewer, cards in zip(VIEWERS, (evens, odds, evens, odds, (None,) * 4), strict=True):
        assert told(playout, viewer)[-1] == {"type": "cards_passed", "cards": cards}
    assert view(playout, 0)["passed"] == ("trump-1",)
    assert view(playout, 0)["received"] == ("diamonds-6",)
    assert "passed" not in view(playout, SPECTATOR)
    for viewer in VIEWERS:
        seen = see(playout.state, viewer)
        assert [seat for seat in range(4) if seen.passed[seat] is not None] == [
            s for s in range(4) if s == viewer
        ]
        assert [seat for seat in range(4) if seen.received[seat] is not None] == [
            s for s in range(4) if s == viewer
        ]


def test_between_the_passes_all_bid_in_secret_until_the_last_has_bid() -> None:
    playout = passing(dealt_in_order(), *FIRST)
    assert playout.offers(0) == [{"type": "bid", "place": {"one_of": [1, 2, 3, 4]}}]
    bidding(playout, 4, 3, 2)
    assert playout.waiting() == (3,)
    for viewer in VIEWERS:
        shown = view(playout, viewer)
        assert (shown["bids"], shown.get("bid")) == ((), {0: 4, 1: 3, 2: 2}.get(viewer))
    playout.act(3, "bid", place=3)
    for viewer in VIEWERS:
        assert told(playout, viewer)[-1] == {"type": "bids_revealed", "bids": (4, 3, 2, 3)}
        assert view(playout, viewer)["bids"] == (4, 3, 2, 3)
        assert view(playout, viewer)["phase"] == "passing_again"


@pytest.mark.parametrize("place", [0, 5, "1", True, None])
def test_only_the_places_1_to_4_can_be_bid(place: object) -> None:
    playout = passing(dealt_in_order(), *FIRST)
    assert refusal(playout, 0, "bid", place=place).endswith("it is one of 1, 2, 3, 4")


def test_after_the_bids_all_pass_a_second_card_and_the_starting_seat_leads() -> None:
    playout = bidding(passing(dealt_in_order(), *FIRST), 1, 2, 3, 4)
    assert playout.waiting() == (0, 1, 2, 3)
    passing(playout, "trump-2", "hearts-6", "diamonds-7", "clubs-7")
    assert view(playout, 0)["passed"] == ("trump-1", "trump-2")
    assert view(playout, 2)["received"] == ("trump-1", "trump-2")
    assert [len(hand) for hand in playout.state.hands] == [14, 14, 14, 14]
    assert view(playout, 3)["talon"] == (None, None)
    assert playout.waiting() == (0,)
    assert playout.state.phase == "playing"


def test_the_second_pass_may_be_the_card_just_received() -> None:
    playout = bidding(passing(dealt_in_order(), *FIRST), 1, 2, 3, 4)
    passing(playout, "diamonds-6", "hearts-7", "diamonds-7", "clubs-8")
    assert "diamonds-6" in playout.state.hands[2]
    assert view(playout, 2)["passed"] == ("diamonds-7",)
    assert view(playout, 2)["received"] == ("trump-1", "diamonds-6")
    assert view(playout, 0)["passed"] == ("trump-1", "diamonds-6")
    assert view(playout, 0)["received"] == ("diamonds-7",)


def test_partners_may_both_pass_back_what_they_got() -> None:
    playout = bidding(passing(dealt_in_order(), *FIRST), 1, 2, 3, 4)
    before = dealt_in_order().state.hands
    passing(playout, "diamonds-6", "clubs-6", "trump-1", "fool")
    assert playout.state.hands == before
    assert view(playout, 0)["passed"] == ("diamonds-6",)
    assert view(playout, 0)["received"] == ("trump-1",)


def test_a_pass_can_be_changed_eight_times_until_the_last_has_chosen() -> None:
    playout = dealt_in_order()
    for _ in range(1 + MOST_CHANGES):
        playout.act(0, "pass", card="trump-3")
    assert playout.offers(0) == []
    passing_rest = ((1, "fool"), (2, "diamonds-6"))
    for seat, card in passing_rest:
        playout.act(seat, "pass", card=card)
    playout.act(1, "pass", card="hearts-6")
    playout.act(3, "pass", card="clubs-6")
    assert "hearts-6" in playout.state.hands[3]
    assert "fool" in playout.state.hands[1]


def test_a_card_of_another_hand_cannot_be_passed() -> None:
    held = ", ".join(dealt_in_order().state.hands[0])
    assert refusal(dealt_in_order(), 0, "pass", card="fool") == (
        f"illegal_action: you cannot pass 'fool': you hold {held}"
    )


@pytest.mark.parametrize("option", ["overtrump_on_trump_lead", "bonus_per_member", "long"])
def test_an_option_of_the_wrong_type_is_refused_by_its_name(option: str) -> None:
    with pytest.raises(BadOptions) as refused:
        new("oopsie", 4, options={option: "yes"})
    assert refused.value.detail == {"option": option}


def test_an_unknown_option_is_refused_by_its_name() -> None:
    with pytest.raises(BadOptions) as refused:
        new("oopsie", 4, options={"short": True})
    assert refused.value.detail == {"option": "short"}
