"""The rule that forbids an action in a tarot game, in a sentence that names the cards involved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from domain.actions import Action, Offer, brief
from domain.tarot.follow import explain
from domain.tarot.state import TarotState

DUE = {
    "discarding": "every seat lays a card to the Talon first",
    "passing": "every seat passes a card to its partner first",
    "bidding": "every seat bids first",
    "passing_again": "every seat passes a second card to its partner first",
    "resolving_21": "you won the trick with the trump 21 and say first what becomes of its points",
    "resolving_bird": "you won the trick with a Bird and say first what becomes of its points",
    "looking": "you won the trick with a Bird and say first whether you look at the Talon",
    "exchanging": "you looked at the Talon and exchange a card or decline first",
    "taking_talon": "you won the last trick and take a line of the Talon first",
}
"""What comes first, by the phase in which a seat is asked."""

CHOSEN_IN = {
    "discard": ("discarding",),
    "pass": ("passing", "bidding", "passing_again"),
    "bid": ("discarding", "passing", "bidding"),
}
"""In which phases a choice of all seats is being made or still to come, by the type of the action."""

CLOSED = {
    "discard": "all seats have discarded, and no discard can be changed any more",
    "pass": "all seats have passed their cards, and no pass can be changed any more",
    "bid": "all seats have bid, and no bid can be changed any more",
}
"""What became of it afterwards (rule 11)."""

_ONLY_A_BIRD = "only a seat that has just won a trick with a Bird looks at the Talon"

WHILE_PLAYING = {
    "resolve_21": "only a seat that has just won a trick with the trump 21 chooses so",
    "resolve_bird": "only a seat that has just won a trick with a Bird chooses so",
    "look": _ONLY_A_BIRD,
    "exchange": _ONLY_A_BIRD,
    "decline": _ONLY_A_BIRD,
    "take_talon": "the Talon is taken by the winner of the last trick",
}
"""Why something else than a card is not played, by the type of the action."""


def refusal(
    seen: TarotState,
    action: Action,
    offers: Sequence[Offer],
    *,
    kinds: Collection[str],
    playable: Sequence[str],
    overtrump_on_trump_lead: bool,
) -> str | None:
    """Why the seat that is asked cannot do ``action``; None where the general sentence says it.

    Args:
        seen: what the seat may know.
        action: what it tried.
        offers: what it may do.
        kinds: the types of actions that the game has.
        playable: the cards that the seat could play to an empty trick.
        overtrump_on_trump_lead: the option of the table.
    """
    kind = action.get("type")
    possible = list(dict.fromkeys(offer["type"] for offer in offers))
    if kind not in possible:
        return _wrong_time(seen, kind, possible) if kind in kinds else None
    match action:
        case {"type": "play", "card": card} if len(action) == 2:
            return explain(playable, seen.plays, card, overtrump_on_trump_lead=overtrump_on_trump_lead)
        case {"type": "discard" | "pass", "card": card} if len(action) == 2:
            return _not_among(card, offers[0]["card"]["one_of"], str(kind), "hold")
        case {"type": "exchange", "give": give, "take": take} if len(action) == 3:
            choice = next(offer for offer in offers if offer["type"] == "exchange")
            return _not_among(give, choice["give"]["one_of"], "give", "hold") or _not_among(
                take, choice["take"]["one_of"], "take", "looked at"
            )
        case _:
            return None


def _wrong_time(seen: TarotState, kind: Any, possible: Sequence[str]) -> str | None:
    if kind in CLOSED and seen.phase not in CHOSEN_IN[kind]:
        why: str | None = CLOSED[kind]
    else:
        why = WHILE_PLAYING.get(kind) if seen.phase == "playing" else DUE.get(seen.phase)
    return why and f"{kind} is not possible now: {why}; possible: {', '.join(possible)}"


def _not_among(card: Any, cards: Sequence[str], verb: str, have: str) -> str | None:
    if card in cards:
        return None
    return f"you cannot {verb} {brief(card)}: you {have} {', '.join(cards)}"
