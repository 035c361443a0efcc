"""Given, when, then: tests of rules that read like the rules.

::

    scenario = given("trick-and-trade", 3, outcomes={"lead": (0, 1, 2)})
    scenario.when(0, "play", card="nev-1").then(CardPlayed(0, "nev-1"))
    scenario.refused(0, "play", card="nev-1", code="not_your_turn")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from domain import table as tables
from domain.actions import Offer
from domain.errors import Rejected
from domain.events import Event
from domain.visibility import SPECTATOR
from projections import frame
from tests.support import play


class Happened:
    """The events of one command."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        self.events = events

    def then(self, *expected: Event) -> None:
        """These events, in this order, and no others."""
        assert self.events == expected

    def then_among_others(self, *expected: Event) -> None:
        """These events in this order, others before, between and after them allowed."""
        remaining = iter(self.events)
        for event in expected:
            assert event in remaining, f"{event} is missing (in this order) in {self.events}"

    def then_nothing_of(self, *kinds: type[Event]) -> None:
        """No event of these kinds."""
        assert not [event for event in self.events if isinstance(event, kinds)]


class Scenario:
    """A table in a known position."""

    def __init__(self, playout: play.Playout) -> None:
        self.playout = playout

    @property
    def state(self) -> Any:
        """The state of the game."""
        return self.playout.state

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        return self.playout.waiting()

    def but(self, **fields: Any) -> Scenario:
        """The same position with other values of some fields of the state."""
        table = self.playout.table
        assert table.state is not None
        state = msgspec.structs.replace(table.state, **fields)
        self.playout.states[-1] = msgspec.structs.replace(table, state=state)
        return self

    def when(self, seat: int, kind: str, **parameters: Any) -> Happened:
        """A seat acts."""
        return Happened(self.playout.act(seat, kind, **parameters))

    def refused(self, seat: int, kind: str, *, code: str = "illegal_action", **parameters: Any) -> str:
        """A seat tries what it may not; gives the sentence that it is told."""
        before = self.playout.table
        with pytest.raises(Rejected) as caught:
            self.playout.act(seat, kind, **parameters)
        assert caught.value.code == code
        assert self.playout.table == before
        return caught.value.message

    def offers(self, seat: int) -> list[Offer]:
        """What a seat may do."""
        return tables.actions(self.playout.game, self.playout.table, seat)

    def view(self, viewer: int = SPECTATOR) -> dict[str, Any]:
        """The game's part of the view of ``viewer`` as it arrives at a client."""
        data = msgspec.json.encode(frame.view(self.playout.table, viewer))
        view: dict[str, Any] = msgspec.json.decode(data)["game"]
        return view


def given(
    game: str,
    seats: int,
    *,
    outcomes: Mapping[str, Sequence[Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Scenario:
    """A started table: with these outcomes of shuffles, options, and fields of the state."""
    playout = play.new(game, seats, outcomes=outcomes or {}, options=dict(options or {}))
    return Scenario(playout).but(**fields) if fields else Scenario(playout)
