"""Steps of a decision that the tarot games share. Each emits events and leaves what follows to the game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.actions import Offer, offer, one_of
from domain.dealing import Dealer
from domain.game import Emitter
from domain.tarot import events
from domain.tarot.cards import total
from domain.tarot.events import Award, Outcome
from domain.tarot.follow import captured, legal, winner
from domain.tarot.state import TarotState

AnyEmitter = Emitter[Any]


def draw_starter(emit: AnyEmitter, dealer: Dealer) -> None:
    """Draw the seat that starts the first hand."""
    order = dealer.shuffle(events.STARTER_LABEL, range(emit.state.seats))
    emit(events.StarterDrawn(events.STARTER_LABEL, order))


def deal(emit: AnyEmitter, dealer: Dealer, cards: tuple[str, ...], hand_size: int) -> None:
    """Deal the next hand; from the second on the seat after the last starter starts (rule 9)."""
    state: TarotState = emit.state
    hand = state.hand + 1
    starter = (state.starter + (hand > 1)) % state.seats
    label = events.deal_label(hand)
    emit(events.HandDealt(label, dealer.shuffle(label, cards), hand, hand_size, starter))


def complete_trick(emit: AnyEmitter, birds: Collection[str], *, fives: bool = False) -> str:
    """Say who won the complete trick, and score the Birds caught in it at once (rule 5).

    Returns:
        The card that won.
    """
    state: TarotState = emit.state
    seat = winner(state.plays)
    card = dict(state.plays)[seat]
    emit(events.TrickWon(seat, card, total((played for _, played in state.plays), fives=fives)))
    sides = len(state.scores)
    side = [other for other in range(state.seats) if other % sides == seat % sides]
    caught = captured(state.plays, side, birds)
    if caught:
        awards = tuple(Award(seat, 1, "bird", other=other, card=bird) for other, bird in caught)
        emit(events.BirdsCaptured(seat, awards))
    return card


def put_away(emit: AnyEmitter, to: int | None, outcome: Outcome, *, fives: bool = False) -> None:
    """Put the complete trick away; its points go to ``to``, or to nobody."""
    state: TarotState = emit.state
    points = total((card for _, card in state.plays), fives=fives)
    emit(events.TrickScored(state.lead, to, points, outcome))


def score_talon(emit: AnyEmitter, *, fives: bool = False) -> None:
    """After the last trick: turn the Talon up and score it for the winner of the trick (rule 12)."""
    state: TarotState = emit.state
    emit(events.TalonScored(state.lead, state.talon, total(state.talon, fives=fives)))


def turn_offers(seen: TarotState, seat: int, *, overtrump_on_trump_lead: bool) -> list[Offer]:
    """What the seat whose turn it is may do while it plays from its hand, or has won with a Bird."""
    match seen.phase:
        case "playing":
            cards = legal(seen.hands[seat], seen.plays, overtrump_on_trump_lead=overtrump_on_trump_lead)
            return [offer("play", card=one_of(cards))]
        case "looking":
            return [offer("look"), offer("decline")]
        case "exchanging":
            return [
                offer("exchange", give=one_of(seen.hands[seat]), take=one_of(seen.talon)),
                offer("decline"),
            ]
        case _:
            return []


def answer_look(emit: AnyEmitter, seat: int, action: Mapping[str, Any]) -> None:
    """``look``, ``exchange`` or ``decline`` of a Bird winner (rule 6)."""
    state: TarotState = emit.state
    match action["type"]:
        case "look":
            emit(events.TalonLooked(seat, state.talon))
        case "exchange":
            emit(events.CardExchanged(seat, action["give"], action["take"]))
        case _:
            emit(events.Declined(seat, "look" if state.phase == "looking" else "exchange"))
