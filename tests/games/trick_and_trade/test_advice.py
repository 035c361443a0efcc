"""What a greedy bot of Trick and Trade likes."""

from __future__ import annotations

from typing import Any

from domain.games.trick_and_trade import advice
from server.bots import decide
from tests.games.trick_and_trade.tables import table
from tests.support.gwt import Scenario

LATE = ("zeus-1",) * 6 + ("octo-1",) * 4 + ("ratcoin-1",) * 2
"""Won cards at the end of a game of 3: zeus x3, octo x2, ratcoin x1, nev x-1."""


def choice(scenario: Scenario, seat: int) -> dict[str, Any]:
    action = decide(scenario.playout.game, scenario.playout.table, seat, "greedy")
    assert action is not None
    return action


def taking(front: tuple[str, ...], **fields: Any) -> Scenario:
    """Seat 0 is the first to take."""
    return table(3).but(phase="taking", takers=(0, 1, 2), order=(0, 1, 2), front=front, won=LATE, **fields)


def test_it_takes_the_trade_card_worth_most() -> None:
    assert choice(taking(("zeus", "octo+octo", "nev+zeus")), 0) == {"type": "take", "trade": "octo+octo"}


def test_it_takes_the_lead_where_all_trade_cards_are_worth_the_same() -> None:
    assert choice(taking(("octo", "octo", "octo")), 0) == {"type": "take_lead"}


def test_it_does_not_take_the_lead_where_that_brings_a_card_of_the_last_suit() -> None:
    assert choice(taking(("nev+nev", "nev", "zeus")), 0) == {"type": "take", "trade": "zeus"}


def test_multipliers_are_expected_to_be_average_at_first_and_as_they_are_at_the_end() -> None:
    first = advice.expected_multipliers(table(3).state)
    assert set(first.values()) == {1.25}
    last = advice.expected_multipliers(table(3).but(won=(*LATE, "zeus-1")).state)
    assert last == {"zeus": 3, "octo": 2, "ratcoin": 1, "nev": -1}


def last(front: tuple[str, ...]) -> Scenario:
    """Seat 0 is the last to play: octo-10 and octo-6 win the trick, ratcoin-2 comes last."""
    return table(3).but(
        lead=1,
        plays=((1, "octo-5"), (2, "octo-4")),
        hands=(("octo-10", "octo-6", "ratcoin-2"), (), ()),
        front=front,
        won=LATE,
    )


def test_as_last_player_it_wins_the_trick_for_a_good_trade_card() -> None:
    assert choice(last(("zeus+zeus", "nev", "nev+nev")), 0)["card"] in ("octo-10", "octo-6")


def test_for_trade_cards_that_are_all_alike_every_card_is_as_good() -> None:
    seen = last(("zeus", "zeus", "zeus")).state
    worths = [advice.appraise(seen, 0, {"type": "play", "card": card}) for card in seen.hands[0]]
    assert len(set(worths)) == 1


def test_it_wins_with_the_card_that_lifts_its_own_suit() -> None:
    """With 4 octo icons, octo-1 (9 points of Value) lifts octo from second place to first."""
    won = ("zeus-1",) * 6 + ("octo-1",) * 5 + ("octo-2",)
    scenario = table(3).but(
        plays=(),
        hands=(("octo-1", "ratcoin-10"), ("nev-5",), ("nev-6",)),
        trades=(("octo+octo", "octo+octo"), ("zeus+zeus",), ("zeus+zeus",)),
        front=("zeus", "zeus", "zeus"),
        won=won,
    )
    seen = scenario.state
    worth = {card: advice.appraise(seen, 0, {"type": "play", "card": card}) for card in seen.hands[0]}
    assert worth["octo-1"] > worth["ratcoin-10"]
