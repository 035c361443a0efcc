"""The rules of Trick and Trade: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.events import Event
from domain.game import Chance, Emitter, Game, Result
from domain.games.trick_and_trade import advice, deck, events, imagining
from domain.games.trick_and_trade.explaining import explanation
from domain.games.trick_and_trade.playout import playout
from domain.games.trick_and_trade.scoring import placing, standing
from domain.games.trick_and_trade.state import TrickAndTradeOptions, TrickAndTradeState, evolve

HELP = """\
Play one card each; any card may be played. Cards of the led suit beat all others, a higher rank beats
a lower one, and of equal ranks the later card is better. The best card of the trick becomes a *won
card*: its Value (10 minus its rank) is added to its suit. All others are set aside face down.

Then, from first place to last, everybody takes a Trade card of the front row or the Lead Player card.
Whoever takes the Lead Player card leads the next trick and also gets the Trade card that is left at the
end. If nobody wants it, the last place gets it together with the last Trade card, without being asked.

When all tricks are played, the suits are ranked by their Value totals: x3, x2, x1 and x-1 (tied suits
share the better multiplier). Each icon on your Trade cards scores its suit's multiplier. Ties go to
more icons of the x3 suits, then x2, then x1.

The 42 Trade cards are reconstructed: every combination of one or two icons, three times. Whoever owns the
printed box can replace them with the option `trade_cards`.
"""


class TrickAndTrade(Game[TrickAndTradeOptions, TrickAndTradeState]):
    """Trick and Trade for 3 to 5 seats."""

    name = "trick-and-trade"
    title = "Trick and Trade"
    seats = (3, 4, 5)
    help = HELP
    options = TrickAndTradeOptions
    state = TrickAndTradeState
    events = events.EVENTS
    action_shapes = {
        "play": {"card": "a card of the own hand"},
        "take": {"trade": "a Trade card of the front row"},
        "take_lead": {},
    }
    imagines = True

    def check(self, options: TrickAndTradeOptions, seats: int) -> None:
        deck.check_trade_cards(options.trade_cards)

    def initial(self, options: TrickAndTradeOptions, seats: int) -> TrickAndTradeState:
        return TrickAndTradeState(seats=seats, trade_cards=options.trade_cards)

    def start(self, emit: Emitter[TrickAndTradeState], dealer: Dealer) -> None:
        seats = emit.state.seats
        emit(events.LeadDrawn("lead", dealer.shuffle("lead", range(seats))))
        cards = dealer.shuffle("deal", deck.TRICK_CARDS)
        emit(events.Dealt("deal", cards, deck.HAND_SIZE[seats]))
        trades = dealer.shuffle("trades", emit.state.trade_cards)
        emit(events.TradesShuffled("trades", trades, deck.TRADES_USED[seats]))
        pile = emit.state.pile
        emit(events.RowsSet(pile[:seats], pile[seats : 2 * seats], len(pile) - 2 * seats))

    def waiting(self, seen: TrickAndTradeState) -> tuple[int, ...]:
        if seen.phase == "playing":
            return ((seen.lead + len(seen.plays)) % seen.seats,)
        return seen.takers[:1] if seen.phase == "taking" else ()

    def actions(self, seen: TrickAndTradeState, seat: int) -> list[Offer]:
        if seat not in self.waiting(seen):
            return []
        if seen.phase == "playing":
            return [offer("play", card=one_of(seen.hands[seat]))]
        offers = [offer("take", trade=one_of(seen.front))]
        if seen.lead_taker is None:
            offers.append(offer("take_lead"))
        return offers

    def decide(
        self, emit: Emitter[TrickAndTradeState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        match action["type"]:
            case "play":
                emit(events.CardPlayed(seat, action["card"]))
                plays = emit.state.plays
                if len(plays) == emit.state.seats:
                    order = placing(plays)
                    emit(events.TrickPlaced(order, dict(plays)[order[0]]))
            case "take":
                emit(events.TradeTaken(seat, action["trade"], "chosen"))
                self._after_taking(emit)
            case "take_lead":
                emit(events.LeadTaken(seat, "chosen"))
                self._after_taking(emit)

    def _after_taking(self, emit: Emitter[TrickAndTradeState]) -> None:
        state = emit.state
        if state.lead_taker is None and len(state.takers) == 1:
            last = state.takers[0]
            emit(events.LeadTaken(last, "last_place"))
            emit(events.TradeTaken(last, state.front[0], "last_place"))
        elif state.lead_taker is not None and not state.takers:
            emit(events.TradeTaken(state.lead_taker, state.front[0], "with_lead"))
        else:
            return
        self._next_trick(emit)

    def _next_trick(self, emit: Emitter[TrickAndTradeState]) -> None:
        state = emit.state
        if not any(state.hands):
            emit(events.LeftOutShown(state.left_out))
            return
        drawn = state.pile[: state.seats]
        emit(events.RowsSet(state.back, drawn, len(state.pile) - len(drawn)))
        assert state.lead_taker is not None
        emit(events.TrickEnded(state.lead_taker))

    def explain(
        self, seen: TrickAndTradeState, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]
    ) -> str | None:
        return explanation(seen, seat, action)

    def evolve(self, state: TrickAndTradeState, event: Event) -> TrickAndTradeState:
        return evolve(state, event)

    def result(self, state: TrickAndTradeState) -> Result | None:
        return self.standing(state) if state.phase == "over" else None

    def standing(self, state: TrickAndTradeState) -> Result:
        return standing(state.won, state.trades)

    def appraise(self, seen: TrickAndTradeState, seat: int, action: Mapping[str, Any]) -> float:
        return advice.appraise(seen, seat, action)

    def worlds(
        self, log: Sequence[Mapping[str, Any]], viewer: int, rng: Chance
    ) -> Iterator[TrickAndTradeState]:
        return imagining.worlds(log, viewer, rng)

    def playout(self, world: TrickAndTradeState, seat: int, action: Mapping[str, Any], rng: Chance) -> float:
        return playout(world, seat, action, rng)
