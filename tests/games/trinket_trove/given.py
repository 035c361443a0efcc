"""Tables of Trinket Trove with the cards that a test needs, and short ways to say what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from domain.events import Event
from domain.games.trinket_trove import deck
from projections.frame import snapshot
from projections.viewer import SPECTATOR
from tests.support.play import Playout, new

E = TypeVar("E", bound=Event)

NIMBUS_NUMBER = 2
"""What stands for Nimbus in the first turn order as it is drawn."""


def outcomes(
    hands: Sequence[str],
    *,
    order: Sequence[int] | None = None,
    pile: str = "",
    timer: str = "",
) -> dict[str, Sequence[Any]]:
    """The outcomes of the three shuffles that make these hands, draw deck and timer deck; all texts of codes.

    ``pile`` and ``timer`` are the first cards of their decks; the rest is filled up with cards left over.
    """
    held = [hand.split() for hand in hands]
    assert all(len(hand) == deck.HAND_SIZE for hand in held)
    dealt = [card for hand in held for card in hand]
    rest = deck.in_order((Counter(deck.TRINKET_CARDS) - Counter(dealt)).elements())
    first, clock = pile.split(), timer.split()
    fill = list(deck.in_order((Counter([*rest, *deck.MIRRORS]) - Counter(first + clock)).elements()))
    assert len(fill) == len(rest) + 4 - len(first) - len(clock), "the cards named are more than there are"
    size = 6 if len(hands) <= 4 else 10
    while len(clock) < size:
        clock.append(fill.pop())
    return {
        "order": range(max(3, len(hands))) if order is None else order,
        "deal": [*dealt, *rest],
        "deck": [*clock, *first, *fill],
    }


def table(hands: Sequence[str], *, lone_mirrors: bool = False, **cards: Any) -> Playout:
    """A started table with these cards (see `outcomes`)."""
    return new(
        "trinket-trove",
        len(hands),
        options={"lone_mirrors": lone_mirrors},
        outcomes=outcomes(hands, **cards),
    )


def bid(playout: Playout, seat: int, cards: str = "") -> tuple[Event, ...]:
    """``seat`` bids these cards, or 0."""
    if not playout.state.hands[seat]:
        return playout.act(seat, "bid")
    return playout.act(seat, "bid", cards=cards.split())


def draft(playout: Playout, seat: int, lots: str) -> tuple[Event, ...]:
    """``seat`` claims these two lots."""
    return playout.act(seat, "draft", lots=lots.split())


def only(events: Sequence[Event], kind: type[E]) -> E:
    """The one event of a type among ``events``."""
    (found,) = (event for event in events if isinstance(event, kind))
    return found


def game_view(playout: Playout, viewer: int = SPECTATOR) -> dict[str, Any]:
    """The view of the game as it arrives at a client."""
    shown: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(snapshot(playout.table, viewer).view.game)
    )
    return shown


def draft_first_two(playout: Playout) -> None:
    """Every seat whose turn it is to draft, or to choose for Nimbus, takes the first lots that it may."""
    start = playout.state.round
    while playout.state.phase == "drafting" and playout.state.round == start:
        (seat,) = playout.waiting()
        (offer,) = playout.offers(seat)
        number = offer["lots"]["min"]
        playout.act(seat, offer["type"], lots=offer["lots"]["some_of"][:number])
