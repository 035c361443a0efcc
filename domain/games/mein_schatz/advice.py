"""How good an action looks at once, from what a seat may know; for bots that do not think ahead.

A bot has the memory of the view: of cards laid face down it knows only how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from domain.games.mein_schatz.deck import MOUSE, ORCS, TYPES, symbols
from domain.games.mein_schatz.state import MeinSchatzState, open_places, takeable

PATIENCE = 1.2
"""How many cards more than those that each open place would get the tallest stack must have to be taken."""


def appraise(seen: MeinSchatzState, seat: int, action: Mapping[str, Any]) -> float:
    """Treasures that ``action`` of ``seat`` can be expected to bring, compared with the others on offer."""
    match action["type"]:
        case "draw":
            return _drawing(seen)
        case "lay":
            return _laying(seen, action["place"])
        case _ if "token" in action:
            return stack_worth(seen, action["place"], action["token"])
        case _:
            return sum(stack_worth(seen, action["place"], token) for token in TYPES) / len(TYPES)


@cache
def _average(cards: tuple[str, ...], token: str) -> float:
    """How many treasures a card of the deck is worth with a token."""
    return sum(_treasures(card, token) for card in cards) / len(cards)


def _treasures(card: str, token: str) -> int:
    found = symbols(card)
    return found.count(token) + found.count(MOUSE)


def stack_worth(seen: MeinSchatzState, place: int, token: str) -> float:
    """The treasures that the stack of a place is expected to hold for a find token."""
    average = _average(seen.treasure_cards, token)
    stack: Sequence[str | None] = seen.stacks[place]
    return sum(average if card is None else _treasures(card, token) for card in stack)


def _best_stack(seen: MeinSchatzState) -> float:
    tokens = seen.tokens or TYPES
    return max((stack_worth(seen, place, token) for place in takeable(seen) for token in tokens), default=0.0)


def _drawing(seen: MeinSchatzState) -> float:
    """What can be taken later: more than now while cards come, less once others have taken or orcs have."""
    left = len(seen.deck)
    if not left:
        return 0.0
    average = sum(_average(seen.treasure_cards, token) for token in TYPES) / len(TYPES)
    waiting = sum(place is None for place in seen.took)
    risk = (ORCS - len(seen.orcs)) / left
    if waiting == 1:
        # Nobody can take anything away; only the last orc ends it, and then the token is left to luck.
        return _best_stack(seen) + average * (1 - risk) - (2.0 * risk if len(seen.orcs) == ORCS - 1 else 0.0)
    treasures = left - (ORCS - len(seen.orcs))
    to_come = treasures * (ORCS - len(seen.orcs)) / (ORCS - len(seen.orcs) + 1)
    heights = [len(seen.stacks[place]) for place in open_places(seen)]
    mean = (sum(heights) + to_come / waiting) / len(heights)
    return average * (mean + PATIENCE)


def _laying(seen: MeinSchatzState, place: int) -> float:
    """Alone: on the tallest stack. Else on the lowest, so that the next seat finds none that stands out.

    Where tops lie open, the card goes where it matches.
    """
    alone = sum(took is None for took in seen.took) == 1
    stack: Sequence[str | None] = seen.stacks[place]
    top = stack[-1] if stack else None
    alike = 0
    if top is not None and seen.drawn is not None:
        alike = len(set(symbols(top)) & set(symbols(seen.drawn)))
    return (len(stack) if alone else -len(stack)) + 0.5 * alike
