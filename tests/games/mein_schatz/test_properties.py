"""What holds in every game, however it is played."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from domain.actions import Offer
from domain.games.mein_schatz import deck, events
from domain.games.mein_schatz.scoring import TARGET, coin_value
from domain.registry import games
from tests.games.mein_schatz.given import FACES
from tests.support.play import Playout, fold, new, pick, stored

GAMES = 8

seats_each = pytest.mark.parametrize("seats", [2, 3, 4])


def greedy(rng: random.Random, offers: Sequence[Offer]) -> dict[str, Any]:
    """An action at random that seldom takes a stack while it may still draw, so that orcs come."""
    return pick(rng, offers[:1] if rng.random() < 0.9 else offers)


@cache
def played(seats: int) -> list[Playout]:
    """Random games to their end, over all values of the options; in the later half the gnomes are greedy."""
    found = []
    for number in range(GAMES):
        drawn, places = FACES[number % len(FACES)]
        key = bytes([seats, number]) * 16
        playout = new("mein-schatz", seats, options={"drawn": drawn, "places": places}, key=key)
        choose = greedy if number // len(FACES) else None
        found.append(playout.play(random.Random(f"{seats}/{number}"), choose=choose))
    return found


def all_states(seats: int) -> list[Any]:
    return [table.state for playout in played(seats) for table in playout.states if table.state is not None]


@seats_each
def test_every_card_is_in_exactly_one_place(seats: int) -> None:
    everything = Counter(deck.full_deck(deck.TREASURE_CARDS))
    for state in all_states(seats):
        lying = [*state.deck, *state.orcs]
        for stack in (*state.stacks, *state.taken):
            lying += stack
        if state.drawn is not None:
            lying.append(state.drawn)
        assert Counter(lying) == everything


@seats_each
def test_every_find_token_is_in_exactly_one_place(seats: int) -> None:
    for state in all_states(seats):
        held = [token for token in state.held if token is not None]
        assert sorted([*state.tokens, *state.gnomes, *held]) == sorted(deck.TYPES)
        assert not (state.tokens and state.gnomes)


@seats_each
def test_a_seat_has_a_token_exactly_when_it_has_a_place_and_no_two_share_one(seats: int) -> None:
    for state in all_states(seats):
        assert [place is None for place in state.took] == [token is None for token in state.held]
        taken = [place for place in state.took if place is not None]
        assert len(set(taken)) == len(taken)
        assert all(not state.stacks[place] for place in taken)


@seats_each
def test_the_seat_that_is_asked_is_without_treasure(seats: int) -> None:
    for playout in played(seats):
        for table in playout.states[seats + 1 : -1]:
            state: Any = table.state
            assert state.took[state.turn] is None
            assert (len(state.orcs) == deck.ORCS) == (state.phase == "last_chance")


@seats_each
def test_coins_are_the_sum_of_what_the_rounds_paid(seats: int) -> None:
    for playout in played(seats):
        scored = [event for event in playout.events if isinstance(event, events.RoundScored)]
        assert [event.round for event in scored] == list(range(1, playout.state.round + 1))
        for seat in range(seats):
            assert playout.state.gold[seat] == sum(event.scores[seat].gold for event in scored)
            assert playout.state.silver[seat] == sum(event.scores[seat].silver for event in scored)


@seats_each
def test_scores_are_what_the_stacks_turned_over_show(seats: int) -> None:
    for playout in played(seats):
        for event in playout.events:
            if not isinstance(event, events.RoundScored):
                continue
            for stack, score in zip(event.stacks, event.scores, strict=True):
                text = "+".join(stack).split("+")
                assert score.treasures == text.count(score.token) + text.count("mouse")
            most = max(score.treasures for score in event.scores)
            for score in event.scores:
                due = {0: 3, 1: 2, 2: 1}.get(most - score.treasures, 0) if most else 0
                assert score.value == due


@seats_each
def test_the_game_ends_with_the_first_round_after_which_a_seat_has_8(seats: int) -> None:
    for playout in played(seats):
        assert playout.table.result is not None
        assert max(playout.table.result.scores) >= TARGET
        for table in playout.states[seats + 1 : -1]:
            state: Any = table.state
            values = [coin_value(*coins) for coins in zip(state.gold, state.silver, strict=True)]
            assert max(values) < TARGET


@seats_each
def test_the_round_ends_when_every_seat_has_a_stack_and_never_before(seats: int) -> None:
    for playout in played(seats):
        taken = 0
        for event in playout.events:
            if isinstance(event, events.TreasureTaken | events.ChanceTaken):
                taken += 1
            elif isinstance(event, events.RoundScored):
                assert taken == seats
                taken = 0


@seats_each
def test_what_is_stored_replays_to_the_same_state_and_result(seats: int) -> None:
    for playout in played(seats):
        assert fold(games()["mein-schatz"], stored(playout)) == playout.table


@seats_each
def test_random_games_reach_every_kind_of_event(seats: int) -> None:
    happened = {type(event) for playout in played(seats) for event in playout.events}
    assert {*events.EVENTS} <= happened
