"""The rules of Oopsie: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.events import Event
from domain.game import Emitter, Game, Result
from domain.games.oopsie import advice, events
from domain.games.oopsie.scoring import BID_POINTS, bid_awards, forfeited, standing
from domain.games.oopsie.state import (
    DECK,
    HAND_SIZE,
    HIGHEST_BIRD,
    OopsieOptions,
    OopsieState,
    evolve,
    most_hands,
    target,
)
from domain.games.oopsie.teams import SEATS, TEAMS, opponents, partner
from domain.tarot import places, play
from domain.tarot.cards import TWENTY_ONE, birds
from domain.tarot.events import CardPlayed, ChoiceOwed, GameEnded
from domain.tarot.explaining import refusal
from domain.tarot.places import BidChosen, BidsRevealed, HandScored
from domain.tarot.state import TURN_PHASES, turn

BIRDS = birds(HIGHEST_BIRD)
CHOOSING_PHASES = ("passing", "bidding", "passing_again")

HELP = """\
Partners sit opposite each other (seats 0 and 2 against 1 and 3). Each says in which place it will finish the
hand, then captures just the points for it.

Everybody gets 14 of 58 cards (trumps 1 to 21, the Fool, four suits from 6 to Roi); two form the *Talon*. All
pass a card to their partner, bid 1 to 4, and pass a second card, each time all at once. Then 14 tricks are
played. Follow the led suit if you can; if you cannot, play a trump if you can, higher than every trump in the
trick if you have one. The highest trump wins, without one the highest card of the led suit. The winner scores
the trick and leads.

Points: Roi 4, Dame 3, Cavalier 2, Valet 1, each trump 2, the Fool -2. The last trick takes the Talon as well.

- The **Fool** is the highest trump, fits any trick and never has to be played while another card can be.
- Winning with the **21**: keep the points or give them to your partner.
- Winning with a **Bird** (trump 1 to 4): score the trick, and look at the Talon and exchange a card if you
  like; or give the points to an opponent. A Bird that an opponent played and you captured is 1 game
  point at once.

Game points for a bid made good: first 2, second 3, third 4, fourth 2; and 1 for each opponent who failed with
a bid that your team made good. Tied seats share the better place and the next is skipped. 20 game points win
at once; otherwise the higher total after 4 hands.

**Options.** `long`: 40 game points or 8 hands. With `overtrump_on_trump_lead` off, any trump follows a led
trump. An opponent's failed bid counts once for a team; with `bonus_per_member` it counts for each member that
made the same bid good.
"""


class Oopsie(Game[OopsieOptions, OopsieState]):
    """Oopsie for 4 seats in two teams."""

    name = "oopsie"
    title = "Oopsie"
    seats = (SEATS,)
    help = HELP
    options = OopsieOptions
    state = OopsieState
    events = events.EVENTS
    action_shapes = {
        "pass": {"card": "a card of the own hand, for the partner"},
        "bid": {"place": "the place bid on, 1 to 4"},
        "play": {"card": "a card of the own hand that the rules allow"},
        "resolve_21": {"choice": "keep the points of the trick won with the 21, or give them to the partner"},
        "resolve_bird": {
            "choice": "score the trick won with a Bird, or give its points",
            "to": "with give: the opponent who gets the points",
        },
        "look": {},
        "exchange": {"give": "a card of the own hand", "take": "a card of the Talon"},
        "decline": {},
    }

    def initial(self, options: OopsieOptions, seats: int) -> OopsieState:
        return OopsieState(
            seats=seats,
            overtrump_on_trump_lead=options.overtrump_on_trump_lead,
            bonus_per_member=options.bonus_per_member,
            long=options.long,
            scores=(0,) * TEAMS,
            points=(0,) * seats,
        )

    def start(self, emit: Emitter[OopsieState], dealer: Dealer) -> None:
        play.draw_starter(emit, dealer)
        play.deal(emit, dealer, DECK, HAND_SIZE)

    def waiting(self, seen: OopsieState) -> tuple[int, ...]:
        if seen.phase in CHOOSING_PHASES:
            return places.undecided(seen)
        return (turn(seen),) if seen.phase in TURN_PHASES else ()

    def actions(self, seen: OopsieState, seat: int) -> list[Offer]:
        if seen.phase in CHOOSING_PHASES:
            if not places.may_choose(seen, seat):
                return []
            if seen.phase == "bidding":
                return [offer("bid", place=one_of(tuple(BID_POINTS)))]
            return [offer("pass", card=one_of(seen.hands[seat]))]
        if seen.phase not in TURN_PHASES or seat != turn(seen):
            return []
        match seen.phase:
            case "resolving_21":
                return [offer("resolve_21", choice=one_of(("keep", "give")))]
            case "resolving_bird":
                give = offer("resolve_bird", choice=one_of(("give",)), to=one_of(opponents(seat)))
                return [offer("resolve_bird", choice=one_of(("score",))), give]
            case _:
                return play.turn_offers(seen, seat, overtrump_on_trump_lead=seen.overtrump_on_trump_lead)

    def explain(
        self, seen: OopsieState, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]
    ) -> str | None:
        if seen.phase == "resolving_bird" and action.get("type") == "resolve_bird":
            seats = " or ".join(str(other) for other in opponents(seat))
            return f"a trick won with a Bird is resolved with choice score, or choice give and to {seats}"
        return refusal(
            seen,
            action,
            offers,
            kinds=self.action_shapes,
            playable=seen.hands[seat],
            overtrump_on_trump_lead=seen.overtrump_on_trump_lead,
        )

    def idle(self, seen: OopsieState, seat: int) -> str | None:
        return places.idle(seen, seat)

    def decide(
        self, emit: Emitter[OopsieState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        match action["type"]:
            case "pass":
                emit(events.PassChosen(seat, action["card"]))
                if not places.undecided(emit.state):
                    emit(events.CardsPassed(places.cards_picked(emit.state)))
            case "bid":
                emit(BidChosen(seat, action["place"]))
                if not places.undecided(emit.state):
                    emit(BidsRevealed(places.bids_picked(emit.state)))
            case "play":
                emit(CardPlayed(seat, action["card"]))
                if len(emit.state.plays) == SEATS:
                    self._trick_won(emit, dealer)
            case "resolve_21":
                if action["choice"] == "keep":
                    play.put_away(emit, seat, "kept")
                else:
                    play.put_away(emit, partner(seat), "given")
                self._trick_over(emit, dealer)
            case "resolve_bird":
                self._resolve_bird(emit, seat, action, dealer)
            case _:
                play.answer_look(emit, seat, action)

    def _resolve_bird(
        self, emit: Emitter[OopsieState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        if action["choice"] == "give":
            play.put_away(emit, action["to"], "given")
        else:
            play.put_away(emit, seat, "scored")
            if emit.state.hands[seat]:
                emit(ChoiceOwed(seat, "look"))
        self._trick_over(emit, dealer)

    def _trick_won(self, emit: Emitter[OopsieState], dealer: Dealer) -> None:
        card = play.complete_trick(emit, BIRDS)
        seat = emit.state.lead
        if max(emit.state.scores) >= target(emit.state):
            emit(GameEnded("target"))
        elif card == TWENTY_ONE:
            emit(ChoiceOwed(seat, "resolve_21"))
        elif card in BIRDS:
            emit(ChoiceOwed(seat, "resolve_bird"))
        else:
            play.put_away(emit, seat, "scored")
            self._trick_over(emit, dealer)

    def _trick_over(self, emit: Emitter[OopsieState], dealer: Dealer) -> None:
        if any(emit.state.hands):
            return
        play.score_talon(emit)
        state = emit.state
        finished = places.places(state.points)
        made = tuple(bid == place for bid, place in zip(state.bids, finished, strict=True))
        awards = bid_awards(state.bids, finished, bonus_per_member=state.bonus_per_member)
        emit(HandScored(state.hand, state.bids, state.points, finished, made, awards))
        if max(emit.state.scores) >= target(state):
            emit(GameEnded("target"))
        elif state.hand == most_hands(state):
            emit(GameEnded("played_out"))
        else:
            play.deal(emit, dealer, DECK, HAND_SIZE)

    def evolve(self, state: OopsieState, event: Event) -> OopsieState:
        return evolve(state, event)

    def result(self, state: OopsieState) -> Result | None:
        return self.standing(state) if state.ended else None

    def standing(self, state: OopsieState) -> Result:
        return standing(state.scores, state.ended or "played_out")

    def forfeit(self, state: OopsieState, seat: int) -> Result:
        return forfeited(state.scores, seat)

    def appraise(self, seen: OopsieState, seat: int, action: Mapping[str, Any]) -> float:
        return advice.appraise(seen, seat, action)
