"""Places on the table of two seats: the strawmen before each seat, and the lines of the Talon.

The layout of the strawmen is reconstructed (RULES.md): 7 cards face down in a back row, 6 face up in a
front row, front card i lying over the back cards i and i + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T", str, str | None)

BACK = 7
FRONT = 6
STRAWMEN = BACK + FRONT

GONE = "gone"
"""Stands where a strawman has been played."""

LINES = {"row-1": (0, 1), "row-2": (2, 3), "column-1": (0, 2), "column-2": (1, 3)}
"""The lines of the Talon, whose four places are numbered row by row."""


def covered(front: Sequence[str], position: int) -> bool:
    """Whether a card of ``front`` lies over a place of the back row."""
    return any(card != GONE for card in front[max(0, position - 1) : position + 1])


def removed(row: tuple[T, ...], card: str) -> tuple[T | str, ...]:
    """``row`` with `GONE` where ``card`` lay; the same where it did not."""
    return tuple(GONE if there == card else there for there in row)


def rest_of(line: str) -> tuple[int, ...]:
    """The two places of the Talon that are not in ``line``."""
    return tuple(place for place in range(4) if place not in LINES[line])


def apart(line: str, other: str) -> bool:
    """Whether two lines share no place of the Talon."""
    return not set(LINES[line]) & set(LINES[other])
