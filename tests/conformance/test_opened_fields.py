"""A test of the tests, for every game: each field that is not public is opened to everybody once.

Whatever an audience hides must be worth hiding: the twin worlds have to notice when it is shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

import msgspec
import pytest

from domain.events import Event
from domain.registry import games
from domain.visibility import PUBLIC, SECRET, SPECTATOR, Audience, audiences
from tests.conformance.setups import biased, random_options
from tests.conformance.test_twins import KINDS, TRUSTED
from tests.support.planting import open_to
from tests.support.snapshots import snapshot_twin
from tests.support.twins import Leak, Strength, choice_twins, stream_twin
from tests.support.watch import Watch, fresh
from tests.support.worlds import World, leaves

WORLDS = 80
ENOUGH = 60
MOMENTS = 6
KEPT: dict[tuple[type[msgspec.Struct], str], Audience] = {}


def hidden_fields() -> Iterator[tuple[str, type[msgspec.Struct], str]]:
    """Every field of every game's events and state that somebody may not know."""
    for name, game in games().items():
        for kind in (*game.events, game.state):
            for field, audience in audiences(kind).items():
                if audience not in (PUBLIC, SECRET):
                    yield name, kind, field


FIELDS = list(hidden_fields())


def is_quick(number: int) -> bool:
    """The first two fields of the events and of the state of each game; the others are long."""
    kinds = [(name, issubclass(kind, Event)) for name, kind, _ in FIELDS]
    return kinds[:number].count(kinds[number]) < 2


MARKED = [
    pytest.param(field, marks=[] if is_quick(number) else [pytest.mark.long])
    for number, field in enumerate(FIELDS)
]


@lru_cache(maxsize=100)
def world(name: str, number: int) -> World:
    """Some game that is played to its end."""
    game = games()[name]
    rng = random.Random(f"opened/{name}/{number}")
    seats = game.seats[number % len(game.seats)]
    options = random_options(game, rng) if number % 3 else {}
    played = World(game, seats, options=options, key=rng.randbytes(32))
    played.play(rng, changes=0.2, choose=biased(rng) if number % 2 else None)
    return played


def interesting(played: World, kind: type[msgspec.Struct], field: str) -> list[int]:
    """The versions at which a field of the state held something, or at which the event happened."""
    if issubclass(kind, Event):
        commits = played.commits[played.first - 1 :]
        return [
            commit.version for commit in commits if any(isinstance(event, kind) for event in commit.events)
        ]
    started = played.states[played.first - 1 :]
    return [table.version for table in started if any(leaves(getattr(table.state, field)))]


def shown(played: World, version: int) -> list[bytes]:
    """What all viewers are told of a table as it stands."""
    table = played.states[version - 1]
    return [
        msgspec.json.encode(fresh(played.game, table, viewer)) for viewer in (*range(played.seats), SPECTATOR)
    ]


def search(name: str, kind: type[msgspec.Struct], field: str) -> int:
    """Look for a leak where the opened field holds something; gives how often that changed what is told."""
    changed = looked_at = 0
    for number in range(WORLDS):
        if looked_at >= ENOUGH:
            break
        played = world(name, number)
        rng = random.Random(number)
        found = interesting(played, kind, field)
        chosen = rng.sample(found, min(MOMENTS, len(found)))
        looked_at += len(chosen)
        now = [shown(played, version) for version in chosen]
        before = open_to(kind, field, KEPT[kind, field])
        changed += sum(one != shown(played, version) for one, version in zip(now, chosen, strict=True))
        open_to(kind, field, before)
        if issubclass(kind, Event):
            changed += len(chosen)
        elif not changed:
            continue
        for viewer in (*rng.sample(range(played.seats), 2), SPECTATOR):
            watch = Watch(played, viewer, TRUSTED.get(name, frozenset()), KINDS.get(name))
            for version in chosen:
                stream_twin(watch, version, rng, Strength(), budget=25)
                snapshot_twin(watch, version, rng, Strength())
                choice_twins(watch, version, rng, Strength())
    return changed


def called(param: tuple[str, type[msgspec.Struct], str]) -> str:
    return f"{param[0]}-{param[1].__name__}.{param[2]}"


@pytest.mark.parametrize("hidden", MARKED, ids=called)
def test_a_field_opened_to_everybody_is_noticed(hidden: tuple[str, type[msgspec.Struct], str]) -> None:
    """A field of a state that no view shows to anybody else may be opened without a difference."""
    name, kind, field = hidden
    leaked = False
    before = open_to(kind, field, PUBLIC)
    KEPT[kind, field] = before
    try:
        changed = search(name, kind, field)
    except Leak:
        leaked = True
        changed = 1
    finally:
        open_to(kind, field, before)
    assert leaked or (not changed and not issubclass(kind, Event))
