"""The table: from opening to the end, every refusal and the order in which refusals come."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from domain import table as tables
from domain.dealing import KeyedDealer, commitment
from domain.errors import CorruptLog, Rejected
from domain.events import Commit
from domain.game import Options
from domain.games.trick_and_trade import GAME
from domain.table import Abandoned, Finished, SeatLeft, SeatTaken, Spectators, Started, Table, TableOpened
from tests.support import play

KEY = bytes(range(32))


def opening(**changes: Any) -> TableOpened:
    settings: dict[str, Any] = {
        "table": "testtable",
        "game": GAME.name,
        "seats": 3,
        "options": msgspec.to_builtins(GAME.options()),
        "epoch": "e",
        "listed": True,
        "spectators": Spectators(),
        "reveal": "end",
        "autostart": False,
        "commitment": commitment("testtable", KEY),
        "deal_key": KEY,
        "host_hash": b"host",
    }
    return TableOpened(**{**settings, **changes})


def opened(**changes: Any) -> Table:
    return tables.stamped(tables.decide_open(GAME, opening(**changes)).table, 1, 1000)


def sit(table: Table, seat: int | None = None, entropy: str | None = None, bot: bool = False) -> Table:
    token = bytes([seat if seat is not None else 99]) * 32
    return tables.decide_sit(
        GAME, table, seat=seat, name="N", token_hash=token, entropy=entropy, policy="random" if bot else None
    ).table


def full(**changes: Any) -> Table:
    table = opened(**changes)
    for seat in range(3):
        table = sit(table, seat)
    return table


def started(**changes: Any) -> Table:
    return tables.stamped(tables.decide_start(GAME, full(**changes)).table, 5, 1005)


def finished() -> Table:
    return play.new("trick-and-trade", 3).play(random.Random(1)).table


def abandoned() -> Table:
    table = started()
    for seat in range(3):
        table = tables.decide_leave(GAME, table, seat=seat, removed=False).table
    return table


def refusal(call: Any, *args: Any, **kwargs: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        call(*args, **kwargs)
    assert caught.value.message
    return caught.value


# --- opening, sitting, leaving ----------------------------------------------------------------------


def test_an_opened_table_has_free_seats_and_no_game_yet() -> None:
    table = opened()
    assert (table.status, table.seats, table.state, table.result) == ("open", (None,) * 3, None, None)
    assert (table.version, table.at_ms, table.created_ms) == (1, 1000, 1000)
    assert isinstance(table.options, Options)
    assert tables.waiting(GAME, table) == ()
    assert tables.actions(GAME, table, 0) == []


def test_somebody_sits_down_on_the_seat_they_ask_for_or_on_the_first_free_one() -> None:
    table = sit(sit(opened(), 1))
    assert [seat is not None for seat in table.seats] == [True, True, False]


@pytest.mark.parametrize("seat", [-1, 3, 100])
def test_a_seat_that_does_not_exist_is_not_found(seat: int) -> None:
    sitting: dict[str, Any] = {"seat": seat, "name": "N", "token_hash": b"t", "entropy": None}
    assert refusal(tables.decide_sit, GAME, opened(), **sitting).code == "not_found"
    assert refusal(tables.decide_sit, GAME, full(), **sitting).code == "not_found"
    assert refusal(tables.decide_leave, GAME, full(), seat=seat, removed=False).code == "not_found"


def test_a_taken_seat_is_refused_with_those_that_are_free() -> None:
    error = refusal(sit, sit(opened(), 1), 1)
    assert (error.code, error.detail) == ("seat_taken", {"free": [0, 2]})


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_a_full_table_takes_nobody_more(seat: int | None) -> None:
    assert refusal(sit, full(), seat).code == "table_full"


def test_a_freed_seat_can_be_taken_again_also_in_a_running_game() -> None:
    table = tables.decide_leave(GAME, started(), seat=1, removed=False).table
    assert table.status == "playing"
    assert tables.waiting(GAME, table) == tables.waiting(GAME, started())
    again = sit(table)
    assert again.seats[1] is not None
    assert again.state == table.state


@pytest.mark.parametrize(("removed", "reason"), [(True, "removed"), (False, "left")])
def test_leaving_says_whether_the_host_removed_the_seat(removed: bool, reason: str) -> None:
    decision = tables.decide_leave(GAME, full(), seat=2, removed=removed)
    assert decision.events == (SeatLeft(2, reason),)  # type: ignore[arg-type]
    assert decision.table.seats[2] is None


def test_nobody_can_leave_a_free_seat() -> None:
    assert refusal(tables.decide_leave, GAME, opened(), seat=0, removed=True).code == "not_found"


def test_an_open_table_is_not_abandoned_when_everybody_leaves() -> None:
    table = tables.decide_leave(GAME, sit(opened(), 0), seat=0, removed=False).table
    assert table.status == "open"


def test_a_running_table_is_abandoned_when_the_last_person_leaves_and_bots_do_not_count() -> None:
    table = opened()
    for seat in range(3):
        table = sit(table, seat, bot=seat != 0)
    table = tables.decide_start(GAME, table).table
    assert tables.decide_leave(GAME, table, seat=1, removed=True).table.status == "playing"
    decision = tables.decide_leave(GAME, table, seat=0, removed=False)
    assert decision.events == (SeatLeft(0, "left"), Abandoned("everybody left", KEY.hex()))
    assert decision.table.status == "abandoned"
    assert decision.table.over


def test_the_key_stays_secret_where_it_is_never_revealed() -> None:
    table = started(reveal="never")
    for seat in range(2):
        table = tables.decide_leave(GAME, table, seat=seat, removed=False).table
    decision = tables.decide_leave(GAME, table, seat=2, removed=False)
    assert decision.events[-1] == Abandoned("everybody left", None)
    end = play.new("trick-and-trade", 3, reveal="never").play(random.Random(1)).commits[-1].events[-1]
    assert isinstance(end, Finished)
    assert end.deal_key is None


def test_the_last_event_of_a_finished_table_reveals_the_key_and_the_result() -> None:
    playout = play.new("trick-and-trade", 3).play(random.Random(1))
    end = playout.commits[-1].events[-1]
    assert isinstance(end, Finished)
    assert end.deal_key == KEY.hex()
    assert playout.table.result is not None
    assert end.places == playout.table.result.places


# --- starting ---------------------------------------------------------------------------------------


def test_the_game_starts_when_every_seat_is_taken() -> None:
    decision = tables.decide_start(GAME, full())
    assert decision.events[0] == Started()
    assert decision.table.status == "playing"
    assert len(tables.waiting(GAME, decision.table)) == 1


def test_a_table_with_free_seats_needs_players() -> None:
    error = refusal(tables.decide_start, GAME, sit(opened(), 1))
    assert (error.code, error.detail) == ("need_players", {"free": [0, 2]})


def test_a_table_starts_once() -> None:
    assert refusal(tables.decide_start, GAME, started()).code == "already_started"


def test_the_deal_follows_from_the_key_and_the_entropy_of_the_seats() -> None:
    table = opened()
    for seat, entropy in enumerate(("aa", None, "bä")):
        table = sit(table, seat, entropy)
    start = tables.decide_start(GAME, table)
    order = KeyedDealer(KEY, [b"aa", None, "bä".encode()]).shuffle("lead", range(3))
    assert start.events[1].order == order  # type: ignore[attr-defined]


def test_entropy_leaves_with_its_seat_before_the_start() -> None:
    table = tables.decide_leave(GAME, sit(opened(), 0, "aa"), seat=0, removed=False).table
    assert table.entropy == (None, None, None)
    assert sit(table, 0, "cc").entropy == ("cc", None, None)


def test_entropy_is_frozen_at_the_start() -> None:
    table = opened()
    for seat, entropy in enumerate(("aa", None, "bä")):
        table = sit(table, seat, entropy)
    table = tables.decide_start(GAME, table).table
    table = tables.decide_leave(GAME, table, seat=0, removed=False).table
    assert table.entropy == ("aa", None, "bä")
    assert sit(table, 0, "dd").entropy == ("aa", None, "bä")


# --- acting: the order of refusals ------------------------------------------------------------------


def mover(table: Table) -> int:
    return tables.waiting(GAME, table)[0]


def act(table: Table, seat: int, action: dict[str, Any], if_version: int | None = None) -> Any:
    return tables.decide_act(GAME, table, seat, action, if_version=if_version)


def test_before_the_start_every_action_is_refused_as_not_started() -> None:
    assert refusal(act, full(), 0, {"type": "play"}, 99).code == "not_started"


@pytest.mark.parametrize("ended", [finished, abandoned])
def test_after_the_end_everything_is_refused_as_finished(ended: Any) -> None:
    table = ended()
    assert refusal(act, table, 0, {"type": "play"}, 99).code == "finished"
    assert refusal(sit, table, 7).code == "finished"
    assert refusal(tables.decide_leave, GAME, table, seat=7, removed=False).code == "finished"
    assert refusal(tables.decide_admit, GAME, table, token_hash=b"x").code == "finished"
    assert refusal(tables.decide_start, GAME, table).code == "finished"
    assert tables.waiting(GAME, table) == ()
    assert tables.actions(GAME, table, 0) == []


def test_a_wrong_version_comes_before_the_turn() -> None:
    table = started()
    other = (mover(table) + 1) % 3
    error = refusal(act, table, other, {"type": "fly"}, 4)
    assert (error.code, error.detail) == ("version_conflict", {"version": 5})


def test_the_turn_comes_before_the_rules() -> None:
    table = started()
    other = (mover(table) + 1) % 3
    error = refusal(act, table, other, {"type": "fly"}, 5)
    assert (error.code, error.detail) == ("not_your_turn", {"waiting": [mover(table)]})


def test_what_is_not_offered_is_illegal() -> None:
    table = started()
    assert refusal(act, table, mover(table), {"type": "fly"}, 5).code == "illegal_action"


def test_a_legal_action_with_the_right_version_is_accepted() -> None:
    table = started()
    seat = mover(table)
    card = tables.actions(GAME, table, seat)[0]["card"]["one_of"][0]
    decision = act(table, seat, {"type": "play", "card": card}, 5)
    assert decision.events
    assert decision.table.state != table.state


def test_a_refusal_changes_nothing() -> None:
    table = started()
    before = msgspec.msgpack.encode(table.state)
    refusal(act, table, mover(table), {"type": "fly"})
    assert msgspec.msgpack.encode(table.state) == before


def test_a_spectator_is_never_offered_anything() -> None:
    assert tables.actions(GAME, started(), -1) == []
    assert tables.actions(GAME, started(), -2) == []


# --- folding ----------------------------------------------------------------------------------------


def commit(version: int, *events: Any, at_ms: int = 1000) -> Commit:
    return Commit(version, at_ms, "host", events)


@pytest.mark.parametrize("version", [0, 2, 4, 5])
def test_a_gap_or_a_repetition_in_the_versions_is_corrupt(version: int) -> None:
    table = tables.apply(GAME, None, commit(1, opening()))
    table = tables.apply(GAME, table, commit(2, SeatTaken(0, "N", b"t")))
    with pytest.raises(CorruptLog, match=f"version {version} cannot follow version 2"):
        tables.apply(GAME, table, commit(version, SeatTaken(1, "N", b"t")))


@pytest.mark.parametrize("events", [(), (Started(),), (SeatTaken(0, "N", b"t"), opening())])
def test_a_log_that_does_not_begin_with_an_opened_table_is_corrupt(events: Any) -> None:
    with pytest.raises(CorruptLog, match="does not open a table"):
        tables.apply(GAME, None, commit(1, *events))


def test_the_first_commit_must_be_version_1() -> None:
    with pytest.raises(CorruptLog):
        tables.apply(GAME, None, commit(2, opening()))


def test_the_table_carries_the_times_of_its_first_and_its_last_commit() -> None:
    table = tables.apply(GAME, None, commit(1, opening(), at_ms=500))
    table = tables.apply(GAME, table, commit(2, SeatTaken(0, "N", b"t"), at_ms=700))
    assert (table.created_ms, table.at_ms, table.version) == (500, 700, 2)


def test_a_whole_log_folds_to_the_table_that_was_decided() -> None:
    playout = play.new("trick-and-trade", 3).play(random.Random(3))
    assert play.fold(GAME, play.stored(playout)) == playout.table


def test_tokens_belong_to_their_seat_host_or_spectator_alone() -> None:
    table = tables.decide_admit(GAME, full(), token_hash=b"s" * 32).table
    assert [tables.seat_of(table, bytes([seat]) * 32) for seat in range(3)] == [0, 1, 2]
    assert tables.seat_of(table, b"s" * 32) is None
    assert tables.is_admitted(table, b"s" * 32)
    assert not tables.is_admitted(table, b"\0" * 32)
    assert tables.is_host(table, b"host")
    assert not tables.is_host(table, b"hos")
