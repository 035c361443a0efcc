"""Quick playouts: the same rules as the game's own, and an honest measure of an action."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from domain import table as tables
from domain.games.trick_and_trade import GAME, deck, playout, scoring
from domain.games.trick_and_trade.state import TrickAndTradeState
from tests.support.play import Playout, new

SEATS = (3, 4, 5)


class First:
    """Random numbers that always choose what comes first."""

    def random(self) -> float:
        return 0.0

    def randrange(self, stop: int, /) -> int:
        return 0

    def shuffle(self, items: Any, /) -> None:
        """Leave the items as they are."""


def quick_choice(state: TrickAndTradeState, seat: int) -> dict[str, Any]:
    """What a seat does in a playout, said with the real game: its first card; the Trade card worth most."""
    if state.phase == "playing":
        return {"type": "play", "card": state.hands[seat][0]}
    times = scoring.multipliers(scoring.value_totals(state.won))
    sure = len(state.won) / deck.HAND_SIZE[state.seats]

    def worth(trade: str) -> tuple[float, tuple[int, ...]]:
        icons = [deck.icons(trade).count(name) for name in deck.SUITS]
        each = [sure * times[name] + (1 - sure) * 1.25 for name in deck.SUITS]
        return sum(number * one for number, one in zip(icons, each, strict=True)), tuple(icons)

    worths = sorted((worth(trade), trade) for trade in state.front)
    if state.lead_taker is None and worths[0][0][0] + playout.LEAD >= worths[-1][0][0]:
        return {"type": "take_lead"}
    return {"type": "take", "trade": worths[-1][1]}


def finished(played: Playout) -> tuple[int, ...]:
    """The points at the end when all seats go on as they do in a playout."""
    while not played.table.over:
        seat = played.waiting()[0]
        played.do(seat, quick_choice(played.state, seat))
    assert played.table.result is not None
    return played.table.result.scores


@pytest.mark.parametrize("seats", SEATS)
def test_a_playout_ends_as_the_real_game_does_when_all_choose_alike(seats: int) -> None:
    for number in range(12):
        rng = random.Random(f"playout {seats} {number}")
        played = new("trick-and-trade", seats, key=rng.randbytes(32))
        played.play(rng, most=rng.randrange(1, 60), until=lambda game: game.table.over)
        if played.table.over:
            continue
        seat = played.waiting()[0]
        for action in [quick_choice(played.state, seat), *_others(played, seat, rng)]:
            game = playout.Playout(played.state, First())
            game.act(seat, action)
            points = game.finish()
            real = Playout(GAME, seats, key=played.key)
            for step in played.steps:
                real.do(step.seat, step.action)
            real.do(seat, action)
            assert tuple(points) == finished(real), (number, action)


def _others(played: Playout, seat: int, rng: random.Random) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for offer in tables.actions(GAME, played.table, seat):
        if offer["type"] == "play":
            found += [{"type": "play", "card": card} for card in offer["card"]["one_of"]]
        elif offer["type"] == "take":
            found += [{"type": "take", "trade": trade} for trade in offer["trade"]["one_of"]]
        else:
            found.append({"type": "take_lead"})
    return rng.sample(found, min(3, len(found)))


def test_a_playout_changes_nothing_in_its_world() -> None:
    played = new("trick-and-trade", 4)
    before = played.state
    seat = played.waiting()[0]
    GAME.playout(before, seat, {"type": "play", "card": before.hands[seat][0]}, random.Random(1))
    assert played.state == before
    assert before.plays == ()


@pytest.mark.parametrize(
    ("trades", "worth"),
    [
        (((), (), ()), 1 + 4 * playout.MARGIN),
        (((), ("zeus",), ()), 1 + 2 * playout.MARGIN),
        (((), ("zeus+zeus",), ()), 0.5),
        (((), ("zeus+zeus", "zeus"), ()), -2 * playout.MARGIN),
    ],
)
def test_a_win_counts_one_a_tie_half_and_each_point_a_little(
    trades: tuple[tuple[str, ...], ...], worth: float
) -> None:
    """Seat 0 wins the last trick and takes nev+nev: 6 points. The others get a ratcoin each: x2, as zeus."""
    state = replace(
        new("trick-and-trade", 3).state,
        lead=0,
        hands=(("nev-1",), ("octo-10",), ("octo-9",)),
        front=("ratcoin", "nev+nev", "ratcoin"),
        back=(),
        pile=(),
        trades=trades,
        won=("zeus-10",) * 12,
    )
    found = GAME.playout(state, 0, {"type": "play", "card": "nev-1"}, First())
    assert found == pytest.approx(worth)
