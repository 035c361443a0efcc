"""The rules of Trinket Trove: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.actions import Action, Offer, offer, some_of
from domain.dealing import Dealer
from domain.events import Event
from domain.game import Emitter, Game, Result
from domain.games.trinket_trove import advice, deck, events
from domain.games.trinket_trove.explaining import explanation
from domain.games.trinket_trove.lots import all_lots, cards_of, claimable, left, ranked_bids, strongest
from domain.games.trinket_trove.scoring import standing
from domain.games.trinket_trove.state import (
    NIMBUS,
    TrinketTroveOptions,
    TrinketTroveState,
    asked,
    evolve,
    turn,
)

HELP = """\
Collect sets of trinkets. Each round one lot for each player is laid out, with timer cards on the first lots.

**Bid.** From First to Last everybody bids cards of the own hand, or 0: then the top card of the draw deck is
flipped as the bid. More cards beat fewer, then the higher sum of Values counts, then the later bid. A 0 bid
counts as no card, whatever was flipped. The bids, strongest first, are the new turn order.

**Draft.** In that order everybody takes exactly two lots: lots of the row or bids of others, never the own
bid. The last in the order gets what is left, the own bid included, without being asked.

**Score.** The game ends when the timer deck is empty: after 6 rounds, or 5 with five or six players. Cards
of one trinket form full sets and then one overflow set; each scores by the ladder of its trinket:

| trinket | Value | points for 1, 2, 3, ... cards |
|---|---|---|
""" + "".join(
    f"| {trinket.title()} | {len(ladder)} | {', '.join(map(str, ladder))} |\n"
    for trinket, ladder in deck.LADDERS.items()
)

HELP += """\
| Mirror | 8 | wild |

There are two full sets of each trinket and 4 Mirrors. At the end each Mirror joins an incomplete set of
yours so that your total is as high as can be, or stays aside if it could only harm. With the option
`lone_mirrors` it simply counts as one more card of any trinket. Of equal totals, the one nearer to First
wins.

**Two players.** Nimbus joins: it always bids two cards flipped from the draw deck, and takes the two lots
with the most cards, then the highest sum of Values, out of the game. Where lots tie, the player nearer
to First chooses. Nimbus does not score.
"""


class TrinketTrove(Game[TrinketTroveOptions, TrinketTroveState]):
    """Trinket Trove for 2 to 6 seats."""

    name = "trinket-trove"
    title = "Trinket Trove"
    seats = (2, 3, 4, 5, 6)
    help = HELP
    options = TrinketTroveOptions
    state = TrinketTroveState
    events = events.EVENTS
    action_shapes = {
        "bid": {"cards": "cards of the own hand, none of them for a 0 bid; left out when the hand is empty"},
        "draft": {"lots": "exactly two lots that nobody has claimed, the own bid excepted"},
        "choose_for_nimbus": {"lots": "as many of the tied lots as Nimbus has places for"},
    }

    def initial(self, options: TrinketTroveOptions, seats: int) -> TrinketTroveState:
        return TrinketTroveState(seats=seats, lone_mirrors=options.lone_mirrors)

    def start(self, emit: Emitter[TrinketTroveState], dealer: Dealer) -> None:
        seats = emit.state.seats
        size = deck.HAND_SIZE
        emit(events.OrderDrawn("order", dealer.shuffle("order", range(max(seats, 3)))))
        dealt = dealer.shuffle("deal", deck.TRINKET_CARDS)
        emit(events.Dealt("deal", dealt, seats, size))
        rest = dealer.shuffle("deck", (*dealt[seats * size :], *deck.MIRRORS))
        emit(events.DeckShuffled("deck", rest, deck.rounds(seats) * deck.timer_cards(seats)))
        self._begin_round(emit)
        self._go_on(emit)

    def waiting(self, seen: TrinketTroveState) -> tuple[int, ...]:
        seat = asked(seen)
        return () if seat is None else (seat,)

    def actions(self, seen: TrinketTroveState, seat: int) -> list[Offer]:
        if seat != asked(seen):
            return []
        if seen.tied:
            places = 2 - len(seen.sure)
            return [offer("choose_for_nimbus", lots=some_of(seen.tied, places, places))]
        if seen.phase == "drafting":
            return [offer("draft", lots=some_of(tuple(claimable(seen, seat)), 2, 2))]
        hand = seen.hands[seat]
        return [offer("bid", cards=some_of(hand, 0, len(hand)))] if hand else [offer("bid")]

    def decide(
        self, emit: Emitter[TrinketTroveState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        state = emit.state
        match action["type"]:
            case "bid":
                cards = deck.in_order(action.get("cards", ()))
                if cards:
                    emit(events.BidMade(seat, cards, "hand"))
                else:
                    emit(events.BidMade(seat, state.pile[:1], "zero"))
            case "draft":
                lots = claimable(state, seat)
                chosen = tuple(lot for lot in lots if lot in action["lots"])
                emit(events.LotsClaimed(seat, chosen, cards_of(lots, chosen), "chosen"))
            case "choose_for_nimbus":
                chosen = tuple(lot for lot in state.tied if lot in action["lots"])
                emit(events.TieBroken(seat, chosen))
                lots = all_lots(state)
                taken = tuple(lot for lot in lots if lot in chosen or lot in state.sure)
                emit(events.LotsClaimed(NIMBUS, taken, cards_of(lots, taken), "tie_broken"))
        self._go_on(emit)

    def _go_on(self, emit: Emitter[TrinketTroveState]) -> None:
        """Everything that happens without being chosen, up to the next choice of a seat or the end."""
        while self._step(emit):
            pass

    def _step(self, emit: Emitter[TrinketTroveState]) -> bool:
        """The next thing that happens by itself; False when a seat is asked or the game is over."""
        state = emit.state
        who = turn(state)
        if state.tied or state.phase == "over":
            return False
        if state.phase == "bidding":
            if who is None:
                emit(events.OrderSet(tuple(bid.who for bid in ranked_bids(state.bids))))
            elif who == NIMBUS:
                emit(events.BidMade(NIMBUS, state.pile[:2], "nimbus"))
            else:
                return False
        elif who is None:
            self._end_round(emit)
        elif who == state.order[-1]:
            self._claim_rest(emit)
        elif who == NIMBUS:
            self._nimbus_drafts(emit)
        else:
            return False
        return True

    def _end_round(self, emit: Emitter[TrinketTroveState]) -> None:
        if emit.state.timer:
            self._begin_round(emit)
        else:
            emit(events.HandsShown(emit.state.hands))

    def _nimbus_drafts(self, emit: Emitter[TrinketTroveState]) -> None:
        state = emit.state
        lots = claimable(state, NIMBUS)
        sure, tied = strongest(lots, 2)
        if tied:
            nearest = next(who for who in state.order if isinstance(who, int))
            emit(events.NimbusTied(nearest, sure, tied, 2 - len(sure)))
        else:
            emit(events.LotsClaimed(NIMBUS, sure, cards_of(lots, sure), "strongest"))

    def _claim_rest(self, emit: Emitter[TrinketTroveState]) -> None:
        lots = left(emit.state)
        emit(events.LotsClaimed(emit.state.order[-1], tuple(lots), cards_of(lots, lots), "last"))

    def _begin_round(self, emit: Emitter[TrinketTroveState]) -> None:
        state = emit.state
        timer = state.timer[: deck.timer_cards(state.seats)]
        cards = state.pile[: len(state.order)]
        lots = tuple((card, *timer[number : number + 1]) for number, card in enumerate(cards))
        emit(events.RoundBegan(state.round + 1, state.order, lots, len(timer)))

    def explain(
        self, seen: TrinketTroveState, seat: int, action: Action, offers: Sequence[Offer]
    ) -> str | None:
        return explanation(seen, seat, action)

    def evolve(self, state: TrinketTroveState, event: Event) -> TrinketTroveState:
        return evolve(state, event)

    def result(self, state: TrinketTroveState) -> Result | None:
        return self.standing(state) if state.phase == "over" else None

    def standing(self, state: TrinketTroveState) -> Result:
        return standing(state.hands, state.order, state.lone_mirrors)

    def appraise(self, seen: TrinketTroveState, seat: int, action: Action) -> float:
        return advice.appraise(seen, seat, action)

    def candidates(
        self, seen: TrinketTroveState, seat: int, offers: Sequence[Offer]
    ) -> list[dict[str, Any]] | None:
        return advice.bids(seen, seat) if offers[0]["type"] == "bid" else None
