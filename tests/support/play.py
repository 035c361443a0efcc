"""Plays games without a server: the kernel alone, every step recorded.

A `Playout` is a whole table from its opening on; `Playout.play` plays it at random, to the end or to a number
of steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from domain import table as tables
from domain.actions import Offer
from domain.dealing import Dealer, KeyedDealer, T, commitment
from domain.events import Commit, Event, encode_commit
from domain.registry import codec, games
from domain.table import AnyGame, Decision, Table, TableOpened

KEY = bytes(range(32))
EPOCH = "epoch"


class Scripted:
    """A dealer whose outcomes are given by label; other labels come from ``otherwise``."""

    def __init__(self, outcomes: Mapping[str, Sequence[Any]], otherwise: Dealer) -> None:
        self.outcomes = dict(outcomes)
        self.otherwise = otherwise
        self.dealt: dict[str, tuple[Any, ...]] = {}

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        """The given outcome of ``label``, which must be an arrangement of ``items``."""
        order = (
            tuple(self.outcomes[label]) if label in self.outcomes else self.otherwise.shuffle(label, items)
        )
        assert sorted(order) == sorted(items), f"{label}: {order} is no arrangement of {items}"
        self.dealt[label] = order
        return order


@dataclass(frozen=True)
class Step:
    """One command of a seat in the game."""

    seat: int
    action: dict[str, Any]


@dataclass
class Playout:
    """A table being played: its state, its commits and the commands that made them."""

    game: AnyGame
    seats: int
    options: dict[str, Any] = field(default_factory=dict)
    key: bytes = KEY
    reveal: str = "end"
    outcomes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    states: list[Table] = field(default_factory=list)
    """The table after each commit: ``states[version - 1]``."""

    def __post_init__(self) -> None:
        options = self.game.parse_options(self.options, self.seats)
        opened = TableOpened(
            table="testtable",
            game=self.game.name,
            seats=self.seats,
            options=msgspec.to_builtins(options),
            epoch=EPOCH,
            listed=True,
            spectators=tables.Spectators(),
            reveal="never" if self.reveal == "never" else "end",
            autostart=True,
            commitment=commitment("testtable", self.key),
            deal_key=self.key,
            host_hash=b"host",
        )
        self.dealer = Scripted(self.outcomes, KeyedDealer(self.key, [None] * self.seats))
        self._commit("host", tables.decide_open(self.game, opened))
        for seat in range(self.seats):
            self._commit(
                seat,
                tables.decide_sit(
                    self.game,
                    self.table,
                    seat=seat,
                    name=f"Player {seat}",
                    token_hash=bytes([seat]) * 32,
                    entropy=None,
                ),
            )
        self._commit("server", tables.decide_start(self.game, self.table, self.dealer))

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self.states[-1]

    @property
    def state(self) -> Any:
        """The state of the game as it stands."""
        return self.table.state

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return [event for commit in self.commits for event in commit.events]

    def _commit(self, by: int | str, decision: Decision) -> None:
        version = len(self.commits) + 1
        self.commits.append(Commit(version, 1000 + version, by, decision.events))
        self.states.append(tables.stamped(decision.table, version, 1000 + version))

    def waiting(self) -> tuple[int, ...]:
        """The seats the game waits for."""
        return tables.waiting(self.game, self.table)

    def offers(self, seat: int) -> list[Offer]:
        """What ``seat`` may do now."""
        return tables.actions(self.game, self.table, seat)

    def act(self, seat: int, kind: str, **parameters: Any) -> tuple[Event, ...]:
        """Let ``seat`` act; gives the events. Raises `domain.errors.Rejected`."""
        return self.do(seat, {"type": kind, **parameters})

    def do(self, seat: int, action: dict[str, Any]) -> tuple[Event, ...]:
        """Let ``seat`` act; gives the events. Raises `domain.errors.Rejected`."""
        decision = tables.decide_act(self.game, self.table, seat, action, dealer=self.dealer)
        self._commit(seat, decision)
        self.steps.append(Step(seat, action))
        return decision.events

    def play(
        self,
        rng: random.Random,
        *,
        most: int = 5000,
        until: Callable[[Playout], bool] = lambda playout: False,
        changes: float = 0.05,
        choose: Callable[[random.Random, Sequence[Offer]], dict[str, Any]] | None = None,
    ) -> Playout:
        """Play at random for at most ``most`` steps, or until the end, or until ``until`` holds.

        ``changes`` is how often a seat that need not act, but may, does so.
        """
        choose = choose or pick
        for _ in range(most):
            if self.table.over or until(self):
                break
            waiting = self.waiting()
            assert waiting, "a running game waits for somebody"
            seat = rng.choice(waiting)
            if rng.random() < changes:
                able = [other for other in range(self.seats) if self.offers(other)]
                seat = rng.choice(able)
            self.do(seat, choose(rng, self.offers(seat)))
        else:
            if most >= 5000:
                raise AssertionError(f"not over after {most} steps")
        return self


def new(game: str, seats: int, **settings: Any) -> Playout:
    """A started table of ``game``."""
    return Playout(games()[game], seats, **settings)


def pick(rng: random.Random, offers: Sequence[Offer]) -> dict[str, Any]:
    """One action at random out of what is offered."""
    candidate = rng.choice(offers)
    action: dict[str, Any] = {"type": candidate["type"]}
    for name, choice in candidate.items():
        if name == "type":
            continue
        if "one_of" in choice:
            action[name] = rng.choice(choice["one_of"])
        else:
            action[name] = rng.sample(choice["some_of"], rng.randint(choice["min"], choice["max"]))
    return action


def stored(playout: Playout) -> list[Commit]:
    """The commits as they come back from their stored bytes."""
    decode = codec(playout.game.name).decode
    return [
        decode(commit.version, commit.at_ms, encode_commit(commit.by, commit.events, commit.command))
        for commit in playout.commits
    ]


def fold(game: AnyGame, commits: Iterable[Commit]) -> Table:
    """The table that the commits lead to."""
    table: Table | None = None
    for commit in commits:
        table = tables.apply(game, table, commit)
    assert table is not None
    return table
