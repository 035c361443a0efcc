"""Tables of Mein Schatz with the decks that a test needs, and short ways to say what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
import pytest

from domain.errors import Rejected
from domain.events import Event
from domain.games.mein_schatz import deck
from projections.frame import snapshot
from projections.redaction import redact_all
from projections.viewer import SPECTATOR
from tests.support.play import Playout, new

E = TypeVar("E", bound=Event)

FACES = [("open", "face_down"), ("open", "face_up"), ("secret", "face_down"), ("secret", "face_up")]
"""All values of the options ``drawn`` and ``places``."""


def whole_deck(first: str, treasure_cards: Sequence[str] = deck.TREASURE_CARDS) -> list[str]:
    """The deck of a round that begins with these cards (codes in one text); the orcs left over come last."""
    named = first.split()
    rest = Counter(deck.full_deck(treasure_cards)) - Counter(named)
    assert rest.total() == deck.DECK_SIZE - len(named), "the cards named are more than there are"
    return [*named, *sorted(rest.elements(), key=lambda card: (card == deck.ORC, card))]


def table(
    seats: int,
    *decks: str,
    first: int | None = 0,
    tokens: Sequence[str] = (),
    **options: Any,
) -> Playout:
    """A started table whose rounds have decks that begin with these cards.

    Args:
        seats: how many.
        decks: of round 1, 2, ... the first cards (``""``: treasures only for a long time); others by chance.
        first: the seat that begins the first round; None: drawn.
        tokens: of the first round, the unused find tokens in the order in which they are shuffled.
        options: other options of the table.
    """
    cards = options.get("treasure_cards", deck.TREASURE_CARDS)
    outcomes: dict[str, Sequence[Any]] = {
        f"round-{number}/deck": whole_deck(text, cards) for number, text in enumerate(decks, 1)
    }
    if tokens:
        outcomes["round-1/tokens"] = tokens
    if first is not None:
        options["first_seat"] = first
    return new("mein-schatz", seats, options=options, outcomes=outcomes)


def box(*special: str) -> list[str]:
    """30 treasure cards of which these are the first; the others show a mouse."""
    return [*special, *["mouse"] * (len(deck.TREASURE_CARDS) - len(special))]


def go(playout: Playout, *steps: str) -> tuple[Event, ...]:
    """Let whoever is asked do this, step after step; gives the events of the last step.

    A step is ``"draw"``, ``"lay 2"``, ``"draw 2"`` (draw a treasure and lay it on place 2),
    ``"take 2 ring"`` or, after the sixth orc, ``"take 2"``.
    """
    happened: tuple[Event, ...] = ()
    for step in steps:
        kind, *values = step.split()
        (seat,) = playout.waiting()
        if kind == "draw":
            happened = playout.act(seat, "draw")
            kind = "lay"
        if values:
            named = {"place": int(values[0])} | ({"token": values[1]} if len(values) > 1 else {})
            happened = playout.act(seat, kind, **named)
    return happened


def refusal(playout: Playout, seat: int, kind: str, **parameters: Any) -> Rejected:
    """The refusal of an action, which must change nothing."""
    before, commits = playout.table, len(playout.commits)
    with pytest.raises(Rejected) as refused:
        playout.act(seat, kind, **parameters)
    assert playout.table == before
    assert len(playout.commits) == commits
    return refused.value


def kinds(happened: Sequence[Event]) -> list[str]:
    """What some events are called."""
    return [type(event).__name__ for event in happened]


def only(happened: Sequence[Event], kind: type[E]) -> E:
    """The one event of a type among ``happened``."""
    (found,) = (event for event in happened if isinstance(event, kind))
    return found


def game_view(playout: Playout, viewer: int = SPECTATOR) -> dict[str, Any]:
    """The view of the game as it arrives at a client."""
    shown: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(snapshot(playout.table, viewer).view.game)
    )
    return shown


def told(playout: Playout, viewer: int, kind: str) -> list[dict[str, Any]]:
    """All events of a name as a viewer was told them."""
    return [event for event in redact_all(playout.events, viewer) if event["type"] == kind]


def received(playout: Playout, viewer: int) -> list[bytes]:
    """All that a viewer was sent, version by version."""
    return [
        msgspec.json.encode([redact_all(commit.events, viewer), snapshot(state, viewer)])
        for commit, state in zip(playout.commits, playout.states, strict=True)
    ]
