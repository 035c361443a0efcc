"""How good an action looks at once, from what a seat may know; for bots that do not think ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.oopsie.scoring import BID_POINTS
from domain.games.oopsie.state import DECK, HIGHEST_BIRD, TRICKS, OopsieState
from domain.games.oopsie.teams import SEATS, partner
from domain.tarot import advice
from domain.tarot.cards import birds

DEAL = advice.Deal(DECK, TRICKS, birds(HIGHEST_BIRD))
SPREAD = 6.0
"""How far hand points stray from what a hand promises."""


def appraise(seen: OopsieState, seat: int, action: Mapping[str, Any]) -> float:
    """How near ``action`` brings ``seat`` to the place that it bid; before that, how good a bid looks."""
    hand = seen.hands[seat]
    match action:
        case {"type": "pass", "card": card}:
            return advice.parting(DEAL, hand, card)
        case {"type": "bid", "place": int(place)}:
            usual = advice.prospect(DEAL, DECK) / SEATS
            lead = advice.prospect(DEAL, hand) - usual
            return BID_POINTS[place] * advice.place_chances(lead, SEATS, SPREAD)[place - 1]
        case {"type": "look"}:
            return advice.LOOK
        case {"type": "decline"}:
            return 0.0
    goal = _goal(seen, seat)
    match action:
        case {"type": "play", "card": card}:
            return advice.playing(seen, seat, card, DEAL, goal, hand, partner(seat))
        case {"type": "exchange", "give": give, "take": take}:
            return advice.exchanging(seen, seat, DEAL, goal, hand, give, take)
    points = advice.trick_points(seen, DEAL)
    match action:
        case {"choice": "give", "to": other}:
            return -_gets(seen, other, points)
        case {"choice": "give"}:
            return _gets(seen, partner(seat), points)
        case _:
            return advice.scoring(seen, seat, DEAL, goal, hand, points) + advice.LOOK


def _goal(seen: OopsieState, seat: int) -> advice.Goal:
    return advice.place_goal(seen, seat, seen.bids[seat], DEAL)


def _gets(seen: OopsieState, other: int, points: int) -> float:
    """How good it is for another seat, whose hand is not known, to get points."""
    left = sum(DEAL.values[card] for card in DECK) - sum(seen.points)
    expected = seen.points[other] + left / SEATS
    goal = _goal(seen, other)
    return goal.worth(expected + points) - goal.worth(expected)
