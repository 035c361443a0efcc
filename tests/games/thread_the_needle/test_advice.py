"""What a greedy bot of Thread the Needle likes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.thread_the_needle.scoring_card import needle_of
from server.bots import decide
from tests.games.thread_the_needle.situations import duel, hand, table
from tests.support.play import Playout


def choice(playout: Playout, seat: int = 0) -> dict[str, Any]:
    action = decide(playout.game, playout.table, seat, "greedy")
    assert action is not None
    return action


def bidding(seats: int, cards: str) -> Playout:
    """Seat 0 bids with these cards."""
    playout = table(seats)
    now = playout.table
    state: Any = now.state
    hands = (tuple(cards.split()), *state.hands[1:])
    playout.states[-1] = replace(now, state=replace(state, hands=hands))
    return playout


@pytest.mark.parametrize("seats", [4, 5])
def test_the_stronger_its_hand_the_higher_it_bids(seats: int) -> None:
    weak = "hearts-1 hearts-2 hearts-3 spades-1 spades-2 spades-3 clubs-1 clubs-2 clubs-3 diamonds-1"
    middle = f"{weak} trump-15 trump-14 hearts-roi spades-roi trump-10"
    strong = "fool " + " ".join(f"trump-{rank}" for rank in range(9, 22))
    levels = [choice(bidding(seats, cards))["level"] for cards in (weak, middle, strong)]
    assert levels == sorted(levels)
    assert levels[0] < levels[2]


def test_it_leaves_the_needle_alone() -> None:
    for number in range(30):
        playout = table(2, key=bytes([number]) * 32)
        assert choice(playout)["level"] != needle_of(playout.state.scoring_card)


@pytest.mark.parametrize(("points", "card"), [(2, "hearts-1"), (44, "hearts-roi")])
def test_as_last_player_it_wins_the_trick_while_it_is_below_its_level(points: int, card: str) -> None:
    """It bid level 0 (up to 4 points) or level 6 (50 and more)."""
    playout = hand(
        "hearts-1 hearts-roi",
        "clubs-1",
        "clubs-2",
        "clubs-3",
        lead=1,
        plays=((1, "hearts-dame"), (2, "hearts-cavalier"), (3, "hearts-2")),
        bids=(0 if points == 2 else 6, 0, 0, 0),
        points=(points, 10, 10, 10),
    )
    assert choice(playout) == {"type": "play", "card": card}


@pytest.mark.parametrize(("level", "chosen"), [(0, "discard"), (6, "keep")])
def test_with_the_21_it_keeps_the_points_or_discards_them_as_it_bid(level: int, chosen: str) -> None:
    playout = hand(
        "clubs-9",
        "clubs-1",
        "clubs-2",
        "clubs-3",
        phase="resolving_21",
        plays=((0, "trump-21"), (1, "hearts-roi"), (2, "spades-roi"), (3, "clubs-4")),
        bids=(level, 0, 0, 0),
        points=(4 if level == 0 else 30, 10, 10, 10),
    )
    assert choice(playout) == {"type": "resolve_21", "choice": chosen}


def test_it_takes_the_line_of_the_talon_that_leads_to_its_level() -> None:
    """It bid level 1 (10 to 19 points) and has 8: only the column with both trumps leads there."""
    playout = duel(
        "",
        "",
        talon="trump-7 clubs-8 trump-8 clubs-9",
        phase="taking_talon",
        bids=(1, 5),
        points=(8, 60),
    )
    assert choice(playout) == {"type": "take_talon", "line": "column-1"}


def test_it_looks_at_a_line_and_takes_what_fits_its_bid() -> None:
    playout = duel(
        "clubs-8 hearts-dame",
        "clubs-9",
        phase="looking",
        bids=(8, 0),
        points=(30, 20),
    )
    assert choice(playout)["type"] == "look"
    looked = replace(playout.state, phase="exchanging", looking_at=("trump-20", "spades-8"))
    playout.states[-1] = replace(playout.table, state=looked)
    assert choice(playout) == {"type": "exchange", "give": "clubs-8", "take": "trump-20"}
