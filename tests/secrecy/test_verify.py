"""`facedown verify`: an honest log is proven, and whatever is altered in it is found and named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import table as tables
from domain.table import Clock
from domain.visibility import SPECTATOR
from projections.verify import Report
from server.commands.verify import checked, readable
from tests.conformance.setups import SETUPS, label
from tests.secrecy.alterations import (
    ALTERED,
    add_an_event,
    alter_points,
    alter_the_result,
    events,
    finish_early,
    move_by_another_seat,
    play_another_card,
    swap_commits_and_renumber,
    truncate,
    unknown_event,
)
from tests.secrecy.logs import Lines, Recorded, rechained, recorded, text
from tests.support.counts import EXAMPLES

GAME = ("hold-my-beer", 3)


def honest() -> Lines:
    """An open log that may be altered."""
    return copy.deepcopy(_honest())


@cache
def _honest() -> Lines:
    return recorded(*GAME).log()


def verify(lines: Lines, **more: Any) -> Report:
    return checked(text(lines), **more)


# --- what is right ----------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_the_open_log_of_every_game_is_proven(setup: tuple[str, int]) -> None:
    game = recorded(*setup)
    report = verify(game.log())
    assert report.findings == []
    assert report.proven
    assert report.shuffles == report.checked > 1
    assert report.rehearsed == len(game.commits) - game.seats - 1
    assert "PROVEN" in " ".join(readable(report))


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_what_a_seat_or_spectator_saw_is_checked_as_far_as_it_goes(setup: tuple[str, int]) -> None:
    game = recorded(*setup)
    for viewer in (0, SPECTATOR):
        for patches in (False, True):
            report = verify(game.log(viewer, patches=patches))
            assert report.findings == []
            assert report.proven
            assert report.checked >= 1
            assert report.hidden >= 1
            assert report.checked + report.hidden == report.shuffles
            assert report.rehearsed is None


def test_a_game_with_clocks_bots_pauses_and_returns_is_proven() -> None:
    clock = Clock(1000, 0)
    game = Recorded("oopsie", 4, most=6, clock=clock)
    late = tables.waiting(game.game, game.table)[0]
    at = tables.deadline(game.table, late)
    assert at is not None
    game.add("clock", tables.decide_timeout(game.game, game.table, seat=late, now_ms=at))
    offers = tables.actions(game.game, game.table, late)
    action = {"type": offers[0]["type"]}
    action |= {name: choice["one_of"][0] for name, choice in offers[0].items() if name != "type"}
    game.add("server", tables.decide_stand_in(game.game, game.table, late, action))
    game.add("host", tables.decide_pause(game.game, game.table, seat=None))
    game.add("host", tables.decide_resume(game.game, game.table, seat=None))
    game.play(8)
    game.add(2, tables.decide_leave(game.game, game.table, seat=2, removed=False))
    game.sit(2, "too late to count")
    game.play()
    report = verify(game.log())
    assert report.findings == []
    assert report.proven
    kinds = {event["type"] for line in game.log() for event in line.get("events", ())}
    assert {"timed_out", "played_for", "returned", "paused", "seat_left"} <= kinds


def test_the_end_by_a_forfeit_is_decided_again() -> None:
    game = Recorded("trick-and-trade", 3, most=5, on_timeout="forfeit")
    game.add("host", tables.decide_leave(game.game, game.table, seat=1, removed=True))
    lines = game.log()
    assert verify(lines).proven
    for _, event in events(lines, "finished"):
        event["scores"] = [50, 0, 0]
    assert verify(rechained(lines)).findings


def test_what_follows_the_end_does_not_matter() -> None:
    game = Recorded("trick-and-trade", 3)
    game.add("host", tables.decide_mute(game.game, game.table, seat=1, muted=True))
    game.add("host", tables.decide_rematch(game.game, game.table, following="nexttable"))
    assert verify(game.log()).proven


def test_the_table_of_a_rematch_is_proven() -> None:
    """Its seats are taken in the first version, without any entropy."""
    old = Recorded("trick-and-trade", 3)
    game = Recorded.__new__(Recorded)
    game.__dict__.update(old.__dict__)
    game.commits, game.states = [], []
    opened = old.commits[0].events[0]
    assert isinstance(opened, tables.TableOpened)
    game.add("host", tables.decide_open(game.game, opened, *tables.taken_over(old.table)))
    game.add("server", tables.decide_start(game.game, game.table))
    assert verify(game.play().log()).proven


def test_somebody_who_left_before_the_start_took_their_entropy_along() -> None:
    game = Recorded("trick-and-trade", 3, most=0)
    again = Recorded.__new__(Recorded)
    again.__dict__.update(game.__dict__)
    again.commits, again.states = game.commits[:4], game.states[:4]
    again.add(2, tables.decide_leave(again.game, again.table, seat=2, removed=False))
    again.sit(2, "another salt")
    again.add("server", tables.decide_start(again.game, again.table))
    assert verify(again.play().log()).proven


def test_a_table_that_was_abandoned_before_its_start_is_proven() -> None:
    game = Recorded("trick-and-trade", 3, most=0)
    game.commits, game.states = game.commits[:2], game.states[:2]
    game.add("server", tables.decide_expire(game.game, game.table, reason="nobody came"))
    report = verify(game.log())
    assert report.proven
    assert report.shuffles == 0


# --- what nobody can prove --------------------------------------------------------------------------


def test_reveal_never_is_said_plainly_and_proves_nothing() -> None:
    report = verify(recorded("trick-and-trade", 3, reveal="never").log(SPECTATOR))
    assert report.findings == []
    assert not report.proven
    assert "reveal: never" in " ".join(readable(report))


def test_a_running_game_proves_nothing_yet() -> None:
    report = verify(Recorded("trick-and-trade", 3, most=5).log(0))
    assert report.findings == []
    assert not report.proven
    assert "when the game is over" in " ".join(readable(report))


def test_a_key_that_must_not_be_told_is_noted() -> None:
    lines = recorded("trick-and-trade", 3, reveal="never").log(SPECTATOR)
    events(lines, "finished")[0][1]["deal_key"] = "00" * 32
    assert "reveal: never" in verify(rechained(lines)).findings[0].text


# --- altered logs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alter", ALTERED, ids=lambda alter: alter.__name__)
def test_an_alteration_is_found_where_it_was_made_although_all_digests_were_reckoned_anew(
    alter: Callable[[Lines], int],
) -> None:
    lines = honest()
    expected = alter(lines)
    report = verify(rechained(lines))
    assert not report.proven
    assert report.findings[0].line == expected, report.findings


@pytest.mark.parametrize("alter", ALTERED, ids=lambda alter: alter.__name__)
def test_an_alteration_is_found_by_the_digests_alone(alter: Callable[[Lines], int]) -> None:
    lines = honest()
    alter(lines)
    report = verify(lines, shuffles_only=True)
    digests = [finding for finding in report.findings if "digest" in finding.text]
    assert digests or alter is truncate
    assert report.findings


# A list: the order of a set of functions differs between processes, which must collect the same tests.
KEPT_SHUFFLES = [swap_commits_and_renumber, play_another_card, move_by_another_seat, alter_the_result]
KEPT_SHUFFLES += [alter_points, add_an_event, unknown_event, finish_early]


@pytest.mark.parametrize("alter", KEPT_SHUFFLES, ids=lambda alter: alter.__name__)
def test_without_playing_the_game_again_only_the_deal_is_checked(alter: Callable[[Lines], int]) -> None:
    lines = honest()
    alter(lines)
    assert verify(rechained(lines), shuffles_only=True).proven


def test_the_first_shuffle_that_does_not_fit_is_named() -> None:
    lines = honest()
    for _, event in events(lines, "hand_dealt")[1:]:
        event["order"].reverse()
    found = verify(rechained(lines)).findings
    assert "hand-2/deal" in found[0].text
    assert "position 0" in found[0].text


@settings(max_examples=min(60, EXAMPLES), deadline=None)
@given(st.data())
def test_a_byte_that_is_changed_anywhere_in_a_redacted_log_is_found(data: Any) -> None:
    """Unless it still reads as the same JSON: a blank more, another way to write a letter."""
    content = text(recorded("trinket-trove", 3).log(SPECTATOR))
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    changed = content[:at] + bytes([byte]) + content[at + 1 :]
    report = checked(changed)
    try:
        same = [json.loads(line) for line in changed.splitlines() if line.strip()] == [
            json.loads(line) for line in content.splitlines()
        ]
    except ValueError:
        same = False
    assert bool(report.findings) != same


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_redacted_log_that_lost_its_end_or_its_middle_is_found(cut: int) -> None:
    lines = recorded("trinket-trove", 3).log(SPECTATOR)
    at = cut % (len(lines) - 1) + 1
    assert verify(lines[:at]).findings
    assert verify(lines[:at] + lines[at + 1 :]).findings


def test_a_byte_changed_in_a_running_table_s_log_is_found_too() -> None:
    lines = Recorded("trick-and-trade", 3, most=5).log(0)
    assert not verify(lines).findings
    events(lines, "card_played")[0][1]["card"] = "nev-1"
    assert "digest" in verify(lines).findings[0].text
