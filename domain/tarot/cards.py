"""The tarot deck: 21 numbered trumps, the Fool, and four side suits up to the Roi.

Codes are ``trump-1`` to ``trump-21``, ``fool``, and ``hearts-7`` or ``hearts-roi`` for the side suits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

TRUMP = "trump"
FOOL = "fool"
TWENTY_ONE = "trump-21"
SIDE_SUITS = ("hearts", "spades", "diamonds", "clubs")
COURT = ("valet", "cavalier", "dame", "roi")

FULL_DECK: tuple[str, ...] = (
    *(f"trump-{rank}" for rank in range(1, 22)),
    FOOL,
    *(f"{suit}-{rank}" for suit in SIDE_SUITS for rank in (*range(1, 11), *COURT)),
)
"""All 78 cards in card order: trumps, the Fool, then the side suits, each from low to high."""

POSITION = {card: number for number, card in enumerate(FULL_DECK)}
"""Where each card stands in card order; a key to sort by."""

SUIT = {card: TRUMP if card == FOOL else card.partition("-")[0] for card in FULL_DECK}
"""The suit of each card; the Fool is a trump."""

STRENGTH = {
    card: 22 if card == FOOL else 11 + COURT.index(rank) if rank in COURT else int(rank)
    for card, rank in ((card, card.partition("-")[2]) for card in FULL_DECK)
}
"""How high each card is within its suit: the Roi 14, the trump 21 21, the Fool 22."""

COURT_POINTS = {"valet": 1, "cavalier": 2, "dame": 3, "roi": 4}

POINTS = {
    card: -2 if card == FOOL else 2 if SUIT[card] == TRUMP else COURT_POINTS.get(card.partition("-")[2], 0)
    for card in FULL_DECK
}
"""Hand points of each card: Roi 4, Dame 3, Cavalier 2, Valet 1, each trump 2, the Fool -2."""

POINTS_WITH_FIVES = POINTS | {f"{suit}-5": 5 for suit in SIDE_SUITS}
"""The same where each 5 of a side suit (not the trump 5) is worth 5."""


def deck(lowest: int = 1, removed: Collection[int] = ()) -> tuple[str, ...]:
    """The cards of a game in card order.

    Args:
        lowest: the lowest rank of the side suits that stays in the deck.
        removed: ranks that leave every suit, trumps included.
    """
    gone = {str(rank) for rank in removed}
    low = {str(rank) for rank in range(1, lowest)}
    cards = []
    for card in FULL_DECK:
        rank = card.partition("-")[2]
        if rank not in gone and (SUIT[card] == TRUMP or rank not in low):
            cards.append(card)
    return tuple(cards)


def total(cards: Iterable[str], *, fives: bool = False) -> int:
    """The hand points of ``cards`` together; ``fives``: the 5s of the side suits count."""
    points = POINTS_WITH_FIVES if fives else POINTS
    return sum(points[card] for card in cards)


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """``cards`` in card order."""
    return tuple(sorted(cards, key=POSITION.__getitem__))


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """``cards`` less ``card``; the same where it is not among them."""
    if card not in cards:
        return cards
    position = cards.index(card)
    return cards[:position] + cards[position + 1 :]


def birds(highest: int) -> tuple[str, ...]:
    """The Birds of a game: the trumps from 1 to ``highest``."""
    return tuple(f"trump-{rank}" for rank in range(1, highest + 1))


def suit_name(suit: str) -> str:
    """How a suit is called in a sentence."""
    return "Trumps" if suit == TRUMP else suit.capitalize()
