"""The state of Thread the Needle and how events change it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.game import Options
from domain.games.thread_the_needle import events
from domain.games.thread_the_needle.deck import TWO
from domain.games.thread_the_needle.scoring_card import Level, ScoringCard
from domain.games.thread_the_needle.strawmen import BACK, GONE, STRAWMEN, apart, removed
from domain.tarot import state as tarot
from domain.tarot.events import Award, CardExchanged, CardPlayed, Declined, HandDealt
from domain.tarot.state import TALON, Look, TarotState, added, at, awarded
from domain.visibility import COUNT, HIDDEN, PUBLIC, blanks, each_own, only, rule


class ThreadTheNeedleOptions(Options, frozen=True):
    """Options of a table of Thread the Needle."""

    scoring_card: Annotated[
        Annotated[tuple[Level, ...], msgspec.Meta(min_length=1, max_length=50)] | UnsetType,
        msgspec.Meta(
            description="The scoring card of your box for this number of seats, from the lowest level to the"
            " highest. Levels are whole numbers from..to, both included, without gap or overlap; the first"
            " has no from, the last no to. With 2 seats one level may be the Needle. Absent: the"
            " reconstructed card."
        ),
    ] = UNSET
    overtrump_on_trump_lead: Annotated[
        bool,
        msgspec.Meta(
            description="Whether a led trump must be over-trumped if possible; false: any trump follows it."
        ),
    ] = True
    failed_needle_keeps_birds: Annotated[
        bool,
        msgspec.Meta(
            description="2 seats: whether a seat that bids the Needle and misses it keeps the points for"
            " Birds that it captured in that hand; false: it loses them."
        ),
    ] = True


class HandResult(msgspec.Struct, gc=False, frozen=True):
    """A finished hand, by seat: the levels bid, hand points, the levels they lie in, bids made good.

    Args:
        talon: the Talon that was turned up, with 2 seats row by row.
        line: with 2 seats, the line that the winner of the last trick took.
        needle: ``made`` or ``missed`` where a seat had bid the Needle.
        awards: all game points of the hand, those for Birds first.
        scores: game points after it.
    """

    hand: int
    bids: tuple[int, ...]
    points: tuple[int, ...]
    levels: tuple[int, ...]
    made: tuple[bool, ...]
    talon: tuple[str, ...]
    awards: tuple[Award, ...]
    scores: tuple[int, ...]
    line: str | UnsetType = UNSET
    needle: str | UnsetType = UNSET


class LineLook(Look, frozen=True):
    """A look with 2 seats; ``line`` is the line looked at, absent where the seat did not look."""

    line: str | UnsetType = UNSET


class Given(msgspec.Struct, gc=False, frozen=True, order=True):
    """A card that a seat laid into the Talon by an exchange; with 2 seats somewhere in ``line``."""

    card: str
    line: str | UnsetType = UNSET


def _talon(cards: tuple[str, ...], state: Any, viewer: int) -> Any:
    if state.phase == "taking_talon":
        return cards
    return blanks(cards) if state.seats == TWO else TALON.show(cards, state, viewer)


class ThreadTheNeedleState(TarotState, frozen=True, kw_only=True):
    """Phases of its own: ``bidding`` before the first trick, ``taking_talon`` after the last (2 seats).

    ``bids`` are ``(seat, level)`` in the order in which they were made. ``given`` are, by seat, the cards
    that it laid into the Talon and that certainly lie there still (rule 13 of the tarot games).

    With 2 seats only: the Talon lies row by row, not in card order. ``looking_at`` are the two cards that
    the looker sees, in card order. ``front`` and ``back`` are the strawmen by seat, `GONE` where one was
    played, None where one lies face down; ``face_down`` holds those cards, at the same places.
    """

    scoring_card: Annotated[ScoringCard, PUBLIC]
    overtrump_on_trump_lead: Annotated[bool, PUBLIC] = True
    failed_needle_keeps_birds: Annotated[bool, PUBLIC] = True
    bids: Annotated[tuple[tuple[int, int], ...], PUBLIC] = ()
    talon: Annotated[tuple[str, ...], rule("the seat that looks at all of it; turned up: all", _talon)] = ()
    given: Annotated[tuple[tuple[Given, ...], ...], each_own(HIDDEN)] = ()
    looking_at: Annotated[tuple[str, ...], only("lead", others=COUNT)] = ()
    front: Annotated[tuple[tuple[str, ...], ...], PUBLIC] = ()
    back: Annotated[tuple[tuple[str | None, ...], ...], PUBLIC] = ()
    face_down: Annotated[tuple[tuple[str | None, ...], ...], HIDDEN] = ()
    line: Annotated[str | None, PUBLIC] = None
    last_hand: Annotated[HandResult | None, PUBLIC] = None


def bids_by_seat(state: ThreadTheNeedleState) -> tuple[int, ...]:
    """The levels bid, by seat, once all have bid."""
    return tuple(level for _, level in sorted(state.bids))


def open_strawmen(state: ThreadTheNeedleState, seat: int) -> tuple[str, ...]:
    """The strawmen of a seat that lie face up and are not covered: front row first, from left to right."""
    rows = (*state.front[seat], *state.back[seat])
    return tuple(card for card in rows if card is not None and card != GONE)


def playable(state: ThreadTheNeedleState, seat: int) -> tuple[str, ...]:
    """The cards that a seat could play to an empty trick: its hand, then its strawmen that lie open."""
    return (*state.hands[seat], *open_strawmen(state, seat)) if state.seats == TWO else state.hands[seat]


def played_out(state: ThreadTheNeedleState) -> bool:
    """Whether no card is left to play in this hand. Needs the whole state."""
    return not any(state.hands) and all(card == GONE for row in (*state.front, *state.back) for card in row)


def _begun(state: ThreadTheNeedleState) -> ThreadTheNeedleState:
    return replace(state, phase="bidding", bids=(), given=((),) * state.seats, looking_at=(), line=None)


def _strawmen_dealt(state: ThreadTheNeedleState, event: events.StrawmenDealt) -> ThreadTheNeedleState:
    order, size = event.order, event.hand_size
    starts = [TWO * size + seat * STRAWMEN for seat in range(TWO)]
    dealt = HandDealt(event.label, order, event.hand, size, event.starter)
    return replace(
        _begun(tarot.evolve(state, dealt)),
        talon=order[TWO * size + TWO * STRAWMEN :],
        front=tuple(order[start + BACK : start + STRAWMEN] for start in starts),
        back=((None,) * BACK,) * TWO,
        face_down=tuple(order[start : start + BACK] for start in starts),
    )


def _turned_up(state: ThreadTheNeedleState, cards: tuple[events.Turned, ...]) -> ThreadTheNeedleState:
    back, face_down = state.back, state.face_down
    for seat, place, card in ((turned.seat, turned.place, turned.card) for turned in cards):
        back = at(back, seat, at(back[seat], place, card))
        face_down = at(face_down, seat, at(face_down[seat], place, None))
    return replace(state, back=back, face_down=face_down)


def _given(state: ThreadTheNeedleState, event: CardExchanged) -> tuple[tuple[Given, ...], ...]:
    """What each seat still knows to lie in the Talon after an exchange.

    That of another seat makes it uncertain, unless it was at a line that cannot hold the card.
    """
    line = _line(state)
    kept = []
    for seat, given in enumerate(state.given):
        if seat == event.seat:
            mine = [known for known in given if known.card != event.take]
            kept.append((*mine, Given(event.give, line)))
        elif line is UNSET:
            kept.append(())
        else:
            kept.append(
                tuple(known for known in given if known.line is not UNSET and apart(known.line, line))
            )
    return tuple(kept)


def _line(state: ThreadTheNeedleState) -> str | UnsetType:
    look = state.looks[-1] if state.looks else None
    return look.line if isinstance(look, LineLook) else UNSET


def _exchanged(state: ThreadTheNeedleState, event: CardExchanged) -> ThreadTheNeedleState:
    after = replace(tarot.evolve(state, event), given=_given(state, event), looking_at=())
    if state.seats == TWO:
        talon = tuple(event.give if card == event.take else card for card in state.talon)
        return replace(after, talon=talon)
    return after


def _hand_scored(state: ThreadTheNeedleState, event: events.HandScored) -> ThreadTheNeedleState:
    awards = (*state.awards, *event.awards)
    scores = awarded(state.scores, event.awards)
    result = HandResult(
        hand=event.hand,
        bids=event.bids,
        points=event.points,
        levels=event.levels,
        made=event.made,
        talon=state.turned_up,
        awards=awards,
        scores=scores,
        line=UNSET if state.line is None else state.line,
        needle=UNSET if event.needle is None else event.needle,
    )
    return replace(state, scores=scores, awards=awards, last_hand=result)


def evolve(state: ThreadTheNeedleState, event: Event) -> ThreadTheNeedleState:
    """The state after ``event``."""
    match event:
        case CardPlayed(seat, card):
            after = tarot.evolve(state, event)
            if state.seats != TWO or card in state.hands[seat]:
                return after
            front, back = removed(state.front[seat], card), removed(state.back[seat], card)
            return replace(after, front=at(state.front, seat, front), back=at(state.back, seat, back))
        case events.BidMade(seat, level):
            bids = (*state.bids, (seat, level))
            return replace(state, bids=bids, phase="playing" if len(bids) == state.seats else "bidding")
        case events.StrawmenTurned(cards):
            return _turned_up(state, cards)
        case events.LineLooked(seat, line, cards):
            look = LineLook(seat, state.trick - 1, "looking", line)
            return replace(state, phase="exchanging", looking_at=cards, looks=(*state.looks, look))
        case CardExchanged():
            return _exchanged(state, event)
        case Declined():
            return replace(tarot.evolve(state, event), looking_at=())
        case events.TalonRevealed(_, cards):
            return replace(state, phase="taking_talon", turned_up=cards)
        case events.TalonShared(_, line, points):
            total = state.points
            for seat, more in enumerate(points):
                total = added(total, seat, more)
            return replace(state, talon=(), line=line, points=total)
        case events.HandScored():
            return _hand_scored(state, event)
        case events.StrawmenDealt():
            return _strawmen_dealt(state, event)
        case HandDealt():
            return _begun(tarot.evolve(state, event))
        case _:
            return tarot.evolve(state, event)
