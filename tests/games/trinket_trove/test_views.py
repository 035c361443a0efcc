"""What each viewer sees, and that nothing more can be told from it (RULES.md, 'Who knows what')."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from domain.errors import Rejected
from domain.games.trinket_trove import deck, events
from domain.games.trinket_trove.state import TrinketTroveState
from domain.visibility import REFEREE, SPECTATOR, undeclared
from projections.frame import snapshot
from projections.redaction import redact, redact_all
from tests.games.trinket_trove.given import bid, draft, draft_first_two, game_view, only, table
from tests.support.play import Playout, new

HANDS = ["bell lure lure lure", "marble marble lure lure", "shell gear gear gear"]


def test_every_field_says_who_may_know_it() -> None:
    for kind in (TrinketTroveState, *events.EVENTS):
        assert undeclared(kind) == ()


def test_a_hand_is_known_to_its_seat_and_its_size_to_everybody() -> None:
    playout = table(HANDS)
    hands = game_view(playout, 1)["hands"]
    assert [hand["cards"] for hand in hands] == [[None] * 4, ["lure", "lure", "marble", "marble"], [None] * 4]
    assert all(hand["cards"] == [None] * 4 for hand in game_view(playout, SPECTATOR)["hands"])


def test_only_the_own_hand_says_what_it_would_score() -> None:
    hands = game_view(table(HANDS), 0)["hands"]
    assert (hands[0]["points"], hands[0]["unassigned"]) == (15 + 10, 0)
    assert [one["trinket"] for one in hands[0]["sets"]] == ["lure", "bell"]
    assert set(hands[1]) == set(hands[2]) == {"seat", "cards"}


def test_the_deal_shows_each_seat_its_own_cards() -> None:
    dealt = only(table(HANDS).events, events.Dealt)
    for seat in range(3):
        shown = redact(dealt, seat)
        assert shown is not None
        known = {place: card for place, card in enumerate(shown["order"]) if card is not None}
        assert known == {4 * seat + place: card for place, card in enumerate(HANDS[seat].split())}
    shown = redact(dealt, SPECTATOR)
    assert shown is not None
    assert shown["order"] == (None,) * 108


def test_nobody_is_told_the_order_of_the_decks() -> None:
    shuffled = only(table(HANDS).events, events.DeckShuffled)
    for viewer in (SPECTATOR, 0, 1, 2):
        assert redact(shuffled, viewer) == {"type": "deck_shuffled", "label": "deck", "timer": 6}
    shown = game_view(table(HANDS), 0)
    assert (shown["pile"], shown["timer"]) == (112 - 12 - 6 - 3, 5)


def test_bids_flips_and_claims_are_public() -> None:
    playout = table(HANDS, pile="feather gem crayon mirror", timer="button")
    happened = [*bid(playout, 0, "bell"), *bid(playout, 1)]
    assert redact_all(happened, SPECTATOR) == [
        {"type": "bid_made", "who": 0, "cards": ("bell",), "why": "hand"},
        {"type": "bid_made", "who": 1, "cards": ("mirror",), "why": "zero"},
    ]
    bid(playout, 2, "shell")
    happened = list(draft(playout, 2, "lot-1 bid-1"))
    assert redact_all(happened, SPECTATOR) == [
        {
            "type": "lots_claimed",
            "who": 2,
            "lots": ("lot-1", "bid-1"),
            "cards": ("feather", "button", "mirror"),
            "why": "chosen",
        }
    ]


def test_a_claimed_card_is_hidden_again_in_the_hand_that_took_it() -> None:
    playout = table(HANDS, pile="feather gem crayon", timer="mirror")
    for seat in (0, 1, 2):
        bid(playout, seat)
    first = playout.waiting()[0]
    draft_first_two(playout)
    assert "mirror" in playout.state.hands[first]
    assert game_view(playout)["hands"][first] == {
        "seat": first,
        "cards": [None] * len(playout.state.hands[first]),
    }


def test_the_bid_row_shows_cards_zero_value_rank_and_the_order_of_bidding() -> None:
    playout = table(HANDS, pile="feather gem crayon mirror")
    bid(playout, 0)
    bid(playout, 1, "marble marble")
    assert game_view(playout)["bids"] == [
        {
            "who": 1,
            "lot": "bid-1",
            "cards": ["marble", "marble"],
            "zero": False,
            "value": 10,
            "rank": 1,
            "made": 2,
        },
        {"who": 0, "lot": "bid-0", "cards": ["mirror"], "zero": True, "value": 8, "rank": 2, "made": 1},
    ]


def test_the_view_says_whose_turn_it_is_and_for_what() -> None:
    playout = table(HANDS, order=(1, 0, 2))
    shown = game_view(playout)
    assert (shown["phase"], shown["round"], shown["rounds"]) == ("bidding", 1, 6)
    assert shown["order"] == [1, 0, 2]
    assert shown["turn"] == {"seat": 1, "action": "bid", "why": "next_in_order"}
    for seat in (1, 0, 2):
        bid(playout, seat, playout.state.hands[seat][0])
    assert game_view(playout)["turn"]["action"] == "draft"
    assert game_view(playout)["turn"]["seat"] == playout.waiting()[0] == playout.state.order[0]


def test_nimbus_is_named_in_the_turn_order_row() -> None:
    playout = table(["key key key key", "gem gem gem gem"], order=(1, 2, 0))
    assert game_view(playout)["order"] == [1, "nimbus", 0]
    bid(playout, 1)
    assert [pile["lot"] for pile in game_view(playout)["bids"]] == ["bid-nimbus", "bid-1"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_final_view_shows_each_hand_in_its_sets_and_its_points(seats: int) -> None:
    playout = new("trinket-trove", seats).play(random.Random(7))
    result = playout.table.result
    assert result is not None
    shown = only(playout.events, events.HandsShown)
    for viewer in (SPECTATOR, 0, seats - 1):
        view = game_view(playout, viewer)
        assert view["phase"] == "over"
        assert "turn" not in view
        for hand, held, score in zip(view["hands"], shown.hands, result.scores, strict=True):
            assert hand["cards"] == list(held)
            assert hand["points"] == score == sum(one["points"] for one in hand["sets"])
            in_sets = [card for one in hand["sets"] for card in one["cards"]]
            assert Counter([*in_sets, *["mirror"] * hand["unassigned"]]) == Counter(held)
        assert all("claimed_by" in lot for lot in view["lots"] + view["bids"])


def test_the_draw_deck_stays_hidden_when_the_game_is_over() -> None:
    playout = new("trinket-trove", 3).play(random.Random(7))
    assert game_view(playout)["pile"] == len(playout.state.pile)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_standing_can_be_given_at_any_time(seats: int) -> None:
    playout = new("trinket-trove", seats).play(random.Random(5))
    for before in playout.states[seats + 1 :]:
        result = playout.game.standing(before.state)
        assert sorted(result.places) == list(range(1, seats + 1))
        assert len(result.winners) == 1
        forfeit = playout.game.forfeit(before.state, 0)
        assert forfeit.places[0] == seats
        assert forfeit.winners != (0,)


# --- worlds that a viewer cannot tell apart ---------------------------------------------------------


def _halfway(seats: int, seed: int) -> Playout:
    rng = random.Random(seed)
    return new("trinket-trove", seats, key=bytes([seed]) * 32).play(rng, most=rng.randint(1, 9 * seats))


def _twin(playout: Playout, viewer: int, rng: random.Random) -> Playout:
    """The same table with every card exchanged that ``viewer`` has never seen, the same actions made."""
    dealt = only(playout.events, events.Dealt)
    shuffled = only(playout.events, events.DeckShuffled)
    deal, order = list(dealt.order), list(shuffled.order)
    size = 4 * playout.seats
    unseen = [place for place in range(size) if place // 4 != viewer]
    for event in playout.events:
        if isinstance(event, events.BidMade) and event.why == "hand" and event.who != viewer:
            for card in event.cards:
                own = [place for place in unseen if place // 4 == event.who and deal[place] == card]
                if own:
                    unseen.remove(own[0])
    timer, pile = len(playout.state.timer), len(playout.state.pile)
    places = [*range(shuffled.timer - timer, shuffled.timer), *range(len(order) - pile, len(order))]
    pool = [deal[place] for place in unseen] + [order[place] for place in places]
    rng.shuffle(pool)
    pool.sort(key=deck.MIRROR.__eq__)  # Mirrors last: none can have been dealt into a hand
    for place in unseen:
        deal[place] = pool.pop(0)
    rng.shuffle(pool)
    for place in places:
        order[place] = pool.pop(0)
    rest = sorted((Counter(deck.TRINKET_CARDS) - Counter(deal[:size])).elements())
    twin = new(
        "trinket-trove",
        playout.seats,
        key=playout.key,
        outcomes={"order": playout.dealer.dealt["order"], "deal": [*deal[:size], *rest], "deck": order},
    )
    for step in playout.steps:
        twin.do(step.seat, step.action)
    return twin


def _told(playout: Playout, viewer: int) -> list[Any]:
    """All that a viewer is sent, version by version."""
    return [
        msgspec.json.encode((redact_all(commit.events, viewer), snapshot(state, viewer)))
        for commit, state in zip(playout.commits, playout.states, strict=True)
        if state.state is not None
    ]


def _refusals(playout: Playout, viewer: int) -> list[str]:
    found = []
    for action in (
        {"type": "bid", "cards": ["lure"] * 9},
        {"type": "draft", "lots": ["lot-1", "bid-0", "x"]},
    ):
        with pytest.raises(Rejected) as refused:
            playout.do(viewer, action)
        found.append(refused.value.message)
    return found


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_cards_that_a_viewer_has_never_seen_change_nothing_that_it_is_sent(seats: int) -> None:
    different = 0
    for seed in range(8):
        playout = _halfway(seats, seed)
        if playout.table.over:
            continue
        for viewer in (SPECTATOR, *range(seats)):
            twin = _twin(playout, viewer, random.Random(seed))
            assert _told(twin, viewer) == _told(playout, viewer)
            if viewer >= 0:
                assert _refusals(twin, viewer) == _refusals(playout, viewer)
            different += _told(twin, REFEREE) != _told(playout, REFEREE)
    assert different > 20


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_what_lies_in_a_hidden_zone_now_changes_nothing_in_a_snapshot(seats: int) -> None:
    different = 0
    for seed in range(8):
        playout = _halfway(seats, seed)
        state, rng = playout.state, random.Random(seed)
        for viewer in (SPECTATOR, *range(seats)):
            zones = [*(hand if seat != viewer else () for seat, hand in enumerate(state.hands))]
            pool = [card for zone in (*zones, state.pile, state.timer) for card in zone]
            rng.shuffle(pool)
            hands = []
            for seat, hand in enumerate(state.hands):
                if seat == viewer:
                    hands.append(hand)
                else:
                    hands.append(deck.in_order(pool[: len(hand)]))
                    del pool[: len(hand)]
            pile, timer = tuple(pool[: len(state.pile)]), tuple(pool[len(state.pile) :])
            other = msgspec.structs.replace(state, hands=tuple(hands), pile=pile, timer=timer)
            twin = msgspec.structs.replace(playout.table, state=other)
            assert snapshot(twin, viewer) == snapshot(playout.table, viewer)
            different += snapshot(twin, REFEREE) != snapshot(playout.table, REFEREE)
    assert different > 20


def test_a_bid_that_is_made_cannot_be_changed() -> None:
    playout = table(HANDS)
    bid(playout, 0, "bell")
    assert playout.offers(0) == []
    with pytest.raises(Rejected) as refused:
        bid(playout, 0, "lure")
    assert refused.value.code == "not_your_turn"


def test_the_option_is_part_of_the_view() -> None:
    assert game_view(table(HANDS, lone_mirrors=True))["lone_mirrors"] is True
    assert game_view(table(HANDS))["lone_mirrors"] is False
