"""What a greedy bot of Mein Schatz likes."""

from __future__ import annotations

from typing import Any

import pytest

from domain.games.mein_schatz import advice
from domain.visibility import see
from server.bots import decide
from tests.games.mein_schatz.given import box, go, table
from tests.support.play import Playout


def choice(playout: Playout) -> dict[str, Any]:
    (seat,) = playout.waiting()
    action = decide(playout.game, playout.table, seat, "greedy")
    assert action is not None
    return action


def test_it_draws_while_there_is_little_to_take() -> None:
    playout = table(2, "ring+ring sword+sword")
    go(playout, "draw 0")
    assert choice(playout) == {"type": "draw"}


def test_it_takes_the_tallest_stack_when_that_stands_out() -> None:
    playout = table(2, "")
    go(playout, *["draw 2"] * 18)
    assert choice(playout)["type"] == "take"
    assert choice(playout)["place"] == 2


def test_it_takes_the_token_that_the_visible_cards_show_most() -> None:
    playout = table(2, "potion+potion+potion", places="face_up", treasure_cards=box("potion+potion+potion"))
    go(playout, "draw 3")
    seen = playout.state
    worth = {token: advice.stack_worth(seen, 3, token) for token in seen.tokens}
    assert max(worth, key=worth.__getitem__) == "potion"
    assert worth["potion"] == 3


@pytest.mark.parametrize("orcs", [1, 4])
def test_the_last_one_without_treasure_draws_on_while_the_last_orc_is_far(orcs: int) -> None:
    playout = table(2, " ".join(["mouse"] * 3 + ["orc"] * orcs), treasure_cards=box())
    go(playout, "draw 0", "draw 1", "draw 1")
    go(playout, *["draw"] * (2 * (orcs // 2)))
    go(playout, "take 0 ring")
    assert choice(playout) == {"type": "draw"}


def test_the_last_one_without_treasure_lays_all_cards_on_one_stack() -> None:
    playout = table(2, "ring+ring sword+sword coin+coin")
    go(playout, "draw 0", "draw 1", "take 0 ring", "draw")
    assert choice(playout) == {"type": "lay", "place": 1}


def test_with_others_still_in_it_lays_where_no_stack_stands_out() -> None:
    playout = table(3, "ring+ring sword+sword coin+coin")
    go(playout, "draw 0", "draw 1", "draw")
    assert choice(playout)["place"] in (2, 3)


def test_of_hidden_cards_only_the_number_counts() -> None:
    playout = table(2, "ring+ring+ring")
    go(playout, "draw 0")
    tokens = {"ring", "potion"}
    seen = see(playout.state, 1)
    assert len({round(advice.stack_worth(seen, 0, token), 6) for token in tokens}) == 1
