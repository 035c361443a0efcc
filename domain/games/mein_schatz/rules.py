"""The rules of Mein Schatz: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from domain.actions import Action, Offer, offer, one_of
from domain.dealing import Dealer
from domain.errors import BadOptions
from domain.events import Event
from domain.game import Emitter, Game, Result
from domain.games.mein_schatz import advice, deck, events, scoring
from domain.games.mein_schatz.explaining import explanation
from domain.games.mein_schatz.state import (
    MeinSchatzOptions,
    MeinSchatzState,
    evolve,
    open_places,
    still_in,
    takeable,
)

HELP = """\
Gnomes carry treasure out of a cave before the orc comes. The deck holds 30 treasure cards and 6 orcs.

**Your turn**, clockwise: either *draw* the top card, or *take* a treasure. A drawn treasure is laid on one
of the four places, on top of what lies there. A drawn orc is laid out for all to see. To take a treasure,
choose a find token (ring, diamond, sword, necklace, coin or potion) and a place that holds cards: the stack
is yours, nobody looks at it, the place is closed and you are out of the round. The last one without
treasure may draw on as long as they like.

**The sixth orc**: the unused tokens are turned over and shuffled. Everybody still without treasure,
clockwise from the left of whoever drew the orc, takes a stack with the top token, unseen. An empty place
may be taken only if no open place holds a card.

**Scoring**: each symbol of your token's type counts 1, and so does each mouse. The most treasures get 1
gold, ties included; one fewer gets 2 silver, two fewer 1 silver. If the most is 0, nobody gets a coin. 1
gold is worth 3 silver. When somebody has coins worth 8 silver after a round, the most valuable coins win;
ties go to the better last round, then the victory is shared. Otherwise a new round begins with the next
seat.

**Options**: in the published game treasures lie face up on the places. Here they lie face down unless
`places` is `face_up`, which shows the top card of each stack. With `drawn` set to `secret` only you see
what you draw. The 30 treasure cards are reconstructed; `treasure_cards` replaces them by those of a printed
box. `first_seat` names the seat that begins, otherwise it is drawn.
"""


class MeinSchatz(Game[MeinSchatzOptions, MeinSchatzState]):
    """Mein Schatz for 2 to 4 seats."""

    name = "mein-schatz"
    title = "Mein Schatz"
    seats = (2, 3, 4)
    help = HELP
    options = MeinSchatzOptions
    state = MeinSchatzState
    events = events.EVENTS
    action_shapes = {
        "draw": {},
        "lay": {"place": "a place, 0 to 3, that is not closed"},
        "take": {
            "place": "a place, 0 to 3, that holds cards; after the sixth orc any open place where none does",
            "token": "a find token that nobody has taken; left out after the sixth orc",
        },
    }

    def check(self, options: MeinSchatzOptions, seats: int) -> None:
        deck.check_treasure_cards(options.treasure_cards)
        if options.first_seat is not UNSET and options.first_seat >= seats:
            raise BadOptions(
                "first_seat",
                f"there is no seat {options.first_seat}: a table of {seats} has seats 0 to {seats - 1}",
            )

    def initial(self, options: MeinSchatzOptions, seats: int) -> MeinSchatzState:
        return MeinSchatzState(
            seats=seats,
            treasure_cards=options.treasure_cards,
            open_draw=options.drawn == "open",
            face_up=options.places == "face_up",
            first_seat=None if options.first_seat is UNSET else options.first_seat,
            gold=(0,) * seats,
            silver=(0,) * seats,
        )

    def start(self, emit: Emitter[MeinSchatzState], dealer: Dealer) -> None:
        first = emit.state.first_seat
        if first is None:
            order = dealer.shuffle("first", range(emit.state.seats))
            emit(events.FirstDrawn("first", order))
            first = order[0]
        self._begin_round(emit, first, dealer)

    def _begin_round(self, emit: Emitter[MeinSchatzState], first: int, dealer: Dealer) -> None:
        number = emit.state.round + 1
        label = f"round-{number}/deck"
        order = dealer.shuffle(label, deck.full_deck(emit.state.treasure_cards))
        emit(events.DeckShuffled(label, order))
        emit(events.RoundBegan(number, first))

    def waiting(self, seen: MeinSchatzState) -> tuple[int, ...]:
        return () if seen.phase == "over" else (seen.turn,)

    def actions(self, seen: MeinSchatzState, seat: int) -> list[Offer]:
        if seat != seen.turn or seen.phase == "over":
            return []
        if seen.phase == "laying":
            return [offer("lay", place=one_of(open_places(seen)))]
        places = takeable(seen)
        if seen.phase == "last_chance":
            return [offer("take", place=one_of(places))]
        if not places:
            return [offer("draw")]
        return [offer("draw"), offer("take", place=one_of(places), token=one_of(seen.tokens))]

    def decide(
        self, emit: Emitter[MeinSchatzState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        match action["type"]:
            case "draw":
                self._draw(emit, seat, dealer)
            case "lay":
                card = emit.state.drawn
                assert card is not None
                emit(events.TreasureLaid(seat, action["place"], emit.state.face_up, card))
            case "take":
                self._take(emit, seat, action, dealer)

    def _draw(self, emit: Emitter[MeinSchatzState], seat: int, dealer: Dealer) -> None:
        state = emit.state
        card = state.deck[0]
        if card != deck.ORC:
            emit(events.TreasureDrawn(seat, state.open_draw, card))
            return
        emit(events.OrcDrawn(seat, card, len(state.orcs) + 1))
        if len(emit.state.orcs) == deck.ORCS:
            label = f"round-{state.round}/tokens"
            takers = still_in(state.took, seat)
            emit(events.TokensTurned(label, dealer.shuffle(label, state.tokens), takers))

    def _take(
        self, emit: Emitter[MeinSchatzState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        state, place = emit.state, action["place"]
        if state.phase == "last_chance":
            emit(events.ChanceTaken(seat, place, state.gnomes[0], state.stacks[place]))
        else:
            emit(events.TreasureTaken(seat, place, action["token"], state.stacks[place]))
        if None not in emit.state.took:
            self._score(emit, dealer)

    def _score(self, emit: Emitter[MeinSchatzState], dealer: Dealer) -> None:
        state = emit.state
        tokens = [token for token in state.held if token is not None]
        scores = scoring.scored(state.taken, tokens, state.gnome_side)
        emit(events.RoundScored(state.round, state.taken, scores))
        coins = zip(emit.state.gold, emit.state.silver, strict=True)
        values = [scoring.coin_value(gold, silver) for gold, silver in coins]
        reached = tuple(number for number, value in enumerate(values) if value >= scoring.TARGET)
        if reached:
            emit(events.TargetReached(reached))
        else:
            self._begin_round(emit, (state.first + 1) % state.seats, dealer)

    def explain(
        self, seen: MeinSchatzState, seat: int, action: Action, offers: Sequence[Offer]
    ) -> str | None:
        return explanation(seen, action)

    def evolve(self, state: MeinSchatzState, event: Event) -> MeinSchatzState:
        return evolve(state, event)

    def result(self, state: MeinSchatzState) -> Result | None:
        return self.standing(state) if state.phase == "over" else None

    def standing(self, state: MeinSchatzState) -> Result:
        return scoring.standing(state.gold, state.silver, state.last)

    def appraise(self, seen: MeinSchatzState, seat: int, action: Action) -> float:
        return advice.appraise(seen, seat, action)
