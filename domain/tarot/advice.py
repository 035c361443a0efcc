"""What looks good at once in a tarot game, from what a seat may know; for bots that do not think ahead.

A seat has a `Goal`, a range of hand points. It expects the points that it has and those that the cards in its
hand are likely to bring, and plays the card after which that comes nearest to the goal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple

from domain.tarot.cards import FOOL, POINTS, POINTS_WITH_FIVES, STRENGTH, SUIT, TRUMP
from domain.tarot.follow import winner
from domain.tarot.state import TarotState

BIRD = 4.0
"""What a captured Bird is worth in hand points."""

LOOK = 0.1
"""What a look is worth: it costs nothing."""

RUFFED = 0.25
"""How likely a seat that follows has no card of a led side suit, but a trump."""


class Goal(NamedTuple):
    """The hand points that a seat wants to have at the end of the hand; infinite where there is no bound."""

    low: float
    high: float

    def worth(self, points: float) -> float:
        """How good it is to expect ``points``: 0 in the middle of the range, less the further away."""
        if self.low == -inf:
            return -max(0.0, points - self.high) - 0.1 * points
        if self.high == inf:
            return -max(0.0, self.low - points) + 0.1 * points
        outside = max(0.0, self.low - points, points - self.high)
        return -outside - 0.3 * abs(points - (self.low + self.high) / 2)


class Deal(NamedTuple):
    """What a game deals: its cards, the number of tricks, its Birds, and whether 5s count."""

    cards: tuple[str, ...]
    tricks: int
    birds: tuple[str, ...]
    fives: bool = False

    @property
    def values(self) -> dict[str, int]:
        """The hand points of each card."""
        return POINTS_WITH_FIVES if self.fives else POINTS


def _power(card: str) -> float:
    """How likely a card wins the trick that it is played to, on a rough scale."""
    if SUIT[card] == TRUMP:
        return 0.95 if card == FOOL else (STRENGTH[card] / 22) ** 1.5
    return 0.45 * (STRENGTH[card] / 14) ** 3


@cache
def _brings(deal: Deal) -> dict[str, float]:
    """The hand points that each card can be expected to bring at the beginning of a hand."""
    scale = sum(deal.values[card] for card in deal.cards) / sum(_power(card) for card in deal.cards)
    return {card: scale * _power(card) for card in deal.cards}


def prospect(deal: Deal, cards: Iterable[str]) -> float:
    """The hand points that cards in one hand can be expected to bring."""
    brings = _brings(deal)
    return sum(brings[card] for card in cards)


def chance_to_win(card: str, seat: int, plays: Sequence[tuple[int, str]], seats: int) -> float:
    """How likely ``card``, played by ``seat`` now, wins the trick."""
    if winner((*plays, (seat, card))) != seat:
        return 0.0
    following = seats - len(plays) - 1
    if SUIT[card] == TRUMP:
        beaten = 0.0 if card == FOOL else 0.8 * (22 - STRENGTH[card]) / 22
    else:
        beaten = RUFFED + 0.5 * (14 - STRENGTH[card]) / 14
    return float((1 - beaten) ** following)


def playing(
    seen: TarotState, seat: int, card: str, deal: Deal, goal: Goal, hand: Collection[str], partner: int = -1
) -> float:
    """How good it looks to play ``card``.

    Args:
        seen: what the seat may know.
        seat: whose turn it is.
        card: a card that may be played.
        deal: what the game deals.
        goal: what the seat wants.
        hand: the cards that the seat can still play, ``card`` among them.
        partner: a seat whose Birds are not captured.
    """
    wins = chance_to_win(card, seat, seen.plays, seen.seats)
    values = deal.values
    others = seen.seats - len(seen.plays) - 1
    there = sum(values[played] for _, played in seen.plays) + values[card] + others
    later = seen.points[seat] + prospect(deal, hand) - _brings(deal)[card]
    caught = sum(played in deal.birds and other != partner for other, played in seen.plays)
    birds = BIRD * (wins * caught - (1 - wins) * (card in deal.birds))
    return wins * goal.worth(later + there) + (1 - wins) * goal.worth(later) + birds


def scoring(seen: TarotState, seat: int, deal: Deal, goal: Goal, hand: Collection[str], points: int) -> float:
    """How good it looks for ``seat`` to get the ``points`` of the trick just won, compared with nothing."""
    later = seen.points[seat] + prospect(deal, hand)
    return goal.worth(later + points) - goal.worth(later)


def exchanging(
    seen: TarotState, seat: int, deal: Deal, goal: Goal, hand: Collection[str], give: str, take: str
) -> float:
    """How good it looks to exchange a card of the hand, compared with not doing it."""
    brings = _brings(deal)
    later = seen.points[seat] + prospect(deal, hand)
    return goal.worth(later + brings[take] - brings[give]) - goal.worth(later)


def parting(deal: Deal, hand: Collection[str], card: str) -> float:
    """How good it looks to part with ``card`` before bidding: strong hands get stronger, weak ones weaker."""
    brings = _brings(deal)
    usual = prospect(deal, deal.cards) * len(hand) / len(deal.cards)
    return -brings[card] if prospect(deal, hand) >= usual else brings[card]


def trick_points(seen: TarotState, deal: Deal) -> int:
    """The points of the trick on the table."""
    return sum(deal.values[card] for _, card in seen.plays)


def place_chances(lead: float, seats: int, spread: float) -> list[float]:
    """How likely each place is, first to last, for a seat that expects ``lead`` points above the average."""
    below = [0.0]
    for place in range(1, seats):
        even = log((seats - place) / place)
        below.append(1 / (1 + exp(even - lead / spread)))
    below.append(1.0)
    return [upper - lower for lower, upper in pairwise(below)]


def place_goal(seen: TarotState, seat: int, place: int, deal: Deal) -> Goal:
    """The hand points that lead to ``place``, as far as the points of the others tell."""
    total = sum(deal.values[card] for card in deal.cards)
    rest = max(0, total - sum(seen.points)) / seen.seats
    others = sorted(
        (points + rest for other, points in enumerate(seen.points) if other != seat), reverse=True
    )
    low = others[place - 1] + 1 if place <= len(others) else -inf
    high = others[place - 2] - 1 if place >= 2 else inf
    return Goal(min(low, high), max(low, high))
