"""The help of every game."""

from __future__ import annotations

import pytest

from domain.registry import games


@pytest.mark.parametrize("name", games())
def test_the_help_names_every_option(name: str) -> None:
    game = games()[name]
    missing = [option for option in game.options.__struct_fields__ if f"`{option}`" not in game.help]
    assert not missing
