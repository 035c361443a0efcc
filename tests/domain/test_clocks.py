"""Clocks of a table, and who plays for those who are away."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import table as tables
from domain.errors import Rejected
from domain.games.trick_and_trade import GAME
from domain.table import Clock, Finished, PlayedFor, Returned, SeatLeft, Table, TimedOut
from tests.domain.running import KEY, Running, refusal
from tests.support.counts import EXAMPLES
from tests.support.play import pick

CLOCK = Clock(move_ms=1000, bank_ms=500)


def test_without_a_clock_nobody_runs_out_of_time() -> None:
    table = Running()
    table.now = 10**12
    assert tables.deadlines(table.table) == {}
    assert (
        refusal(tables.decide_timeout, GAME, table.table, seat=table.turn, now_ms=table.now)
        == "illegal_action"
    )


def test_a_seat_has_the_time_of_a_move_and_then_its_bank() -> None:
    table = Running(clock=CLOCK)
    assert tables.deadlines(table.table) == {table.turn: 1500}
    first = table.turn
    table.act(after_ms=1200)
    assert table.table.banks_ms[first] == 300
    assert tables.deadlines(table.table) == {table.turn: 1200 + 1500}


def test_a_move_within_its_time_leaves_the_bank_alone() -> None:
    table = Running(clock=CLOCK)
    table.act(after_ms=1000)
    assert table.table.banks_ms == (500, 500, 500)


def test_a_bank_is_never_below_zero() -> None:
    table = Running(clock=CLOCK)
    first = table.turn
    table.act(after_ms=9000)
    assert table.table.banks_ms[first] == 0


def test_who_ran_out_of_time_has_no_bank_left_when_they_return() -> None:
    table = Running(clock=CLOCK, on_timeout="wait")
    first = table.turn
    table.now = 1600
    table.time_out(first)
    assert table.table.banks_ms[first] == 0
    table.act(after_ms=5000)
    while table.turn != first:
        table.act()
    assert table.table.banks_ms[first] == 0
    assert tables.deadlines(table.table) == {first: table.now + 1000}


def test_who_is_removed_leaves_the_next_player_what_is_left_of_the_bank() -> None:
    table = Running(clock=CLOCK)
    first = table.turn
    table.now = 1200
    table.commit("host", tables.decide_leave(GAME, table.table, seat=first, removed=True))
    assert table.table.banks_ms[first] == 300
    table.now = 9000
    table.sit(first)
    assert tables.deadlines(table.table) == {first: 9000 + 1000 + 300}


def test_no_clock_runs_in_a_pause_and_it_goes_on_where_it_was() -> None:
    table = Running(clock=CLOCK)
    table.now += 400
    table.pause(None)
    assert tables.deadlines(table.table) == {}
    table.now += 100_000
    table.resume(None)
    assert tables.deadlines(table.table) == {table.turn: table.now - 400 + 1500}


def test_asking_for_a_pause_or_to_go_on_winds_up_no_clock() -> None:
    table = Running(clock=CLOCK)
    turn = table.turn
    for _ in range(3):
        table.now += 400
        table.pause(turn)
        assert tables.deadlines(table.table) == {turn: 1500}
    for seat in {0, 1, 2} - {turn}:
        table.pause(seat)
    table.now += 10_000
    for seat in ((turn + 1) % 3, (turn + 2) % 3, turn):
        table.resume(seat)
    assert tables.deadlines(table.table) == {turn: 11_500}
    assert table.table.banks_ms[turn] == 500


def test_who_sits_down_in_a_pause_has_a_whole_move() -> None:
    table = Running(clock=CLOCK, on_timeout="wait")
    turn = table.turn
    table.leave(turn)
    table.now = 9000
    table.pause(None)
    table.sit(turn)
    table.now = 20_000
    table.resume(None)
    assert tables.deadlines(table.table) == {turn: 20_000 + 1500}


def test_what_others_do_does_not_move_a_running_clock() -> None:
    table = Running(clock=CLOCK)
    turn = table.turn
    table.now += 700
    table.leave((turn + 1) % 3)
    assert tables.deadlines(table.table)[turn] == 1500


def test_a_seat_times_out_at_its_deadline_and_not_before() -> None:
    table = Running(clock=CLOCK)
    turn = table.turn
    assert refusal(tables.decide_timeout, GAME, table.table, seat=turn, now_ms=1499) == "illegal_action"
    other = (turn + 1) % 3
    assert refusal(tables.decide_timeout, GAME, table.table, seat=other, now_ms=9999) == "illegal_action"
    table.now = 1500
    assert table.time_out(turn) == (TimedOut(turn, "bot"),)
    assert refusal(tables.decide_timeout, GAME, table.table, seat=turn, now_ms=9999) == "illegal_action"


def test_a_seat_that_has_acted_does_not_time_out_any_more() -> None:
    table = Running(clock=CLOCK)
    first = table.turn
    table.act(after_ms=1400)
    assert refusal(tables.decide_timeout, GAME, table.table, seat=first, now_ms=1600) == "illegal_action"


def test_a_bot_does_not_time_out() -> None:
    table = Running(clock=CLOCK, bots=(0, 1, 2))
    assert (
        refusal(tables.decide_timeout, GAME, table.table, seat=table.turn, now_ms=10**9) == "illegal_action"
    )


def test_where_running_out_of_time_forfeits_the_game_is_over_and_the_seat_last() -> None:
    table = Running(clock=CLOCK, on_timeout="forfeit")
    turn = table.turn
    table.now = 2000
    timed_out, finished = table.time_out(turn)
    assert timed_out == TimedOut(turn, "forfeit")
    assert isinstance(finished, Finished)
    assert (finished.reason, finished.places[turn], finished.deal_key) == ("forfeit", 3, KEY.hex())
    assert table.table.status == "finished"


# --- stand-ins --------------------------------------------------------------------------------------


def test_a_bot_plays_for_a_seat_that_ran_out_of_time_until_its_player_acts_again() -> None:
    table = Running(clock=CLOCK)
    turn = table.turn
    assert tables.stand_in(table.table, turn) is None
    table.now = 1500
    table.time_out(turn)
    assert tables.stand_in(table.table, turn) == tables.STAND_IN
    assert turn not in tables.people(table.table)
    played, *rest = table.stand_in(turn)
    assert played == PlayedFor(turn)
    assert rest
    while table.turn != turn:
        table.act()
    assert table.act(turn)[0] == Returned(turn)
    assert tables.stand_in(table.table, turn) is None


def test_a_bot_plays_for_a_seat_whose_player_left_until_somebody_sits_down_there() -> None:
    table = Running()
    turn = table.turn
    table.leave(turn)
    assert table.stand_in(turn)[0] == PlayedFor(turn)
    table.sit(turn)
    assert tables.stand_in(table.table, turn) is None


def test_nobody_plays_for_a_person_who_is_there() -> None:
    table = Running()
    action = pick(random.Random(0), tables.actions(GAME, table.table, table.turn))
    assert refusal(tables.decide_stand_in, GAME, table.table, table.turn, action) == "forbidden"


def test_a_bot_on_its_own_seat_just_plays() -> None:
    table = Running(bots=(0, 1, 2))
    assert not [event for event in table.stand_in(table.turn) if isinstance(event, PlayedFor)]


def test_where_the_table_waits_nobody_plays_for_an_absent_player() -> None:
    table = Running(clock=CLOCK, on_timeout="wait")
    turn = table.turn
    table.now = 1500
    assert table.time_out(turn) == (TimedOut(turn, "wait"),)
    assert tables.stand_in(table.table, turn) is None
    assert table.act(turn)[0] == Returned(turn)


def test_where_the_table_waits_the_time_of_a_free_seat_runs_out_once_at_most() -> None:
    table = Running(clock=CLOCK, on_timeout="wait")
    turn = table.turn
    table.leave(turn)
    table.now = 1500
    fired = 0
    for _ in range(3):
        try:
            table.time_out(turn)
        except Rejected:
            break
        fired += 1
    assert fired <= 1


def test_where_leaving_forfeits_the_game_ends_with_the_seat_last() -> None:
    table = Running(on_timeout="forfeit")
    left, finished = table.leave(1)
    assert left == SeatLeft(1, "left")
    assert isinstance(finished, Finished)
    assert finished.places[1] == 3


# --- everything together ----------------------------------------------------------------------------


@settings(max_examples=min(40, EXAMPLES), deadline=None)
@given(seed=st.integers(0, 10**6), on_timeout=st.sampled_from(["bot", "wait", "forfeit"]))
def test_whatever_happens_at_a_table_the_log_says_it_all(seed: int, on_timeout: str) -> None:
    """`Running.commit` folds each commit's bytes and compares; here come random commands, most refused."""
    rng = random.Random(seed)
    table = Running(clock=CLOCK, on_timeout=on_timeout)
    commands: list[Callable[[int], Any]] = [
        lambda seat: table.act(),
        table.act,
        lambda seat: table.pause(rng.choice((None, seat))),
        lambda seat: table.resume(None),
        table.leave,
        table.sit,
        table.time_out,
        table.stand_in,
    ]
    for _ in range(60):
        table.now += rng.choice((0, 10, 700, 1600))
        command = rng.choice(commands)
        try:
            command(rng.randrange(3))
        except (Rejected, ValueError, IndexError):
            continue
        state: Table = table.table
        assert all(0 <= bank <= CLOCK.bank_ms for bank in state.banks_ms)
        assert set(tables.deadlines(state)) <= set(tables.waiting(GAME, state))
        assert not (state.paused and tables.waiting(GAME, state))
