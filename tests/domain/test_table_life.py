"""The life of a table beside the game: host, muting, pauses, rematch."""

from __future__ import annotations

import msgspec
import pytest

from domain import table as tables
from domain.events import Commit
from domain.games.trick_and_trade import GAME
from domain.table import (
    REMOVED_NAME,
    Abandoned,
    Clock,
    HostPassed,
    Muted,
    NameRemoved,
    PauseAsked,
    Paused,
    RematchOpened,
    ResumeAsked,
    Resumed,
    SeatLeft,
    SeatTaken,
    SpectatorAdmitted,
)
from domain.visibility import SPECTATOR
from tests.domain.running import KEY, Running, refusal

# --- the host ---------------------------------------------------------------------------------------


def test_at_a_table_without_a_host_the_first_person_to_sit_down_becomes_it() -> None:
    table = Running(start=False, host_hash=b"")
    assert [type(event) for event in table.sit(2, policy="random")] == [SeatTaken]
    assert [type(event) for event in table.sit(1)] == [SeatTaken, HostPassed]
    assert tables.is_host(table.table, bytes([1]) * 32)
    assert [type(event) for event in table.sit(0)] == [SeatTaken]


def test_the_host_passes_that_on_to_a_person_and_the_old_token_has_no_power_any_more() -> None:
    table = Running()
    table.commit("host", tables.decide_pass_host(GAME, table.table, seat=2))
    assert tables.is_host(table.table, bytes([2]) * 32)
    assert not tables.is_host(table.table, b"host")


@pytest.mark.parametrize("seat", [-1, 1, 3])
def test_the_host_cannot_be_a_bot_or_nobody(seat: int) -> None:
    assert refusal(tables.decide_pass_host, GAME, Running(bots=(1,)).table, seat=seat) == "not_found"


def test_a_host_who_leaves_the_own_seat_passes_that_on_to_the_first_person() -> None:
    table = Running(bots=(0,))
    table.commit("host", tables.decide_pass_host(GAME, table.table, seat=2))
    assert table.leave(2) == (SeatLeft(2, "left"), HostPassed(1))


def test_a_host_without_a_seat_who_goes_passes_that_on_or_closes_the_table() -> None:
    table = Running(bots=(0,))
    assert tables.decide_host_leave(GAME, table.table).events == (HostPassed(1),)
    empty = Running(start=False)
    assert tables.decide_host_leave(GAME, empty.table).events == (Abandoned("the host left", KEY.hex()),)


def test_the_host_silences_seats_and_spectators_and_a_new_player_may_talk() -> None:
    table = Running()
    table.commit("host", tables.decide_mute(GAME, table.table, seat=1, muted=True))
    assert table.commit("host", tables.decide_mute(GAME, table.table, seat=None, muted=True)) == (
        Muted(True, None),
    )
    assert table.table.muted == (SPECTATOR, 1)
    table.commit("host", tables.decide_mute(GAME, table.table, seat=None, muted=False))
    assert table.table.muted == (1,)
    table.leave(1)
    table.sit(1)
    assert table.table.muted == ()
    assert refusal(tables.decide_mute, GAME, table.table, seat=7, muted=True) == "not_found"


# --- pauses -----------------------------------------------------------------------------------------


def test_the_game_pauses_when_all_people_want_it_and_goes_on_when_all_want_that() -> None:
    table = Running(bots=(2,))
    assert table.pause(0) == (PauseAsked(0),)
    assert table.pause(0) == (PauseAsked(0),)
    assert not table.table.paused
    assert table.pause(1) == (PauseAsked(1), Paused())
    assert tables.waiting(GAME, table.table) == ()
    assert [tables.actions(GAME, table.table, seat) for seat in range(3)] == [[], [], []]
    assert table.resume(1) == (ResumeAsked(1),)
    assert table.resume(0) == (ResumeAsked(0), Resumed())
    assert tables.waiting(GAME, table.table)


def test_what_the_others_have_asked_for_they_get_when_the_last_who_has_not_leaves() -> None:
    table = Running()
    table.pause(0)
    table.pause(1)
    assert table.leave(2)[-1] == Paused()
    table.resume(0)
    assert table.leave(1)[-1] == Resumed()


def test_whoever_is_out_of_time_is_not_asked_about_a_pause_any_more() -> None:
    table = Running(clock=Clock(move_ms=1000))
    turn = table.turn
    for seat in {0, 1, 2} - {turn}:
        table.pause(seat)
    table.now = 10_000
    assert table.time_out(turn)[-1] == Paused()


def test_the_host_pauses_and_resumes_alone() -> None:
    table = Running()
    assert table.pause(None) == (Paused(),)
    assert table.resume(None) == (Resumed(),)


def test_while_it_is_paused_every_action_is_refused_before_its_version_is_looked_at() -> None:
    table = Running()
    turn = table.turn
    table.pause(None)
    assert refusal(tables.decide_act, GAME, table.table, turn, {"type": "fly"}, if_version=1) == "paused"
    assert refusal(tables.decide_pause, GAME, table.table, seat=0) == "paused"


def test_what_cannot_be_paused_or_resumed() -> None:
    assert refusal(tables.decide_resume, GAME, Running().table, seat=0) == "illegal_action"
    for decide in (tables.decide_pause, tables.decide_resume):
        assert refusal(decide, GAME, Running(start=False).table, seat=0) == "not_started"
        over = Running()
        over.commit("server", tables.decide_expire(GAME, over.table, reason="too old"))
        assert refusal(decide, GAME, over.table, seat=0) == "finished"


# --- rematch ----------------------------------------------------------------------------------------


def played_out() -> Running:
    table = Running(bots=(2,))
    table.commit("host", tables.decide_admit(GAME, table.table, token_hash=b"s" * 32))
    while not table.table.over:
        table.act()
    return table


def test_a_rematch_follows_the_end_and_takes_over_seats_tokens_and_spectators() -> None:
    table = played_out()
    assert table.commit("host", tables.decide_rematch(GAME, table.table, following="nexttable")) == (
        RematchOpened("nexttable"),
    )
    assert (table.table.next, table.table.status) == ("nexttable", "finished")
    more = tables.taken_over(table.table)
    assert [type(event) for event in more] == [SeatTaken] * 3 + [SpectatorAdmitted]
    opening = msgspec.structs.replace(table.commits[0].events[0], table="nexttable", previous="testtable")
    decision = tables.decide_open(GAME, opening, *more)  # type: ignore[arg-type]
    following = tables.apply(GAME, None, Commit(1, 0, "host", decision.events))
    assert following.previous == "testtable"
    assert [tables.seat_of(following, bytes([seat]) * 32) for seat in range(2)] == [0, 1]
    assert following.seats[2] is not None
    assert following.seats[2].policy == "random"
    assert tables.is_admitted(following, b"s" * 32)
    assert following.entropy == (None, None, None)


def test_there_is_no_rematch_before_the_end_or_with_free_seats() -> None:
    for table, code in ((Running(start=False), "not_started"), (Running(), "already_started")):
        assert refusal(tables.decide_rematch, GAME, table.table, following="x") == code
    table = Running()
    for seat in range(3):
        table.leave(seat)
    assert table.table.status == "abandoned"
    assert refusal(tables.decide_rematch, GAME, table.table, following="x") == "need_players"


# --- names that were taken out ----------------------------------------------------------------------


def test_a_name_is_removed_from_whoever_it_was_and_from_nobody_else() -> None:
    table = Running().table
    there = table.seats[1]
    assert there is not None
    after = tables.evolve(GAME, table, NameRemoved(1, there.since))
    assert after.seats[1] == msgspec.structs.replace(there, name=REMOVED_NAME)
    assert after == msgspec.structs.replace(table, seats=after.seats)
    assert tables.evolve(GAME, table, NameRemoved(1, there.since + 1)) == table, "somebody else sits here now"
    assert (after.seats[0], after.seats[2]) == (table.seats[0], table.seats[2])
    left = msgspec.structs.replace(table, seats=(table.seats[0], None, table.seats[2]))
    assert tables.evolve(GAME, left, NameRemoved(1, there.since)) == left
