"""Logs of whole games as a server gives them out, with entropy of the seats, made by the domain alone."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import msgspec

from domain import table as tables
from domain.dealing import commitment
from domain.events import Command, Commit
from domain.registry import games
from domain.table import Decision, Table, TableOpened
from projections import history
from projections.digests import chained
from projections.viewer import REFEREE
from tests.support.play import pick

Lines = list[dict[str, Any]]


class Recorded:
    """A table from its opening to its end, dealt by its own key and entropy.

    With the seed ``patient`` the seats always do the first kind of thing that they are offered.
    """

    def __init__(
        self, name: str, seats: int, *, seed: str = "", reveal: str = "end", most: int = 5000, **settings: Any
    ) -> None:
        self.rng = random.Random(f"{name}/{seats}/{seed}")
        self.game = games()[name]
        self.seats = seats
        self.patient = seed == "patient"
        self.commits: list[Commit] = []
        self.states: list[Table] = []
        key = self.rng.randbytes(32)
        ident = f"table{self.rng.getrandbits(40):010x}"
        options = self.game.parse_options(settings.pop("options", {}), seats)
        opened = TableOpened(
            table=ident,
            game=name,
            seats=seats,
            options=msgspec.to_builtins(options),
            epoch="e1",
            listed=True,
            spectators=settings.pop("spectators", tables.Spectators()),
            reveal="never" if reveal == "never" else "end",
            autostart=True,
            commitment=commitment(ident, key),
            deal_key=key,
            host_hash=b"h" * 32,
            **settings,
        )
        self.add("host", tables.decide_open(self.game, opened))
        for seat in range(seats):
            self.sit(seat, f"salt {seat} of {self.rng.random()}" if seat != 1 else None)
        self.add("server", tables.decide_start(self.game, self.table))
        self.play(most)

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self.states[-1]

    def add(self, by: int | str, decision: Decision, command: Command | None = None) -> None:
        """Store a decision."""
        version = len(self.commits) + 1
        before = self.states[-1] if self.states else None
        commit = Commit(version, 1_700_000_000_000 + 1000 * version, by, decision.events, command)
        self.commits.append(commit)
        self.states.append(tables.sealed(self.game, before, decision.table, commit))

    def sit(self, seat: int, entropy: str | None) -> None:
        """Let somebody sit down."""
        token_hash = self.rng.randbytes(32)
        decision = tables.decide_sit(
            self.game,
            self.table,
            seat=seat,
            name=f"Sitter {seat} ä",
            token_hash=token_hash,
            entropy=entropy,
        )
        self.add(seat, decision, Command(f"sit-{seat}", {"type": "sit", "seat": seat}, http=True))

    def play(self, most: int = 5000) -> Recorded:
        """Play at random, to the end or for ``most`` moves."""
        for _ in range(most):
            if self.table.over:
                break
            seat = self.rng.choice(tables.waiting(self.game, self.table))
            offers = tables.actions(self.game, self.table, seat)
            action = pick(self.rng, offers[:1] if self.patient else offers)
            decision = tables.decide_act(self.game, self.table, seat, action)
            self.add(seat, decision, Command(f"id-{len(self.commits)}", action))
        return self

    def log(self, viewer: int = REFEREE, *, patches: bool = False) -> Lines:
        """The lines of the log, as they come back from their JSON."""
        lines = history.lines(self.commits, viewer, patches=patches)
        return [
            json.loads(msgspec.json.encode(line))
            for line in chained([history.header(self.table, viewer), *lines])
        ]


@cache
def recorded(name: str, seats: int, seed: str = "", reveal: str = "end") -> Recorded:
    """A finished game, played once for all tests; not to be changed."""
    return Recorded(name, seats, seed=seed, reveal=reveal)


def text(lines: Lines) -> bytes:
    """The bytes of a file with these lines."""
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def rechained(lines: Lines) -> Lines:
    """The lines with digests reckoned anew: what somebody does who knows how."""
    bare = [{name: value for name, value in line.items() if name != "digest"} for line in lines]
    return list(chained(bare))
