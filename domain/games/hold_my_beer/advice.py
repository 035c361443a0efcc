"""How good an action looks at once, from what a seat may know; for bots that do not think ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.hold_my_beer.scoring import BID_POINTS
from domain.games.hold_my_beer.state import DECK, HIGHEST_BIRD, SEATS, TRICKS, HoldMyBeerState
from domain.tarot import advice
from domain.tarot.cards import birds

DEAL = advice.Deal(DECK, TRICKS, birds(HIGHEST_BIRD))
SPREAD = 6.0
"""How far hand points stray from what a hand promises."""


def appraise(seen: HoldMyBeerState, seat: int, action: Mapping[str, Any]) -> float:
    """How near ``action`` brings ``seat`` to the place that it bid; before that, how good a bid looks."""
    hand = seen.hands[seat]
    match action["type"]:
        case "discard":
            return advice.parting(DEAL, hand, action["card"])
        case "bid":
            usual = advice.prospect(DEAL, DECK) / SEATS
            lead = advice.prospect(DEAL, hand) - usual
            place: int = action["place"]
            return BID_POINTS[place] * advice.place_chances(lead, SEATS, SPREAD)[place - 1]
        case "look":
            return advice.LOOK
        case "decline":
            return 0.0
    goal = advice.place_goal(seen, seat, seen.bids[seat], DEAL)
    match action:
        case {"type": "play", "card": card}:
            return advice.playing(seen, seat, card, DEAL, goal, hand)
        case {"type": "exchange", "give": give, "take": take}:
            return advice.exchanging(seen, seat, DEAL, goal, hand, give, take)
        case {"choice": "keep"}:
            return advice.scoring(seen, seat, DEAL, goal, hand, advice.trick_points(seen, DEAL))
        case _:
            return 0.0
