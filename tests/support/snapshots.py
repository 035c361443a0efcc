"""The snapshot relation of the twin-world kit.

Whatever lies in a zone that is hidden from a viewer now, seen once or not, is permuted in the state itself; a
fresh view, the actions, and the refusals of what the viewer tries must be the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from domain.visibility import see
from tests.support.twins import Leak, Strength
from tests.support.watch import Watch, answer, apart, fresh
from tests.support.worlds import Tracing


def snapshot_twin(watch: Watch, version: int, rng: random.Random, strength: Strength) -> None:
    """Permute what lies in zones hidden from the viewer now; what it is told must stay. Raises `Leak`."""
    world, viewer = watch.world, watch.viewer
    table = world.states[version - 1]
    assert table.state is not None
    masked: dict[Any, list[tuple[Any, ...]]] = {}
    families = _families(world.tracing)
    for path, card in _masked(table.state, see(table.state, viewer)):
        if card in families:
            alike = (families[card], watch.kind(card) if watch.kind else None)
            masked.setdefault(alike, []).append(path)
    values: dict[tuple[Any, ...], Any] = {}
    for paths in masked.values():
        values.update(
            zip(paths, rng.sample([_at(table.state, path) for path in paths], len(paths)), strict=True)
        )
    if not values:
        return
    twin = msgspec.structs.replace(table, state=_with(table.state, values))
    strength.snapshots += 1
    tries = watch.probes(version)
    one, other = (
        (
            msgspec.json.encode(fresh(world.game, some, viewer)),
            msgspec.msgpack.encode(fresh(world.game, some, viewer)),
            [answer(world.game, some, viewer, probe) for probe in tries],
        )
        for some in (table, twin)
    )
    if one != other:
        raise Leak(
            f"{world.game.name}: a snapshot tells hidden cards apart, version {version}.\n{apart(one, other)}"
        )


def _families(tracing: Tracing) -> dict[str, frozenset[str]]:
    """For each card the set of all that are ever shuffled together with it."""
    families: dict[str, frozenset[str]] = {}
    for order in tracing.dealt.values():
        codes = frozenset(card for card in order if isinstance(card, str))
        joined = codes.union(*(families.get(code, frozenset()) for code in codes))
        families.update(dict.fromkeys(joined, joined))
    return families


def _masked(value: Any, seen: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Where strings stand in ``value`` that are masked in ``seen``."""
    if isinstance(value, str):
        if seen is None:
            yield path, value
    elif isinstance(value, tuple):
        if seen is None or len(seen) == len(value):
            for at, inner in enumerate(value):
                yield from _masked(inner, None if seen is None else seen[at], (*path, at))
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _masked(
                getattr(value, name), None if seen is None else getattr(seen, name), (*path, name)
            )


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = getattr(value, step) if isinstance(step, str) else value[step]
    return value


def _with(value: Any, values: Mapping[tuple[Any, ...], Any], path: tuple[Any, ...] = ()) -> Any:
    if path in values:
        return values[path]
    if isinstance(value, tuple):
        return tuple(_with(inner, values, (*path, at)) for at, inner in enumerate(value))
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return type(value)(**{name: _with(getattr(value, name), values, (*path, name)) for name in names})
    return value
