"""What holds in every game of Thread the Needle, and what no viewer can tell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.events import event_tag
from domain.games.thread_the_needle.deck import DECK, HANDS, TARGET, TRICKS
from domain.games.thread_the_needle.events import HandScored
from domain.games.thread_the_needle.scoring_card import level_of
from domain.games.thread_the_needle.state import ThreadTheNeedleState, open_strawmen
from domain.games.thread_the_needle.strawmen import GONE, LINES
from domain.registry import games
from domain.tarot.cards import total
from domain.tarot.follow import legal
from domain.visibility import REFEREE, SPECTATOR, undeclared
from projections import frame
from projections.redaction import redact_all
from tests.support.counts import LONG
from tests.support.play import Playout, fold, new, stored

SEATS = (2, 4, 5)
POINTS = {5: 100, 4: 94, 2: 80}
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"overtrump_on_trump_lead": False, "failed_needle_keeps_birds": False},
)


def game_of(seats: int, number: int, **settings: Any) -> Playout:
    return new("thread-the-needle", seats, key=bytes([number]) * 32, **settings)


def steps_of(playout: Playout, rng: random.Random) -> Iterator[ThreadTheNeedleState]:
    """The state after each step of a random game."""
    while not playout.table.over:
        playout.play(rng, most=1)
        yield playout.state


def on_the_table(state: ThreadTheNeedleState) -> list[str]:
    """Every card that has not been played to a trick which is over, place by place."""
    rows = (*state.hands, state.talon, *state.front, *state.back, *state.face_down)
    cards = [card for row in rows for card in row if card is not None and card != GONE]
    return cards + [card for _, card in state.plays]


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "other"])
@pytest.mark.parametrize("seats", SEATS)
def test_every_card_is_in_one_place_and_every_point_with_somebody_or_discarded(
    seats: int, options: dict[str, Any]
) -> None:
    for number in range(3):
        playout = game_of(seats, number, options=options)
        away: set[str] = set()
        lost = 0
        hand, trick = 1, None
        for state in steps_of(playout, random.Random(number)):
            if state.last_trick is not None and state.last_trick != trick:
                trick = state.last_trick
                away |= {card for _, card in trick.plays}
                lost += trick.points if trick.outcome == "discarded" else 0
            if state.last_hand is not None and state.last_hand.hand == hand:
                assert sum(state.last_hand.points) == POINTS[seats] - lost
                assert len(away | set(state.last_hand.talon)) == len(DECK[seats])
                away, lost, hand = set(), 0, hand + 1
            if state.phase != "over":
                there = on_the_table(state)
                assert len(there) == len(set(there))
                assert not away & set(there)
                assert away | set(there) == set(DECK[seats])
                assert sum(state.points) + lost + total(there, fives=True) == POINTS[seats]
        assert (lost, away) == (0, set())


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "other"])
@pytest.mark.parametrize("seats", SEATS)
def test_a_game_ends_as_its_rules_say_and_scores_are_the_sum_of_the_awards(
    seats: int, options: dict[str, Any]
) -> None:
    for number in range(8):
        playout = game_of(seats, number, options=options).play(random.Random(number))
        state, result = playout.state, playout.table.result
        assert result is not None
        sums = [0] * seats
        for event in playout.events:
            for award in getattr(event, "awards", ()):
                sums[award.seat] += award.points
        assert tuple(sums) == state.scores == result.scores
        if result.reason == "needle":
            (winner,) = result.winners
            last = state.last_hand
            assert seats == 2
            assert last.points[winner] == 40
            assert state.scoring_card[last.bids[winner]].needle
            continue
        assert result.winners == tuple(seat for seat in range(seats) if sums[seat] == max(sums))
        assert (result.reason == "target") == (seats in TARGET and max(sums) >= TARGET[seats])
        assert result.reason == "target" or state.hand == HANDS[seats]


@pytest.mark.parametrize("seats", SEATS)
def test_awards_of_a_hand_follow_from_bids_and_points(seats: int) -> None:
    for number in range(6):
        playout = game_of(seats, number).play(random.Random(number))
        for event in playout.events:
            if not isinstance(event, HandScored):
                continue
            card = playout.state.scoring_card
            for seat in range(seats):
                bid, level = event.bids[seat], level_of(card, event.points[seat])
                got = sum(award.points for award in event.awards if award.seat == seat)
                expected = card[level].points + 5 * (bid == level)
                if event.needle == "made" or card[bid].needle:
                    expected = 0
                assert (event.levels[seat], got) == (level, expected)


@pytest.mark.parametrize("seats", SEATS)
def test_a_stored_game_replays_to_the_same_table(seats: int) -> None:
    for number in range(4):
        options = OPTIONS[number % 2]
        playout = game_of(seats, number, options=options).play(random.Random(number))
        commits = stored(playout)
        assert commits == playout.commits
        assert fold(playout.game, commits) == playout.table


def test_random_play_comes_to_every_kind_of_event() -> None:
    seen: set[str] = set()
    for seats in SEATS:
        for number in range(8):
            playout = game_of(seats, number).play(random.Random(number))
            seen |= {event_tag(type(event)) for event in playout.events}
    assert {event_tag(kind) for kind in games()["thread-the-needle"].events} <= seen


@pytest.mark.parametrize("seats", SEATS)
def test_only_the_seat_that_is_waited_for_may_act_and_plays_what_the_follow_rules_allow(seats: int) -> None:
    for number in range(2):
        playout = game_of(seats, number)
        for state in steps_of(playout, random.Random(number)):
            able = tuple(seat for seat in range(seats) if playout.offers(seat))
            assert able == playout.waiting()
            if state.phase == "playing":
                (seat,) = able
                held = (*state.hands[seat], *(open_strawmen(state, seat) if seats == 2 else ()))
                (offer,) = playout.offers(seat)
                assert offer["card"]["one_of"] == legal(held, state.plays)
                assert offer["card"]["one_of"], "somebody always has a card to play"


@pytest.mark.parametrize("seats", SEATS)
def test_every_hand_has_all_its_tricks(seats: int) -> None:
    playout = game_of(seats, 9).play(random.Random(9))
    won = sum(event_tag(type(event)) == "trick_won" for event in playout.events)
    assert won == TRICKS[seats] * playout.state.hand


def test_a_back_card_is_face_up_exactly_when_no_card_lies_over_it_between_tricks() -> None:
    for number in range(4):
        playout = game_of(2, number)
        for state in steps_of(playout, random.Random(number)):
            if state.phase != "playing" or state.plays:
                continue
            for front, back in zip(state.front, state.back, strict=True):
                for place, card in enumerate(back):
                    over = [front[above] for above in (place - 1, place) if 0 <= above < 6]
                    assert (card is not None) == all(above == GONE for above in over)


@pytest.mark.parametrize("seats", SEATS)
def test_what_a_seat_is_told_to_have_given_does_lie_in_the_talon(seats: int) -> None:
    told = 0
    for number in range(25 if LONG else 8):
        playout = game_of(seats, number)
        for state in steps_of(playout, random.Random(number)):
            for given in state.given if state.talon else ():
                for known in given:
                    told += 1
                    places = LINES[str(known.line)] if seats == 2 else range(3)
                    assert known.card in [state.talon[place] for place in places]
    assert told > 100


@pytest.mark.parametrize("seats", SEATS)
def test_no_member_of_a_view_is_none_outside_lists(seats: int) -> None:
    def clean(value: Any) -> bool:
        if isinstance(value, dict):
            return all(member is not None and clean(member) for member in value.values())
        return not isinstance(value, list | tuple) or all(clean(member) for member in value)

    playout = game_of(seats, 3)
    for _ in steps_of(playout, random.Random(3)):
        for viewer in (*range(seats), SPECTATOR, REFEREE):
            assert clean(frame.plain(frame.view(playout.table, viewer)))


def received(playout: Playout, viewer: int) -> list[bytes]:
    """All that a viewer gets, commit by commit."""
    return [
        msgspec.msgpack.encode((redact_all(commit.events, viewer), frame.snapshot(table, viewer)))
        for commit, table in zip(playout.commits, playout.states, strict=True)
    ]


@pytest.mark.parametrize("line", LINES)
def test_nobody_can_tell_which_card_of_a_line_lies_where_not_even_who_looked_and_exchanged(
    line: str,
) -> None:
    """The same game with the two cards of the line the other way round, until the Talon is turned up."""
    compared = 0
    for number in range(40 if LONG else 12):
        playout = game_of(2, number)
        playout.play(random.Random(number), until=lambda now: now.state.phase in ("looking", "taking_talon"))
        if playout.state.phase != "looking":
            continue
        (seat,) = playout.waiting()
        playout.act(seat, "look", line=line)
        exchange = playout.offers(seat)[0]
        if exchange["type"] == "exchange":
            give, take = exchange["give"]["one_of"][0], exchange["take"]["one_of"][1]
            playout.act(seat, "exchange", give=give, take=take)
        order = list(playout.dealer.dealt["hand-1/deal"])
        one, other = (46 + place for place in LINES[line])
        order[one], order[other] = order[other], order[one]
        twin = game_of(2, number, outcomes={"hand-1/deal": tuple(order)})
        for step in playout.steps:
            twin.do(step.seat, step.action)
        assert twin.state.talon != playout.state.talon
        for viewer in (0, 1, SPECTATOR):
            assert received(twin, viewer) == received(playout, viewer)
        compared += 1
    assert compared > (5 if LONG else 1)


def test_every_field_of_events_and_state_says_who_may_know_it() -> None:
    game = games()["thread-the-needle"]
    assert [kind for kind in (*game.events, game.state) if undeclared(kind)] == []
