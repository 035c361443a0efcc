"""Patches between views are those between their plain values."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from domain.registry import games
from projections import frame
from projections.history import states
from projections.patch import apply_patch, merge_patch, struct_patch
from projections.viewer import SPECTATOR
from tests.support.play import new


class Inner(msgspec.Struct, frozen=True):
    """A nested object."""

    a: int | UnsetType = UNSET
    b: tuple[int | None, ...] = ()


class Outer(msgspec.Struct, frozen=True):
    """An object with everything in it."""

    inner: Inner | int | UnsetType = UNSET
    numbers: dict[str, int] | UnsetType | None = UNSET
    more: list[Inner] | UnsetType = UNSET
    name: str | None = None


class Tagged(msgspec.Struct, frozen=True, tag="tagged"):
    """One that is not encoded as its fields alone."""

    a: int = 0


OUTERS = [
    Outer(),
    Outer(inner=Inner(1)),
    Outer(inner=Inner(b=(1, None))),
    Outer(inner=5, numbers={}),
    Outer(numbers={"x": 1, "y": 2}, name="n"),
    Outer(numbers={"x": 2}, more=[Inner(1)]),
    Outer(numbers=None, more=[Inner(1), Inner()]),
]


@pytest.mark.parametrize("old", [*OUTERS, Tagged(1), Tagged(2)])
@pytest.mark.parametrize("new", [*OUTERS, Tagged(1), Tagged(3)])
def test_any_two_objects(old: Any, new: Any) -> None:
    plain_old, plain_new = frame.plain(old), frame.plain(new)
    patch = frame.plain(struct_patch(old, new))
    assert patch == merge_patch(plain_old, plain_new)


@pytest.mark.parametrize("name", sorted(games()))
def test_the_views_of_a_game(name: str) -> None:
    played = new(name, min(games()[name].seats))
    played.play(random.Random(1))
    for viewer in (SPECTATOR, 0):
        before: Any = None
        for _, table in states(played.commits):
            view = frame.view(table, viewer)
            if before is not None:
                patch = frame.plain(struct_patch(before, view))
                assert patch == merge_patch(frame.plain(before), frame.plain(view))
                assert apply_patch(frame.plain(before), patch) == frame.plain(view)
            before = view
