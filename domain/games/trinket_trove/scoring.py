"""Points of a hand: sets, and the Mirrors where they bring most (RULES.md, 'Scoring')."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from domain.game import Result
from domain.games.trinket_trove.deck import LADDERS, MIRROR
from domain.games.trinket_trove.events import Who


class ScoredSet(msgspec.Struct, gc=False, frozen=True):
    """A set of a scored hand: its cards, Mirrors last, and its points. ``trinket`` is what they count as."""

    trinket: str
    cards: tuple[str, ...]
    points: int


class Arrangement(msgspec.Struct, gc=False, frozen=True):
    """A hand laid out in sets; ``unassigned`` Mirrors are in none of them and score nothing."""

    sets: tuple[ScoredSet, ...]
    unassigned: int
    points: int


def _worth(trinket: str, cards: int) -> int:
    """The points of so many cards of a trinket: full sets, then one overflow set."""
    ladder = LADDERS[trinket]
    full, rest = divmod(cards, len(ladder))
    return full * ladder[-1] + (ladder[rest - 1] if rest else 0)


def _room(trinket: str, real: int, mirrors: int, lone_mirrors: bool) -> int:
    """How many of the Mirrors a trinket can take that ``real`` cards are held of."""
    if lone_mirrors:
        return mirrors
    full = len(LADDERS[trinket])
    return min(mirrors, -real % full)


def _gains(counts: dict[str, int], mirrors: int, lone_mirrors: bool) -> list[tuple[str, list[int]]]:
    """The trinkets that can take Mirrors, each with what 0, 1, 2, ... of them add to its points."""
    found = []
    for trinket, real in counts.items():
        room = _room(trinket, real, mirrors, lone_mirrors)
        if room:
            plain = _worth(trinket, real)
            found.append((trinket, [_worth(trinket, real + more) - plain for more in range(room + 1)]))
    return found


def placed_mirrors(counts: dict[str, int], mirrors: int, lone_mirrors: bool) -> dict[str, int]:
    """How many Mirrors each trinket gets, so that no other placing gives more points.

    Exact: ``best[m]`` is the most points, then the most Mirrors placed, that the trinkets looked at so far
    can make of at most ``m`` Mirrors; one pass over the trinkets, from the last to the first. Of
    placings that are equal in both, the one that gives the earliest trinkets most is taken.
    """
    if not mirrors:
        return {}
    gains = _gains(counts, mirrors, lone_mirrors)
    best = [(0, 0)] * (mirrors + 1)
    choices: list[list[int]] = []
    for _, gain in reversed(gains):
        following, best, chosen = best, [], []
        for there in range(mirrors + 1):
            options = [
                (following[there - more][0] + gain[more], following[there - more][1] + more, more)
                for more in range(min(there, len(gain) - 1) + 1)
            ]
            points, placed, more = max(options)
            best.append((points, placed))
            chosen.append(more)
        choices.append(chosen)
    placing, there = {}, mirrors
    for (trinket, _), chosen in zip(gains, reversed(choices), strict=True):
        placing[trinket] = chosen[there]
        there -= chosen[there]
    return placing


def _counted(hand: Sequence[str]) -> tuple[dict[str, int], int]:
    counts = dict.fromkeys(LADDERS, 0)
    mirrors = 0
    for card in hand:
        if card == MIRROR:
            mirrors += 1
        else:
            counts[card] += 1
    return counts, mirrors


def points(hand: Sequence[str], lone_mirrors: bool = False) -> int:
    """The most points that a hand can make."""
    counts, mirrors = _counted(hand)
    placing = placed_mirrors(counts, mirrors, lone_mirrors)
    return sum(_worth(trinket, real + placing.get(trinket, 0)) for trinket, real in counts.items())


def arrangement(hand: Sequence[str], lone_mirrors: bool = False) -> Arrangement:
    """A hand in its sets, in the order of the rulebook's table, a full set before the overflow.

    The points are the most that the hand can make; of the arrangements that make them one with the fewest
    unassigned Mirrors is given, the same for the same cards in whatever order they come.
    """
    counts, mirrors = _counted(hand)
    placing = placed_mirrors(counts, mirrors, lone_mirrors)
    sets = []
    for trinket, real in counts.items():
        extra = placing.get(trinket, 0)
        cards = (trinket,) * real + (MIRROR,) * extra
        full = len(LADDERS[trinket])
        for start in range(0, len(cards), full):
            part = cards[start : start + full]
            sets.append(ScoredSet(trinket, part, LADDERS[trinket][len(part) - 1]))
    return Arrangement(tuple(sets), mirrors - sum(placing.values()), sum(one.points for one in sets))


def standing(hands: Sequence[Sequence[str]], order: Sequence[Who], lone_mirrors: bool) -> Result:
    """The result if the game ended now: of equal points, who is nearer to First in ``order``."""
    scores = tuple(points(hand, lone_mirrors) for hand in hands)
    ahead = sorted(range(len(hands)), key=lambda seat: (-scores[seat], order.index(seat)))
    places = tuple(ahead.index(seat) + 1 for seat in range(len(hands)))
    return Result(places, scores, (ahead[0],))
