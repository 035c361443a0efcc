"""The state of Trinket Trove and how events change it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options, State
from domain.games.trinket_trove import events
from domain.games.trinket_trove.deck import in_order
from domain.games.trinket_trove.events import Who
from domain.visibility import COUNT, EACH_OWN, PUBLIC, when

NIMBUS: Final = "nimbus"


class TrinketTroveOptions(Options, frozen=True):
    """Options of a table of Trinket Trove."""

    lone_mirrors: Annotated[
        bool,
        msgspec.Meta(
            description="A Mirror counts as one more card of any trinket, before the cards are grouped into"
            " sets, also of one you hold no card of. Otherwise it joins a set that holds a real card and is"
            " not full."
        ),
    ] = False


class Bid(msgspec.Struct, gc=False, frozen=True):
    """A bid pile. ``zero``: it counts as no card when bids are ranked; its card was flipped from the deck."""

    who: Who
    cards: tuple[str, ...]
    zero: bool


class Claim(msgspec.Struct, gc=False, frozen=True):
    """Two lots that were claimed in a round. ``why`` is that of the event `LotsClaimed`."""

    round: int
    who: Who
    lots: tuple[str, ...]
    why: events.WhyClaimed


class TrinketTroveState(State, frozen=True):
    """``lots`` are the cards of lot-1, lot-2, ...; ``bids`` stand in the order in which they were made.

    ``order`` is the turn order, First to Last. ``claims`` names the lots that were claimed in this round, two
    by two, with who claimed them; ``latest`` says so with the reasons, and keeps those of the round before
    until the first of this. While a seat chooses for Nimbus, ``tied`` holds the lots to choose from and
    ``sure`` those that Nimbus takes anyway. ``removed`` is what Nimbus took. Hands are kept sorted.
    """

    seats: Annotated[int, PUBLIC]
    lone_mirrors: Annotated[bool, PUBLIC]
    phase: Annotated[Literal["bidding", "drafting", "over"], PUBLIC] = "bidding"
    round: Annotated[int, PUBLIC] = 0
    order: Annotated[tuple[Who, ...], PUBLIC] = ()
    lots: Annotated[tuple[tuple[str, ...], ...], PUBLIC] = ()
    bids: Annotated[tuple[Bid, ...], PUBLIC] = ()
    claims: Annotated[tuple[tuple[str, Who], ...], PUBLIC] = ()
    latest: Annotated[tuple[Claim, ...], PUBLIC] = ()
    tied: Annotated[tuple[str, ...], PUBLIC] = ()
    sure: Annotated[tuple[str, ...], PUBLIC] = ()
    removed: Annotated[tuple[str, ...], PUBLIC] = ()
    hands: Annotated[
        tuple[tuple[str, ...], ...],
        when(
            lambda state: state.phase == "over",
            PUBLIC,
            EACH_OWN,
            "each its own, the others how many; when the game is over, everybody",
        ),
    ] = ()
    pile: Annotated[tuple[str, ...], COUNT] = ()
    timer: Annotated[tuple[str, ...], COUNT] = ()


def turn(state: TrinketTroveState) -> Who | None:
    """Whose turn it is in the turn order, or None once the game is over or a round is complete."""
    done = len(state.bids) if state.phase == "bidding" else len(state.claims) // 2
    return None if state.phase == "over" or done >= len(state.order) else state.order[done]


def asked(state: TrinketTroveState) -> int | None:
    """The seat that has to decide now, or None. In a tie of Nimbus: the seat nearest to First."""
    if state.tied:
        return next((who for who in state.order if isinstance(who, int)), None)
    who = turn(state)
    return who if isinstance(who, int) else None


def _with_hand(
    hands: tuple[tuple[str, ...], ...], seat: int, hand: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _less(hand: tuple[str, ...], cards: tuple[str, ...]) -> tuple[str, ...]:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def evolve(state: TrinketTroveState, event: Event) -> TrinketTroveState:
    """The state after ``event``."""
    match event:
        case events.BidMade(who, cards, why):
            bids = (*state.bids, Bid(who, cards, why == "zero"))
            if why != "hand" or who == NIMBUS:
                return replace(state, bids=bids, pile=state.pile[len(cards) :])
            hand = _less(state.hands[who], cards)
            return replace(state, bids=bids, hands=_with_hand(state.hands, who, hand))
        case events.LotsClaimed(who, lots, cards, why):
            latest = (*(state.latest if state.claims else ()), Claim(state.round, who, lots, why))
            claims = (*state.claims, *((lot, who) for lot in lots))
            state = replace(state, claims=claims, latest=latest)
            if who == NIMBUS:
                return replace(state, removed=(*state.removed, *cards), tied=(), sure=())
            hand = in_order((*state.hands[who], *cards))
            return replace(state, hands=_with_hand(state.hands, who, hand))
        case events.OrderSet(order):
            return replace(state, phase="drafting", order=order)
        case events.NimbusTied(_, sure, tied):
            return replace(state, tied=tied, sure=sure)
        case events.RoundBegan(number, order, lots, timer):
            return replace(
                state,
                phase="bidding",
                round=number,
                order=order,
                lots=lots,
                bids=(),
                claims=(),
                pile=state.pile[len(lots) :],
                timer=state.timer[timer:],
            )
        case events.OrderDrawn():
            names = (*range(state.seats), NIMBUS)
            return replace(state, order=tuple(names[number] for number in event.order))
        case events.Dealt():
            size, dealt = event.hand_size, event.order
            hands = tuple(in_order(dealt[seat * size : (seat + 1) * size]) for seat in range(state.seats))
            return replace(state, hands=hands)
        case events.DeckShuffled():
            return replace(state, timer=event.order[: event.timer], pile=event.order[event.timer :])
        case events.HandsShown():
            return replace(state, phase="over")
        case _:
            return state
