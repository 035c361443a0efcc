"""What happens in Trick and Trade."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from domain.events import Event, Public, Shuffled
from domain.visibility import HIDDEN, PUBLIC, rule


def _own_slice(order: tuple[str, ...], dealt: Any, viewer: int) -> tuple[str | None, ...]:
    mine = range(viewer * dealt.hand_size, (viewer + 1) * dealt.hand_size) if viewer >= 0 else range(0)
    return tuple(card if position in mine else None for position, card in enumerate(order))


class LeadDrawn(Shuffled, frozen=True, tag="lead_drawn"):
    """The first seat of ``order`` is the first Lead Player (ruling 3)."""

    order: Annotated[tuple[int, ...], PUBLIC]


class Dealt(Shuffled, frozen=True, tag="dealt"):
    """The trick cards: ``hand_size`` for seat 0, then for seat 1, ...; what is left over is left out."""

    order: Annotated[tuple[str, ...], rule("each seat its own hand", _own_slice)]
    hand_size: Annotated[int, PUBLIC]


class TradesShuffled(Shuffled, frozen=True, tag="trades_shuffled"):
    """The Trade cards: the first ``used`` form the draw pile, the rest is removed unseen."""

    order: Annotated[tuple[str, ...], HIDDEN]
    used: Annotated[int, PUBLIC]


class RowsSet(Public, frozen=True, tag="rows_set"):
    """The auction row as it lies now; ``pile`` cards are left to draw."""

    front: Annotated[tuple[str, ...], PUBLIC]
    back: Annotated[tuple[str, ...], PUBLIC]
    pile: Annotated[int, PUBLIC]


class CardPlayed(Public, frozen=True, tag="card_played"):
    """A seat played a card to the trick."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, PUBLIC]


class TrickPlaced(Public, frozen=True, tag="trick_placed"):
    """The trick is complete: ``order`` from first to last place, ``won`` is the first card."""

    order: Annotated[tuple[int, ...], PUBLIC]
    won: Annotated[str, PUBLIC]


Why = Literal["chosen", "last_place", "with_lead"]


class TradeTaken(Public, frozen=True, tag="trade_taken"):
    """A seat got a Trade card of the front row: by choice, as last place, or with the Lead Player card."""

    seat: Annotated[int, PUBLIC]
    trade: Annotated[str, PUBLIC]
    why: Annotated[Why, PUBLIC]


class LeadTaken(Public, frozen=True, tag="lead_taken"):
    """A seat got the Lead Player card: by choice, or as last place because nobody took it."""

    seat: Annotated[int, PUBLIC]
    why: Annotated[Why, PUBLIC]


class TrickEnded(Public, frozen=True, tag="trick_ended"):
    """The taking is over: the trick is put away, ``lead`` leads the next."""

    lead: Annotated[int, PUBLIC]


class LeftOutShown(Public, frozen=True, tag="left_out_shown"):
    """The game is over: the trick cards that nobody held (ruling 6)."""

    cards: Annotated[tuple[str, ...], PUBLIC]


EVENTS: tuple[type[Event], ...] = (
    LeadDrawn,
    Dealt,
    TradesShuffled,
    RowsSet,
    CardPlayed,
    TrickPlaced,
    TradeTaken,
    LeadTaken,
    TrickEnded,
    LeftOutShown,
)
