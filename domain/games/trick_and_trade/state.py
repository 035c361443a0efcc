"""The state of Trick and Trade and how events change it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options, State
from domain.games.trick_and_trade import deck, events
from domain.visibility import COUNT, EACH_OWN, PUBLIC, when


class TrickAndTradeOptions(Options, frozen=True):
    """Options of a table of Trick and Trade."""

    trade_cards: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="The 42 Trade cards of your box: codes of 1 to 4 icons in the order nev, zeus, octo,"
            " ratcoin, joined by '+'."
        ),
    ] = deck.TRADE_CARDS


class TrickAndTradeState(State, frozen=True):
    """``plays`` is the trick on the table, ``order`` its placing once complete; ``takers`` still choose."""

    seats: Annotated[int, PUBLIC]
    trade_cards: Annotated[tuple[str, ...], PUBLIC]
    phase: Annotated[Literal["playing", "taking", "over"], PUBLIC] = "playing"
    trick: Annotated[int, PUBLIC] = 1
    lead: Annotated[int, PUBLIC] = 0
    plays: Annotated[tuple[tuple[int, str], ...], PUBLIC] = ()
    order: Annotated[tuple[int, ...], PUBLIC] = ()
    takers: Annotated[tuple[int, ...], PUBLIC] = ()
    lead_taker: Annotated[int | None, PUBLIC] = None
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


def evolve(state: TrickAndTradeState, event: Event) -> TrickAndTradeState:
    """The state after ``event``."""
    match event:
        case events.CardPlayed(seat, card):
            hand = without(state.hands[seat], card)
            return replace(state, plays=(*state.plays, (seat, card)), hands=_at(state.hands, seat, hand))
        case events.TradeTaken(seat, trade):
            return replace(
                state,
                front=without(state.front, trade),
                trades=_at(state.trades, seat, (*state.trades[seat], trade)),
                takers=tuple(taker for taker in state.takers if taker != seat),
            )
        case events.LeadTaken(seat):
            takers = tuple(taker for taker in state.takers if taker != seat)
            return replace(state, lead_taker=seat, takers=takers)
        case events.TrickPlaced(order, won):
            return replace(
                state, phase="taking", order=order, takers=order, won=(*state.won, won), lead_taker=None
            )
        case events.TrickEnded(lead):
            return replace(
                state,
                phase="playing",
                trick=state.trick + 1,
                lead=lead,
                plays=(),
                order=(),
                takers=(),
                lead_taker=None,
            )
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
            return replace(state, phase="over", plays=(), order=(), takers=(), lead_taker=None)
        case _:
            return state
