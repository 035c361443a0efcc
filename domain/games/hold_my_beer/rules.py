"""The rules of Hold My Beer: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.events import Event
from domain.game import Emitter, Game, Result, ranked
from domain.games.hold_my_beer import advice, events
from domain.games.hold_my_beer.scoring import BID_POINTS, bid_awards
from domain.games.hold_my_beer.state import (
    DECK,
    HAND_SIZE,
    HANDS,
    HIGHEST_BIRD,
    SEATS,
    TARGET,
    HoldMyBeerOptions,
    HoldMyBeerState,
    evolve,
)
from domain.tarot import places, play
from domain.tarot.cards import TWENTY_ONE, birds
from domain.tarot.events import CardPlayed, ChoiceOwed, GameEnded
from domain.tarot.explaining import refusal
from domain.tarot.places import BidChosen, BidsRevealed, HandScored
from domain.tarot.state import TURN_PHASES, turn

BIRDS = birds(HIGHEST_BIRD)

HELP = """\
Say in which place you will finish the hand, then capture just the points for it.

Everybody gets 18 of 54 cards (trumps 1 to 21, the Fool, four suits from 7 to Roi), lays one face down to the
*Talon*, and bids 1, 2 or 3, all at the same time. Then 17 tricks are played. Follow the led suit if you can;
if you cannot, play a trump if you can, higher than every trump in the trick if you have one. The highest
trump wins, without one the highest card of the led suit. The winner scores the trick and leads.

Points: Roi 4, Dame 3, Cavalier 2, Valet 1, each trump 2, the Fool -2. The last trick takes the Talon as well.

- The **Fool** is the highest trump, fits any trick and never has to be played while another card can be.
- Winning with the **21**: keep the points or discard them.
- Winning with a **Bird** (trump 1, 2 or 3): you may look at the Talon and exchange one card. A Bird that an
  opponent played and you captured is 1 game point at once.

Game points for a bid made good: first 1, second 3, third 1, and 1 more for everybody else who failed with the
same bid. Tied seats share the better place and the next is skipped. 20 game points win at once; otherwise
the highest total after 6 hands.

**Options.** With `overtrump_on_trump_lead` off, any trump follows a led trump.
"""


class HoldMyBeer(Game[HoldMyBeerOptions, HoldMyBeerState]):
    """Hold My Beer for 3 seats."""

    name = "hold-my-beer"
    title = "Hold My Beer"
    seats = (SEATS,)
    help = HELP
    options = HoldMyBeerOptions
    state = HoldMyBeerState
    events = events.EVENTS
    action_shapes = {
        "discard": {"card": "a card of the own hand, for the Talon"},
        "bid": {"place": "the place bid on, 1 to 3"},
        "play": {"card": "a card of the own hand that the rules allow"},
        "resolve_21": {"choice": "keep or discard the points of the trick won with the 21"},
        "look": {},
        "exchange": {"give": "a card of the own hand", "take": "a card of the Talon"},
        "decline": {},
    }

    def initial(self, options: HoldMyBeerOptions, seats: int) -> HoldMyBeerState:
        return HoldMyBeerState(
            seats=seats,
            overtrump_on_trump_lead=options.overtrump_on_trump_lead,
            scores=(0,) * seats,
            points=(0,) * seats,
        )

    def start(self, emit: Emitter[HoldMyBeerState], dealer: Dealer) -> None:
        play.draw_starter(emit, dealer)
        play.deal(emit, dealer, DECK, HAND_SIZE)

    def waiting(self, seen: HoldMyBeerState) -> tuple[int, ...]:
        if seen.phase in ("discarding", "bidding"):
            return places.undecided(seen)
        return (turn(seen),) if seen.phase in TURN_PHASES else ()

    def actions(self, seen: HoldMyBeerState, seat: int) -> list[Offer]:
        match seen.phase:
            case "discarding" if places.may_choose(seen, seat):
                return [offer("discard", card=one_of(seen.hands[seat]))]
            case "bidding" if places.may_choose(seen, seat):
                return [offer("bid", place=one_of(tuple(BID_POINTS)))]
            case "resolving_21" if seat == turn(seen):
                return [offer("resolve_21", choice=one_of(("keep", "discard")))]
            case _ if seen.phase in TURN_PHASES and seat == turn(seen):
                return play.turn_offers(seen, seat, overtrump_on_trump_lead=seen.overtrump_on_trump_lead)
            case _:
                return []

    def explain(
        self, seen: HoldMyBeerState, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]
    ) -> str | None:
        return refusal(
            seen,
            action,
            offers,
            kinds=self.action_shapes,
            playable=seen.hands[seat],
            overtrump_on_trump_lead=seen.overtrump_on_trump_lead,
        )

    def idle(self, seen: HoldMyBeerState, seat: int) -> str | None:
        return places.idle(seen, seat)

    def decide(
        self, emit: Emitter[HoldMyBeerState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        match action["type"]:
            case "discard":
                emit(events.DiscardChosen(seat, action["card"]))
                if not places.undecided(emit.state):
                    emit(events.Discarded(places.cards_picked(emit.state)))
            case "bid":
                emit(BidChosen(seat, action["place"]))
                if not places.undecided(emit.state):
                    emit(BidsRevealed(places.bids_picked(emit.state)))
            case "play":
                emit(CardPlayed(seat, action["card"]))
                if len(emit.state.plays) == SEATS:
                    self._trick_won(emit, dealer)
            case "resolve_21" if action["choice"] == "keep":
                play.put_away(emit, seat, "kept")
                self._trick_over(emit, dealer)
            case "resolve_21":
                play.put_away(emit, None, "discarded")
                self._trick_over(emit, dealer)
            case _:
                play.answer_look(emit, seat, action)

    def _trick_won(self, emit: Emitter[HoldMyBeerState], dealer: Dealer) -> None:
        card = play.complete_trick(emit, BIRDS)
        seat = emit.state.lead
        if max(emit.state.scores) >= TARGET:
            emit(GameEnded("target"))
        elif card == TWENTY_ONE:
            emit(ChoiceOwed(seat, "resolve_21"))
        else:
            play.put_away(emit, seat, "scored")
            if card in BIRDS and emit.state.hands[seat]:
                emit(ChoiceOwed(seat, "look"))
            else:
                self._trick_over(emit, dealer)

    def _trick_over(self, emit: Emitter[HoldMyBeerState], dealer: Dealer) -> None:
        if any(emit.state.hands):
            return
        play.score_talon(emit)
        state = emit.state
        finished = places.places(state.points)
        made = tuple(bid == place for bid, place in zip(state.bids, finished, strict=True))
        awards = bid_awards(state.bids, finished)
        emit(HandScored(state.hand, state.bids, state.points, finished, made, awards))
        if max(emit.state.scores) >= TARGET:
            emit(GameEnded("target"))
        elif state.hand == HANDS:
            emit(GameEnded("played_out"))
        else:
            play.deal(emit, dealer, DECK, HAND_SIZE)

    def evolve(self, state: HoldMyBeerState, event: Event) -> HoldMyBeerState:
        return evolve(state, event)

    def result(self, state: HoldMyBeerState) -> Result | None:
        return self.standing(state) if state.ended else None

    def standing(self, state: HoldMyBeerState) -> Result:
        finished = ranked(state.scores)
        winners = tuple(seat for seat, place in enumerate(finished) if place == 1)
        return Result(finished, state.scores, winners, state.ended or "played_out")

    def appraise(self, seen: HoldMyBeerState, seat: int, action: Mapping[str, Any]) -> float:
        return advice.appraise(seen, seat, action)
