"""The rule that forbids an action, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.actions import Action, brief
from domain.games.trick_and_trade.state import TrickAndTradeState


def explanation(seen: TrickAndTradeState, seat: int, action: Action) -> str | None:
    """Why ``seat``, which is asked now, cannot do ``action``; None where the general sentence says it."""
    match (seen.phase, action):
        case ("playing", {"type": "play", "card": card}) if len(action) == 2:
            return f"you cannot play {brief(card)}: you hold {_listed(seen.hands[seat])}"
        case ("playing", {"type": "take" | "take_lead" as kind}):
            return f"{kind} is not possible now: the trick is not complete; possible: play"
        case ("taking", {"type": "play"}):
            possible = "take" if seen.lead_taker is not None else "take, take_lead"
            return (
                f"play is not possible now: the trick is complete, and you take first; possible: {possible}"
            )
        case ("taking", {"type": "take_lead"}) if seen.lead_taker is not None:
            return (
                f"seat {seen.lead_taker} has taken the Lead Player card, so you take a Trade card of the"
                f" front row: {_listed(dict.fromkeys(seen.front))}"
            )
        case ("taking", {"type": "take", "trade": trade}) if len(action) == 2:
            return _not_in_front(seen, trade)
        case _:
            return None


def _not_in_front(seen: TrickAndTradeState, trade: Any) -> str:
    front = _listed(dict.fromkeys(seen.front))
    if trade in seen.back:
        return f"{trade} lies in the back row, and only the front row is taken from: {front}"
    return f"there is no {brief(trade)} in the front row: {front}"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
