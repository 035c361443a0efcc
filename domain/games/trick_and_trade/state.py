"""The state of Trick and Trade and how events change it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options, State
from domain.games.trick_and_trade import deck, events
from domain.visibility import COUNT, EACH_OWN, PUBLIC, when


class TrickAndTradeOptions(Options, frozen=True):
    """Options of a table of Trick and Trade."""

    trade_cards: Annotated[
        tuple[Annotated[str, msgspec.Meta(extra_json_schema=deck.CODE_SCHEMA)], ...],
        msgspec.Meta(
            description="The 42 Trade cards of your box: codes of 1 to 4 icons in the order nev, zeus, octo,"
            " ratcoin, joined by '+'.",
            extra_json_schema=deck.SCHEMA,
        ),
    ] = deck.TRADE_CARDS


class Taken(msgspec.Struct, gc=False, frozen=True):
    """What a seat got after a trick: a Trade card, or the Lead Player card where ``trade`` is absent.

    ``why``: ``chosen`` by the seat, ``last_place`` = what was left for it, ``with_lead`` = the card that was
    left in the row goes with the Lead Player card.
    """

    seat: int
    why: events.Why
    trade: str | UnsetType = UNSET


class LastTrick(msgspec.Struct, gc=False, frozen=True):
    """The trick that was put away last: its number from 1, places, won card, and what was taken after it."""

    trick: int
    order: tuple[int, ...]
    won: str
    taken: tuple[Taken, ...]


class TrickAndTradeState(State, frozen=True):
    """``plays`` is the trick on the table, ``order`` its placing once complete; ``takers`` still choose.

    ``taken`` is what seats got after it so far. Of the last trick only the won card is kept: the others lie
    face down.
    """

    seats: Annotated[int, PUBLIC]
    trade_cards: Annotated[tuple[str, ...], PUBLIC]
    phase: Annotated[Literal["playing", "taking", "over"], PUBLIC] = "playing"
    trick: Annotated[int, PUBLIC] = 1
    lead: Annotated[int, PUBLIC] = 0
    plays: Annotated[tuple[tuple[int, str], ...], PUBLIC] = ()
    order: Annotated[tuple[int, ...], PUBLIC] = ()
    takers: Annotated[tuple[int, ...], PUBLIC] = ()
    lead_taker: Annotated[int | None, PUBLIC] = None
    taken: Annotated[tuple[Taken, ...], PUBLIC] = ()
    last_trick: Annotated[LastTrick | None, PUBLIC] = None
    front: Annotated[tuple[str, ...], PUBLIC] = ()
    back: Annotated[tuple[str, ...], PUBLIC] = ()
    won: Annotated[tuple[str, ...], PUBLIC] = ()
    trades: Annotated[tuple[tuple[str, ...], ...], PUBLIC] = ()
    hands: Annotated[tuple[tuple[str, ...], ...], EACH_OWN] = ()
    pile: Annotated[tuple[str, ...], COUNT] = ()
    left_out: Annotated[
        tuple[str, ...],
        when(
            lambda state: state.phase == "over", PUBLIC, COUNT, "how many; when the game is over, everybody"
        ),
    ] = ()


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """``cards`` less one ``card``."""
    position = cards.index(card)
    return cards[:position] + cards[position + 1 :]


def _at(rows: tuple[tuple[str, ...], ...], seat: int, row: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return (*rows[:seat], row, *rows[seat + 1 :])


def _put_away(state: TrickAndTradeState) -> TrickAndTradeState:
    """The taking is over; the cards of the trick are seen no more."""
    return replace(
        state,
        plays=(),
        order=(),
        takers=(),
        lead_taker=None,
        taken=(),
        last_trick=LastTrick(state.trick, state.order, state.won[-1], state.taken),
    )


def evolve(state: TrickAndTradeState, event: Event) -> TrickAndTradeState:
    """The state after ``event``."""
    match event:
        case events.CardPlayed(seat, card):
            hand = without(state.hands[seat], card)
            return replace(state, plays=(*state.plays, (seat, card)), hands=_at(state.hands, seat, hand))
        case events.TradeTaken(seat, trade, why):
            return replace(
                state,
                front=without(state.front, trade),
                trades=_at(state.trades, seat, (*state.trades[seat], trade)),
                takers=tuple(taker for taker in state.takers if taker != seat),
                taken=(*state.taken, Taken(seat, why, trade)),
            )
        case events.LeadTaken(seat, why):
            takers = tuple(taker for taker in state.takers if taker != seat)
            taken = (*state.taken, Taken(seat, why))
            return replace(state, lead_taker=seat, takers=takers, taken=taken)
        case events.TrickPlaced(order, won):
            return replace(
                state, phase="taking", order=order, takers=order, won=(*state.won, won), lead_taker=None
            )
        case events.TrickEnded(lead):
            return replace(_put_away(state), phase="playing", trick=state.trick + 1, lead=lead)
        case events.RowsSet(front, back, pile):
            return replace(state, front=front, back=back, pile=state.pile[len(state.pile) - pile :])
        case events.LeadDrawn():
            return replace(state, lead=event.order[0])
        case events.Dealt():
            size, seats = event.hand_size, state.seats
            hands = tuple(event.order[seat * size : (seat + 1) * size] for seat in range(seats))
            return replace(state, hands=hands, left_out=event.order[seats * size :], trades=((),) * seats)
        case events.TradesShuffled():
            return replace(state, pile=event.order[: event.used])
        case events.LeftOutShown():
            return replace(_put_away(state), phase="over")
        case _:
            return state
