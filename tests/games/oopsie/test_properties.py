"""What holds in every game of Oopsie, and what no viewer can tell."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from domain.events import event_tag
from domain.game import State
from domain.games.oopsie.state import DECK, OopsieState
from domain.registry import games
from domain.tarot.cards import total
from domain.visibility import REFEREE, SPECTATOR, undeclared
from projections import frame
from tests.domain_tarot.worlds import cards_in, same_snapshot, same_stream
from tests.support.play import Playout, fold, new, stored

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def game_of(number: int, **settings: Any) -> Playout:
    return new("oopsie", 4, key=bytes([number]) * 32, **settings)


@pytest.mark.parametrize(
    "options", [{}, {"long": True}, {"bonus_per_member": True, "overtrump_on_trump_lead": False}]
)
def test_random_games_keep_every_card_and_point_and_end_with_a_result(options: dict[str, Any]) -> None:
    most, target = (8, 40) if options.get("long") else (4, 20)
    for number in range(4):
        rng = random.Random(number)
        playout = game_of(number, options=options)
        away: set[str] = set()
        while not playout.table.over:
            before = playout.state
            playout.play(rng, most=1)
            state = playout.state
            if state.hand != before.hand or state.phase == "over":
                if state.last_hand is not None and state.last_hand.hand == before.hand:
                    assert sum(state.last_hand.points) == 80
                away = set()
                continue
            if state.last_trick != before.last_trick:
                away |= {card for _, card in state.last_trick.plays}
            there = [card for hand in state.hands for card in hand] + list(state.talon)
            there += [card for _, card in state.plays]
            assert len(there) == len(set(there)) == len(DECK) - len(away)
            assert set(there) | away == set(DECK)
            assert sum(state.points) + total(there) == 80
        result = playout.table.result
        assert result is not None
        assert result.scores == playout.state.scores * 2
        assert (max(result.scores) >= target) == (result.reason == "target")
        assert result.reason == "target" or playout.state.hand == most


def test_what_a_seat_is_shown_of_its_passes_is_true() -> None:
    for number in range(6):
        rng = random.Random(number)
        playout = game_of(number)
        while not playout.table.over:
            playout.play(rng, most=1)
            state = playout.state
            for seat in range(4):
                assert set(state.passed[seat]) <= set(state.hands[(seat + 2) % 4])
                assert set(state.received[seat]) <= set(state.hands[seat])


def test_a_stored_game_replays_to_the_same_table() -> None:
    for number in range(6):
        playout = game_of(number).play(random.Random(number))
        commits = stored(playout)
        assert commits == playout.commits
        assert fold(playout.game, commits) == playout.table


def test_random_play_comes_to_every_kind_of_event() -> None:
    seen: set[str] = set()
    for number in range(12):
        playout = game_of(number).play(random.Random(number))
        seen |= {event_tag(type(event)) for event in playout.events}
    assert {event_tag(kind) for kind in games()["oopsie"].events} <= seen


def test_every_field_of_events_and_state_says_who_may_know_it() -> None:
    game = games()["oopsie"]
    assert [kind for kind in (*game.events, game.state) if undeclared(kind)] == []


def test_actions_are_offered_to_exactly_those_who_are_waited_for_or_may_still_change() -> None:
    for number in range(3):
        rng = random.Random(number)
        playout = game_of(number)
        while not playout.table.over:
            for seat in range(4):
                may = seat in playout.waiting()
                if playout.state.chosen:
                    may = may or playout.state.chosen[seat] <= 8
                assert bool(playout.offers(seat)) == may
            playout.play(rng, most=1)


def test_no_member_of_a_view_is_none_outside_lists() -> None:
    def clean(value: Any) -> bool:
        if isinstance(value, dict):
            return all(member is not None and clean(member) for member in value.values())
        return not isinstance(value, list | tuple) or all(clean(member) for member in value)

    playout = game_of(3)
    rng = random.Random(3)
    while not playout.table.over:
        assert all(clean(frame.plain(frame.view(playout.table, viewer))) for viewer in (*VIEWERS, REFEREE))
        playout.play(rng, most=1)


def test_worlds_that_differ_only_in_cards_never_seen_look_the_same_from_the_first_byte_on() -> None:
    hidden = 0
    for number in range(10):
        rng = random.Random(number)
        playout = game_of(number).play(rng, most=rng.randint(1, 70), until=lambda now: now.state.hand == 2)
        if playout.state.hand > 1:
            continue
        for viewer in VIEWERS:
            hidden += same_stream(playout, viewer, rng)
    assert hidden > 400


def test_worlds_that_differ_only_in_what_is_hidden_now_give_the_same_view() -> None:
    hidden = 0

    def known(seen: State, viewer: int) -> set[str]:
        assert isinstance(seen, OopsieState)
        shown = cards_in(seen.talon)
        if viewer >= 0:
            shown |= cards_in(seen.hands[viewer]) | cards_in(seen.passed[viewer])
        return shown

    for number in range(40):
        rng = random.Random(number)
        playout = game_of(number).play(rng, most=rng.randint(1, 250))
        if playout.table.over:
            continue
        for viewer in VIEWERS:
            hidden += same_snapshot(playout, viewer, partial(known, viewer=viewer), rng)
    assert hidden > 1000
