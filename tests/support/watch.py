"""All that one viewer receives of a world, and what it is declared to know: what twins are compared by."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from domain import table as tables
from domain.dealing import KeyedDealer
from domain.errors import Rejected
from domain.table import AnyGame, Table
from projections import frame
from projections.redaction import redact_all
from tests.support.play import KEY, pick
from tests.support.worlds import Knowledge, Run, Slot, World, label_versions

PROBES = 3
JUNK: tuple[dict[str, Any], ...] = (
    {"type": "no_such_action"},
    {"type": "play"},
    {"type": "play", "card": "x-1"},
)

Kind = Callable[[str], Any]


class Watch:
    """All that one viewer receives of a world, version by version, and what it is declared to know.

    Args:
        world: a world that has been played.
        viewer: a seat or `SPECTATOR`.
        trusted: names of events whose declaration alone counts (they show cards that no state holds).
        kind: cards of different kinds are told apart as soon as they leave where they were dealt.
    """

    def __init__(
        self, world: World, viewer: int, trusted: frozenset[str] = frozenset(), kind: Kind | None = None
    ) -> None:
        self.kind = kind
        self.world = world
        self.viewer = viewer
        self.trusted = trusted
        self.before = world.states[world.first - 2]
        started = world.commits[world.first - 1 :]
        self.knowledge = Knowledge(world.game, self.before, started, world.tracing, viewer, trusted)
        self.labels = label_versions(world.commits)
        self._tries = list(_tries(world, viewer))
        self._frames: dict[int, Any] = {}

    def probes(self, version: int) -> list[dict[str, Any]]:
        """The commands that the viewer tries at a version: the same in every twin."""
        if self.viewer < 0:
            return []
        return random.Random(version).sample(self._tries, PROBES)

    def frame(self, commit: Any, table: Table) -> tuple[bytes, bytes, list[str]]:
        """All that the viewer is sent of a version, in both encodings, and the answers to its commands."""
        game, viewer = self.world.game, self.viewer
        content = {
            "version": commit.version,
            "at_ms": commit.at_ms,
            "by": commit.by,
            "events": redact_all(commit.events, viewer),
            **fresh(game, table, viewer),
        }
        answers = [answer(game, table, viewer, probe) for probe in self.probes(commit.version)]
        return msgspec.json.encode(content), msgspec.msgpack.encode(content), answers

    def original(self, version: int) -> tuple[bytes, bytes, list[str]]:
        """The frame of the original world."""
        if version not in self._frames:
            commit, table = self.world.commits[version - 1], self.world.states[version - 1]
            self._frames[version] = self.frame(commit, table)
        return self._frames[version]  # type: ignore[no-any-return]

    def difference(self, run: Run) -> str | None:
        """Where the twin first looks different to the viewer, both texts beside each other, or None."""
        for commit, table in zip(run.commits, run.states, strict=True):
            one, other = self.original(commit.version), self.frame(commit, table)
            if one != other:
                return f"viewer {self.viewer}, version {commit.version}:\n{apart(one, other)}"
        return None

    def hidden(self, version: int) -> dict[str, list[Slot]]:
        """The slots of each shuffle whose cards the viewer never learned of, up to ``version``.

        Of two equal cards in a hand the game may put down one and the player have named the other. A card
        that stands nowhere in the state any more is therefore left out while an equal one is known.
        """
        tracing, known = self.world.tracing, self.knowledge.known
        there = tracing.with_sources(tracing.inside(self.world.states[version - 1].state))

        def unseen(slot: Slot, card: Any) -> bool:
            if not isinstance(card, str) or known(slot, version):
                return False
            return slot in there or not any(known(equal, version) for equal in tracing.by_code[card])

        return {
            label: [(label, at) for at, card in enumerate(tracing.dealt[label]) if unseen((label, at), card)]
            for label, dealt in self.labels.items()
            if dealt <= version
        }

    def groups(self, version: int) -> list[list[Slot]]:
        """The hidden slots in groups inside which cards may be exchanged."""
        found: dict[Any, list[Slot]] = {}
        for label, slots in self.hidden(version).items():
            at_first, now = (
                self._places(self.world.states[then - 1].state) if self.kind else {}
                for then in (self.labels[label], version)
            )
            for slot in slots:
                key: Any = None
                if self.kind and (slot not in now or now[slot] != at_first.get(slot)):
                    key = (self.kind(self.world.tracing.dealt[label][slot[1]]),)
                found.setdefault((label, key), []).append(slot)
        return list(found.values())

    def _places(self, state: Any) -> dict[Slot, str]:
        return {
            slot: name
            for name in state.__struct_fields__
            for slot in self.world.tracing.inside(getattr(state, name))
        }


def fresh(game: AnyGame, table: Table, viewer: int) -> dict[str, Any]:
    """What a viewer is told of a table as it stands."""
    return {
        "view": frame.view(table, viewer),
        "actions": tables.actions(game, table, viewer),
        "waiting": tables.waiting(game, table),
    }


def answer(game: AnyGame, table: Table, seat: int, action: Mapping[str, Any]) -> str:
    """What the seat is told when it tries ``action``."""
    try:
        tables.decide_act(game, table, seat, action, dealer=KeyedDealer(KEY, [None] * len(table.seats)))
    except Rejected as refused:
        return f"{refused.code}: {refused.message} {refused.detail}"
    return "accepted"


def _tries(world: World, viewer: int) -> Iterator[dict[str, Any]]:
    """Commands for a viewer to try: of each kind that it could ever send, with many values."""
    yield from JUNK
    if viewer < 0:
        return
    rng = random.Random(viewer)
    for table in world.states[world.first - 1 :: max(1, len(world.states) // 40)]:
        for seat in range(world.seats):
            if offers := tables.actions(world.game, table, seat):
                yield pick(rng, offers)


def apart(one: tuple[Any, ...], other: tuple[Any, ...]) -> str:
    """Where two frames differ, for a person to read."""
    for left, right in zip(one, other, strict=True):
        if left != right:
            texts = [
                str(part.decode("utf-8", "replace") if isinstance(part, bytes) else part)
                for part in (left, right)
            ]
            start = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
            return "\n".join(f"  ...{text[max(0, start - 200) : start + 200]}..." for text in texts)
    return "  the same"
