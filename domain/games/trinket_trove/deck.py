"""The 112 trinket cards, and what a table of each size uses (rulebook, 'Trinket Cards', 'Setup')."""

from __future__ import annotations

from collections.abc import Iterable

MIRROR = "mirror"

LADDERS: dict[str, tuple[int, ...]] = {
    "lure": (5, 10, 15, 20, 25, 80, 175),
    "feather": (5, 10, 25, 50, 80, 110, 145),
    "gem": (10, 25, 25, 60, 60, 125),
    "crayon": (20, 10, 0, 80, 100, 120),
    "bottlecap": (5, 5, 5, 50, 90),
    "marble": (5, 10, 20, 40, 80),
    "key": (10, 30, 30, 70),
    "shell": (10, 20, 40, 60),
    "gear": (5, 20, 55),
    "button": (10, 25, 45),
    "thimble": (5, 35),
    "bell": (10, 30),
}
"""The points of a set of 1, 2, ... cards of each trinket, up to the full set; Mirrors have no ladder."""

TRINKETS = tuple(LADDERS)

VALUES: dict[str, int] = {MIRROR: 8, **{trinket: len(ladder) for trinket, ladder in LADDERS.items()}}
"""What a card counts in a bid; for all but the Mirror also the size of its full set."""

MIRRORS = (MIRROR,) * 4

TRINKET_CARDS = tuple(trinket for trinket in TRINKETS for _ in range(2 * VALUES[trinket]))
"""Two full sets of each trinket: the 108 cards that starting hands are dealt from."""

CARDS = (*MIRRORS, *TRINKET_CARDS)

HAND_SIZE = 4

_PLACE = {card: number for number, card in enumerate(VALUES)}


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """The cards in the order of the rulebook's table, Mirrors first."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def value(cards: Iterable[str]) -> int:
    """The sum of the Values of some cards."""
    return sum(VALUES[card] for card in cards)


def timer_cards(seats: int) -> int:
    """How many timer cards are laid out each round: 1 with up to 4 seats, else 2."""
    return 1 if seats <= 4 else 2


def rounds(seats: int) -> int:
    """How many rounds a game has: 6 with up to 4 seats, else 5."""
    return 6 if seats <= 4 else 5
