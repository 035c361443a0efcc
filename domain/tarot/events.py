"""What happens in every tarot game. The games add their own (choices of a hand, bids, scores)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.events import Public, Shuffled
from domain.visibility import COUNT, PUBLIC, only, rule

STARTER_LABEL = "starter"
"""The label of the shuffle that draws the first starting seat."""


def deal_label(hand: int) -> str:
    """The label of the shuffle of a hand's cards; hands count from 1."""
    return f"hand-{hand}/deal"


def own_slice(order: tuple[str, ...], dealt: Any, viewer: int) -> tuple[str | None, ...]:
    """Of a dealt order only the ``hand_size`` cards that went to ``viewer``."""
    mine = range(viewer * dealt.hand_size, (viewer + 1) * dealt.hand_size) if viewer >= 0 else range(0)
    return tuple(card if position in mine else None for position, card in enumerate(order))


class Award(msgspec.Struct, gc=False, frozen=True, omit_defaults=True):
    """Game points with the reason for them.

    Args:
        seat: who earned them (with teams they count for the team).
        points: how many.
        reason: ``bird`` (captured), ``bid`` (made good), ``bonus``, or a word of the game's own.
        other: the seat that played the Bird, or whose bid failed.
        card: the Bird.
    """

    seat: int
    points: int
    reason: str
    other: int | UnsetType = UNSET
    card: str | UnsetType = UNSET


class StarterDrawn(Shuffled, frozen=True, tag="starter_drawn"):
    """The first seat of ``order`` starts the first hand (rule 9)."""

    order: Annotated[tuple[int, ...], PUBLIC]


class HandDealt(Shuffled, frozen=True, tag="hand_dealt"):
    """A hand begins: ``hand_size`` cards for seat 0, then for seat 1, ...; the rest forms the Talon."""

    order: Annotated[tuple[str, ...], rule("each seat its own hand", own_slice)]
    hand: Annotated[int, PUBLIC]
    hand_size: Annotated[int, PUBLIC]
    starter: Annotated[int, PUBLIC]


class CardPlayed(Public, frozen=True, tag="card_played"):
    """A seat played a card to the trick."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, PUBLIC]


class TrickWon(Public, frozen=True, tag="trick_won"):
    """The trick is complete: ``seat`` won it with ``card`` and leads next; its cards are worth ``points``."""

    seat: Annotated[int, PUBLIC]
    card: Annotated[str, PUBLIC]
    points: Annotated[int, PUBLIC]


class BirdsCaptured(Public, frozen=True, tag="birds_captured"):
    """The trick held Birds of opponents: ``seat`` gets the game points at once (rule 5)."""

    seat: Annotated[int, PUBLIC]
    awards: Annotated[tuple[Award, ...], PUBLIC]


Choice = Literal["resolve_21", "resolve_bird", "look"]


class ChoiceOwed(Public, frozen=True, tag="choice_owed"):
    """The game waits for ``seat``, which won the trick with the 21 or a Bird (rules 6 and 7)."""

    seat: Annotated[int, PUBLIC]
    choice: Annotated[Choice, PUBLIC]


Outcome = Literal["scored", "kept", "discarded", "given"]


class TrickScored(Public, frozen=True, tag="trick_scored"):
    """The trick is put away.

    ``points`` go to ``to``, or to nobody (None) where it was discarded. ``outcome`` is ``scored`` where
    there was no choice or a Bird winner scored, ``kept``, ``discarded`` or ``given`` where the winner
    chose so.
    """

    winner: Annotated[int, PUBLIC]
    to: Annotated[int | None, PUBLIC]
    points: Annotated[int, PUBLIC]
    outcome: Annotated[Outcome, PUBLIC]


class TalonLooked(Public, frozen=True, tag="talon_looked"):
    """A Bird winner looked at the Talon; ``cards`` in card order, for that seat only."""

    seat: Annotated[int, PUBLIC]
    cards: Annotated[tuple[str, ...], only("seat", others=COUNT)]


class CardExchanged(Public, frozen=True, tag="card_exchanged"):
    """A Bird winner exchanged a hand card with a card of the Talon; the cards are for that seat only."""

    seat: Annotated[int, PUBLIC]
    give: Annotated[str, only("seat")]
    take: Annotated[str, only("seat")]


class Declined(Public, frozen=True, tag="declined"):
    """A Bird winner did not want the look, or did not want to exchange after it."""

    seat: Annotated[int, PUBLIC]
    what: Annotated[Literal["look", "exchange"], PUBLIC]


class TalonScored(Public, frozen=True, tag="talon_scored"):
    """After the last trick the Talon is turned up and scored by the winner of that trick (rules 4 and 12)."""

    seat: Annotated[int, PUBLIC]
    cards: Annotated[tuple[str, ...], PUBLIC]
    points: Annotated[int, PUBLIC]


class GameEnded(Public, frozen=True, tag="game_ended"):
    """The game is over: ``target`` reached, all hands ``played_out``, or a reason of the game's own."""

    reason: Annotated[str, PUBLIC]


TAROT_EVENTS = (
    StarterDrawn,
    HandDealt,
    CardPlayed,
    TrickWon,
    BirdsCaptured,
    ChoiceOwed,
    TrickScored,
    TalonLooked,
    CardExchanged,
    Declined,
    TalonScored,
    GameEnded,
)
