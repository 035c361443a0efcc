"""The frame around every game's view, and all that one viewer is told of one version."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.actions import Offer
from domain.registry import games
from domain.table import Table
from domain.visibility import see
from projections.base import GameView
from projections.registry import projection
from projections.viewer import REFEREE, SPECTATOR, Viewer
from projections.views import SeatView, Snapshot, View


def seat_views(table: Table) -> tuple[SeatView, ...]:
    """The seats of a table as everybody sees them."""
    return tuple(
        SeatView(number)
        if there is None
        else SeatView(number, there.name, there.bot, True if there.away else UNSET)
        for number, there in enumerate(table.seats)
    )


class Sight:
    """A table at one version, looked at by many: what is the same for all is worked out once.

    Args:
        table: the table; it must not be changed, which its type forbids.
        before: an earlier version of it, from which is taken what has not changed.
    """

    __slots__ = (
        "_actions",
        "_frame",
        "_game",
        "_game_views",
        "_projection",
        "_seats",
        "_seen",
        "_views",
        "_waiting",
        "table",
    )

    def __init__(self, table: Table, before: Sight | None = None) -> None:
        self.table = table
        same = before is not None and before.table.seats is table.seats
        self._seats: tuple[SeatView, ...] | None = before._seats if before is not None and same else None
        self._views: dict[Viewer, View] = {}
        self._game_views: dict[Viewer, GameView] = {}
        self._actions: dict[Viewer, list[Offer]] = {}
        self._game = games()[table.game]
        self._projection = projection(table.game)
        self._seen: dict[Viewer, Any] = {}
        self._frame: View | None = None
        self._waiting: tuple[int, ...] | None = None

    def seen(self, viewer: Viewer) -> Any:
        """The state of the game as ``viewer`` may know it. Only of a started table."""
        found = self._seen.get(viewer)
        if found is None:
            assert self.table.state is not None
            public = self.seen(SPECTATOR) if viewer >= 0 else None
            found = self._seen[viewer] = see(self.table.state, viewer, public)
        return found

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the table waits for."""
        if self._waiting is None:
            table = self.table
            if table.status != "playing" or table.paused:
                self._waiting = ()
            else:
                self._waiting = self._game.waiting(self.seen(SPECTATOR))
        return self._waiting

    def actions(self, viewer: Viewer) -> list[Offer]:
        """What ``viewer`` may do now."""
        if viewer < 0:
            return []
        found = self._actions.get(viewer)
        if found is None:
            table = self.table
            if table.status != "playing" or table.paused:
                found = []
            else:
                found = self._game.actions(self.seen(viewer), viewer)
            self._actions[viewer] = found
        return found

    def view(self, viewer: Viewer) -> View:
        """What ``viewer`` sees."""
        found = self._views.get(viewer)
        if found is None:
            game = self.game_view(viewer)
            found = self._views[viewer] = self.frame if game is None else replace(self.frame, game=game)
        return found

    @property
    def frame(self) -> View:
        """What everybody sees of the table, without its game."""
        if self._frame is None:
            if self._seats is None:
                self._seats = seat_views(self.table)
            self._frame = _frame(self.table, self._seats)
        return self._frame

    def game_view(self, viewer: Viewer) -> GameView | None:
        """What ``viewer`` sees of the game; None before the start."""
        found = self._game_views.get(viewer)
        if found is None:
            if self.table.state is None:
                return None
            found = self._game_views[viewer] = self._game_view(viewer)
        return found

    def _game_view(self, viewer: Viewer) -> GameView:
        own = self._projection.own
        if own is None or viewer == REFEREE:
            return self._projection.view(self.seen(viewer), viewer)
        if viewer == SPECTATOR:
            return self._projection.view(self.seen(SPECTATOR), SPECTATOR)
        public = self.game_view(SPECTATOR)
        assert public is not None
        return own(public, self.seen(viewer), viewer)

    def snapshot(self, viewer: Viewer) -> Snapshot:
        """All that ``viewer`` may know."""
        table = self.table
        return Snapshot(table.version, table.status, self.view(viewer), self.actions(viewer), self.waiting)


def _frame(table: Table, seats: tuple[SeatView, ...]) -> View:
    return View(
        table.status,
        seats,
        None,
        UNSET if table.result is None else table.result,
        paused=True if table.paused else UNSET,
        asked=table.asked or UNSET,
        next=UNSET if table.next is None else table.next,
    )


def view(table: Table, viewer: Viewer) -> View:
    """What ``viewer`` sees of ``table``."""
    return Sight(table).view(viewer)


def waiting(table: Table) -> tuple[int, ...]:
    """The seats that the table waits for."""
    return Sight(table).waiting


def snapshot(table: Table, viewer: Viewer) -> Snapshot:
    """All that ``viewer`` may know of ``table`` as it stands."""
    return Sight(table).snapshot(viewer)


def plain(value: Any) -> Any:
    """A view as plain dicts and lists, as it arrives at a client."""
    return msgspec.to_builtins(value)
