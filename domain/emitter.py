"""Collects what one decision brings about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from domain.events import Event

if TYPE_CHECKING:
    from domain.game import Game


class Emitted:
    """The `domain.game.Emitter` of one decision: its events so far, and the state that they lead to.

    Apart from the generic type, whose objects cost ten times as much to make.
    """

    __slots__ = ("_game", "events", "state")

    def __init__(self, game: Game[Any, Any], state: Any) -> None:
        self._game = game
        self.state = state
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self.state = self._game.evolve(self.state, event)
