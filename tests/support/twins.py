"""The twin-world kit: indistinguishable worlds must look the same, to the byte.

*Stream relation* (`stream_twin`). Take a random game, a moment in it, a viewer. A card that the viewer has
never learned of may as well be another one: exchange it in the recorded shuffle with another such card, call
the cards of hidden commands (a discard, a pass) by their new names, and decide the whole log again. Where the
rules still allow every command, all that the viewer receives from the first version to the moment must be the
same bytes in the same order: events, view, actions, ``waiting``, who caused the commit, and the answers to a
fixed set of commands that the viewer tries at each version. Seats that have chosen in a simultaneous phase
which is still open get twins that chose otherwise.

Which cards are hidden is decided without looking at what is compared (`worlds.Knowledge`): a card is known
where both the audience of an event that named it and the audience of a state that held it say so, at any
moment before. A leak in one of the declarations, in a view, in the actions, in a refusal, or in the mere
presence, order or length of anything therefore makes a twin differ, and that is a `Leak`. What the kit cannot
find is a card shown by *both* declarations against the rules of the game: the tests of each game and the
table 'Who knows what' in its RULES.md are for that.

Two kinds of exchanges prove nothing and are left out, but counted: those that the rules refuse (a seat would
have had to follow suit), and those that would have shown one of the exchanged cards to the viewer in the twin
by declaration (a drawn card that is no orc may not become one).

The *snapshot relation* stands in `tests.support.snapshots`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from domain import table as tables
from domain.visibility import see
from tests.support.play import pick
from tests.support.watch import Watch
from tests.support.worlds import Knowledge, Run, Script, Slot, Sources, Tracing, World, redecide

Pair = tuple[Slot, Slot]


class Leak(AssertionError):
    """A viewer could tell two worlds apart that must look the same to it."""


@dataclass
class Strength:
    """How much the twins of a game proved."""

    moments: int = 0
    possible: int = 0
    twins: int = 0
    with_hidden_hand: int = 0
    hand_differs: int = 0
    refused: int = 0
    shown_in_twin: int = 0
    choices: int = 0
    snapshots: int = 0
    shares: list[float] = field(default_factory=list)
    hand_shares: list[float] = field(default_factory=list)

    def summary(self) -> str:
        """One line for a test report."""
        hands = f"{self.hand_differs}/{self.with_hidden_hand}"
        return (
            f"{self.moments} moments, {self.twins} twins; another hand differs in {hands}; hidden cards moved"
            f" (medians): {median(self.shares or [0]):.0%} of all, {median(self.hand_shares or [0]):.0%} of"
            f" those in other hands; refused {self.refused}, shown in twin {self.shown_in_twin}"
        )


def exchanged(sources: Sources, pairs: Sequence[Pair]) -> dict[str, tuple[Any, ...]]:
    """The sources with the cards of each pair of slots exchanged."""
    changed = {label: list(cards) for label, cards in sources.items()}
    for (label, one), (_, other) in pairs:
        cards = changed[label]
        cards[one], cards[other] = cards[other], cards[one]
    return {label: tuple(cards) for label, cards in changed.items()}


class Search:
    """Looks for a twin of one moment: as many exchanges as the rules allow, tried many at a time."""

    def __init__(
        self, watch: Watch, version: int, rng: random.Random, strength: Strength, budget: int
    ) -> None:
        self.watch = watch
        self.world = watch.world
        self.version = version
        self.rng = rng
        self.strength = strength
        self.budget = budget
        self.accepted: list[Pair] = []
        self.run: Run | None = None

    def decide(self, pairs: Sequence[Pair], *, traced: bool = False) -> tuple[Run, Tracing | None]:
        """Decide the log again with ``pairs`` exchanged."""
        self.budget -= 1
        script = Script(exchanged(self.world.tracing.sources, pairs))
        tracing = Tracing(script) if traced else None
        since = self.world.first if traced else min(self.watch.labels[label] for (label, _), _ in pairs)
        return redecide(self.world, tracing or script, script, since, self.version), tracing

    def add(self, pairs: Sequence[Pair]) -> None:
        """Exchange ``pairs`` as well, or those of them that the rules allow."""
        if not pairs or self.budget <= 0:
            return
        run, _ = self.decide([*self.accepted, *pairs])
        different = self.watch.difference(run) if run.refused is None or len(pairs) == 1 else None
        if run.refused is None and different is None:
            self.accepted += pairs
            self.run = run
        elif len(pairs) > 1:
            middle = len(pairs) // 2
            self.add(pairs[:middle])
            self.add(pairs[middle:])
        elif different is not None:
            self.judge([*self.accepted, *pairs], different)
        else:
            self.strength.refused += 1

    def judge(self, pairs: Sequence[Pair], different: str) -> None:
        """A twin looks different: a leak, unless the twin itself showed one of the exchanged cards."""
        run, tracing = self.decide(pairs, traced=True)
        assert tracing is not None
        tracing.sources = exchanged(self.world.tracing.sources, pairs)
        twin = Knowledge(
            self.world.game, self.watch.before, run.commits, tracing, self.watch.viewer, self.watch.trusted
        )
        if any(twin.known(slot, self.version) for pair in pairs for slot in pair):
            self.strength.shown_in_twin += 1
            return
        dealt = self.world.tracing.dealt
        names = [
            " <-> ".join(f"{label}[{at}] {dealt[label][at]}" for label, at in pair) for pair in pairs[-1:]
        ]
        raise Leak(
            f"{self.world.game.name} with {self.world.seats} seats, moment {self.version}: the viewer never"
            f" learned of {names[0]}, but can tell the worlds apart.\n{different}"
        )


def stream_twin(watch: Watch, version: int, rng: random.Random, strength: Strength, budget: int = 60) -> None:
    """Look for a twin of one moment and compare the streams. Raises `Leak`."""
    search = Search(watch, version, rng, strength, budget)
    groups = watch.groups(version)
    dealt = watch.world.tracing.dealt
    slots = {slot: group for group in groups for slot in group}
    hands = set(_held_by_others(watch, version)) & set(slots)
    strength.moments += 1
    strength.possible += any(len({dealt[label][at] for label, at in group}) > 1 for group in groups)
    for _ in range(3):
        moved = {slot for pair in search.accepted for slot in pair}
        pairs: list[Pair] = []
        for group in groups:
            rest = [slot for slot in group if slot not in moved]
            rng.shuffle(rest)
            pairs += [
                (one, other)
                for one, other in zip(rest[::2], rest[1::2], strict=False)
                if _differs(dealt, one, other)
            ]
        if not pairs or search.budget <= 0:
            break
        search.add(pairs)
    movable = {slot for slot in hands if any(_differs(dealt, slot, other) for other in slots[slot])}
    if movable:
        strength.with_hidden_hand += 1
        search.budget = max(search.budget, budget // 2)
        for slot in sorted(movable):
            card = Script(exchanged(watch.world.tracing.sources, search.accepted)).card
            others = [other for other in slots[slot] if card(other) != card(slot)]
            outside = [other for other in others if other not in hands] or others
            for other in rng.sample(outside, min(5, len(outside))):
                if search.budget > 0 and not _hands_differ(watch, version, search.run):
                    search.add([(slot, other)])
        strength.hand_differs += _hands_differ(watch, version, search.run)
    if slots:
        moved = {slot for pair in search.accepted for slot in pair}
        strength.shares.append(len(moved) / len(slots))
        if movable:
            strength.hand_shares.append(len(moved & movable) / len(movable))
    strength.twins += search.run is not None


def _differs(dealt: Mapping[str, Sequence[Any]], one: Slot, other: Slot) -> bool:
    return bool(dealt[one[0]][one[1]] != dealt[other[0]][other[1]])


def _hands(state: Any, seats: int, viewer: int) -> Iterator[tuple[str, ...]]:
    """The hands of all other seats: what stands at the position of a seat and only that seat is shown."""
    seen = see(state, viewer)
    for seat in range(seats):
        if seat == viewer:
            continue
        own = see(state, seat)
        for name in state.__struct_fields__:
            hands, mine, theirs = (getattr(some, name) for some in (state, seen, own))
            if isinstance(hands, tuple) and len(hands) >= seats and isinstance(hands[seat], tuple):
                masked = None if mine is None else mine[seat]
                if theirs is not None and theirs[seat] == hands[seat] != masked:
                    yield hands[seat]


def _held_by_others(watch: Watch, version: int) -> Iterator[Slot]:
    state = watch.world.states[version - 1].state
    for hand in _hands(state, watch.world.seats, watch.viewer):
        yield from watch.world.tracing.inside(hand)


def _hands_differ(watch: Watch, version: int, run: Run | None) -> bool:
    if run is None:
        return False
    worlds = (watch.world.states[version - 1].state, run.states[-1].state)
    one, other = (
        [sorted(hand) for hand in _hands(state, watch.world.seats, watch.viewer)] for state in worlds
    )
    return one != other


def still_secret(world: World, version: int) -> Iterator[int]:
    """The seats that have chosen while others have not: the game does not wait for them, but they may act."""
    table = world.states[version - 1]
    waiting = tables.waiting(world.game, table)
    for seat in range(world.seats):
        if seat not in waiting and tables.actions(world.game, table, seat):
            yield seat


def choice_twins(watch: Watch, version: int, rng: random.Random, strength: Strength) -> None:
    """Let each other seat whose choice is still secret have chosen otherwise. Raises `Leak`."""
    world, game = watch.world, watch.world.game
    for seat in still_secret(world, version):
        if seat == watch.viewer:
            continue
        chosen = max(commit.version for commit in world.commits[:version] if commit.by == seat)
        instead = {chosen: pick(rng, tables.actions(game, world.states[chosen - 2], seat))}
        script = Script(world.tracing.sources)
        run = redecide(world, script, script, chosen, version, instead)
        assert run.refused is None, f"{game.name}: {instead} was offered and is refused"
        strength.choices += run.commits[0].events != world.commits[chosen - 1].events
        if different := watch.difference(run):
            raise Leak(f"{game.name}: {instead[chosen]} of seat {seat} is still secret.\n{different}")
