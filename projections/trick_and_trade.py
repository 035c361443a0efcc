"""The view of Trick and Trade."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from domain.games.trick_and_trade import deck, scoring
from domain.games.trick_and_trade.state import LastTrick, Taken, TrickAndTradeState
from projections.base import GameView, Play, plays
from projections.viewer import Viewer


class View(GameView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Trick and Trade; lists without another word are by seat.

    ``turn`` is the seat that plays or takes now. ``hands`` has None for each hidden card. ``plays`` is the
    trick on the table and ``order`` its seats from first to last place once it is complete; ``lead_taker``
    is who took the Lead Player card in this trick, ``taken`` all that was got after it so far. ``last_trick``
    is the one put away last: of its cards only the won one is seen any more. ``totals`` are the Value totals
    of the won cards, ``multipliers`` and ``scores`` what they would give if the game ended now.
    """

    phase: str
    trick: int
    tricks: int
    lead: int
    turn: int | UnsetType = UNSET
    hands: tuple[tuple[str | None, ...], ...]
    plays: list[Play]
    order: tuple[int, ...]
    lead_taker: int | UnsetType = UNSET
    taken: tuple[Taken, ...]
    last_trick: LastTrick | UnsetType = UNSET
    front: tuple[str, ...]
    back: tuple[str, ...]
    pile: int
    trades: tuple[tuple[str, ...], ...]
    icons: list[dict[str, int]]
    won: tuple[str, ...]
    totals: dict[str, int]
    multipliers: dict[str, int]
    scores: list[int]
    left_out: tuple[str | None, ...]


OWN = ("hands",)


def own(seen: TrickAndTradeState, viewer: Viewer) -> dict[str, Any]:
    """What a seat sees otherwise than a spectator: its own hand."""
    return {"hands": seen.hands}


def view(seen: TrickAndTradeState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    totals = scoring.value_totals(seen.won)
    times = scoring.multipliers(totals)
    icons = [scoring.icon_counts(cards) for cards in seen.trades]
    if seen.phase == "playing":
        turn: int | UnsetType = (seen.lead + len(seen.plays)) % seen.seats
    else:
        turn = seen.takers[0] if seen.takers else UNSET
    return View(
        phase=seen.phase,
        trick=seen.trick,
        tricks=deck.HAND_SIZE[seen.seats],
        lead=seen.lead,
        turn=turn,
        hands=seen.hands,
        plays=plays(seen.plays),
        order=seen.order,
        lead_taker=UNSET if seen.lead_taker is None else seen.lead_taker,
        taken=seen.taken,
        last_trick=UNSET if seen.last_trick is None else seen.last_trick,
        front=seen.front,
        back=seen.back,
        pile=len(seen.pile),
        trades=seen.trades,
        icons=icons,
        won=seen.won,
        totals=totals,
        multipliers=times,
        scores=[scoring.points(counts, times) for counts in icons],
        left_out=seen.left_out,
    )
