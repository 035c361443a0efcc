"""Ranking of bids, claimable lots, and what Nimbus takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from domain.games.trinket_trove.deck import value
from domain.games.trinket_trove.events import Who
from domain.games.trinket_trove.state import Bid, TrinketTroveState

Lots = dict[str, tuple[str, ...]]
"""Lots by name."""


def bid_lot(who: Who) -> str:
    """The name of the lot that a bid is."""
    return f"bid-{who}"


def ranked_bids(bids: Sequence[Bid]) -> tuple[Bid, ...]:
    """Bids, given in the order in which they were made, from the strongest to the weakest.

    More cards first, then the higher sum of Values, then the later bid; a 0 bid counts as no card
    (rulebook, 'Determining Turn Order'; RULES.md, 'A round').
    """
    order = sorted(
        range(len(bids)),
        key=lambda made: (0 if bids[made].zero else len(bids[made].cards), value(bids[made].cards), made),
        reverse=True,
    )
    return tuple(bids[made] for made in order)


def all_lots(state: TrinketTroveState) -> Lots:
    """Every lot of this round, claimed or not: the row, then the bids from the strongest on."""
    lots = {f"lot-{number}": cards for number, cards in enumerate(state.lots, 1)}
    for bid in ranked_bids(state.bids):
        lots[bid_lot(bid.who)] = bid.cards
    return lots


def left(state: TrinketTroveState) -> Lots:
    """The lots that nobody has claimed, in the order of `all_lots`."""
    lots = all_lots(state)
    for lot, _ in state.claims:
        del lots[lot]
    return lots


def claimable(state: TrinketTroveState, who: Who) -> Lots:
    """The lots that ``who`` may choose from: all that are left but the own bid (RULES.md, 'A round')."""
    lots = left(state)
    lots.pop(bid_lot(who), None)
    return lots


def strength(cards: Sequence[str]) -> tuple[int, int]:
    """What Nimbus goes by: how many cards really lie in a lot, then the sum of their Values."""
    return len(cards), value(cards)


def strongest(lots: Mapping[str, Sequence[str]], places: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which lots Nimbus takes: those that are sure, and those that tie for the places that are left over.

    The second is empty when ``places`` lots are stronger than all others.
    """
    strengths = {lot: strength(cards) for lot, cards in lots.items()}
    least = sorted(strengths.values(), reverse=True)[places - 1]
    sure = tuple(lot for lot in lots if strengths[lot] > least)
    tied = tuple(lot for lot in lots if strengths[lot] == least)
    if len(sure) + len(tied) == places:
        return tuple(lot for lot in lots if strengths[lot] >= least), ()
    return sure, tied


def cards_of(lots: Mapping[str, Sequence[str]], names: Iterable[str]) -> tuple[str, ...]:
    """The cards of the lots named, one lot after another."""
    return tuple(card for name in names for card in lots[name])
