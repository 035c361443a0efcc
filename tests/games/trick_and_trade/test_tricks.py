"""Trick and Trade: setup, tricks and placing."""

from __future__ import annotations

import pytest

from domain.games.trick_and_trade import deck
from domain.games.trick_and_trade.events import (
    CardPlayed,
    Dealt,
    LeadDrawn,
    RowsSet,
    TradesShuffled,
    TrickPlaced,
)
from domain.games.trick_and_trade.scoring import placing, value_totals
from tests.games.trick_and_trade.tables import table, trick

TARO, RIEKO, KENTA, MEGUMI = range(4)


# --- cards and setup --------------------------------------------------------------------------------


def test_there_are_40_trick_cards_of_four_suits_with_ranks_1_to_10() -> None:
    assert len(set(deck.TRICK_CARDS)) == 40
    assert {deck.suit(card) for card in deck.TRICK_CARDS} == {"nev", "zeus", "octo", "ratcoin"}
    assert {deck.rank(card) for card in deck.TRICK_CARDS} == set(range(1, 11))


@pytest.mark.parametrize(("card", "value"), [("nev-1", 9), ("octo-8", 2), ("ratcoin-2", 8), ("zeus-10", 0)])
def test_the_value_of_a_card_is_10_minus_its_rank(card: str, value: int) -> None:
    assert deck.value(card) == value


def test_there_are_42_trade_cards_every_combination_of_one_or_two_icons_three_times() -> None:
    assert len(deck.TRADE_CARDS) == 42
    assert all(deck.TRADE_CARDS.count(card) == 3 for card in deck.TRADE_CARDS)
    singles = {card for card in deck.TRADE_CARDS if "+" not in card}
    doubles = {card for card in deck.TRADE_CARDS if len(set(deck.icons(card))) == 1} - singles
    pairs = set(deck.TRADE_CARDS) - singles - doubles
    assert (len(singles), len(doubles), len(pairs)) == (4, 4, 6)
    assert {"nev+zeus", "nev+octo", "nev+ratcoin", "zeus+octo", "zeus+ratcoin", "octo+ratcoin"} == pairs


@pytest.mark.parametrize(
    ("seats", "hand", "left_out", "used"), [(3, 13, 1, 39), (4, 10, 0, 40), (5, 8, 0, 40)]
)
def test_setup_by_number_of_seats(seats: int, hand: int, left_out: int, used: int) -> None:
    scenario = table(seats)
    state = scenario.state
    assert [len(cards) for cards in state.hands] == [hand] * seats
    assert len(state.left_out) == left_out
    assert sorted((*state.left_out, *(card for cards in state.hands for card in cards))) == sorted(
        deck.TRICK_CARDS
    )
    assert (len(state.front), len(state.back)) == (seats, seats)
    assert len(state.pile) == used - 2 * seats
    view = scenario.view()
    assert (view["tricks"], view["pile"], len(view["front"])) == (hand, used - 2 * seats, seats)


def test_the_game_starts_with_a_drawn_lead_a_deal_the_trade_cards_and_the_rows() -> None:
    events = table(4).playout.commits[-1].events
    kinds = (LeadDrawn, Dealt, TradesShuffled, RowsSet)
    assert tuple(type(event) for event in events[1:]) == kinds


@pytest.mark.parametrize("lead", range(4))
def test_the_first_lead_player_is_drawn_at_random(lead: int) -> None:
    scenario = table(4, lead=lead)
    assert scenario.waiting == (lead,)
    assert scenario.view()["lead"] == scenario.view()["turn"] == lead


# --- may follow -------------------------------------------------------------------------------------


def test_any_card_of_the_hand_may_be_played_to_any_trick() -> None:
    scenario = table(3, {0: ["nev-1"], 1: ["nev-2", "zeus-9"]})
    scenario.when(0, "play", card="nev-1").then(CardPlayed(0, "nev-1"))
    assert scenario.offers(1) == [{"type": "play", "card": {"one_of": list(scenario.state.hands[1])}}]
    scenario.when(1, "play", card="zeus-9").then(CardPlayed(1, "zeus-9"))


def test_seats_play_clockwise_from_the_lead() -> None:
    scenario = table(4, lead=2)
    played = []
    for _ in range(4):
        (seat,) = scenario.waiting
        assert [bool(scenario.offers(other)) for other in range(4)] == [other == seat for other in range(4)]
        played.append(seat)
        scenario.when(seat, "play", card=scenario.state.hands[seat][0])
    assert played == [2, 3, 0, 1]


def test_a_card_that_is_not_in_the_hand_is_refused_with_those_that_are() -> None:
    scenario = table(3, {1: ["nev-2"]})
    held = ", ".join(scenario.state.hands[0])
    assert scenario.refused(0, "play", card="nev-2") == f"you cannot play 'nev-2': you hold {held}"
    assert scenario.refused(0, "play", card=7) == f"you cannot play 7: you hold {held}"


def test_another_seat_cannot_play_now() -> None:
    message = table(3).refused(1, "play", card="nev-2", code="not_your_turn")
    assert message == "seat 1 cannot act now; the game waits for seat 0"


def test_nothing_can_be_taken_while_a_trick_is_played() -> None:
    for kind, parameters in (("take", {"trade": "nev"}), ("take_lead", {})):
        assert table(3).refused(0, kind, **parameters) == (
            f"{kind} is not possible now: the trick is not complete; possible: play"
        )


# --- placing ----------------------------------------------------------------------------------------


def test_worked_example_of_placing_megumi_taro_kenta_rieko() -> None:
    """Taro, Rieko, Kenta, Megumi play in that order; Ratcoin is led; Octo's 8 stands before Rieko's card."""
    cards = {TARO: "ratcoin-1", RIEKO: "nev-5", KENTA: "octo-8", MEGUMI: "ratcoin-2"}
    scenario = table(4, {seat: [card] for seat, card in cards.items()})
    for seat in (TARO, RIEKO, KENTA):
        scenario.when(seat, "play", card=cards[seat]).then(CardPlayed(seat, cards[seat]))
    scenario.when(MEGUMI, "play", card="ratcoin-2").then(
        CardPlayed(MEGUMI, "ratcoin-2"), TrickPlaced((MEGUMI, TARO, KENTA, RIEKO), "ratcoin-2")
    )
    assert scenario.view()["order"] == [MEGUMI, TARO, KENTA, RIEKO]


@pytest.mark.parametrize(
    ("cards", "order"),
    [
        (["nev-1", "zeus-10", "zeus-9"], (0, 1, 2)),
        (["nev-1", "zeus-9", "zeus-10"], (0, 2, 1)),
        (["nev-1", "nev-2", "nev-3"], (2, 1, 0)),
        (["nev-10", "zeus-5", "octo-5"], (0, 2, 1)),
        (["nev-10", "octo-5", "zeus-5"], (0, 2, 1)),
        (["nev-3", "zeus-3", "octo-3"], (0, 2, 1)),
        (["zeus-1", "nev-7", "zeus-2", "octo-7", "nev-8"], (2, 0, 4, 3, 1)),
    ],
)
def test_the_led_suit_stands_first_then_rank_and_of_equal_ranks_the_later_card(
    cards: list[str], order: tuple[int, ...]
) -> None:
    assert placing(list(enumerate(cards))) == order


def test_places_belong_to_seats_also_when_another_seat_leads() -> None:
    assert placing([(2, "nev-1"), (0, "zeus-9"), (1, "nev-5")]) == (1, 2, 0)


def test_the_first_card_becomes_a_won_card_and_its_value_counts_for_its_suit() -> None:
    scenario = table(3, {0: ["nev-2"], 1: ["octo-3"], 2: ["nev-4"]})
    trick(scenario, "nev-2", "octo-3", "nev-4")
    assert scenario.state.won == ("nev-4",)
    assert scenario.view()["totals"] == {"nev": 6, "zeus": 0, "octo": 0, "ratcoin": 0}


def test_values_of_won_cards_add_up_by_suit() -> None:
    assert value_totals(["nev-1", "nev-10", "octo-6", "nev-8"]) == {
        "nev": 11,
        "zeus": 0,
        "octo": 4,
        "ratcoin": 0,
    }


def test_the_trick_stays_visible_until_the_taking_ends_and_its_other_cards_are_listed_nowhere_after() -> None:
    scenario = table(3, {0: ["nev-2"], 1: ["octo-3"], 2: ["nev-4"]}, ["nev", "zeus", "octo"])
    trick(scenario, "nev-2", "octo-3", "nev-4")
    played = [{"seat": 0, "card": "nev-2"}, {"seat": 1, "card": "octo-3"}, {"seat": 2, "card": "nev-4"}]
    assert scenario.view()["plays"] == played
    scenario.when(2, "take", trade="nev")
    assert scenario.view()["plays"] == played
    scenario.when(0, "take", trade="octo")
    assert scenario.view()["plays"] == []
    for viewer in (-1, 0, 1, 2):
        assert "octo-3" not in str(scenario.view(viewer))
        assert "nev-2" not in str(scenario.view(viewer))
