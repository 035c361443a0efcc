"""The state of a table; `domain.table.folding` says how commits change it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from domain.events import Event
from domain.game import Game, Options, Result, State
from domain.table.events import Clock, OnTimeout, Reveal, Spectators, Talk

Status = Literal["open", "playing", "finished", "abandoned"]
AnyGame = Game[Any, Any]


class Seat(msgspec.Struct, gc=False, frozen=True):
    """Who sits on a seat.

    Args:
        name: what the others call them.
        token_hash: of the token that makes its bearer the player; empty for a bot.
        bot: whether the server plays here, by ``policy``.
        since: version of the commit that seated them.
        away: whether their time ran out and they have not acted since.
    """

    name: str
    token_hash: bytes
    bot: bool = False
    since: int = 0
    policy: str | None = None
    away: bool = False


class Table(msgspec.Struct, gc=False, frozen=True, kw_only=True):
    """The state of a table: the fold of its commits.

    ``banks_ms`` is what is left of each seat's bank; ``running`` since when each seat is awaited (or, in a
    pause, how long it had been), None where it is not; see `domain.table.clocks`. ``muted`` are seats that
    may not talk, and `SPECTATOR` where no spectator may.
    """

    id: str
    game: str
    version: int = 0
    at_ms: int = 0
    created_ms: int = 0
    status: Status = "open"
    epoch: str
    seats: tuple[Seat | None, ...]
    entropy: tuple[str | None, ...]
    options: Options
    listed: bool
    spectators: Spectators
    reveal: Reveal
    autostart: bool
    commitment: str
    deal_key: bytes
    host_hash: bytes
    host_seat: int | None = None
    spectator_hashes: tuple[bytes, ...] = ()
    clock: Clock | None = None
    on_timeout: OnTimeout = "bot"
    banks_ms: tuple[int, ...] = ()
    running: tuple[int | None, ...] = ()
    paused: bool = False
    asked: tuple[int, ...] = ()
    state: State | None = None
    result: Result | None = None
    talk: Talk = "all"
    muted: tuple[int, ...] = ()
    previous: str | None = None
    next: str | None = None

    @property
    def over(self) -> bool:
        """Whether no game can be played at this table any more."""
        return self.status in ("finished", "abandoned")


class Decision(msgspec.Struct, gc=False, frozen=True):
    """The events that answer a command, and the table after them (not yet `sealed`)."""

    events: tuple[Event, ...]
    table: Table
