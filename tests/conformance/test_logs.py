"""Laws of logs, for every game: state is the fold of what is stored, and nothing else decides."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from domain import table as tables
from domain.events import Event, Public, Shuffled, encode_commit, event_name, event_tag
from domain.registry import codec, games
from domain.table import TABLE_EVENTS
from domain.visibility import PUBLIC, undeclared
from tests.conformance.setups import SETUPS, label, moments, playouts
from tests.support.play import Playout, stored

pytestmark = pytest.mark.parametrize("setup", SETUPS, ids=label)
Setup = tuple[str, int]


def test_the_state_is_the_fold_of_the_stored_commits_at_every_version(setup: Setup) -> None:
    for playout in playouts(*setup):
        table = None
        for commit, expected in zip(stored(playout), playout.states, strict=True):
            table = tables.apply(playout.game, table, commit)
            assert table == expected, f"version {commit.version}"


def test_the_same_commands_and_shuffles_give_the_same_bytes(setup: Setup) -> None:
    for playout in playouts(*setup):
        again = Playout(playout.game, playout.seats, options=playout.options, key=playout.key)
        for step in playout.steps:
            again.do(step.seat, step.action)
        for one, other in zip(playout.commits, again.commits, strict=True):
            assert encode_commit(one.by, one.events, None) == encode_commit(other.by, other.events, None)


def test_every_shuffle_is_stored_under_a_label_of_its_own(setup: Setup) -> None:
    for playout in playouts(*setup):
        shuffles = [event for event in playout.events if isinstance(event, Shuffled)]
        labels = [event.label for event in shuffles]
        assert len(set(labels)) == len(labels)
        assert {event.label: event.order for event in shuffles} == playout.dealer.dealt


def test_every_accepted_command_is_one_commit_that_says_something(setup: Setup) -> None:
    for playout in playouts(*setup):
        assert len(playout.commits) == playout.seats + 2 + len(playout.steps)
        assert all(commit.events for commit in playout.commits)


class Foreign(Public, frozen=True, tag="foreign"):
    """An event of no game."""

    seat: Annotated[int, PUBLIC] = 0


def test_an_event_of_another_kind_changes_nothing(setup: Setup) -> None:
    name, seats = setup
    others: list[Event] = [Foreign()]
    for other in games():
        if other != name:
            events = playouts(other, games()[other].seats[0])[0].events
            others += {
                type(event): event for event in events if type(event) not in games()[name].events
            }.values()
    for playout in playouts(name, seats)[:1]:
        for version in moments(playout):
            state = playout.states[version - 1].state
            for event in others:
                assert playout.game.evolve(state, event) == state


def test_every_event_type_that_can_happen_is_known_and_has_a_tag_of_its_own(setup: Setup) -> None:
    name, _ = setup
    game = games()[name]
    kinds = (*TABLE_EVENTS, *game.events)
    assert len({event_tag(kind) for kind in kinds}) == len(kinds)
    assert len({event_name(kind) for kind in kinds}) == len(kinds)
    assert set(codec(name).tags.values()) == set(kinds)
    for playout in playouts(*setup):
        assert {type(event) for event in playout.events} <= set(kinds)
    for tag, upcast in game.upcasts.items():
        assert tag not in codec(name).tags, f"{tag} is still written: {upcast} would never be used"


def test_every_event_and_every_field_says_who_may_know_it(setup: Setup) -> None:
    game = games()[setup[0]]
    for kind in (*TABLE_EVENTS, *game.events):
        assert undeclared(kind) == (), kind
        declared = any("known_to" in vars(base) for base in kind.__mro__[: kind.__mro__.index(Event)])
        assert declared, f"{kind.__name__} does not say who learns of it"
    assert undeclared(game.state) == ()


def test_every_event_and_state_type_and_the_options_are_described(setup: Setup) -> None:
    game = games()[setup[0]]
    for kind in (*game.events, game.state, game.options):
        assert kind.__doc__, kind
    hints = {field.name: field.type for field in msgspec.structs.fields(game.options)}
    for field, hint in hints.items():
        assert any(
            isinstance(extra, msgspec.Meta) and extra.description
            for extra in getattr(hint, "__metadata__", ())
        ), f"the option {field} has no description"
