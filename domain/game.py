"""What a game is: one object with options, events, state, and pure functions over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, get_args, get_type_hints

import msgspec

from domain.actions import Offer
from domain.dealing import Dealer
from domain.errors import BadOptions
from domain.events import Event, Upcast

__all__ = [
    "MOST_CHANGES",
    "NO_MORE_CHANGES",
    "Chance",
    "Emitter",
    "Game",
    "Options",
    "Result",
    "State",
    "ranked",
]

O = TypeVar("O", bound="Options")  # noqa: E741
S = TypeVar("S", bound="State")

MOST_CHANGES = 8
"""How often a seat may change its choice in a simultaneous phase before the last seat has chosen."""

NO_MORE_CHANGES = f"a choice can be changed {MOST_CHANGES} times, and this seat has done so"
"""What `Game.idle` says then."""


class Options(msgspec.Struct, gc=False, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of a game; each has a default and a `msgspec.Meta` description for the schema."""


class State(msgspec.Struct, gc=False, frozen=True, kw_only=True):
    """State of a game. Every field declares its audience (see `domain.visibility`)."""


class Result(msgspec.Struct, gc=False, frozen=True):
    """How a game ended, all lists by seat.

    Args:
        places: 1 for the first; tied seats share the better place and the next is skipped.
        scores: final points.
        winners: the seats that won, ascending.
        reason: what ended it: ``"played_out"``, ``"target"``, ``"needle"``, ``"forfeit"``, ...
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str = "played_out"


def ranked(keys: Sequence[Any]) -> tuple[int, ...]:
    """Competition ranking: the place of each seat by its key, higher keys first, equal keys sharing."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


class Chance(Protocol):
    """A bot's source of random numbers, handed in so that its choices can be repeated. It never deals."""

    def random(self) -> float:
        """A number from 0.0 up to, but not including, 1.0."""

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 up to, but not including, ``stop``."""

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        """Bring ``items`` into any order."""


class Emitter(Protocol[S]):
    """Takes the events of a decision. Call it with one: ``state`` is then the state after it."""

    state: S
    events: list[Event]

    def __call__(self, event: Event) -> None:
        """``event`` happens."""


class Game(ABC, Generic[O, S]):
    """One game. Everything is a pure function; the kernel (`domain.table`) calls it in this order:

    ``check`` when a table is opened; ``initial`` and ``start`` when the game starts; then for each
    action of a seat ``actions`` (on what the seat may know), ``decide``, and ``result``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    seats: ClassVar[tuple[int, ...]]
    help: ClassVar[str]
    """The rules in short, in the project's own words, Markdown."""
    options: ClassVar[type[Options]]
    state: ClassVar[type[State]]
    events: ClassVar[tuple[type[Event], ...]]
    upcasts: ClassVar[Mapping[str, Upcast]] = {}
    action_shapes: ClassVar[Mapping[str, Mapping[str, str]]]
    """For the catalogue: each action type with its parameters and what they mean."""
    imagines: ClassVar[bool] = False
    """Whether the game has `worlds` and `playout`, which a bot that thinks ahead needs."""

    def check(self, options: O, seats: int) -> None:
        """Refuse options that the types alone cannot. Raises `BadOptions`."""

    @abstractmethod
    def initial(self, options: O, seats: int) -> S:
        """The state before the first event of the game."""

    @abstractmethod
    def start(self, emit: Emitter[S], dealer: Dealer) -> None:
        """Emit the events that begin the game (draw the first seat, deal, ...)."""

    @abstractmethod
    def waiting(self, seen: S) -> tuple[int, ...]:
        """The seats the game waits for, ascending. ``seen`` is what a spectator may know."""

    @abstractmethod
    def actions(self, seen: S, seat: int) -> list[Offer]:
        """What ``seat`` may do now; ``seen`` is what that seat may know. ``[]`` if nothing."""

    @abstractmethod
    def decide(self, emit: Emitter[S], seat: int, action: Mapping[str, Any], dealer: Dealer) -> None:
        """Emit what follows from an action that `actions` offers. Never refuses."""

    @abstractmethod
    def evolve(self, state: S, event: Event) -> S:
        """The state after ``event``. Never refuses; an event that is not the game's changes nothing."""

    @abstractmethod
    def result(self, state: S) -> Result | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def standing(self, state: S) -> Result:
        """The result if the game ended now."""

    def forfeit(self, state: S, seat: int) -> Result:
        """The result when ``seat`` gives up: it ranks last, the others as they stand."""
        now = self.standing(state)
        keys = [-1 if number == seat else len(now.places) - place for number, place in enumerate(now.places)]
        places = ranked(keys)
        winners = tuple(number for number, place in enumerate(places) if place == 1)
        return Result(places, now.scores, winners, "forfeit")

    def appraise(self, seen: S, seat: int, action: Mapping[str, Any]) -> float:
        """How good an action that is offered looks to ``seat`` at once; for greedy bots.

        ``seen`` is what that seat may know. Higher is better; the scale is the game's own.
        """
        return 0.0

    def candidates(self, seen: S, seat: int, offers: Sequence[Offer]) -> list[dict[str, Any]] | None:
        """The actions worth appraising where there are too many to look at each, or None for no advice.

        ``seen`` is what that seat may know; each action must be one of those that ``offers`` stand for.
        """
        return None

    def worlds(self, log: Sequence[Mapping[str, Any]], viewer: int, rng: Chance) -> Iterator[S]:
        """Endlessly many states that ``viewer`` cannot tell from the true one, each drawn anew by ``rng``.

        Args:
            log: the lines of the running game's log as that seat may read them, the header first.
            viewer: the seat.
            rng: makes the draw.
        """
        raise NotImplementedError(f"{self.name} imagines no worlds")

    def playout(self, world: S, seat: int, action: Mapping[str, Any], rng: Chance) -> float:
        """How good ``action`` of ``seat`` turned out in ``world``, played to its end in a quick way.

        Higher is better, and the mean over many worlds means something; the scale is the game's own.
        """
        raise NotImplementedError(f"{self.name} plays no worlds out")

    def explain(self, seen: S, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]) -> str | None:
        """A sentence naming the rule that forbids ``action``, or None for the general one.

        ``seen`` is what ``seat`` may know, so the sentence cannot tell more.
        """
        return None

    def idle(self, seen: S, seat: int) -> str | None:
        """Why ``seat``, which is offered nothing, may not act, or None where just others are awaited.

        ``seen`` is what ``seat`` may know, so the sentence cannot tell more.
        """
        return None

    def parse_options(self, raw: Mapping[str, Any], seats: int) -> O:
        """Options as a table owner sends them, typed and checked. Raises `BadOptions`."""
        try:
            options = msgspec.convert(dict(raw), self.options)
        except msgspec.ValidationError as error:
            raise _located(error, self.options) from None
        self.check(options, seats)  # type: ignore[arg-type]
        return options  # type: ignore[return-value]


def _located(error: msgspec.ValidationError, options: type[Options]) -> BadOptions:
    text, _, path = str(error).partition(" - at `$")
    where = path.rstrip("`").lstrip(".")
    if "unknown field" in text:
        unknown = text.partition("`")[2].rstrip("`")
        return BadOptions(f"{where}.{unknown}" if where else unknown, "there is no such option")
    if "enum value" in text and (allowed := _allowed(options, where)):
        return BadOptions(where, f"one of {', '.join(map(str, allowed))} is possible, not {text.split()[-1]}")
    return BadOptions(where or "options", text[0].lower() + text[1:])


def _allowed(options: type[Options], field: str) -> tuple[Any, ...]:
    """The values of an option that has a closed list of them; () for any other."""
    return get_args(get_type_hints(options).get(field))
