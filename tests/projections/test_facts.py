"""What the lobby tells of a table's options."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.registry import games
from projections.facts import facts
from tests.support.play import Playout


def told(game: str, **options: Any) -> dict[str, Any]:
    """The options in the facts of a table."""
    playout = Playout(games()[game], games()[game].seats[0], options=options)
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(facts(playout.table)))["options"]
    return found


@pytest.mark.parametrize("game", list(games()))
def test_decks_and_scoring_cards_that_are_the_games_own_are_left_out(game: str) -> None:
    assert [name for name, value in told(game).items() if isinstance(value, list)] == []


def test_a_deck_of_the_tables_own_is_told() -> None:
    usual = msgspec.to_builtins(games()["mein-schatz"].options())["treasure_cards"]
    own = [*usual[1:], "ring+ring+ring+ring"]
    assert told("mein-schatz", treasure_cards=own, drawn="secret")["treasure_cards"] == own
    assert told("mein-schatz", drawn="secret")["drawn"] == "secret"
