"""Finds a world that a viewer cannot tell from another one, with all that is needed to play it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from domain.events import Commit
from domain.registry import games
from domain.table import Table
from tests.support.play import Step
from tests.support.twins import Search, Strength, exchanged
from tests.support.watch import Watch
from tests.support.worlds import Script, World, _renamed

STEPS = 26
KINDS = {"mein-schatz": lambda card: card == "orc"}


@dataclass(frozen=True)
class Twin:
    """Another world: its outcomes by label, the steps that belong to its cards, its commits and states."""

    world: World
    watch: Watch
    outcomes: dict[str, tuple[Any, ...]]
    steps: list[Step]
    commits: list[Commit]
    states: list[Table]


def twin(name: str, seats: int, viewer: int, *, most: int = STEPS) -> Twin:
    """A world after some steps, and a twin in which at least three pairs of cards are exchanged."""
    for number in range(20):
        rng = random.Random(f"twin/{name}/{seats}/{number}")
        world = World(games()[name], seats, key=rng.randbytes(32))
        world.play(rng, most=most)
        if world.table.over:
            continue
        watch = Watch(world, viewer, kind=KINDS.get(name))
        version = len(world.commits)
        search = Search(watch, version, rng, Strength(), 60)
        for group in watch.groups(version):
            slots = rng.sample(group, len(group))
            search.add(list(zip(slots[::2], slots[1::2], strict=False)))
        if len(search.accepted) < 3:
            continue
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
        run, _ = search.decide(search.accepted, traced=True)
        before = world.first - 1
        assert outcomes != world.tracing.dealt
        return Twin(
            world,
            watch,
            outcomes,
            steps,
            [*world.commits[:before], *run.commits],
            [*world.states[:before], *run.states],
        )
    raise AssertionError(f"no twin was found: {name}, {seats} seats, viewer {viewer}")
