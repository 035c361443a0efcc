"""Worlds whose cards can be followed: each dealt card is an object of its own.

The domain knows cards by their codes alone, and equal cards carry no identity. For tests the dealer gives
out every card as a string object of its own, and finds out by the identity of the object, wherever it turns
up (in a state, an event, a view, an action), from which *slot* it comes: the label of a shuffle and a
position in its outcome. A card that is shuffled again comes from a new slot, whose source is the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain import table as tables
from domain.dealing import Dealer, KeyedDealer, T
from domain.errors import Rejected
from domain.events import Commit, Shuffled
from domain.table import AnyGame, Decision, Table
from domain.visibility import see
from projections.redaction import redact_all
from tests.support.play import Playout

Slot = tuple[str, int]
Sources = Mapping[str, tuple[Any, ...]]
"""For each label where each card of the outcome came from: a slot, or the card itself where it is new."""


class Tracing:
    """A dealer that remembers which object it gave out for which slot."""

    def __init__(self, otherwise: Dealer) -> None:
        self.otherwise = otherwise
        self.dealt: dict[str, tuple[Any, ...]] = {}
        self.sources: dict[str, tuple[Any, ...]] = {}
        self.slots: dict[int, Slot] = {}
        self.by_code: dict[str, list[Slot]] = {}

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The outcome of the other dealer in objects of its own."""
        order: tuple[Any, ...] = self.otherwise.shuffle(label, items)
        self.sources[label] = tuple(self.slots.get(id(item), item) for item in order)
        dealt: tuple[Any, ...] = tuple(
            str(item.encode(), "utf-8") if isinstance(item, str) else item for item in order
        )
        for position, item in enumerate(dealt):
            if isinstance(item, str) and len(item) > 1:  # Python keeps one object for each single letter
                self.slots[id(item)] = (label, position)
                self.by_code.setdefault(item, []).append((label, position))
        self.dealt[label] = dealt
        return dealt

    def inside(self, value: Any) -> set[Slot]:
        """The slots of all cards inside ``value``.

        A string that equals a card but is none of the objects given out does not count. A game that spells
        its cards anew is therefore reported as leaking, which is the safe side.
        """
        return {self.slots[id(leaf)] for leaf in leaves(value) if id(leaf) in self.slots}

    def with_sources(self, slots: set[Slot]) -> set[Slot]:
        """``slots`` and those of earlier shuffles that their cards came from."""
        found = set(slots)
        for label, position in slots:
            source = self.sources[label][position]
            while isinstance(source, tuple):
                found.add(source)
                source = self.sources[source[0]][source[1]]
        return found


def leaves(value: Any) -> Iterator[Any]:
    """Every value inside nested tuples, lists, dicts and Structs."""
    if isinstance(value, tuple | list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from leaves(getattr(value, field))
    else:
        yield value


class Diverged(Exception):
    """A twin asked for a shuffle that the original world did not have."""


class Script:
    """A dealer whose outcomes follow from given sources."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def card(self, source: Any) -> Any:
        """The card that a slot holds in this world."""
        while isinstance(source, tuple):
            source = self.sources[source[0]][source[1]]
        return source

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The scripted outcome. Raises `Diverged` where it is no arrangement of ``items``."""
        if label not in self.sources:
            raise Diverged(label)
        order = tuple(self.card(source) for source in self.sources[label])
        if sorted(order) != sorted(items):
            raise Diverged(label)
        return order


class World(Playout):
    """A playout whose cards can be followed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.commits.pop()
        self.states.pop()
        self.tracing = Tracing(KeyedDealer(self.key, [None] * self.seats))
        self.dealer = self.tracing  # type: ignore[assignment]
        self._commit("server", tables.decide_start(self.game, self.table, self.tracing))

    @property
    def first(self) -> int:
        """The version of the commit that started the game."""
        return self.seats + 2


def label_versions(commits: Sequence[Commit]) -> dict[str, int]:
    """The version in which each shuffle happened."""
    return {
        event.label: commit.version
        for commit in commits
        for event in commit.events
        if isinstance(event, Shuffled)
    }


class Run:
    """A twin decided from ``since`` on: what happened, and the version whose command was refused, if any."""

    def __init__(self, commits: list[Commit], states: list[Table], refused: int | None) -> None:
        self.commits = commits
        self.states = states
        self.refused = refused


def redecide(
    world: World,
    dealer: Dealer,
    script: Script,
    since: int,
    until: int,
    instead: Mapping[int, dict[str, Any]] | None = None,
) -> Run:
    """Decide the commands of versions ``since`` to ``until`` again with other cards.

    Args:
        world: where the commands come from.
        dealer: what deals: ``script``, or a `Tracing` around it.
        script: tells what each card of a command is called in the twin.
        since: first version to decide again; all before stay.
        until: last version.
        instead: other actions for some versions.
    """
    game = world.game
    table = world.states[since - 2]
    commits: list[Commit] = []
    states: list[Table] = []
    for version in range(since, until + 1):
        try:
            decision = _decided(world, game, table, version, dealer, script, instead or {})
        except (Rejected, Diverged):
            return Run(commits, states, version)
        at_ms = world.commits[version - 1].at_ms
        table = tables.stamped(decision.table, version, at_ms)
        commits.append(Commit(version, at_ms, world.commits[version - 1].by, decision.events))
        states.append(table)
    return Run(commits, states, None)


def _decided(
    world: World,
    game: AnyGame,
    table: Table,
    version: int,
    dealer: Dealer,
    script: Script,
    instead: Mapping[int, dict[str, Any]],
) -> Decision:
    if version == world.first:
        return tables.decide_start(game, table, dealer)
    step = world.steps[version - world.first - 1]
    action = instead.get(version) or {
        name: _renamed(world.tracing, value, script) for name, value in step.action.items()
    }
    return tables.decide_act(game, table, step.seat, action, dealer=dealer)


def _renamed(tracing: Tracing, value: Any, script: Script) -> Any:
    if isinstance(value, list):
        return [_renamed(tracing, inner, script) for inner in value]
    slot = tracing.slots.get(id(value))
    return value if slot is None else script.card(slot)


class Knowledge:
    """When a viewer learned of which card, by what is declared of events and of the state.

    ``told`` is what the redacted events named, ``shown`` what the masked state held after any event: each the
    version of the first time. Two declarations made apart from each other; a card counts as known only where
    both say so, so that a leak in one of them is found.
    """

    def __init__(
        self,
        game: AnyGame,
        before: Table,
        commits: Sequence[Commit],
        tracing: Tracing,
        viewer: int,
        trusted: frozenset[str] = frozenset(),
    ) -> None:
        self.told: dict[Slot, int] = {}
        self.shown: dict[Slot, int] = {}
        self.trusted: dict[Slot, int] = {}
        table = before
        for commit in commits:
            for event in commit.events:
                told = redact_all([event], viewer)
                for slot in tracing.inside(told):
                    self.told.setdefault(slot, commit.version)
                    if told[0]["type"] in trusted:
                        self.trusted.setdefault(slot, commit.version)
                table = tables.evolve(game, table, event)
                assert table.state is not None
                for slot in tracing.inside(see(table.state, viewer)):
                    self.shown.setdefault(slot, commit.version)
        for known in (self.told, self.shown, self.trusted):
            _known_parents(known, tracing.sources)

    def known(self, slot: Slot, version: int) -> bool:
        """Whether the card of ``slot`` was known at ``version``."""
        never = version + 1
        return self.trusted.get(slot, never) <= version or (
            self.told.get(slot, never) <= version and self.shown.get(slot, never) <= version
        )


def _known_parents(known: dict[Slot, int], sources: Sources) -> None:
    for label in reversed(list(sources)):
        for position, source in enumerate(sources[label]):
            seen = known.get((label, position))
            if seen is not None and isinstance(source, tuple):
                known[source] = min(seen, known.get(source, seen))
