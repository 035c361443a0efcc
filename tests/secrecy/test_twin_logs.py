"""Twin worlds have the same log, the same facts and the same single versions, for every game and viewer."""

from __future__ import annotations

import msgspec
import pytest

from domain.visibility import REFEREE, SPECTATOR
from projections import frame, history
from projections.digests import chained
from projections.facts import facts
from tests.conformance.setups import SETUPS, label
from tests.secrecy.twin import twin


@pytest.mark.parametrize("watching", ["seat", "spectator"])
@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_log_facts_and_versions_are_the_same_bytes(setup: tuple[str, int], watching: str) -> None:
    name, seats = setup
    viewer = seats // 2 if watching == "seat" else SPECTATOR
    other = twin(name, seats, viewer, most=7 * seats)
    world = other.world
    assert len(other.commits) == len(world.commits)
    both = ((world.commits, world.states), (other.commits, other.states))
    for patches in (False, True):
        one, two = (
            [
                msgspec.json.encode(line)
                for line in chained(
                    [history.header(tables[-1], viewer), *history.lines(log, viewer, patches=patches)]
                )
            ]
            for log, tables in both
        )
        assert one == two
    for left, right in zip(world.states, other.states, strict=True):
        for told in (facts, lambda table: frame.snapshot(table, viewer)):
            assert msgspec.msgpack.encode(told(left)) == msgspec.msgpack.encode(told(right))
    opened = [msgspec.json.encode(list(history.lines(log, REFEREE, patches=False))) for log, _ in both]
    assert opened[0] != opened[1], "the worlds differ, and the referee sees it"
