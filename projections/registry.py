"""Finds the view of each game: the module of the same name under `projections`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from domain.registry import games
from projections.base import GameView
from projections.viewer import Viewer

RESERVED = frozenset(
    {
        "base",
        "digests",
        "facts",
        "frame",
        "history",
        "patch",
        "redaction",
        "registry",
        "schema",
        "viewer",
        "views",
        "lobby",
        "table",
        "rehearsal",
        "verify",
    }
)


class Projection(msgspec.Struct, frozen=True):
    """The view of one game: its type, and the function from what a viewer may see of the state.

    ``own`` is optional: it makes a seat's view from the spectators' one and what the seat may see, where
    that is cheaper. Both ways give the same.
    """

    view_type: type[GameView]
    view: Callable[[Any, Viewer], GameView]
    own: Callable[[Any, Any, Viewer], GameView] | None = None


@cache
def projection(game: str) -> Projection:
    """The view of ``game``. Raises TypeError where its module lacks one."""
    module = game.replace("-", "_")
    if module in RESERVED:
        raise TypeError(f"a game cannot be called {game!r}: projections.{module} is something else")
    found = importlib.import_module(f"projections.{module}")
    return Projection(found.View, found.view, getattr(found, "own", None))


def check_all() -> None:
    """Load the view of every game, so that a missing one stops the start and not a table."""
    for name in games():
        projection(name)
