"""What holds in every game of Hold My Beer, and what no viewer can tell."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import msgspec
import pytest

from domain.events import event_tag
from domain.game import State
from domain.games.hold_my_beer.state import DECK, HoldMyBeerState
from domain.registry import games
from domain.tarot.cards import total
from domain.visibility import REFEREE, SPECTATOR, undeclared
from projections import frame
from tests.domain_tarot.worlds import cards_in, mixed, received, relabelled, same_snapshot, same_stream
from tests.support.play import Playout, fold, new, stored

VIEWERS = (0, 1, 2, SPECTATOR)


def game_of(number: int, **settings: Any) -> Playout:
    return new("hold-my-beer", 3, key=bytes([number]) * 32, **settings)


def conserved(state: HoldMyBeerState, played: set[str]) -> None:
    """Every card is in one place, and the points of all places are those of the deck."""
    there = [card for hand in state.hands for card in hand] + list(state.talon)
    there += [card for _, card in state.plays]
    assert len(there) == len(set(there))
    assert not set(there) & played
    assert set(there) | played == set(DECK)


@pytest.mark.parametrize("option", [True, False])
def test_random_games_keep_every_card_and_point_and_end_with_a_result(*, option: bool) -> None:
    for number in range(6):
        rng = random.Random(number)
        playout = game_of(number, options={"overtrump_on_trump_lead": option})
        away: set[str] = set()
        lost = 0
        while not playout.table.over:
            before = playout.state
            playout.play(rng, most=1)
            state = playout.state
            if state.hand != before.hand or state.phase == "over":
                if state.last_hand is not None and state.last_hand.hand == before.hand:
                    tricks = state.last_trick
                    lost += tricks.points if tricks.outcome == "discarded" else 0
                    assert sum(state.last_hand.points) == 80 - lost
                away, lost = set(), 0
                continue
            if state.last_trick != before.last_trick:
                away |= {card for _, card in state.last_trick.plays}
                lost += state.last_trick.points if state.last_trick.outcome == "discarded" else 0
            conserved(state, away)
            hidden = total(card for hand in state.hands for card in (*hand,)) + total(state.talon)
            assert sum(state.points) + lost + hidden + total(card for _, card in state.plays) == 80
        assert playout.state.hand <= 6
        result = playout.table.result
        assert result is not None
        assert result.scores == playout.state.scores
        assert (max(result.scores) >= 20) == (result.reason == "target")
        assert result.reason == "target" or playout.state.hand == 6


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
    assert {event_tag(kind) for kind in games()["hold-my-beer"].events} <= seen


def test_every_field_of_events_and_state_says_who_may_know_it() -> None:
    game = games()["hold-my-beer"]
    assert [kind for kind in (*game.events, game.state) if undeclared(kind)] == []


def test_actions_are_offered_to_exactly_those_who_are_waited_for_or_may_still_change() -> None:
    for number in range(3):
        rng = random.Random(number)
        playout = game_of(number)
        while not playout.table.over:
            for seat in range(3):
                may = seat in playout.waiting()
                if playout.state.phase in ("discarding", "bidding"):
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
    for number in range(12):
        rng = random.Random(number)
        playout = game_of(number).play(rng, most=rng.randint(1, 62), until=lambda now: now.state.hand == 2)
        if playout.state.hand > 1:
            continue
        for viewer in VIEWERS:
            hidden += same_stream(playout, viewer, rng)
    assert hidden > 400


def test_worlds_that_differ_only_in_what_is_hidden_now_give_the_same_view() -> None:
    hidden = 0

    def known(seen: State, viewer: int) -> set[str]:
        assert isinstance(seen, HoldMyBeerState)
        shown = cards_in(seen.talon) | (cards_in(seen.hands[viewer]) if viewer >= 0 else set())
        return shown | (cards_in((seen.discards[viewer],)) if viewer >= 0 else set())

    for number in range(40):
        rng = random.Random(number)
        playout = game_of(number).play(rng, most=rng.randint(1, 300))
        if playout.table.over:
            continue
        for viewer in VIEWERS:
            hidden += same_snapshot(playout, viewer, partial(known, viewer=viewer), rng)
    assert hidden > 1000


def test_the_comparison_of_worlds_notices_a_card_that_was_seen() -> None:
    playout = game_of(1).play(random.Random(1), most=30)
    own = cards_in(playout.state.hands[0])
    cards = mixed(own, random.Random(5))
    other = relabelled(playout.game, playout.commits, cards)
    assert received(playout.game, other, 0) != received(playout.game, playout.commits, 0)


def test_the_schema_names_every_option_with_a_description() -> None:
    schema = msgspec.json.schema(games()["hold-my-beer"].options)
    (options,) = schema["$defs"].values()
    assert all(option["description"] for option in options["properties"].values())
