"""What happens in Trinket Trove."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from domain.events import Event, Public, Shuffled
from domain.visibility import HIDDEN, PUBLIC, rule

Who = int | Literal["nimbus"]
"""A seat, or the bot that joins two players."""


def _own_slice(order: tuple[str, ...], dealt: Any, viewer: int) -> tuple[str | None, ...]:
    mine = (
        range(viewer * dealt.hand_size, (viewer + 1) * dealt.hand_size) if 0 <= viewer < dealt.seats else ()
    )
    return tuple(card if position in mine else None for position, card in enumerate(order))


class OrderDrawn(Shuffled, frozen=True, tag="order_drawn"):
    """The first turn order, First to Last. With two seats the number 2 stands for Nimbus."""

    order: Annotated[tuple[int, ...], PUBLIC]


class Dealt(Shuffled, frozen=True, tag="dealt"):
    """The cards without the Mirrors: ``hand_size`` for seat 0, then for seat 1, ...; the rest goes on."""

    order: Annotated[tuple[str, ...], rule("each seat its own hand", _own_slice)]
    seats: Annotated[int, PUBLIC]
    hand_size: Annotated[int, PUBLIC]


class DeckShuffled(Shuffled, frozen=True, tag="deck_shuffled"):
    """The rest with the Mirrors: the first ``timer`` cards are the timer deck, the others the draw deck."""

    order: Annotated[tuple[str, ...], HIDDEN]
    timer: Annotated[int, PUBLIC]


class RoundBegan(Public, frozen=True, tag="round_began"):
    """New lots lie in the row.

    ``lots`` are the cards of ``lot-1``, ``lot-2``, ...: a card of the draw deck each, and on the first lots a
    card of the timer deck. ``order`` is the turn order, First to Last.
    """

    round: Annotated[int, PUBLIC]
    order: Annotated[tuple[Who, ...], PUBLIC]
    lots: Annotated[tuple[tuple[str, ...], ...], PUBLIC]
    timer: Annotated[int, PUBLIC]
    """How many timer cards were laid out."""


class BidMade(Public, frozen=True, tag="bid_made"):
    """A bid pile was laid out.

    ``why``: ``hand`` = cards of the own hand; ``zero`` = a 0 bid, its card flipped from the draw deck;
    ``nimbus`` = two cards flipped for Nimbus.
    """

    who: Annotated[Who, PUBLIC]
    cards: Annotated[tuple[str, ...], PUBLIC]
    why: Annotated[Literal["hand", "zero", "nimbus"], PUBLIC]


class OrderSet(Public, frozen=True, tag="order_set"):
    """Everybody has bid: the new turn order, First (the strongest bid) to Last."""

    order: Annotated[tuple[Who, ...], PUBLIC]


class NimbusTied(Public, frozen=True, tag="nimbus_tied"):
    """More lots are equally strong than Nimbus has places for, so ``seat``, nearest to First, chooses.

    ``sure`` are stronger lots that Nimbus takes anyway, ``tied`` those of which ``places`` are chosen.
    """

    seat: Annotated[int, PUBLIC]
    sure: Annotated[tuple[str, ...], PUBLIC]
    tied: Annotated[tuple[str, ...], PUBLIC]
    places: Annotated[int, PUBLIC]


class TieBroken(Public, frozen=True, tag="tie_broken"):
    """A seat chose which of the tied lots Nimbus takes."""

    seat: Annotated[int, PUBLIC]
    lots: Annotated[tuple[str, ...], PUBLIC]


WhyClaimed = Literal["chosen", "last", "strongest", "tie_broken"]


class LotsClaimed(Public, frozen=True, tag="lots_claimed"):
    """Two lots were claimed: a seat takes their cards into its hand, Nimbus takes them out of the game.

    ``why``: ``chosen`` = by the seat; ``last`` = what was left for the last in the turn order, who is not
    asked; ``strongest`` = Nimbus takes the strongest lots; ``tie_broken`` = the same after a seat's choice.
    """

    who: Annotated[Who, PUBLIC]
    lots: Annotated[tuple[str, ...], PUBLIC]
    cards: Annotated[tuple[str, ...], PUBLIC]
    why: Annotated[WhyClaimed, PUBLIC]


class HandsShown(Public, frozen=True, tag="hands_shown"):
    """The last round is over: every hand, by seat, face up."""

    hands: Annotated[tuple[tuple[str, ...], ...], PUBLIC]


EVENTS: tuple[type[Event], ...] = (
    OrderDrawn,
    Dealt,
    DeckShuffled,
    RoundBegan,
    BidMade,
    OrderSet,
    NimbusTied,
    TieBroken,
    LotsClaimed,
    HandsShown,
)
