"""Deals that tests of Trick and Trade start from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.trick_and_trade.deck import HAND_SIZE, TRADE_CARDS, TRICK_CARDS
from tests.support.gwt import Scenario, given


def deal(seats: int, hands: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """A dealt order that gives each seat the cards named for it, and others after those."""
    named = {card for cards in hands.values() for card in cards}
    rest = [card for card in TRICK_CARDS if card not in named]
    order: list[str] = []
    for seat in range(seats):
        hand = list(hands.get(seat, ()))
        while len(hand) < HAND_SIZE[seats]:
            hand.append(rest.pop())
        order += hand
    return (*order, *rest)


def trades(first: Sequence[str]) -> tuple[str, ...]:
    """An order of the Trade cards that begins with ``first``."""
    rest = Counter(TRADE_CARDS) - Counter(first)
    return (*first, *rest.elements())


def table(
    seats: int,
    hands: Mapping[int, Sequence[str]] | None = None,
    rows: Sequence[str] = (),
    lead: int = 0,
    **rest: Any,
) -> Scenario:
    """A table with these hands, these cards first in the auction rows (front row first) and this lead."""
    order = (lead, *(seat for seat in range(seats) if seat != lead))
    outcomes = {"lead": order, "deal": deal(seats, hands or {}), "trades": trades(rows)}
    return given("trick-and-trade", seats, outcomes=outcomes, **rest)


def trick(scenario: Scenario, *cards: str) -> None:
    """Play a whole trick, from the lead on."""
    seats, lead = scenario.state.seats, scenario.state.lead
    for number, card in enumerate(cards):
        scenario.when((lead + number) % seats, "play", card=card)
