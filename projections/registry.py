"""Finds the view of each game: the module of the same name under `projections`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from domain.registry import games
from projections.base import GameView
from projections.patch import as_declared
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

    ``own`` is optional: ``own(seen, seat)`` gives the members in which a seat's view differs from the
    spectators' one, without those that are absent. ``apart`` names all that it may give. The others are then
    worked out and encoded once for all viewers. Both ways must give the same.
    """

    view_type: type[GameView]
    view: Callable[[Any, Viewer], GameView]
    own: Callable[[Any, Viewer], dict[str, Any]] | None = None
    apart: tuple[str, ...] = ()


@cache
def projection(game: str) -> Projection:
    """The view of ``game``. Raises TypeError where its module lacks one, or says ``own`` without ``OWN``."""
    module = game.replace("-", "_")
    if module in RESERVED:
        raise TypeError(f"a game cannot be called {game!r}: projections.{module} is something else")
    found = importlib.import_module(f"projections.{module}")
    own, apart = getattr(found, "own", None), getattr(found, "OWN", ())
    if (own is None) == bool(apart) or not set(apart) <= set(found.View.__struct_fields__):
        raise TypeError(f"projections.{module}: OWN names the members of View that own() gives, and needs it")
    if apart and not as_declared(found.View):
        raise TypeError(f"projections.{module}: with own(), View is encoded with all its fields and names")
    return Projection(found.View, found.view, own, apart)


def check_all() -> None:
    """Load the view of every game, so that a missing one stops the start and not a table."""
    for name in games():
        projection(name)
