"""The rules of Thread the Needle: who may do what, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.events import Event
from domain.game import Emitter, Game, Result
from domain.games.thread_the_needle import advice, deck, events, scoring
from domain.games.thread_the_needle.deck import TWO
from domain.games.thread_the_needle.events import Line
from domain.games.thread_the_needle.help import HELP
from domain.games.thread_the_needle.scoring_card import (
    SCORING_CARDS,
    check_scoring_card,
    level_of,
    needle_of,
)
from domain.games.thread_the_needle.state import (
    ThreadTheNeedleOptions,
    ThreadTheNeedleState,
    bids_by_seat,
    evolve,
    playable,
    played_out,
)
from domain.games.thread_the_needle.strawmen import LINES, covered, rest_of
from domain.tarot import follow, play
from domain.tarot.cards import TWENTY_ONE, in_order, total
from domain.tarot.events import CardPlayed, ChoiceOwed, GameEnded, deal_label
from domain.tarot.explaining import refusal
from domain.tarot.state import TURN_PHASES, turn

AnyEmitter = Emitter[ThreadTheNeedleState]


def waiting(seen: ThreadTheNeedleState) -> tuple[int, ...]:
    """The seat that bids, plays, chooses, or takes a line of the Talon; none once the game is over."""
    if seen.phase == "bidding":
        return ((seen.starter + len(seen.bids)) % seen.seats,)
    if seen.phase == "taking_talon":
        return (seen.lead,)
    return (turn(seen),) if seen.phase in TURN_PHASES else ()


class ThreadTheNeedle(Game[ThreadTheNeedleOptions, ThreadTheNeedleState]):
    """Thread the Needle for 2, 4 or 5 seats."""

    name = "thread-the-needle"
    title = "Thread the Needle"
    seats = deck.SEATS
    help = HELP
    options = ThreadTheNeedleOptions
    state = ThreadTheNeedleState
    events = events.EVENTS
    action_shapes = {
        "bid": {"level": "index from 0 of a level of the scoring card"},
        "play": {"card": "a card of the own hand, or a strawman that lies open, that the rules allow"},
        "resolve_21": {
            "choice": "the points of the trick won with the 21: keep or discard; with 2 seats keep or give"
        },
        "look": {"line": "with 2 seats only: row-1, row-2, column-1 or column-2 of the Talon"},
        "exchange": {"give": "a card of the own hand", "take": "a card of the Talon that was looked at"},
        "decline": {},
        "take_talon": {"line": "the row or column of the Talon that scores for the own hand (2 seats)"},
    }

    def check(self, options: ThreadTheNeedleOptions, seats: int) -> None:
        if options.scoring_card is not UNSET:
            check_scoring_card(options.scoring_card, seats)

    def initial(self, options: ThreadTheNeedleOptions, seats: int) -> ThreadTheNeedleState:
        card = options.scoring_card
        return ThreadTheNeedleState(
            seats=seats,
            scoring_card=SCORING_CARDS[seats] if card is UNSET else card,
            overtrump_on_trump_lead=options.overtrump_on_trump_lead,
            failed_needle_keeps_birds=options.failed_needle_keeps_birds,
            scores=(0,) * seats,
            points=(0,) * seats,
        )

    def start(self, emit: AnyEmitter, dealer: Dealer) -> None:
        play.draw_starter(emit, dealer)
        self._deal(emit, dealer)

    def _deal(self, emit: AnyEmitter, dealer: Dealer) -> None:
        state = emit.state
        cards, size = deck.DECK[state.seats], deck.HAND_SIZE[state.seats]
        if state.seats != TWO:
            play.deal(emit, dealer, cards, size)
            return
        hand = state.hand + 1
        label = deal_label(hand)
        order = dealer.shuffle(label, cards)
        emit(events.StrawmenDealt(label, order, hand, size, _starter_of_two(state)))

    def waiting(self, seen: ThreadTheNeedleState) -> tuple[int, ...]:
        return waiting(seen)

    def actions(self, seen: ThreadTheNeedleState, seat: int) -> list[Offer]:
        if seat not in waiting(seen):
            return []
        two = seen.seats == TWO
        match seen.phase:
            case "bidding":
                return [offer("bid", level=one_of(_open_levels(seen)))]
            case "playing":
                cards = follow.legal(
                    playable(seen, seat), seen.plays, overtrump_on_trump_lead=seen.overtrump_on_trump_lead
                )
                return [offer("play", card=one_of(cards))]
            case "resolving_21":
                return [offer("resolve_21", choice=one_of(("keep", "give" if two else "discard")))]
            case "looking":
                look = offer("look", line=one_of(tuple(LINES))) if two else offer("look")
                return [look, offer("decline")]
            case "exchanging":
                if not seen.hands[seat]:
                    return [offer("decline")]
                cards = list(seen.looking_at if two else seen.talon)
                return [
                    offer("exchange", give=one_of(seen.hands[seat]), take=one_of(cards)),
                    offer("decline"),
                ]
            case _:
                return [offer("take_talon", line=one_of(tuple(LINES)))]

    def explain(
        self, seen: ThreadTheNeedleState, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]
    ) -> str | None:
        match (seen.phase, action):
            case ("bidding", {"type": "bid", "level": int(level)}) if level == needle_of(seen.scoring_card):
                if seen.bids:
                    other = seen.bids[0][0]
                    return f"the Needle, level {level}, is bid by seat {other}; one seat a hand may bid it"
            case ("exchanging", {"type": "exchange"}) if not seen.hands[seat]:
                return "you have no card left in hand to exchange; strawmen are never exchanged"
            case ("exchanging", {"type": "exchange", "give": give}) if give in playable(seen, seat):
                if give not in seen.hands[seat]:
                    hand = ", ".join(seen.hands[seat])
                    return f"strawmen are never exchanged, and {give} is one; you hold {hand}"
        return refusal(
            seen,
            action,
            offers,
            kinds=self.action_shapes,
            playable=playable(seen, seat),
            overtrump_on_trump_lead=seen.overtrump_on_trump_lead,
        )

    def decide(self, emit: AnyEmitter, seat: int, action: Mapping[str, Any], dealer: Dealer) -> None:
        match action["type"]:
            case "bid":
                emit(events.BidMade(seat, action["level"]))
            case "play":
                emit(CardPlayed(seat, action["card"]))
                if len(emit.state.plays) == emit.state.seats:
                    self._trick_won(emit, dealer)
            case "resolve_21":
                match action["choice"]:
                    case "keep":
                        play.put_away(emit, seat, "kept", fives=True)
                    case "give":
                        play.put_away(emit, 1 - seat, "given", fives=True)
                    case _:
                        play.put_away(emit, None, "discarded", fives=True)
                self._trick_over(emit, dealer)
            case "look" if "line" in action:
                line = action["line"]
                cards = in_order(emit.state.talon[place] for place in LINES[line])
                emit(events.LineLooked(seat, line, cards))
            case "look":
                play.answer_look(emit, seat, action)
            case "exchange" | "decline":
                play.answer_look(emit, seat, action)
                self._trick_over(emit, dealer)
            case _:
                self._share_talon(emit, seat, action["line"])
                self._hand_over(emit, dealer)

    def _trick_won(self, emit: AnyEmitter, dealer: Dealer) -> None:
        birds = deck.BIRDS[emit.state.seats]
        card = play.complete_trick(emit, birds, fives=True)
        seat = emit.state.lead
        if card == TWENTY_ONE:
            emit(ChoiceOwed(seat, "resolve_21"))
            return
        play.put_away(emit, seat, "scored", fives=True)
        if card in birds and not played_out(emit.state):
            emit(ChoiceOwed(seat, "look"))
        else:
            self._trick_over(emit, dealer)

    def _trick_over(self, emit: AnyEmitter, dealer: Dealer) -> None:
        """The trick and every choice it owed are done."""
        state = emit.state
        two = state.seats == TWO
        if not played_out(state):
            if two:
                _turn_strawmen(emit)
        elif two:
            emit(events.TalonRevealed(state.lead, state.talon))
        else:
            play.score_talon(emit, fives=True)
            self._hand_over(emit, dealer)

    def _share_talon(self, emit: AnyEmitter, seat: int, line: Line) -> None:
        talon = emit.state.talon
        points = [0, 0]
        points[seat] = total(talon[place] for place in LINES[line])
        points[1 - seat] = total(talon[place] for place in rest_of(line))
        emit(events.TalonShared(seat, line, tuple(points)))

    def _hand_over(self, emit: AnyEmitter, dealer: Dealer) -> None:
        state = emit.state
        card, bids = state.scoring_card, bids_by_seat(state)
        levels = tuple(level_of(card, points) for points in state.points)
        made = tuple(bid == level for bid, level in zip(bids, levels, strict=True))
        threaded = scoring.needle_maker(card, bids, levels)
        if threaded is not None:
            emit(events.HandScored(state.hand, bids, state.points, levels, made, (), "made"))
            emit(GameEnded("needle"))
            return
        awards = scoring.hand_awards(
            card, bids, levels, state.awards, keep_birds=state.failed_needle_keeps_birds
        )
        missed = any(card[bid].needle for bid in bids)
        emit(
            events.HandScored(
                state.hand, bids, state.points, levels, made, awards, "missed" if missed else None
            )
        )
        target = deck.TARGET.get(state.seats)
        if target is not None and max(emit.state.scores) >= target:
            emit(GameEnded("target"))
        elif state.hand == deck.HANDS[state.seats]:
            emit(GameEnded("played_out"))
        else:
            self._deal(emit, dealer)

    def evolve(self, state: ThreadTheNeedleState, event: Event) -> ThreadTheNeedleState:
        return evolve(state, event)

    def result(self, state: ThreadTheNeedleState) -> Result | None:
        return self.standing(state) if state.ended else None

    def standing(self, state: ThreadTheNeedleState) -> Result:
        threaded = None
        if state.ended == "needle" and state.last_hand is not None:
            hand = state.last_hand
            threaded = scoring.needle_maker(state.scoring_card, hand.bids, hand.levels)
        return scoring.standing(state.scores, threaded, state.ended or "played_out")

    def appraise(self, seen: ThreadTheNeedleState, seat: int, action: Mapping[str, Any]) -> float:
        return advice.appraise(seen, seat, action)


def _starter_of_two(state: ThreadTheNeedleState) -> int:
    """Who bids first and leads: the lower game score; equal: the seat that did not start the last hand."""
    if state.hand == 0:
        return state.starter
    first, second = state.scores
    if first == second:
        return 1 - state.starter
    return 0 if first < second else 1


def _open_levels(seen: ThreadTheNeedleState) -> tuple[int, ...]:
    """The levels that may be bid: all, but for the Needle that is bid already."""
    taken = (
        needle_of(seen.scoring_card)
        if any(seen.scoring_card[level].needle for _, level in seen.bids)
        else None
    )
    return tuple(level for level in range(len(seen.scoring_card)) if level != taken)


def _turn_strawmen(emit: AnyEmitter) -> None:
    """Turn up the back cards that nothing covers any more."""
    state = emit.state
    cards = tuple(
        events.Turned(seat, place, card)
        for seat, row in enumerate(state.face_down)
        for place, card in enumerate(row)
        if card is not None and not covered(state.front[seat], place)
    )
    if cards:
        emit(events.StrawmenTurned(cards))
