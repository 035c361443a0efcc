"""The teams: partners sit opposite each other, seats 0 and 2 against seats 1 and 3."""

from __future__ import annotations

SEATS = 4
TEAMS = 2


def team(seat: int) -> int:
    """The team of a seat, 0 or 1."""
    return seat % TEAMS


def partner(seat: int) -> int:
    """The seat opposite."""
    return (seat + TEAMS) % SEATS


def opponents(seat: int) -> tuple[int, ...]:
    """The two seats of the other team, ascending."""
    return tuple(other for other in range(SEATS) if team(other) != team(seat))
