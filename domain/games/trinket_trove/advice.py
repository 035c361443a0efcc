"""How good an action looks at once, from what a seat may know; for bots that do not think ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from domain.games.trinket_trove.deck import LADDERS, MIRROR, VALUES, in_order, rounds
from domain.games.trinket_trove.lots import all_lots, cards_of, ranked_bids
from domain.games.trinket_trove.scoring import points
from domain.games.trinket_trove.state import Bid, TrinketTroveState

HOPE = 0.75
"""How likely a set grows by one more card, with all rounds still to come."""

MIRROR_WORTH = 25.0
BEATEN = (0.85, 0.5, 0.2, 0.07)
"""How likely another seat bids higher than so many cards; than more of them: the last."""

DEAREST = 4
"""Bids of more cards than this are not considered."""


def appraise(seen: TrinketTroveState, seat: int, action: Mapping[str, Any]) -> float:
    """Points that ``action`` of ``seat`` can be expected to bring in the end."""
    hand = seen.hands[seat]
    left = rounds(seen.seats) - seen.round
    match action["type"]:
        case "bid":
            return _bidding(seen, seat, tuple(action.get("cards", ())), left)
        case "draft":
            return worth((*hand, *cards_of(all_lots(seen), action["lots"])), seen, left)
        case _:
            return -worth((*hand, *cards_of(all_lots(seen), action["lots"])), seen, left)


def worth(hand: Iterable[str], seen: TrinketTroveState, left: int) -> float:
    """What a hand is worth with so many rounds to come: sets that can grow count for what they may become."""
    counts = Counter(hand)
    if not left:
        return float(points(tuple(counts.elements()), seen.lone_mirrors))
    mirrors = counts.pop(MIRROR, 0) * MIRROR_WORTH
    hope = round(HOPE * left / rounds(seen.seats), 3)
    return mirrors + sum(_prospect(trinket, number, hope) for trinket, number in counts.items())


@cache
def _prospect(trinket: str, cards: int, hope: float) -> float:
    ladder = LADDERS[trinket]
    full, rest = divmod(cards, len(ladder))
    overflow = max(
        (ladder[size - 1] * hope ** (size - rest) for size in range(max(rest, 1), len(ladder) + 1)),
        default=0.0,
    )
    return full * ladder[-1] + (overflow if rest else 0.0)


def _bidding(seen: TrinketTroveState, seat: int, cards: tuple[str, ...], left: int) -> float:
    """What is left of the hand, and the lots that the place in the draft should leave to choose from."""
    hand = list(seen.hands[seat])
    for card in cards:
        hand.remove(card)
    kept = worth(hand, seen, left)
    bids = (*seen.bids, Bid(seat, cards, not cards))
    ahead = next(place for place, bid in enumerate(ranked_bids(bids)) if bid.who == seat)
    following = len(seen.order) - len(bids)
    place = ahead + following * BEATEN[min(len(cards), len(BEATEN) - 1)]
    lots = sorted((worth((*hand, *lot), seen, left) - kept for lot in all_lots(seen).values()), reverse=True)
    return kept + _at(lots, place) + _at(lots, place + 1)


def _at(worths: Sequence[float], place: float) -> float:
    low = min(int(place), len(worths) - 1)
    high = min(low + 1, len(worths) - 1)
    return worths[low] + (place - low) * (worths[high] - worths[low])


def bids(seen: TrinketTroveState, seat: int) -> list[dict[str, Any]]:
    """Bids worth a look: none, every single card, and the cards that are missed least, up to `DEAREST`."""
    hand = seen.hands[seat]
    if not hand:
        return [{"type": "bid"}]
    left = rounds(seen.seats) - seen.round
    chosen: list[tuple[str, ...]] = [(), *((card,) for card in dict.fromkeys(hand))]
    kept = list(hand)
    while kept and len(hand) - len(kept) < DEAREST:
        least = max(
            dict.fromkeys(kept), key=lambda card: (worth(_less(kept, card), seen, left), VALUES[card])
        )
        kept.remove(least)
        given = Counter(hand) - Counter(kept)
        chosen.append(in_order(given.elements()))
    return [{"type": "bid", "cards": list(cards)} for cards in dict.fromkeys(chosen)]


def _less(cards: Sequence[str], card: str) -> list[str]:
    rest = list(cards)
    rest.remove(card)
    return rest
