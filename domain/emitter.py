"""Collects what one decision brings about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from domain.events import Event

if TYPE_CHECKING:
    from domain.game import Game

S = TypeVar("S")


class Emitter(Generic[S]):
    """Collects the events of one decision and keeps the state that they lead to.

    Call it with an event; ``state`` is then the state after it, ``events`` all so far.
    """

    __slots__ = ("_game", "events", "state")

    def __init__(self, game: Game[Any, Any], state: S) -> None:
        self._game = game
        self.state = state
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self.state = self._game.evolve(self.state, event)
