"""How much better bots play than one another: many games, on every seat in turn, at tables of every size.

A few games a setup are played always, 400 when asked for the long tests: then the lower end of the one-sided
95 % interval must lie above an even share. What was found stands in docs/bots.md; strong against greedy with
`PLAYOUTS` a move: 61.4 % with 3 seats (at least 57.3 %), 46.5 % with 4 (42.4 %), 39.4 % with 5 (35.4 %).
"""

from __future__ import annotations

import pytest

from domain.registry import games
from server.bots.arena import record
from tests.conformance.setups import SETUPS, label
from tests.support.counts import LONG

Setup = tuple[str, int]
GAMES = 400
PLAYOUTS = 120
"""Fewer than a server plays out, so that the games are over in minutes; more make a bot stronger."""

FEW = 15

ENOUGH = 100 if LONG else 60
"""Playouts a move with which strong is better than greedy in games as few as these."""

IMAGINED = [setup for setup in SETUPS if games()[setup[0]].imagines]


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_greedy_beats_random(setup: Setup) -> None:
    found = record(setup[0], "greedy", "random", setup[1], FEW)
    print(found)  # noqa: T201
    assert found.lower > found.fair


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_greedy_beats_random_in_many_games(setup: Setup) -> None:
    found = record(setup[0], "greedy", "random", setup[1], GAMES, processes=2)
    print(found)  # noqa: T201
    assert found.lower > 1.5 * found.fair


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setup", IMAGINED, ids=label)
def test_strong_beats_greedy_in_many_games(setup: Setup) -> None:
    found = record(setup[0], "strong", "greedy", setup[1], GAMES, processes=2, playouts=PLAYOUTS)
    print(found)  # noqa: T201
    assert found.lower > found.fair


@pytest.mark.long
def test_strong_beats_greedy_also_in_few_games_with_few_playouts() -> None:
    shares: tuple[float, ...] = ()
    for name, seats in IMAGINED:
        shares += record(
            name, "strong", "greedy", seats, 2 * seats if LONG else seats, playouts=ENOUGH
        ).shares
    assert sum(shares) / len(shares) > 1 / min(seats for _, seats in IMAGINED)
