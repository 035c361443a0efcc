"""Scoring of a round, coins, and who is ahead (rulebook, 'Scoring', 'End of Game'; ruling 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from domain.game import Result, ranked
from domain.games.mein_schatz.deck import MOUSE, symbol_counts

TARGET = 8
"""The value in silver that ends the game with the round in which a seat reaches it."""

SILVER_FOR_GOLD = 3

WhyCoins = Literal["most", "one_fewer", "two_fewer", "too_few", "nobody_scores"]

AWARDS: tuple[tuple[int, int, WhyCoins], ...] = ((1, 0, "most"), (0, 2, "one_fewer"), (0, 1, "two_fewer"))
"""Gold, silver and why, by how many treasures fewer than the most a seat has."""


class SeatScore(msgspec.Struct, gc=False, frozen=True):
    """What a seat scored in a round.

    Args:
        token: the treasure type of its find token.
        gnome_side: whether it took the token unseen, after the last orc.
        matching: symbols of the token's type.
        mice: mice, which always count.
        treasures: ``matching`` and ``mice`` together.
        gold: gold coins it got for them.
        silver: silver coins it got for them.
        why: what decided that; ``nobody_scores`` = the most was 0.
    """

    token: str
    gnome_side: bool
    matching: int
    mice: int
    treasures: int
    gold: int
    silver: int
    why: WhyCoins

    @property
    def value(self) -> int:
        """What its coins of this round are worth in silver."""
        return coin_value(self.gold, self.silver)


def coin_value(gold: int, silver: int) -> int:
    """What coins are worth in silver."""
    return SILVER_FOR_GOLD * gold + silver


def award(treasures: int, most: int) -> tuple[int, int, WhyCoins]:
    """Gold, silver and why, for a seat with so many treasures where the best has ``most``."""
    if most == 0:
        return 0, 0, "nobody_scores"
    fewer = most - treasures
    return AWARDS[fewer] if fewer < len(AWARDS) else (0, 0, "too_few")


def scored(
    stacks: Sequence[Sequence[str]], tokens: Sequence[str], gnome_side: Sequence[int]
) -> tuple[SeatScore, ...]:
    """The scores of a round from the stacks and tokens (all by seat) and the seats with the gnome side up."""
    counted = [symbol_counts(stack) for stack in stacks]
    treasures = [counts[token] + counts[MOUSE] for counts, token in zip(counted, tokens, strict=True)]
    most = max(treasures)
    return tuple(
        SeatScore(token, seat in gnome_side, counts[token], counts[MOUSE], total, *award(total, most))
        for seat, (token, counts, total) in enumerate(zip(tokens, counted, treasures, strict=True))
    )


def standing(gold: Sequence[int], silver: Sequence[int], last: Sequence[SeatScore]) -> Result:
    """The result if the game ended now: the value of all coins, then that of the last round's coins."""
    values = [coin_value(*coins) for coins in zip(gold, silver, strict=True)]
    latest = [score.value for score in last] or [0] * len(values)
    places = ranked(list(zip(values, latest, strict=True)))
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    return Result(places, tuple(values), winners, "target")
