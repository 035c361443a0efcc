"""What a greedy bot of Trinket Trove likes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.actions import allows
from domain.games.trinket_trove import advice, deck
from domain.games.trinket_trove.scoring import points
from server.bots import decide
from tests.games.trinket_trove.given import bid, table
from tests.support.play import Playout


def choice(playout: Playout) -> dict[str, Any]:
    (seat,) = playout.waiting()
    action = decide(playout.game, playout.table, seat, "greedy")
    assert action is not None
    return action


def three(pile: str, **cards: Any) -> Playout:
    hands = ["thimble gear gear key", "lure marble marble gem", "feather shell shell crayon"]
    return table(hands, pile=pile, **cards)


def test_it_drafts_the_lots_that_complete_its_sets() -> None:
    playout = three("thimble gear lure lure feather", timer="lure")
    bid(playout, 0, "key")
    bid(playout, 1)
    bid(playout, 2)
    assert playout.waiting() == (0,)
    assert playout.state.lots == (("thimble", "lure"), ("gear",), ("lure",))
    assert set(choice(playout)["lots"]) == {"lot-1", "lot-2"}


@pytest.mark.parametrize("hand", [("gear", "gear"), ("thimble",), ("button", "button"), ("mirror", "bell")])
def test_in_the_last_round_a_hand_is_worth_what_it_scores(hand: tuple[str, ...]) -> None:
    assert advice.worth(hand, three("").state, 0) == points(hand)


@pytest.mark.parametrize("trinket", deck.TRINKETS)
def test_a_set_is_never_worth_less_than_it_scores_or_more_than_it_can_become(trinket: str) -> None:
    state = three("").state
    for number in range(1, 2 * deck.VALUES[trinket] + 1):
        hand = (trinket,) * number
        full = deck.LADDERS[trinket][-1] * -(-number // deck.VALUES[trinket])
        best = max(full, *deck.LADDERS[trinket])
        assert points(hand) <= advice.worth(hand, state, 3) <= best * 2


def test_bids_are_cards_of_the_hand_none_of_them_twice() -> None:
    playout = three("")
    offers = playout.offers(0)
    bids = advice.bids(playout.state, 0)
    assert {"type": "bid", "cards": []} in bids
    assert all(allows(offers, action) for action in bids)
    assert len(bids) == len({tuple(action["cards"]) for action in bids})
    assert max(len(action["cards"]) for action in bids) == advice.DEAREST


def test_with_an_empty_hand_there_is_one_bid() -> None:
    playout = three("")
    hands = ((), *playout.state.hands[1:])
    assert advice.bids(replace(playout.state, hands=hands), 0) == [{"type": "bid"}]


def test_a_dear_set_is_not_bid_away() -> None:
    hands = ["thimble thimble lure gem", "lure marble marble gem", "feather shell shell crayon"]
    playout = table(hands)
    assert "thimble" not in choice(playout).get("cards", ())


def test_nimbus_gets_the_lots_wanted_least() -> None:
    playout = three("")
    seen = replace(
        playout.state,
        phase="drafting",
        tied=("lot-1", "lot-2"),
        lots=(("gear",), ("feather",), ("lure",)),
    )
    wanted = advice.appraise(seen, 0, {"type": "choose_for_nimbus", "lots": ["lot-1"]})
    other = advice.appraise(seen, 0, {"type": "choose_for_nimbus", "lots": ["lot-2"]})
    assert wanted < other
