"""The frame around every game's view, and all that one viewer is told of one version."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.actions import Offer
from domain.registry import games
from domain.table import AnyGame, Seat, Table
from domain.visibility import see
from projections.base import GameView
from projections.registry import projection
from projections.viewer import SPECTATOR, Viewer
from projections.views import SeatView, Snapshot, View


def seat_views(table: Table) -> tuple[SeatView, ...]:
    """The seats of a table as everybody sees them."""
    return tuple(
        SeatView(number)
        if there is None
        else SeatView(number, there.name, there.bot, True if there.away else UNSET)
        for number, there in enumerate(table.seats)
    )


class _Look:
    """What was worked out for one viewer; None where that was not asked for yet."""

    __slots__ = ("actions", "game", "own", "seen", "view")

    def __init__(self) -> None:
        self.actions: list[Offer] | None = None
        self.game: GameView | None = None
        self.own: dict[str, Any] | None = None
        self.seen: Any = None
        self.view: View | None = None


class Sight:
    """A table at one version, looked at by many: what is the same for all is worked out once.

    Args:
        table: the table; it must not be changed, which its type forbids.
        before: an earlier version of it, from which is taken what has not changed.
    """

    __slots__ = (
        "_apart",
        "_frame",
        "_game",
        "_looks",
        "_own",
        "_seats",
        "_view",
        "_waiting",
        "playing",
        "seats",
        "state",
        "table",
    )

    def __init__(self, table: Table, before: Sight | None = None) -> None:
        self.table = table
        # What is asked for again and again is asked of the table once.
        self.state: Any = table.state
        self.seats: tuple[Seat | None, ...] = table.seats
        self.playing = table.status == "playing" and not table.paused
        frame: View | None = None
        self._seats: tuple[SeatView, ...] | None = None
        if before is None:
            self._game: AnyGame = games()[table.game]
            shown = projection(table.game)
            self._view, self._own, self._apart = shown.view, shown.own, shown.apart
        else:
            self._game = before._game
            self._view, self._own, self._apart = before._view, before._own, before._apart
            if before.seats is self.seats:
                self._seats = before._seats
                if self.playing and before.playing and before.table.asked is table.asked:
                    frame = before._frame  # nothing else of it can change while a game runs
        # One for each seat; counted from the end, those of spectators and of the referee.
        self._looks: list[_Look | None] = [None] * (len(self.seats) + 2)
        self._frame: View | None = frame
        self._waiting: tuple[int, ...] | None = None

    def _look(self, viewer: Viewer) -> _Look:
        found = self._looks[viewer]
        if found is None:
            found = self._looks[viewer] = _Look()
        return found

    def seen(self, viewer: Viewer) -> Any:
        """The state of the game as ``viewer`` may know it. Only of a started table."""
        look = self._look(viewer)
        if look.seen is None:
            assert self.state is not None
            public = self.seen(SPECTATOR) if viewer >= 0 else None
            look.seen = see(self.state, viewer, public)
        return look.seen

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the table waits for."""
        if self._waiting is None:
            self._waiting = self._game.waiting(self.seen(SPECTATOR)) if self.playing else ()
        return self._waiting

    def actions(self, viewer: Viewer) -> list[Offer]:
        """What ``viewer`` may do now."""
        if viewer < 0:
            return []
        look = self._look(viewer)
        found = look.actions
        if found is None:
            found = self._game.actions(self.seen(viewer), viewer) if self.playing else []
            look.actions = found
        return found

    def view(self, viewer: Viewer) -> View:
        """What ``viewer`` sees."""
        look = self._look(viewer)
        if look.view is None:
            game = self.game_view(viewer)
            look.view = self.frame if game is None else self.frame_of(game)
        return look.view

    @property
    def frame(self) -> View:
        """What everybody sees of the table, without its game; the same object as long as it is the same."""
        if self._frame is None:
            self._frame = self.frame_of(None)
        return self._frame

    def frame_of(self, game: Any) -> View:
        """What everybody sees of the table, around ``game``."""
        if self._seats is None:
            self._seats = seat_views(self.table)
        return _frame(self.table, self._seats, game)

    def game_view(self, viewer: Viewer) -> GameView | None:
        """What ``viewer`` sees of the game; None before the start."""
        if self.state is None:
            return None
        look = self._look(viewer)
        if look.game is None:
            own = self.own(viewer)
            if own is None:
                look.game = self._view(self.seen(viewer), viewer)
            else:
                gone = {name: UNSET for name in self.apart if name not in own}
                look.game = replace(self.game_view(SPECTATOR), **own, **gone)  # type: ignore[type-var]
        return look.game

    @property
    def apart(self) -> tuple[str, ...]:
        """The members of a game's view that `own` gives; the others are the same for all."""
        return self._apart

    def own(self, viewer: Viewer) -> dict[str, Any] | None:
        """The members by which a seat's view differs from a spectator's; what is absent is not in it.

        None where they are not known apart: for spectators, for games that do not tell, before the start.
        """
        own = self._own
        if viewer < 0 or own is None or self.state is None:
            return None
        look = self._look(viewer)
        if look.own is None:
            look.own = own(self.seen(viewer), viewer)
        return look.own

    def snapshot(self, viewer: Viewer) -> Snapshot:
        """All that ``viewer`` may know."""
        table = self.table
        return Snapshot(table.version, table.status, self.view(viewer), self.actions(viewer), self.waiting)


def _frame(table: Table, seats: tuple[SeatView, ...], game: Any) -> View:
    return View(
        table.status,
        seats,
        game,
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
