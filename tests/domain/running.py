"""A table of the domain that goes through a life of its own, with the times a store would stamp."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from domain import table as tables
from domain.dealing import commitment
from domain.errors import Rejected
from domain.events import Commit, encode_commit
from domain.games.trick_and_trade import GAME
from domain.registry import codec
from domain.table import Decision, Spectators, Table, TableOpened
from tests.support.play import pick

KEY = bytes(range(32))


class Running:
    """A table whose commits carry times, as the store would stamp them."""

    def __init__(self, *, start: bool = True, bots: tuple[int, ...] = (), **settings: Any) -> None:
        fields: dict[str, Any] = {
            "table": "testtable",
            "game": GAME.name,
            "seats": 3,
            "options": msgspec.to_builtins(GAME.options()),
            "epoch": "e",
            "listed": True,
            "spectators": Spectators(),
            "reveal": "end",
            "autostart": False,
            "commitment": commitment("testtable", KEY),
            "deal_key": KEY,
            "host_hash": b"host",
        }
        self.table: Any = None
        self.now = 0
        self.commits: list[Commit] = []
        self.commit("host", tables.decide_open(GAME, TableOpened(**{**fields, **settings})))
        if start:
            for seat in range(3):
                self.sit(seat, policy="random" if seat in bots else None)
            self.start()

    def start(self) -> tuple[Any, ...]:
        return self.commit("server", tables.decide_start(GAME, self.table))

    def sit(self, seat: int | None, policy: str | None = None) -> tuple[Any, ...]:
        token = b"" if policy else bytes([seat or 0]) * 32
        return self.commit(
            "host" if policy else seat or 0,
            tables.decide_sit(
                GAME, self.table, seat=seat, name="N", token_hash=token, entropy=None, policy=policy
            ),
        )

    def commit(self, by: int | str, decision: Decision) -> tuple[Any, ...]:
        commit = Commit(len(self.commits) + 1, self.now, by, decision.events)
        before: Table | None = self.table
        self.table = tables.sealed(GAME, before, decision.table, commit)
        self.commits.append(commit)
        data = encode_commit(by, decision.events, None)
        again = tables.apply(GAME, before, codec(GAME.name).decode(commit.version, commit.at_ms, data))
        assert again == self.table, "what was decided is what the log says"
        return decision.events

    @property
    def turn(self) -> int:
        (seat,) = tables.waiting(GAME, self.table)
        return seat

    def act(self, seat: int | None = None, after_ms: int = 0, **how: Any) -> tuple[Any, ...]:
        self.now += after_ms
        seat = self.turn if seat is None else seat
        action = pick(random.Random(0), tables.actions(GAME, self.table, seat))
        return self.commit(seat, tables.decide_act(GAME, self.table, seat, action, **how))

    def stand_in(self, seat: int) -> tuple[Any, ...]:
        action = pick(random.Random(0), tables.actions(GAME, self.table, seat))
        return self.commit("server", tables.decide_stand_in(GAME, self.table, seat, action))

    def pause(self, seat: int | None) -> tuple[Any, ...]:
        return self.commit("host" if seat is None else seat, tables.decide_pause(GAME, self.table, seat=seat))

    def resume(self, seat: int | None) -> tuple[Any, ...]:
        return self.commit(
            "host" if seat is None else seat, tables.decide_resume(GAME, self.table, seat=seat)
        )

    def leave(self, seat: int) -> tuple[Any, ...]:
        return self.commit(seat, tables.decide_leave(GAME, self.table, seat=seat, removed=False))

    def time_out(self, seat: int) -> tuple[Any, ...]:
        return self.commit("clock", tables.decide_timeout(GAME, self.table, seat=seat, now_ms=self.now))


def refusal(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(Rejected) as caught:
        call(*args, **kwargs)
    return caught.value.code
