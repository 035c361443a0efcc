"""The cards. The Trade cards are reconstructed (RULES.md) and may be replaced by a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

from domain.errors import BadOptions

SUITS = ("nev", "zeus", "octo", "ratcoin")
RANKS = range(1, 11)

TRICK_CARDS = tuple(f"{suit}-{rank}" for suit in SUITS for rank in RANKS)

TRADE_CARDS = tuple(
    "+".join(icons)
    for length in (1, 2)
    for icons in combinations_with_replacement(SUITS, length)
    for _ in range(3)
)
"""Every combination of one or two icons, three of each: 42 cards."""

MOST_ICONS = 4
"""How many icons a Trade card of a printed box can have."""

HAND_SIZE = {3: 13, 4: 10, 5: 8}
TRADES_USED = {3: 39, 4: 40, 5: 40}


def suit(card: str) -> str:
    """The suit of a trick card."""
    return card.partition("-")[0]


def rank(card: str) -> int:
    """The strength of a trick card, 1 to 10."""
    return int(card.partition("-")[2])


def value(card: str) -> int:
    """What a won card adds to its suit: 9 for the lowest rank down to 0 for the highest."""
    return 10 - rank(card)


def icons(trade: str) -> list[str]:
    """The icons of a Trade card."""
    return trade.split("+")


SCHEMA = {"minItems": len(TRADE_CARDS), "maxItems": len(TRADE_CARDS)}
"""What a published schema says of a replacement beside the type; `check_trade_cards` is what refuses."""

CODE_SCHEMA = {"pattern": f"^({'|'.join(SUITS)})(\\+({'|'.join(SUITS)})){{0,{MOST_ICONS - 1}}}$"}
"""The same of one code."""


def check_trade_cards(codes: Sequence[str]) -> None:
    """Refuse a replacement deck that is not 42 codes of 1 to 4 icons in order. Raises `BadOptions`."""
    if len(codes) != len(TRADE_CARDS):
        raise BadOptions("trade_cards", f"{len(TRADE_CARDS)} codes are needed, {len(codes)} were given")
    for number, code in enumerate(codes):
        found = icons(code)
        where = f"trade_cards[{number}]"
        for icon in found:
            if icon not in SUITS:
                raise BadOptions(where, f"{code!r} has the icon {icon!r}; icons are {', '.join(SUITS)}")
        if len(found) > MOST_ICONS:
            raise BadOptions(where, f"{code!r} has {len(found)} icons; 1 to {MOST_ICONS} are possible")
        right = "+".join(sorted(found, key=SUITS.index))
        if right != code:
            raise BadOptions(where, f"{code!r} must be written {right!r}")
