"""The scoring cards. They are reconstructed (RULES.md) and may be replaced by a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from domain.errors import BadOptions
from domain.games.thread_the_needle.deck import TWO

Total = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]


class Level(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"from_": "from"},
):
    """A scoring level: a range of hand points, both ends included, and what it gives at the end of a hand."""

    from_: Annotated[
        Total | UnsetType, msgspec.Meta(description="The lowest total; absent in the first level alone.")
    ] = UNSET
    to: Annotated[
        Total | UnsetType, msgspec.Meta(description="The highest total; absent in the last level alone.")
    ] = UNSET
    points: Annotated[int, msgspec.Meta(ge=0, le=100, description="Game points for finishing here.")]
    needle: Annotated[
        bool, msgspec.Meta(description="2 seats: whether it is the Needle, a bid that wins or loses all.")
    ] = False


ScoringCard = tuple[Level, ...]


def _card(*levels: tuple[int, int], rest: int, needle: int | None = None) -> ScoringCard:
    """A card of ``(highest total, points)`` from low to high, and the points ``rest`` above them."""
    card = []
    lowest: int | UnsetType = UNSET
    for highest, points in levels:
        card.append(Level(from_=lowest, to=highest, points=points, needle=highest == needle))
        lowest = highest + 1
    return (*card, Level(from_=lowest, points=rest))


_MANY = _card((4, 3), (14, 1), (19, 3), (29, 1), (34, 3), (49, 1), rest=3)
_TWO = _card((9, 4), (19, 3), (29, 2), (39, 1), (40, 1), (50, 1), (60, 2), (70, 3), rest=4, needle=40)

SCORING_CARDS: dict[int, ScoringCard] = {2: _TWO, 4: _MANY, 5: _MANY}
"""The scoring card of each number of seats."""


def level_of(card: ScoringCard, points: int) -> int:
    """The index of the level in which a total of hand points lies."""
    for index, level in enumerate(card):
        if level.to is UNSET or points <= level.to:
            return index
    return len(card) - 1


def needle_of(card: ScoringCard) -> int | None:
    """The index of the Needle, or None where the card has none."""
    return next((index for index, level in enumerate(card) if level.needle), None)


def check_scoring_card(card: Sequence[Level], seats: int) -> None:
    """Refuse a card into which some total does not fall exactly once. Raises `BadOptions`."""
    needles = 0
    for number, level in enumerate(card):
        where = f"scoring_card[{number}]"
        _check_bounds(card, number)
        if level.needle:
            needles += 1
            if seats != TWO:
                raise BadOptions(f"{where}.needle", f"only with {TWO} seats a level can be the Needle")
            if needles > 1:
                raise BadOptions(
                    f"{where}.needle", "one level at most is the Needle, and one before is already"
                )
            if len(card) == 1:
                raise BadOptions(
                    f"{where}.needle", "the Needle cannot be the only level: one seat bids it a hand"
                )


def _check_bounds(card: Sequence[Level], number: int) -> None:
    level, where = card[number], f"scoring_card[{number}]"
    if number == 0:
        if level.from_ is not UNSET:
            raise BadOptions(f"{where}.from", "the first level has no lowest total, so that none is left out")
    else:
        before = card[number - 1].to
        assert before is not UNSET
        if level.from_ is UNSET:
            raise BadOptions(
                f"{where}.from", f"missing; the level before ends at {before}: {before + 1} is right"
            )
        if level.from_ != before + 1:
            wrong = "leaves a gap" if level.from_ > before + 1 else "overlaps"
            raise BadOptions(
                f"{where}.from",
                f"{level.from_} {wrong}: the level before ends at {before}, {before + 1} is right",
            )
    if number == len(card) - 1:
        if level.to is not UNSET:
            raise BadOptions(f"{where}.to", "the last level has no highest total, so that none is left out")
    elif level.to is UNSET:
        raise BadOptions(f"{where}.to", "missing; only the last level has no highest total")
    elif level.from_ is not UNSET and level.to < level.from_:
        raise BadOptions(f"{where}.to", f"{level.to} lies below {level.from_}, where the level begins")
