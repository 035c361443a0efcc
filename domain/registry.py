"""Finds the games: every package under `domain.games` that offers ``GAME``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

import domain.games
from domain.events import EventCodec
from domain.game import Game
from domain.table import TABLE_EVENTS


@cache
def games() -> dict[str, Game[Any, Any]]:
    """All games by name, in the order of their names."""
    found: dict[str, Game[Any, Any]] = {}
    for module in pkgutil.iter_modules(domain.games.__path__):
        package = importlib.import_module(f"domain.games.{module.name}")
        game = package.GAME
        if game.name in found:
            raise TypeError(f"two games are called {game.name!r}")
        found[game.name] = game
    return dict(sorted(found.items()))


@cache
def codec(game: str) -> EventCodec:
    """Reads the commits of a table of ``game``. Raises KeyError for an unknown game."""
    found = games()[game]
    return EventCodec((*TABLE_EVENTS, *found.events), dict(found.upcasts))


@cache
def table_codec() -> EventCodec:
    """Reads the first commit of a table whose game is not known yet."""
    return EventCodec(TABLE_EVENTS)
