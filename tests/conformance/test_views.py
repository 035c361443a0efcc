"""Laws of views, results and documents, for every game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import domain.games
from domain.game import ranked
from domain.registry import games
from domain.visibility import REFEREE, SPECTATOR, see
from projections import frame
from projections.patch import apply_patch, merge_patch
from projections.redaction import redact_all, same_for_all
from projections.registry import projection
from tests.conformance.setups import SETUPS, label, moments, playouts, viewers

pytestmark = pytest.mark.parametrize("setup", SETUPS, ids=label)
Setup = tuple[str, int]


def members_that_are_none(value: Any, where: str = "view") -> list[str]:
    """Where a member of an object is None (in lists None is a hidden card)."""
    if isinstance(value, dict):
        found = [f"{where}.{key}" for key, inner in value.items() if inner is None]
        return found + [
            hit for key, inner in value.items() for hit in members_that_are_none(inner, f"{where}.{key}")
        ]
    if isinstance(value, list | tuple):
        return [hit for inner in value for hit in members_that_are_none(inner, f"{where}[]")]
    return []


def test_no_member_of_a_view_is_none_and_the_type_is_the_published_one(setup: Setup) -> None:
    for playout in playouts(*setup):
        for version in moments(playout, 30):
            for viewer in (*viewers(playout), REFEREE):
                view = frame.view(playout.states[version - 1], viewer)
                assert type(view.game) is projection(setup[0]).view_type
                plain = frame.plain(view)
                assert members_that_are_none(plain) == [], f"version {version}, viewer {viewer}"
                data = msgspec.json.encode(view)
                assert msgspec.msgpack.decode(msgspec.msgpack.encode(view)) == msgspec.json.decode(data)


def test_a_view_comes_back_as_its_type_from_its_bytes(setup: Setup) -> None:
    """Else its published schema is wrong: a member that may be absent needs the default `UNSET`."""
    kind = projection(setup[0]).view_type
    for playout in playouts(*setup):
        for version in moments(playout):
            for viewer in viewers(playout):
                view = frame.view(playout.states[version - 1], viewer).game
                again = msgspec.json.decode(msgspec.json.encode(view), type=kind)
                assert msgspec.json.encode(again) == msgspec.json.encode(view)


def test_what_a_seat_knows_is_the_same_when_it_is_added_to_what_everybody_knows(setup: Setup) -> None:
    for playout in playouts(*setup):
        for version in moments(playout):
            state = playout.states[version - 1].state
            if state is not None:
                public = see(state, SPECTATOR)
                for seat in range(setup[1]):
                    assert see(state, seat, public) == see(state, seat), f"version {version}, seat {seat}"


def test_events_that_are_the_same_for_all_are_so(setup: Setup) -> None:
    for playout in playouts(*setup):
        for commit in playout.commits:
            shown = [redact_all(commit.events, viewer) for viewer in (*viewers(playout), REFEREE)]
            assert not same_for_all(commit.events) or all(other == shown[0] for other in shown)


def test_patches_lead_from_each_view_to_the_next(setup: Setup) -> None:
    for playout in playouts(*setup)[:1]:
        for viewer in (0, viewers(playout)[-1]):
            plain = [
                msgspec.json.decode(msgspec.json.encode(frame.view(table, viewer)))
                for table in playout.states
            ]
            current: Any = {}
            for view in plain:
                current = apply_patch(current, merge_patch(current, view))
                assert {"game": None, **current} == view


def test_no_redacted_event_has_a_member_that_is_none(setup: Setup) -> None:
    for playout in playouts(*setup):
        for viewer in viewers(playout):
            for event in redact_all(playout.events, viewer):
                assert members_that_are_none(event, event["type"]) == []


def test_nobody_is_told_the_deal_key_before_the_end(setup: Setup) -> None:
    for playout in playouts(*setup):
        for viewer in (*viewers(playout), REFEREE):
            told = msgspec.json.encode([redact_all(commit.events, viewer) for commit in playout.commits[:-1]])
            assert playout.key.hex().encode() not in told
            assert b"_hash" not in told


def test_a_game_ends_with_a_well_formed_result(setup: Setup) -> None:
    for playout in playouts(*setup):
        assert playout.table.status == "finished"
        result = playout.table.result
        assert result is not None
        assert len(result.places) == len(result.scores) == playout.seats
        assert result.places == ranked([-place for place in result.places])
        assert result.winners == tuple(seat for seat, place in enumerate(result.places) if place == 1)
        assert all(type(score) is int for score in result.scores)
        assert result == playout.game.result(playout.state)
        assert all(
            playout.game.result(table.state) is None for table in playout.states[playout.seats + 1 : -1]
        )


def test_a_game_can_be_judged_at_any_moment_and_a_forfeit_ranks_last(setup: Setup) -> None:
    for playout in playouts(*setup):
        for version in moments(playout):
            state = playout.states[version - 1].state
            standing = playout.game.standing(state)
            assert standing.places == ranked([-place for place in standing.places])
            for seat in range(playout.seats):
                result = playout.game.forfeit(state, seat)
                assert result.reason == "forfeit"
                assert seat not in result.winners
                assert result.winners
                assert result.winners == tuple(seat for seat, place in enumerate(result.places) if place == 1)


def test_rules_and_help_exist_and_the_rules_say_who_knows_what(setup: Setup) -> None:
    name, _ = setup
    game = games()[name]
    assert len(game.help) > 200
    assert game.title
    folder = Path(next(iter(domain.games.__path__))) / name.replace("-", "_")
    rules = (folder / "RULES.md").read_text(encoding="utf-8")
    heading, _, table = rules.partition("## Who knows what")
    assert heading
    assert table.count("\n|") >= 4, "there is no table under it"
    for option in game.options.__struct_fields__:
        assert f"`{option}`" in rules, f"RULES.md does not name the option {option}"


def test_the_numbers_of_seats_are_ascending_and_few(setup: Setup) -> None:
    game = games()[setup[0]]
    assert list(game.seats) == sorted(set(game.seats))
    assert set(game.seats) <= set(range(2, 7))
