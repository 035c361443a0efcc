"""Worlds that a seat cannot tell from the true one: what a bot that thinks ahead plays out.

The only source is the log as that seat may read it. Nothing that anybody plays tells of the cards they hold
(any card may be played), so every way to deal the cards not seen is equally likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.events import Event, event_name, event_tag
from domain.game import Chance
from domain.games.trick_and_trade.deck import TRICK_CARDS
from domain.games.trick_and_trade.events import EVENTS, Dealt, TradesShuffled
from domain.games.trick_and_trade.state import TrickAndTradeOptions, TrickAndTradeState, evolve

Told = Mapping[str, Any]
"""An event as a viewer was told of it."""

KINDS = {event_name(kind): kind for kind in EVENTS}


def worlds(log: Sequence[Told], viewer: int, rng: Chance) -> Iterator[TrickAndTradeState]:
    """Endlessly many states that ``viewer`` cannot tell from the true one (see `domain.game.Game.worlds`).

    Args:
        log: the header and the lines of ``GET /v1/tables/{table}/log`` as the seat may read them.
        viewer: the seat.
        rng: draws where each card lies that the seat has not seen.
    """
    options = msgspec.convert(log[0]["options"], TrickAndTradeOptions)
    told = [event for line in log[1:] for event in line["events"] if event["type"] in KINDS]
    known, unseen_trades = _filled(told, log[0]["seats"], viewer, options.trade_cards)
    state = TrickAndTradeState(seats=log[0]["seats"], trade_cards=options.trade_cards)
    for event in known:
        state = evolve(state, event)
    others = [seat for seat in range(state.seats) if seat != viewer]
    cards = [*(card for seat in others for card in state.hands[seat]), *state.left_out]
    while True:
        rng.shuffle(cards)
        rng.shuffle(unseen_trades)
        yield _dealt(state, others, cards, unseen_trades)


def _dealt(
    state: TrickAndTradeState, others: Sequence[int], cards: Sequence[str], trades: Sequence[str]
) -> TrickAndTradeState:
    hands = list(state.hands)
    start = 0
    for seat in others:
        end = start + len(hands[seat])
        hands[seat] = tuple(cards[start:end])
        start = end
    pile = tuple(trades[: len(state.pile)])
    return replace(state, hands=tuple(hands), left_out=tuple(cards[start:]), pile=pile)


def _filled(
    told: Sequence[Told], seats: int, viewer: int, trade_cards: Sequence[str]
) -> tuple[list[Event], list[str]]:
    """The events with something possible where the viewer was told nothing, and the Trade cards not seen."""
    shown = _shown_trades(told)
    unseen = list((Counter(trade_cards) - Counter(shown)).elements())
    found: list[Event] = []
    for event in told:
        kind = KINDS[event["type"]]
        fields: dict[str, Any] = {**event, "type": event_tag(kind)}
        if kind is Dealt:
            fields["order"] = _filled_deal(event, told, seats, viewer)
        elif kind is TradesShuffled:
            fields["order"] = [*shown, *unseen]
        found.append(msgspec.convert(fields, kind))
    return found, unseen


def _shown_trades(told: Sequence[Told]) -> list[str]:
    """The Trade cards that were revealed, in their order: the first rows, then each new back row."""
    rows = [event for event in told if event["type"] == "rows_set"]
    return [*rows[0]["front"], *(card for row in rows for card in row["back"])] if rows else []


def _filled_deal(dealt: Told, told: Sequence[Told], seats: int, viewer: int) -> list[str]:
    """The dealt order: hands as the viewer knows them, what was played first, and any cards for the rest."""
    size = dealt["hand_size"]
    hands: list[list[str]] = [[] for _ in range(seats)]
    hands[viewer] = list(dealt["order"][viewer * size : (viewer + 1) * size])
    for event in told:
        if event["type"] == "card_played" and event["seat"] != viewer:
            hands[event["seat"]].append(event["card"])
    seen = {card for hand in hands for card in hand}
    rest = [card for card in TRICK_CARDS if card not in seen]
    for hand in hands:
        while len(hand) < size:
            hand.append(rest.pop())
    return [card for hand in hands for card in hand] + rest
