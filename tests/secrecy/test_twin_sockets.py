"""The law of indistinguishable worlds over real sockets: every byte that a viewer receives is the same.

Two servers deal differently and the players make the moves that belong to their cards. What the viewer of one
is sent (frames of its connection, a second connection, the lobby, all that HTTP tells, and refusals) is
compared with what the viewer of the other is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from domain.registry import games
from domain.visibility import SPECTATOR, see
from projections.redaction import redact_all
from tests.secrecy.keys import told
from tests.secrecy.recording import record
from tests.secrecy.twin import STEPS, twin
from tests.support.clients import Kind
from tests.support.server import Serve
from tests.support.watch import answer
from tests.support.worlds import World

CASES: list[tuple[str, int, int, Kind]] = [
    ("trick-and-trade", 3, 1, "json"),
    ("trinket-trove", 4, SPECTATOR, "json"),
    ("hold-my-beer", 3, 0, "msgpack"),
    ("oopsie", 4, 2, "json"),
    ("thread-the-needle", 2, SPECTATOR, "msgpack"),
    ("thread-the-needle", 4, 3, "json"),
    ("mein-schatz", 3, 2, "json"),
]


async def compare(
    serve: Serve,
    patch: pytest.MonkeyPatch,
    case: tuple[str, int, int, Kind],
    faults: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[list[Any], list[Any], World]:
    """All that the viewer receives in both worlds, of servers with the ``faults`` planted."""
    name, seats, viewer, kind = case
    found_twin = twin(name, seats, viewer)
    world, watch, steps = found_twin.world, found_twin.watch, found_twin.steps
    probes = {
        number: [
            probe
            for probe in watch.probes(number + world.first)
            if answer(world.game, world.states[number + world.first - 1], viewer, probe) != "accepted"
        ]
        for number in range(0, len(steps), 6)
    }
    found = []
    for dealt, played in ((world.tracing.dealt, world.steps), (found_twin.outcomes, steps)):
        with patch.context() as scope:
            for place, fault in faults.items():
                scope.setattr(place, fault)
            game = games()[name]
            found.append(await record(serve, scope, game, seats, {}, dealt, played, probes, viewer, kind))
    return found[0], found[1], world


QUICK = ("trinket-trove", "hold-my-beer", "mein-schatz")
"""Games of which one case is quick: a spectator and two seats, both codecs. The others are long."""


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[] if case[0] in QUICK else [pytest.mark.long]) for case in CASES],
    ids=lambda case: f"{case[0]}-{case[1]}-viewer{case[2]}",
)
async def test_every_byte_that_a_viewer_receives_is_the_same_in_both_worlds(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, case: tuple[str, int, int, Kind]
) -> None:
    one, other, world = await compare(serve, monkeypatch, case)
    assert len(one) > STEPS
    for number, (left, right) in enumerate(zip(one, other, strict=True)):
        assert left == right, f"message {number}"
    for received in one:
        data = received[1] if isinstance(received, tuple) else received
        assert list(told(data, world.table)) == []


def as_seat_0(honest: Any) -> Callable[..., Any]:
    """What spectators are shown as if they sat on seat 0."""
    return lambda value, viewer, *more: honest(value, max(viewer, 0), *more)


FAULTS = {"server.news.redact_all": redact_all, "projections.frame.see": see}


@pytest.mark.interpreted
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_server_that_shows_spectators_a_hand_is_found(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    case: tuple[str, int, int, Kind] = ("hold-my-beer", 3, SPECTATOR, "json")
    one, other, _ = await compare(serve, monkeypatch, case, {fault: as_seat_0(FAULTS[fault])})
    assert one != other
