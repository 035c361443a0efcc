"""The rule that forbids an action, in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from domain.actions import Action, brief
from domain.games.trinket_trove.deck import VALUES
from domain.games.trinket_trove.events import Who
from domain.games.trinket_trove.lots import all_lots, bid_lot, claimable
from domain.games.trinket_trove.state import TrinketTroveState


def explanation(seen: TrinketTroveState, seat: int, action: Action) -> str | None:
    """Why ``seat``, who is asked now, cannot do ``action``; None where the general sentence says it."""
    match action:
        case {"type": "bid", "cards": list() as cards} if seen.phase == "bidding" and len(action) == 2:
            return _bid(seen.hands[seat], cards)
        case {"type": "draft", "lots": list() as lots} if seen.phase == "drafting" and not seen.tied:
            return _draft(seen, seat, lots)
        case {"type": "choose_for_nimbus", "lots": list() as lots} if seen.tied:
            return _choice(seen, lots)
        case {"type": "bid" | "draft" | "choose_for_nimbus"}:
            return _wrong_time(seen, action["type"])
        case _:
            return None


def _wrong_time(seen: TrinketTroveState, kind: str) -> str | None:
    if seen.tied:
        due = "choose_for_nimbus"
        now = f"lots that Nimbus is to take are equally strong, and you choose among them ({due})"
    elif seen.phase == "bidding":
        due, now = "bid", "everybody bids first; it is your turn to bid"
    else:
        due, now = "draft", "the bidding is over; it is your turn to draft two lots"
    return None if kind == due else f"{kind} is not possible now: {now}"


def _bid(hand: Sequence[str | None], cards: list[Any]) -> str | None:
    if not hand:
        return "your hand is empty, so you can only bid 0: a bid without the parameter cards"
    held = Counter(hand)
    for card in cards:
        if not isinstance(card, str):
            return None
        if card not in VALUES:
            return f"{brief(card)} is no trinket; a bid is made of cards of your hand: {_listed(hand)}"
        if cards.count(card) > held[card]:
            return (
                f"a bid is made of cards of your hand, and you hold {held[card]} {card},"
                f" not {cards.count(card)}; your hand: {_listed(hand)}"
            )
    return None


def _draft(seen: TrinketTroveState, seat: int, lots: list[Any]) -> str | None:
    known, free, claimed = all_lots(seen), claimable(seen, seat), dict(seen.claims)
    for lot in lots:
        if not isinstance(lot, str):
            return None
        if lot in claimed:
            return f"{lot} was claimed by {_name(claimed[lot])}; claimable: {_listed(free)}"
        if lot == bid_lot(seat):
            return f"your own bid ({lot}) is not yours to claim; claimable: {_listed(free)}"
        if lot not in known:
            return f"there is no lot {brief(lot)} in this round; claimable: {_listed(free)}"
    return _number(lots, 2, "you claim exactly 2 lots")


def _choice(seen: TrinketTroveState, lots: list[Any]) -> str | None:
    for lot in lots:
        if not isinstance(lot, str):
            return None
        if lot not in seen.tied:
            return f"{brief(lot)} is not one of the tied lots; tied: {_listed(seen.tied)}"
    places = 2 - len(seen.sure)
    return _number(lots, places, f"Nimbus has places for exactly {places} of the tied lots")


def _number(lots: list[str], due: int, rule: str) -> str | None:
    for lot in lots:
        if lots.count(lot) > 1:
            return f"{lot} is one lot and can be claimed once; you named it {lots.count(lot)} times"
    return None if len(lots) == due else f"{rule}; you named {len(lots)}"


def _name(who: Who) -> str:
    return f"seat {who}" if isinstance(who, int) else "Nimbus"


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
