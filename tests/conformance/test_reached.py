"""Every game comes everywhere when it is played at random, at whatever number of seats."""

from __future__ import annotations

import pytest

from domain.registry import games
from tests.conformance.setups import play_one


@pytest.mark.parametrize("name", games())
def test_every_event_type_and_every_action_type_of_a_game_happens(name: str) -> None:
    """Else something cannot be reached, or the games played by these tests never go there."""
    game = games()[name]
    missing = set(game.events)
    unused = set(game.action_shapes)
    for number in range(60):
        for seats in game.seats:
            playout = play_one(name, seats, number)
            missing -= {type(event) for event in playout.events}
            unused -= {step.action["type"] for step in playout.steps}
        if not missing and not unused:
            break
    assert not missing, f"never happened: {missing}"
    assert not unused, f"never possible: {unused}"
