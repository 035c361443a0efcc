"""The law of indistinguishable worlds over real sockets: every byte that a viewer receives is the same.

Two servers deal differently and the players make the moves that belong to their cards. What the viewer of one
is sent (frames of its connection, a second connection, the lobby, all that HTTP tells, and refusals) is
compared with what the viewer of the other is sent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from domain.registry import games
from domain.visibility import SPECTATOR, see
from projections.redaction import redact_all
from tests.secrecy.keys import told
from tests.secrecy.recording import record
from tests.support.clients import Kind
from tests.support.play import Step
from tests.support.server import Serve
from tests.support.twins import Search, Strength, exchanged
from tests.support.watch import Watch, answer
from tests.support.worlds import Script, World, _renamed

CASES: list[tuple[str, int, int, Kind]] = [
    ("trick-and-trade", 3, 1, "json"),
    ("trinket-trove", 4, SPECTATOR, "json"),
    ("hold-my-beer", 3, 0, "msgpack"),
    ("oopsie", 4, 2, "json"),
    ("thread-the-needle", 2, SPECTATOR, "msgpack"),
    ("thread-the-needle", 4, 3, "json"),
    ("mein-schatz", 3, 2, "json"),
]
STEPS = 26
KINDS = {"mein-schatz": lambda card: card == "orc"}
Twin = tuple[dict[str, tuple[Any, ...]], list[Step]]


def twins(name: str, seats: int, viewer: int) -> tuple[World, Watch, Twin]:
    """A world, and another one that the viewer cannot tell from it: its outcomes and its steps."""
    for number in range(20):
        rng = random.Random(f"sockets/{name}/{seats}/{number}")
        world = World(games()[name], seats, key=rng.randbytes(32))
        world.play(rng, most=STEPS)
        watch = Watch(world, viewer, kind=KINDS.get(name))
        version = len(world.commits)
        search = Search(watch, version, rng, Strength(), 60)
        for group in watch.groups(version):
            slots = rng.sample(group, len(group))
            search.add(list(zip(slots[::2], slots[1::2], strict=False)))
        if len(search.accepted) >= 3 and not world.table.over:
            script = Script(exchanged(world.tracing.sources, search.accepted))
            outcomes = {
                label: tuple(script.card(source) for source in sources)
                for label, sources in script.sources.items()
            }
            steps = [
                Step(
                    step.seat,
                    {key: _renamed(world.tracing, value, script) for key, value in step.action.items()},
                )
                for step in world.steps
            ]
            assert outcomes != world.tracing.dealt
            return world, watch, (outcomes, steps)
    raise AssertionError("no twin was found")


async def compare(
    serve: Serve,
    patch: pytest.MonkeyPatch,
    case: tuple[str, int, int, Kind],
    faults: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[list[Any], list[Any], World]:
    """All that the viewer receives in both worlds, of servers with the ``faults`` planted."""
    name, seats, viewer, kind = case
    world, watch, (outcomes, steps) = twins(name, seats, viewer)
    probes = {
        number: [
            probe
            for probe in watch.probes(number + world.first)
            if answer(world.game, world.states[number + world.first - 1], viewer, probe) != "accepted"
        ]
        for number in range(0, len(steps), 6)
    }
    found = []
    for dealt, played in ((world.tracing.dealt, world.steps), (outcomes, steps)):
        with patch.context() as scope:
            for place, fault in faults.items():
                scope.setattr(place, fault)
            game = games()[name]
            found.append(await record(serve, scope, game, seats, {}, dealt, played, probes, viewer, kind))
    return found[0], found[1], world


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}-viewer{case[2]}")
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


def as_seat_0(honest: Any) -> Callable[[Any, int], Any]:
    """What spectators are shown as if they sat on seat 0."""
    return lambda value, viewer: honest(value, max(viewer, 0))


FAULTS = {"server.feed.redact_all": redact_all, "projections.frame.see": see}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_server_that_shows_spectators_a_hand_is_found(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    case: tuple[str, int, int, Kind] = ("hold-my-beer", 3, SPECTATOR, "json")
    one, other, _ = await compare(serve, monkeypatch, case, {fault: as_seat_0(FAULTS[fault])})
    assert one != other
