"""The judgement after a run: the log against what every client was told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from domain import table as tables
from domain.events import Commit
from domain.registry import codec, games
from domain.table import Table, TableOpened
from projections import frame
from projections.redaction import redact_all
from projections.viewer import SPECTATOR
from tests.simulation.clients import Player, Viewer, Violation

if TYPE_CHECKING:
    from tests.simulation.world import World


class Truth:
    """The log, folded: each version's commit and state."""

    def __init__(self, world: World) -> None:
        self.commits: list[Commit] = []
        self.states: list[Table] = []
        entries = world.disk.log(world.table)
        reader: Any = None
        table: Table | None = None
        last_ms = 0
        for number, entry in enumerate(entries, start=1):
            require(entry.version == number, f"the log has {entry.version} in place of {number}")
            require(entry.at_ms >= last_ms, f"time runs back at {number}")
            last_ms = entry.at_ms
            if reader is None:
                reader = codec(_game(entry.data))
            commit = reader.decode(entry.version, entry.at_ms, entry.data)
            if table is None:
                self.game = games()[commit.events[0].game]
            table = tables.apply(self.game, table, commit)
            self.commits.append(commit)
            self.states.append(table)
        self._told: dict[tuple[int, int], Any] = {}

    def told(self, version: int, viewer: int) -> Any:
        """What a viewer must have been told of a version: events, view, actions, waiting, time."""
        key = version, viewer
        if key not in self._told:
            commit, table = self.commits[version - 1], self.states[version - 1]
            snapshot = frame.snapshot(table, viewer)
            parts = (
                redact_all(commit.events, viewer),
                snapshot.view,
                snapshot.actions,
                snapshot.waiting,
                commit.at_ms,
            )
            self._told[key] = msgspec.json.decode(msgspec.json.encode(parts))
        return self._told[key]


def _game(data: bytes) -> str:
    from domain.registry import table_codec

    first = table_codec().decode(1, 0, data).events[0]
    assert isinstance(first, TableOpened)
    return first.game


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Violation(otherwise)


def waiting(world: World) -> tuple[int, ...]:
    """Whom the table waits for."""
    return frame.waiting(Truth(world).states[-1])


def over(world: World) -> bool:
    """Whether the table is finished or abandoned."""
    return Truth(world).states[-1].over


def judge(world: World) -> None:
    """Raise `Violation` where a promise was broken."""
    truth = Truth(world)
    require(truth.states[-1].over, "the table is not over")
    _each_command_once(world, truth)
    for viewer in world.viewers:
        _saw_the_truth(world, truth, viewer)
        if isinstance(viewer, Player):
            _answers(world, truth, viewer)
    for socket in world.sockets:
        if not socket.broken:
            require(
                socket.asked == socket.answered,
                f"messages and answers differ: {dict(socket.asked - socket.answered)}",
            )


def _each_command_once(world: World, truth: Truth) -> None:
    seen: set[tuple[Any, str, bool]] = set()
    for commit in truth.commits:
        if commit.command is not None:
            key = commit.by, commit.command.id, commit.command.http
            require(key not in seen, f"{key} is in the log twice, the second time at {commit.version}")
            seen.add(key)
    taken = [
        event for commit in truth.commits for event in commit.events if type(event).__name__ == "SeatTaken"
    ]
    require(len(taken) == len(truth.states[0].seats), "a seat was taken twice")


def _saw_the_truth(world: World, truth: Truth, viewer: Viewer) -> None:
    for seen in viewer.seen:
        if seen.life != viewer.life and world.losses:
            continue  # of a history that is no more
        require(seen.version <= len(truth.commits), f"{viewer.name} saw {seen.version}, which is not there")
        events, view, actions, awaited, at_ms = truth.told(seen.version, viewer.viewer)
        where = f"{viewer.name}, version {seen.version}: "
        for what, told, true in (
            ("events", seen.events, events),
            ("view", seen.view, view),
            ("actions", seen.actions, actions),
            ("waiting", seen.waiting, awaited),
            ("at_ms", seen.at_ms, at_ms),
        ):
            require(told is None or told == true, f"{where}{what} {told} but in truth {true}")
    require(
        viewer.version == len(truth.commits),
        f"{viewer.name} has seen version {viewer.version} of {len(truth.commits)}",
    )
    if viewer.views != "none":
        _, view, *_ = truth.told(viewer.version, viewer.viewer)
        require(viewer.view == view, f"{viewer.name} ends with the view {viewer.view}, in truth {view}")


def _answers(world: World, truth: Truth, player: Player) -> None:
    stored = {
        commit.command.id: commit
        for commit in truth.commits
        if commit.by == player.viewer and commit.command is not None and not commit.command.http
    }
    for command in player.tries:
        said = {kind for kind, _ in command.answers}
        versions = {version for kind, version in command.answers if kind == "accepted"}
        if world.losses:
            continue  # what was accepted may be lost with the history
        if versions:
            require(command.ident in stored, f"{command.ident} was accepted and is not in the log")
            require(
                versions == {stored[command.ident].version},
                f"{command.ident} was accepted as {versions}, it is {stored[command.ident].version}",
            )
        elif len(command.answers) == command.sent and said <= {"rejected", "unavailable"}:
            require(
                command.ident not in stored,
                f"{command.ident} was answered only with {said}, and is in the log",
            )


__all__ = ["SPECTATOR", "Truth", "Violation", "judge", "require", "waiting"]
