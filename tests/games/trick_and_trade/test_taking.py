"""Trick and Trade: acquiring and replenishing, the end, and who knows what."""

from __future__ import annotations

import pytest

from domain.games.trick_and_trade import deck
from domain.games.trick_and_trade.events import (
    LeadTaken,
    LeftOutShown,
    RowsSet,
    TradeTaken,
    TrickEnded,
)
from domain.table import Finished
from projections.redaction import redact_all
from tests.games.trick_and_trade.tables import table, trick
from tests.support.gwt import Scenario

TARO, RIEKO, KENTA, MEGUMI = range(4)


# --- acquiring --------------------------------------------------------------------------------------


def after_a_trick(rows: list[str] | None = None) -> Scenario:
    """Four seats; the placing is Megumi (3), Taro (0), Kenta (2), Rieko (1)."""
    cards = {TARO: "ratcoin-1", RIEKO: "nev-5", KENTA: "octo-8", MEGUMI: "ratcoin-2"}
    scenario = table(
        4,
        {seat: [card] for seat, card in cards.items()},
        rows or ["ratcoin+ratcoin", "nev+nev", "zeus+octo", "nev", "octo", "octo+octo", "zeus", "nev"],
    )
    trick(scenario, *(cards[seat] for seat in (TARO, RIEKO, KENTA, MEGUMI)))
    return scenario


def test_worked_example_of_acquiring_with_the_lead_player_card() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take", trade="ratcoin+ratcoin").then(
        TradeTaken(MEGUMI, "ratcoin+ratcoin", "chosen")
    )
    scenario.when(TARO, "take", trade="nev+nev").then(TradeTaken(TARO, "nev+nev", "chosen"))
    scenario.when(KENTA, "take_lead").then(LeadTaken(KENTA, "chosen"))
    happened = scenario.when(RIEKO, "take", trade="zeus+octo")
    happened.then(
        TradeTaken(RIEKO, "zeus+octo", "chosen"),
        TradeTaken(KENTA, "nev", "with_lead"),
        RowsSet(("octo", "octo+octo", "zeus", "nev"), scenario.state.back, 28),
        TrickEnded(KENTA),
    )
    assert scenario.state.trades == (("nev+nev",), ("zeus+octo",), ("nev",), ("ratcoin+ratcoin",))
    assert scenario.waiting == (KENTA,)
    assert (scenario.view()["lead"], scenario.view()["trick"]) == (KENTA, 2)


def test_seats_take_in_the_order_of_the_trick() -> None:
    scenario = after_a_trick()
    taken = []
    while scenario.view()["phase"] == "taking":
        (seat,) = scenario.waiting
        taken.append(seat)
        scenario.when(seat, "take", trade=scenario.state.front[0])
    assert taken == [MEGUMI, TARO, KENTA]


def test_the_first_place_may_take_any_card_of_the_front_row_or_the_lead_player_card() -> None:
    scenario = after_a_trick()
    assert scenario.offers(MEGUMI) == [
        {"type": "take", "trade": {"one_of": ["ratcoin+ratcoin", "nev+nev", "zeus+octo", "nev"]}},
        {"type": "take_lead"},
    ]
    assert [scenario.offers(seat) for seat in (TARO, KENTA, RIEKO)] == [[], [], []]


def test_equal_cards_of_the_front_row_are_offered_once() -> None:
    scenario = after_a_trick(["nev", "nev", "zeus", "nev"])
    assert scenario.offers(MEGUMI)[0]["trade"] == {"one_of": ["nev", "zeus"]}
    scenario.when(MEGUMI, "take", trade="nev")
    assert scenario.state.front == ("nev", "zeus", "nev")


def test_a_card_of_the_back_row_cannot_be_taken() -> None:
    scenario = after_a_trick().but(back=("octo+octo", "nev", "nev", "nev"))
    front = "ratcoin+ratcoin, nev+nev, zeus+octo, nev"
    assert scenario.refused(MEGUMI, "take", trade="octo+octo") == (
        f"octo+octo lies in the back row, and only the front row is taken from: {front}"
    )


@pytest.mark.parametrize("trade", ["octo", 1, None, ["nev"]])
def test_what_does_not_lie_in_the_front_row_cannot_be_taken(trade: object) -> None:
    scenario = after_a_trick().but(back=())
    assert scenario.refused(MEGUMI, "take", trade=trade) == (
        f"there is no {trade!r} in the front row: ratcoin+ratcoin, nev+nev, zeus+octo, nev"
    )


def test_the_present_lead_player_may_take_the_lead_player_card_too() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take", trade="nev")
    scenario.when(TARO, "take_lead").then(LeadTaken(TARO, "chosen"))
    assert scenario.view()["lead_taker"] == TARO


def test_once_taken_the_lead_player_card_cannot_be_taken_again() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take_lead")
    assert [offer["type"] for offer in scenario.offers(TARO)] == ["take"]
    assert scenario.refused(TARO, "take_lead") == (
        f"seat {MEGUMI} has taken the Lead Player card, so you take a Trade card of the front row:"
        " ratcoin+ratcoin, nev+nev, zeus+octo, nev"
    )


def test_its_taker_gets_the_last_card_of_the_row_after_all_the_others() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take_lead").then(LeadTaken(MEGUMI, "chosen"))
    scenario.when(TARO, "take", trade="nev+nev")
    scenario.when(KENTA, "take", trade="nev")
    scenario.when(RIEKO, "take", trade="ratcoin+ratcoin").then_among_others(
        TradeTaken(RIEKO, "ratcoin+ratcoin", "chosen"),
        TradeTaken(MEGUMI, "zeus+octo", "with_lead"),
        TrickEnded(MEGUMI),
    )


def test_the_last_place_gets_both_without_being_asked_when_nobody_took_the_lead() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take", trade="nev")
    scenario.when(TARO, "take", trade="nev+nev")
    scenario.when(KENTA, "take", trade="zeus+octo").then_among_others(
        TradeTaken(KENTA, "zeus+octo", "chosen"),
        LeadTaken(RIEKO, "last_place"),
        TradeTaken(RIEKO, "ratcoin+ratcoin", "last_place"),
        TrickEnded(RIEKO),
    )
    assert scenario.waiting == (RIEKO,)


def test_the_last_place_is_asked_when_somebody_else_has_the_lead_player_card() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take_lead")
    scenario.when(TARO, "take", trade="nev+nev")
    scenario.when(KENTA, "take", trade="nev")
    assert scenario.waiting == (RIEKO,)
    assert scenario.offers(RIEKO) == [{"type": "take", "trade": {"one_of": ["ratcoin+ratcoin", "zeus+octo"]}}]


def test_playing_is_not_possible_while_cards_are_taken() -> None:
    scenario = after_a_trick()
    card = scenario.state.hands[MEGUMI][0]
    assert scenario.refused(MEGUMI, "play", card=card) == (
        "play is not possible now: the trick is complete, and you take first; possible: take, take_lead"
    )
    scenario.refused(TARO, "take", trade="nev", code="not_your_turn")


# --- what the view tells of it ----------------------------------------------------------------------


def test_the_view_tells_what_was_taken_after_a_trick_by_whom_and_why() -> None:
    scenario = after_a_trick()
    assert scenario.view()["taken"] == []
    assert "last_trick" not in scenario.view()
    scenario.when(MEGUMI, "take", trade="nev")
    scenario.when(TARO, "take_lead")
    scenario.when(KENTA, "take", trade="nev+nev")
    taken = [
        {"seat": MEGUMI, "why": "chosen", "trade": "nev"},
        {"seat": TARO, "why": "chosen"},
        {"seat": KENTA, "why": "chosen", "trade": "nev+nev"},
    ]
    assert scenario.view()["taken"] == taken
    scenario.when(RIEKO, "take", trade="zeus+octo")
    view = scenario.view()
    assert view["taken"] == []
    assert view["last_trick"] == {
        "trick": 1,
        "order": [MEGUMI, TARO, KENTA, RIEKO],
        "won": "ratcoin-2",
        "taken": [
            *taken,
            {"seat": RIEKO, "why": "chosen", "trade": "zeus+octo"},
            {"seat": TARO, "why": "with_lead", "trade": "ratcoin+ratcoin"},
        ],
    }


def test_the_view_tells_what_the_last_place_got_without_being_asked() -> None:
    scenario = after_a_trick()
    for seat, trade in ((MEGUMI, "nev"), (TARO, "nev+nev"), (KENTA, "zeus+octo")):
        scenario.when(seat, "take", trade=trade)
    assert scenario.view()["last_trick"]["taken"][-2:] == [
        {"seat": RIEKO, "why": "last_place"},
        {"seat": RIEKO, "why": "last_place", "trade": "ratcoin+ratcoin"},
    ]


def test_the_last_trick_stays_in_view_until_the_taking_after_the_next_ends() -> None:
    scenario = after_a_trick()
    for seat, trade in ((MEGUMI, "nev"), (TARO, "nev+nev"), (KENTA, "zeus+octo")):
        scenario.when(seat, "take", trade=trade)
    before = scenario.view()["last_trick"]
    trick(scenario, *(scenario.state.hands[(RIEKO + step) % 4][0] for step in range(4)))
    assert (scenario.view()["phase"], scenario.view()["last_trick"]) == ("taking", before)
    while scenario.view()["phase"] == "taking":
        scenario.when(scenario.waiting[0], "take", trade=scenario.state.front[0])
    assert scenario.view()["last_trick"]["trick"] == 2


# --- replenishing -----------------------------------------------------------------------------------


def finish_the_taking(scenario: Scenario) -> None:
    while scenario.view()["phase"] == "taking":
        (seat,) = scenario.waiting
        scenario.when(seat, "take", trade=scenario.state.front[0])


def test_the_back_row_drops_and_a_new_one_is_revealed() -> None:
    scenario = after_a_trick()
    back, pile = scenario.state.back, scenario.state.pile
    finish_the_taking(scenario)
    assert scenario.state.front == back
    assert scenario.state.back == pile[:4]
    assert scenario.state.pile == pile[4:]


def play_on(scenario: Scenario, trick_number: int) -> Scenario:
    """Play with the first card and take the first Trade card until a trick begins, or to the end."""
    while not scenario.playout.table.over and scenario.state.trick < trick_number:
        (seat,) = scenario.waiting
        if scenario.state.phase == "playing":
            scenario.when(seat, "play", card=scenario.state.hands[seat][0])
        else:
            scenario.when(seat, "take", trade=scenario.state.front[0])
    return scenario


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_once_the_draw_pile_is_empty_no_row_is_revealed_any_more(seats: int) -> None:
    tricks = deck.HAND_SIZE[seats]
    scenario = play_on(table(seats), tricks - 1)
    assert (len(scenario.state.front), len(scenario.state.back), scenario.state.pile) == (seats, seats, ())
    scenario = play_on(scenario, tricks)
    assert (len(scenario.state.front), scenario.state.back) == (seats, ())


# --- the last trick ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_in_the_last_trick_the_lead_player_card_decides_who_gets_the_card_that_is_left(seats: int) -> None:
    scenario = play_on(table(seats), deck.HAND_SIZE[seats])
    trick(scenario, *(scenario.state.hands[(scenario.state.lead + n) % seats][0] for n in range(seats)))
    first = scenario.waiting[0]
    scenario.when(first, "take_lead").then(LeadTaken(first, "chosen"))
    for _ in range(seats - 2):
        scenario.when(scenario.waiting[0], "take", trade=scenario.state.front[0])
    last, left = scenario.waiting[0], scenario.state.front
    happened = scenario.when(last, "take", trade=left[0])
    happened.then_among_others(
        TradeTaken(last, left[0], "chosen"),
        TradeTaken(first, left[1], "with_lead"),
        LeftOutShown(scenario.state.left_out),
    )
    happened.then_nothing_of(RowsSet, TrickEnded)
    assert isinstance(happened.events[-1], Finished)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_game_ends_when_all_trade_cards_are_distributed(seats: int) -> None:
    scenario = play_on(table(seats), 99)
    state = scenario.state
    assert scenario.playout.table.status == "finished"
    assert (state.front, state.back, state.pile) == ((), (), ())
    assert [len(cards) for cards in state.trades] == [deck.HAND_SIZE[seats]] * seats
    assert len(state.won) == deck.HAND_SIZE[seats]
    assert (scenario.waiting, scenario.view()["phase"]) == ((), "over")
    assert "turn" not in scenario.view()


# --- who knows what ---------------------------------------------------------------------------------


def test_a_hand_is_known_to_its_seat_and_its_number_to_everybody() -> None:
    scenario = table(4)
    hands = scenario.state.hands
    for viewer in (-1, 0, 1, 2, 3):
        expected = [list(hand) if seat == viewer else [None] * 10 for seat, hand in enumerate(hands)]
        assert scenario.view(viewer)["hands"] == expected


def test_of_the_deal_each_seat_is_told_its_own_hand_and_of_the_trade_cards_nothing() -> None:
    scenario = table(3)
    start = scenario.playout.commits[-1].events
    hands = scenario.state.hands
    for viewer in (-1, 0, 1, 2):
        told = {event["type"]: event for event in redact_all(start, viewer)}
        expected = [card if seat == viewer else None for seat, hand in enumerate(hands) for card in hand]
        assert list(told["dealt"]["order"]) == [*expected, None]
        assert "order" not in told["trades_shuffled"]


def test_the_left_out_card_is_unseen_until_the_game_is_over() -> None:
    scenario = table(3)
    left_out = list(scenario.state.left_out)
    assert [scenario.view(viewer)["left_out"] for viewer in (-1, 0, 1, 2)] == [[None]] * 4
    play_on(scenario, 99)
    assert [scenario.view(viewer)["left_out"] for viewer in (-1, 0, 1, 2)] == [left_out] * 4
    assert scenario.playout.commits[-1].events[-2] == LeftOutShown(tuple(left_out))


def test_rows_won_cards_and_taken_trade_cards_are_public_and_the_pile_is_a_number() -> None:
    scenario = after_a_trick()
    scenario.when(MEGUMI, "take", trade="nev+nev")
    for viewer in (-1, 0, 1, 2, 3):
        view = scenario.view(viewer)
        assert view["front"] == ["ratcoin+ratcoin", "zeus+octo", "nev"]
        assert view["back"] == ["octo", "octo+octo", "zeus", "nev"]
        assert view["won"] == ["ratcoin-2"]
        assert view["trades"] == [[], [], [], ["nev+nev"]]
        assert view["icons"][MEGUMI] == {"nev": 2, "zeus": 0, "octo": 0, "ratcoin": 0}
        assert view["pile"] == 32
