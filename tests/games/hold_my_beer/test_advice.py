"""What a greedy bot of Hold My Beer likes."""

from __future__ import annotations

from typing import Any

import pytest

from server.bots import decide
from tests.domain_tarot.hands import given
from tests.support.play import Playout, new

STRONG = "fool trump-21 trump-20 trump-19 trump-18 trump-17 hearts-roi"
WEAK = "hearts-7 hearts-8 hearts-9 spades-7 spades-8 clubs-7 clubs-8"
REST = "diamonds-7 diamonds-8 diamonds-9 diamonds-10 clubs-9 clubs-10 spades-9"


def choice(playout: Playout, seat: int) -> dict[str, Any]:
    action = decide(playout.game, playout.table, seat, "greedy")
    assert action is not None
    return action


def table(**situation: Any) -> Playout:
    return given(new("hold-my-beer", 3), **situation)


def choosing(phase: str, hand: str) -> Playout:
    return table(phase=phase, hands=[hand, REST, REST], bids=(), picks=(None,) * 3, chosen=(0,) * 3)


def test_it_bids_first_with_a_strong_hand_and_last_with_a_weak_one() -> None:
    assert choice(choosing("bidding", WEAK), 0) == {"type": "bid", "place": 3}
    all_trumps = " ".join(f"trump-{rank}" for rank in range(4, 22))
    assert choice(choosing("bidding", all_trumps), 0) == {"type": "bid", "place": 1}


def test_it_discards_what_fits_its_hand_least() -> None:
    assert choice(choosing("discarding", f"{STRONG} hearts-7"), 0) == {"type": "discard", "card": "hearts-7"}
    assert choice(choosing("discarding", f"{WEAK} trump-20"), 0) == {"type": "discard", "card": "trump-20"}


@pytest.mark.parametrize(("place", "card"), [(1, "hearts-roi"), (3, "hearts-10")])
def test_as_last_player_it_wins_the_trick_or_lets_it_pass_as_it_bid(place: int, card: str) -> None:
    playout = table(
        hands=["hearts-10 hearts-roi", "clubs-7", "clubs-8"],
        lead=1,
        plays=((1, "hearts-dame"), (2, "hearts-cavalier")),
        bids=(place, 2, 2),
        points=(20, 22, 21),
    )
    assert choice(playout, 0) == {"type": "play", "card": card}


def test_it_does_not_give_its_bird_away() -> None:
    playout = table(
        hands=["trump-1 trump-4", "clubs-7", "clubs-8"],
        lead=1,
        plays=((1, "trump-10"), (2, "trump-12")),
        bids=(3, 1, 1),
        points=(5, 22, 21),
    )
    assert choice(playout, 0) == {"type": "play", "card": "trump-4"}


@pytest.mark.parametrize(("place", "chosen"), [(1, "keep"), (3, "discard")])
def test_with_the_21_it_keeps_the_points_or_discards_them_as_it_bid(place: int, chosen: str) -> None:
    playout = table(
        phase="resolving_21",
        hands=["clubs-9", "clubs-7", "clubs-8"],
        plays=((0, "trump-21"), (1, "trump-4"), (2, "trump-5")),
        lead=0,
        bids=(place, 2, 2),
        points=(20, 22, 24),
    )
    assert choice(playout, 0) == {"type": "resolve_21", "choice": chosen}


def test_it_looks_at_the_talon_and_takes_what_fits_its_bid() -> None:
    situation: dict[str, Any] = {
        "hands": ["clubs-9 hearts-dame", "clubs-7", "clubs-8"],
        "talon": "trump-20 spades-7 spades-8",
        "lead": 0,
        "points": (20, 22, 24),
    }
    assert choice(table(phase="looking", bids=(1, 2, 2), **situation), 0) == {"type": "look"}
    first = choice(table(phase="exchanging", bids=(1, 2, 2), **situation), 0)
    assert first == {"type": "exchange", "give": "clubs-9", "take": "trump-20"}
    last = choice(table(phase="exchanging", bids=(3, 2, 2), **situation), 0)
    assert last["give"] == "hearts-dame"
    assert last["take"] in ("spades-7", "spades-8")
