"""The view of Trinket Trove."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.trinket_trove import deck, lots, scoring
from domain.games.trinket_trove.events import Who
from domain.games.trinket_trove.scoring import ScoredSet
from domain.games.trinket_trove.state import Claim, TrinketTroveState, asked
from projections.base import GameView
from projections.viewer import REFEREE, Viewer


class Turn(msgspec.Struct, gc=False, frozen=True):
    """The seat that is asked, for which action, and why it.

    ``why``: ``next_in_order``, or ``nearest_to_first`` for the choice among Nimbus' tied lots.
    """

    seat: int
    action: Literal["bid", "draft", "choose_for_nimbus"]
    why: Literal["next_in_order", "nearest_to_first"]


class Lot(msgspec.Struct, gc=False, frozen=True):
    """A lot of the row. Its first card is from the draw deck, a second one from the timer deck.

    ``claimed_by`` is absent until somebody has claimed it.
    """

    lot: str
    cards: tuple[str, ...]
    claimed_by: Who | UnsetType = UNSET


class BidPile(msgspec.Struct, gc=False, frozen=True):
    """A bid, which is a lot as well.

    ``zero``: a 0 bid, ranked as no card, its card flipped from the draw deck. ``value``: the sum of the
    Values. ``rank``: 1 for the strongest so far. ``made``: 1 for the first that was made in this round.
    """

    who: Who
    lot: str
    cards: tuple[str, ...]
    zero: bool
    value: int
    rank: int
    made: int
    claimed_by: Who | UnsetType = UNSET


class Tie(msgspec.Struct, gc=False, frozen=True):
    """The lots of which ``places`` go to Nimbus as a seat chooses, and those that it takes anyway."""

    lots: tuple[str, ...]
    places: int
    sure: tuple[str, ...]


class Hand(msgspec.Struct, gc=False, frozen=True):
    """The hand of a seat: None for each card that the viewer may not know.

    ``sets``, ``unassigned`` (Mirrors in no set) and ``points`` are what the cards score as they are;
    absent where the viewer may not know the hand.
    """

    seat: int
    cards: tuple[str | None, ...]
    sets: tuple[ScoredSet, ...] | UnsetType = UNSET
    unassigned: int | UnsetType = UNSET
    points: int | UnsetType = UNSET


class View(GameView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Trinket Trove.

    ``order`` is the turn order, First to Last, ``"nimbus"`` among it at a table of two. ``lots`` and ``bids``
    are those of this round, claimed ones included until the next round begins; ``bids`` stand from the
    strongest to the weakest. ``claims`` are those of this round in their order, with the reason of each;
    until the first of them they are those of the round before. ``hands`` are by seat. ``pile`` and ``timer``
    count the draw deck and the timer deck; ``removed`` is what Nimbus took out of the game (absent without
    Nimbus). ``turn`` is absent when the game is over, ``tie`` unless a seat chooses for Nimbus.
    """

    phase: str
    round: int
    rounds: int
    order: tuple[Who, ...]
    turn: Turn | UnsetType = UNSET
    lots: list[Lot]
    bids: list[BidPile]
    tie: Tie | UnsetType = UNSET
    claims: tuple[Claim, ...]
    hands: list[Hand]
    pile: int
    timer: int
    removed: tuple[str, ...] | UnsetType = UNSET
    lone_mirrors: bool


OWN = ("hands",)


def own(seen: TrinketTroveState, viewer: Viewer) -> dict[str, Any]:
    """The members in which viewers' views differ."""
    return {"hands": [_hand(seen, viewer, seat) for seat in range(len(seen.hands))]}


def view(seen: TrinketTroveState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    claimed = dict(seen.claims)
    row = [
        Lot(name, cards, claimed.get(name, UNSET))
        for name, cards in ((f"lot-{number}", cards) for number, cards in enumerate(seen.lots, 1))
    ]
    return View(
        phase=seen.phase,
        round=seen.round,
        rounds=deck.rounds(seen.seats),
        order=seen.order,
        turn=_turn(seen),
        lots=row,
        bids=_bids(seen, claimed),
        tie=Tie(seen.tied, 2 - len(seen.sure), seen.sure) if seen.tied else UNSET,
        claims=seen.latest,
        **own(seen, viewer),
        pile=len(seen.pile),
        timer=len(seen.timer),
        removed=seen.removed if seen.seats == 2 else UNSET,
        lone_mirrors=seen.lone_mirrors,
    )


def _turn(seen: TrinketTroveState) -> Turn | UnsetType:
    seat = asked(seen)
    if seat is None:
        return UNSET
    if seen.tied:
        return Turn(seat, "choose_for_nimbus", "nearest_to_first")
    return Turn(seat, "bid" if seen.phase == "bidding" else "draft", "next_in_order")


def _bids(seen: TrinketTroveState, claimed: dict[str, Who]) -> list[BidPile]:
    made = {bid.who: number for number, bid in enumerate(seen.bids, 1)}
    return [
        BidPile(
            who=bid.who,
            lot=lots.bid_lot(bid.who),
            cards=bid.cards,
            zero=bid.zero,
            value=deck.value(bid.cards),
            rank=rank,
            made=made[bid.who],
            claimed_by=claimed.get(lots.bid_lot(bid.who), UNSET),
        )
        for rank, bid in enumerate(lots.ranked_bids(seen.bids), 1)
    ]


def _hand(seen: TrinketTroveState, viewer: Viewer, seat: int) -> Hand:
    cards = seen.hands[seat]
    if viewer not in (seat, REFEREE) and seen.phase != "over":
        return Hand(seat, cards)
    laid = _laid(cards, seen.lone_mirrors)
    return Hand(seat, cards, laid.sets, laid.unassigned, laid.points)


@lru_cache(4096)
def _laid(cards: tuple[str, ...], lone_mirrors: bool) -> scoring.Arrangement:
    """The best sets of a hand: the same for as long as the hand is, and dear to find."""
    return scoring.arrangement(cards, lone_mirrors)
