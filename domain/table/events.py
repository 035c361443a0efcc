"""Events common to the tables of all games."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from domain.events import Event, Public
from domain.visibility import PUBLIC, SECRET

Who = Literal["all", "token", "none"]
Reveal = Literal["end", "never"]
Talk = Literal["seats", "all", "none"]
OnTimeout = Literal["bot", "forfeit", "wait"]

DAY_MS = 24 * 3600 * 1000


class Spectators(msgspec.Struct, gc=False, frozen=True, forbid_unknown_fields=True):
    """Who may watch, and how many commits later than the seats (never later than the end)."""

    who: Who = "all"
    delay: Annotated[int, msgspec.Meta(ge=0, le=200)] = 0


class Clock(msgspec.Struct, gc=False, frozen=True, forbid_unknown_fields=True):
    """How long a seat may think: ``move_ms`` for each action, and ``bank_ms`` in all beyond that."""

    move_ms: Annotated[int, msgspec.Meta(ge=0, le=7 * DAY_MS)]
    bank_ms: Annotated[int, msgspec.Meta(ge=0, le=7 * DAY_MS)] = 0


class TableOpened(Public, frozen=True, tag="table_opened"):
    """The first event of a log: everything that was settled when the table was created.

    ``previous`` is the table that this one is the rematch of.
    """

    table: Annotated[str, PUBLIC]
    game: Annotated[str, PUBLIC]
    seats: Annotated[int, PUBLIC]
    options: Annotated[dict[str, Any], PUBLIC]
    epoch: Annotated[str, PUBLIC]
    listed: Annotated[bool, PUBLIC]
    spectators: Annotated[Spectators, PUBLIC]
    reveal: Annotated[Reveal, PUBLIC]
    autostart: Annotated[bool, PUBLIC]
    commitment: Annotated[str, PUBLIC]
    deal_key: Annotated[bytes, SECRET]
    host_hash: Annotated[bytes, SECRET]
    clock: Annotated[Clock | None, PUBLIC] = None
    on_timeout: Annotated[OnTimeout, PUBLIC] = "bot"
    previous: Annotated[str | None, PUBLIC] = None
    talk: Annotated[Talk, PUBLIC] = "all"


class SeatTaken(Public, frozen=True, tag="seat_taken"):
    """Somebody sat down. ``entropy`` is the text that they added to the shuffles, if any.

    A bot's seat has no token; ``policy`` says how it plays.
    """

    seat: Annotated[int, PUBLIC]
    name: Annotated[str, PUBLIC]
    token_hash: Annotated[bytes, SECRET]
    bot: Annotated[bool, PUBLIC] = False
    entropy: Annotated[str | None, PUBLIC] = None
    policy: Annotated[str | None, PUBLIC] = None


class SeatLeft(Public, frozen=True, tag="seat_left"):
    """A seat is free again; its token is dead."""

    seat: Annotated[int, PUBLIC]
    reason: Annotated[Literal["left", "removed"], PUBLIC]


class SpectatorAdmitted(Public, frozen=True, tag="spectator_admitted"):
    """The host issued a token for a spectator."""

    token_hash: Annotated[bytes, SECRET]


class HostPassed(Public, frozen=True, tag="host_passed"):
    """Whoever sits on ``seat`` is the host now; the old host's token has no power any more."""

    seat: Annotated[int, PUBLIC]


class Muted(Public, frozen=True, tag="muted"):
    """The host silenced a seat, or (without ``seat``) all spectators, or let them talk again."""

    muted: Annotated[bool, PUBLIC]
    seat: Annotated[int | None, PUBLIC] = None


class Started(Public, frozen=True, tag="started"):
    """The game began; the events of its beginning follow in the same commit."""


class TimedOut(Public, frozen=True, tag="timed_out"):
    """A seat's time ran out; ``then`` says what follows: a bot plays for it, it forfeits, or all wait."""

    seat: Annotated[int, PUBLIC]
    then: Annotated[OnTimeout, PUBLIC]


class Returned(Public, frozen=True, tag="returned"):
    """The player of a seat that was away acts again."""

    seat: Annotated[int, PUBLIC]


class PlayedFor(Public, frozen=True, tag="played_for"):
    """The events that follow are the move of a bot that stands in for the absent player of ``seat``."""

    seat: Annotated[int, PUBLIC]


class PauseAsked(Public, frozen=True, tag="pause_asked"):
    """A seat wants a pause; there is one when all players want it."""

    seat: Annotated[int, PUBLIC]


class Paused(Public, frozen=True, tag="paused"):
    """Nobody can act and no clock runs."""


class ResumeAsked(Public, frozen=True, tag="resume_asked"):
    """A seat wants to go on; the game goes on when all players want it."""

    seat: Annotated[int, PUBLIC]


class Resumed(Public, frozen=True, tag="resumed"):
    """The game goes on, clocks where they were."""


class Finished(Public, frozen=True, tag="finished"):
    """The game ended. With ``reveal: end`` the deal key (hexadecimal) is told here, once and for all."""

    places: Annotated[tuple[int, ...], PUBLIC]
    scores: Annotated[tuple[int, ...], PUBLIC]
    winners: Annotated[tuple[int, ...], PUBLIC]
    reason: Annotated[str, PUBLIC]
    deal_key: Annotated[str | None, PUBLIC] = None


class Abandoned(Public, frozen=True, tag="abandoned"):
    """The table ended without a result."""

    reason: Annotated[str, PUBLIC]
    deal_key: Annotated[str | None, PUBLIC] = None


class RematchOpened(Public, frozen=True, tag="rematch_opened"):
    """The same players go on at the table ``next``. It may follow the end of a game."""

    next: Annotated[str, PUBLIC]


REMOVED_NAME = "(removed)"
"""What stands in a log where a name was taken out."""


class NameRemoved(Public, frozen=True, tag="name_removed"):
    """The name of whoever sat down on ``seat`` with version ``sat_at`` was taken out of the log.

    The only event that tells of a change to what came before it: that version says ``(removed)`` now, and
    the table has another epoch. It may follow the end of a game.
    """

    seat: Annotated[int, PUBLIC]
    sat_at: Annotated[int, PUBLIC]


TABLE_EVENTS: tuple[type[Event], ...] = (
    TableOpened,
    SeatTaken,
    SeatLeft,
    SpectatorAdmitted,
    HostPassed,
    Muted,
    Started,
    TimedOut,
    Returned,
    PlayedFor,
    PauseAsked,
    Paused,
    ResumeAsked,
    Resumed,
    Finished,
    Abandoned,
    RematchOpened,
    NameRemoved,
)
