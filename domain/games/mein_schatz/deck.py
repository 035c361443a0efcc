"""The cards and tokens. The treasure cards are reconstructed (RULES.md) and may be replaced by a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from domain.errors import BadOptions

TYPES = ("ring", "diamond", "sword", "necklace", "coin", "potion")
"""The treasure types, in the order in which codes name them; one find token shows each."""

MOUSE = "mouse"
SYMBOLS = (*TYPES, MOUSE)
ORC = "orc"
ORCS = 6
PLACES = range(4)
MOST_SYMBOLS = 5


def code(symbols: Sequence[str]) -> str:
    """How a card with these symbols is written."""
    return "+".join(sorted(symbols, key=SYMBOLS.index))


def _of_type(number: int) -> tuple[str, ...]:
    own, next_one, next_but_one = (TYPES[(number + step) % len(TYPES)] for step in range(3))
    cards = ((own, MOUSE), (own, next_one), (own, own), (own, own, next_but_one), (own, own, own))
    return tuple(code(card) for card in cards)


TREASURE_CARDS = tuple(card for number in range(len(TYPES)) for card in _of_type(number))
"""Five for each type: with a mouse, with the next type, twice, twice with the next but one, three times."""

DECK_SIZE = len(TREASURE_CARDS) + ORCS


def full_deck(treasure_cards: Sequence[str]) -> tuple[str, ...]:
    """The cards of a round: all treasure cards and the orcs."""
    return (*treasure_cards, *(ORC,) * ORCS)


def symbols(card: str) -> list[str]:
    """The symbols of a treasure card."""
    return card.split("+")


def symbol_counts(cards: Sequence[str]) -> dict[str, int]:
    """How many of each symbol the cards show, all symbols named."""
    found = Counter(symbol for card in cards for symbol in symbols(card))
    return {symbol: found[symbol] for symbol in SYMBOLS}


SCHEMA = {"minItems": len(TREASURE_CARDS), "maxItems": len(TREASURE_CARDS)}
"""What a published schema says of a replacement beside the type; `check_treasure_cards` is what refuses."""

CODE_SCHEMA = {"pattern": f"^({'|'.join(SYMBOLS)})(\\+({'|'.join(SYMBOLS)})){{0,{MOST_SYMBOLS - 1}}}$"}
"""The same of one code."""


def check_treasure_cards(codes: Sequence[str]) -> None:
    """Refuse a replacement that is not 30 codes of 1 to 5 symbols in order. Raises `BadOptions`."""
    if len(codes) != len(TREASURE_CARDS):
        raise BadOptions("treasure_cards", f"{len(TREASURE_CARDS)} codes are needed, {len(codes)} were given")
    for number, given in enumerate(codes):
        found = symbols(given)
        where = f"treasure_cards[{number}]"
        for symbol in found:
            if symbol not in SYMBOLS:
                known = ", ".join(SYMBOLS)
                raise BadOptions(where, f"{given!r} has the symbol {symbol!r}; symbols are {known}")
        if len(found) > MOST_SYMBOLS:
            raise BadOptions(where, f"{given!r} has {len(found)} symbols; 1 to {MOST_SYMBOLS} are possible")
        if code(found) != given:
            raise BadOptions(where, f"{given!r} must be written {code(found)!r}")
