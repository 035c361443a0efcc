"""What holds in every game: random games at every number of seats, looked at after each commit."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import table as tables
from domain.games.trinket_trove import deck, events
from domain.games.trinket_trove.lots import left
from domain.games.trinket_trove.scoring import points
from domain.games.trinket_trove.state import TrinketTroveState
from domain.table import Table
from projections.frame import snapshot
from projections.viewer import SPECTATOR
from tests.support.counts import EXAMPLES
from tests.support.play import Playout, new, stored

SEATS = (2, 3, 4, 5, 6)


def played(seats: int, seed: int, lone_mirrors: bool = False) -> Playout:
    playout = new(
        "trinket-trove", seats, key=bytes([seed % 256]) * 32, options={"lone_mirrors": lone_mirrors}
    )
    return playout.play(random.Random(seed))


def everything(state: TrinketTroveState) -> Counter[str]:
    unclaimed = [card for cards in left(state).values() for card in cards]
    hands = [card for hand in state.hands for card in hand]
    return Counter([*hands, *unclaimed, *state.pile, *state.timer, *state.removed])


@settings(max_examples=min(40, EXAMPLES), deadline=None)
@given(st.sampled_from(SEATS), st.integers(0, 10_000), st.booleans())
def test_games_keep_their_cards_end_and_add_up(seats: int, seed: int, lone_mirrors: bool) -> None:
    playout = played(seats, seed, lone_mirrors)
    for version, at in enumerate(playout.states, 1):
        state = at.state
        if state is None:
            continue
        assert isinstance(state, TrinketTroveState)
        assert everything(state) == Counter(deck.CARDS), f"version {version}"
        able = [seat for seat in range(seats) if tables.actions(playout.game, at, seat)]
        assert tuple(able) == tables.waiting(playout.game, at)
        assert len(able) == (0 if at.over else 1)
    state, result = playout.state, playout.table.result
    assert result is not None
    assert result.scores == tuple(points(hand, lone_mirrors) for hand in state.hands)
    assert result.reason == "played_out"
    best = [seat for seat in range(seats) if result.scores[seat] == max(result.scores)]
    assert result.winners == (min(best, key=state.order.index),)
    assert sorted(result.places) == list(range(1, seats + 1))


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_claims_two_lots_in_every_round(seats: int) -> None:
    playout = played(seats, 11)
    claims = [event for event in playout.events if isinstance(event, events.LotsClaimed)]
    assert all(len(claim.lots) == len(set(claim.lots)) == 2 for claim in claims)
    number = max(seats, 3)
    assert len(claims) == deck.rounds(seats) * number
    for start in range(0, len(claims), number):
        of_round = claims[start : start + number]
        assert len({claim.who for claim in of_round}) == number
        assert len({lot for claim in of_round for lot in claim.lots}) == 2 * number
        assert [claim.why == "last" for claim in of_round] == [False] * (number - 1) + [True]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_each_seat_is_asked_for_every_bid_and_all_but_the_last_for_every_draft(seats: int) -> None:
    playout = played(seats, 12)
    kinds = Counter(step.action["type"] for step in playout.steps)
    assert kinds == {"bid": deck.rounds(seats) * seats, "draft": deck.rounds(seats) * (seats - 1)}


@pytest.mark.parametrize("seats", SEATS)
def test_the_stored_commits_lead_to_the_same_states_and_result(seats: int) -> None:
    for seed in range(3):
        playout = played(seats, seed)
        table: Table | None = None
        for commit, at in zip(stored(playout), playout.states, strict=True):
            table = tables.apply(playout.game, table, commit)
            assert table.state == at.state
            assert (table.status, table.result) == (at.status, at.result)
        assert table is not None
        assert table.result is not None
        assert snapshot(table, SPECTATOR) == snapshot(playout.table, SPECTATOR)


def test_some_random_games_of_two_ask_a_seat_to_choose_for_nimbus() -> None:
    chosen = Counter(step.action["type"] for seed in range(10) for step in played(2, seed).steps)
    assert chosen["choose_for_nimbus"] > 0


@pytest.mark.parametrize("seats", SEATS)
def test_what_is_offered_is_accepted_whatever_the_order_of_the_values(seats: int) -> None:
    one = new("trinket-trove", seats)
    other = new("trinket-trove", seats)
    rng = random.Random(4)

    def backwards(action: dict[str, object]) -> dict[str, object]:
        return {name: value[::-1] if isinstance(value, list) else value for name, value in action.items()}

    one.play(rng)
    for step in one.steps:
        other.do(step.seat, backwards(step.action))
    assert other.state == one.state
    assert other.events == one.events
