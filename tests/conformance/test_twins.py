"""Law of indistinguishable worlds, for every game, number of seats and kind of viewer."""

from __future__ import annotations

import random
from functools import lru_cache
from statistics import median

import pytest

from domain.registry import games
from domain.visibility import SPECTATOR
from tests.conformance.setups import SETUPS, biased, label, random_options
from tests.support.counts import LONG
from tests.support.snapshots import snapshot_twin
from tests.support.twins import Strength, choice_twins, still_secret, stream_twin
from tests.support.watch import Kind, Watch
from tests.support.worlds import World

Setup = tuple[str, int]

WORLDS = 20 if LONG else 2
MOMENTS = 16 if LONG else 5

TRUSTED: dict[str, frozenset[str]] = {}
"""By game: events that show a card which no state ever holds openly."""

KINDS: dict[str, Kind] = {"mein-schatz": lambda card: card == "orc"}
"""By game: what everybody learns of a card when it is drawn, without being told which card it is."""


@lru_cache(maxsize=4 if LONG else None)
def world(name: str, seats: int, number: int) -> World:
    """World ``number`` of a setup: number 0 with the default options."""
    rng = random.Random(f"twins/{name}/{seats}/{number}")
    options = random_options(games()[name], rng) if number else {}
    played = World(games()[name], seats, options=options, key=rng.randbytes(32))
    played.play(rng, changes=0.1, choose=biased(rng) if number else None)
    return played


def moments(played: World, rng: random.Random) -> list[int]:
    """Random versions from the start of the game on, and some at which a seat may still change its choice."""
    versions = range(played.first, len(played.commits) + 1)
    pending = [version for version in versions if any(still_secret(played, version))]
    chosen = rng.sample(versions, min(MOMENTS, len(versions)))
    return sorted({*chosen, *rng.sample(pending, min(MOMENTS // 2, len(pending)))})


@pytest.fixture(
    scope="module",
    params=[(setup, watching) for setup in SETUPS for watching in ("seat", "spectator")],
    ids=lambda param: f"{label(param[0])}-{param[1]}",
)
def watched(request: pytest.FixtureRequest) -> list[tuple[Watch, int]]:
    """Worlds with a viewer and a moment, for one setup and kind of viewer."""
    setup, watching = request.param
    found = []
    for number in range(WORLDS):
        played = world(*setup, number)
        rng = random.Random(f"{setup}/{number}/{watching}")
        seats = range(played.seats) if LONG else [rng.randrange(played.seats)]
        for viewer in seats if watching == "seat" else [SPECTATOR]:
            watch = Watch(played, viewer, TRUSTED.get(setup[0], frozenset()), KINDS.get(setup[0]))
            found += [(watch, version) for version in moments(played, rng)]
    return found


def test_worlds_that_differ_in_hidden_cards_look_the_same(watched: list[tuple[Watch, int]]) -> None:
    strength = Strength()
    for watch, version in watched:
        stream_twin(watch, version, random.Random(version), strength)
    print(strength.summary())  # noqa: T201
    assert strength.moments >= WORLDS * MOMENTS
    assert strength.possible >= 0.6 * strength.moments
    assert strength.twins >= 0.95 * strength.possible
    assert strength.hand_differs >= 0.95 * strength.with_hidden_hand - 1
    assert median(strength.shares) >= 0.5
    assert median(strength.hand_shares or [1]) >= 0.5


def test_a_choice_that_is_still_secret_shows_nowhere(watched: list[tuple[Watch, int]]) -> None:
    strength = Strength()
    secret = 0
    for watch, version in watched:
        secret += any(seat != watch.viewer for seat in still_secret(watch.world, version))
        choice_twins(watch, version, random.Random(version), strength)
    print(f"{strength.choices} other choices")  # noqa: T201
    assert bool(strength.choices) == bool(secret)


def test_a_snapshot_does_not_depend_on_what_lies_in_hidden_zones_now(
    watched: list[tuple[Watch, int]],
) -> None:
    strength = Strength()
    for watch, version in watched:
        snapshot_twin(watch, version, random.Random(version), strength)
    assert strength.snapshots
