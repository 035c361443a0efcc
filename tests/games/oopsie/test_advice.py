"""What a greedy bot of Oopsie likes."""

from __future__ import annotations

from typing import Any

import pytest

from server.bots import decide
from tests.domain_tarot.hands import given
from tests.support.play import Playout, new


def choice(playout: Playout, seat: int) -> dict[str, Any]:
    action = decide(playout.game, playout.table, seat, "greedy")
    assert action is not None
    return action


def table(**situation: Any) -> Playout:
    return given(new("oopsie", 4), **situation)


def choosing(phase: str, hand: str) -> Playout:
    return table(
        phase=phase,
        hands=[hand, "clubs-7", "clubs-8", "clubs-9"],
        bids=(1, 1, 1, 1) if phase == "passing_again" else (),
        picks=(None,) * 4,
        chosen=(0,) * 4,
    )


def test_it_bids_first_with_a_strong_hand_and_last_with_a_weak_one() -> None:
    strong = " ".join(f"trump-{rank}" for rank in range(8, 22))
    assert choice(choosing("bidding", strong), 0) == {"type": "bid", "place": 1}
    weak = "hearts-6 hearts-7 hearts-8 spades-6 spades-7 spades-8 clubs-6"
    assert choice(choosing("bidding", weak), 0) == {"type": "bid", "place": 4}


@pytest.mark.parametrize("phase", ["passing", "passing_again"])
def test_it_passes_what_fits_its_hand_least(phase: str) -> None:
    assert choice(choosing(phase, "fool trump-21 trump-20 hearts-6"), 0) == {
        "type": "pass",
        "card": "hearts-6",
    }
    weak = "hearts-6 hearts-7 hearts-8 spades-6 spades-7 trump-17"
    assert choice(choosing(phase, weak), 0) == {"type": "pass", "card": "trump-17"}


def won(phase: str, card: str, bids: tuple[int, ...], points: tuple[int, ...]) -> Playout:
    """Seat 0 has won a trick of 10 points with ``card``."""
    return table(
        phase=phase,
        hands=["clubs-9", "clubs-7", "clubs-8", "clubs-10"],
        plays=((0, card), (1, "hearts-roi"), (2, "spades-roi"), (3, "clubs-6")),
        lead=0,
        bids=bids,
        points=points,
    )


def test_with_the_21_it_keeps_what_it_needs_and_gives_its_partner_what_that_needs() -> None:
    needs = won("resolving_21", "trump-21", (1, 2, 4, 3), (17, 20, 10, 15))
    assert choice(needs, 0) == {"type": "resolve_21", "choice": "keep"}
    gives = won("resolving_21", "trump-21", (4, 2, 1, 3), (5, 20, 17, 15))
    assert choice(gives, 0) == {"type": "resolve_21", "choice": "give"}


def test_with_a_bird_it_scores_what_it_needs_and_spoils_an_opponents_bid_otherwise() -> None:
    needs = won("resolving_bird", "trump-4", (1, 1, 4, 1), (17, 20, 10, 19))
    assert choice(needs, 0) == {"type": "resolve_bird", "choice": "score"}
    spoils = won("resolving_bird", "trump-4", (4, 4, 1, 1), (1, 2, 25, 25))
    assert choice(spoils, 0) == {"type": "resolve_bird", "choice": "give", "to": 1}


def test_it_has_no_fear_for_a_bird_that_its_partner_catches() -> None:
    """The partner's trump wins either way; an opponent's would catch the Bird."""
    situation: dict[str, Any] = {
        "hands": ["trump-1 trump-5", "clubs-7", "clubs-8", "clubs-9"],
        "lead": 1,
        "bids": (4, 1, 1, 2),
        "points": (2, 22, 20, 21),
    }
    playout = table(plays=((1, "trump-6"), (2, "trump-7"), (3, "trump-12")), **situation)
    assert choice(playout, 0) == {"type": "play", "card": "trump-5"}
