"""The table aggregate: who sits, what is being played, how it ended. It wraps any game.

``open -> playing -> finished | abandoned``. Each function ``decide_*`` gives a `Decision` (the events
and the table after them) or raises `Rejected`; `evolve` and `apply` fold. Secrets stand in the log
as hashes, but for the deal key, whose field nobody is ever shown.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from domain import actions as grammar
from domain.dealing import Dealer, KeyedDealer
from domain.errors import CorruptLog, Rejected
from domain.events import Commit, Event, Public
from domain.game import Emitter, Game, Options, Result, State
from domain.visibility import PUBLIC, SECRET, SPECTATOR, see

Status = Literal["open", "playing", "finished", "abandoned"]
Who = Literal["all", "token", "none"]


class Spectators(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may watch, and how many commits later than the seats (never later than the end)."""

    who: Who = "all"
    delay: Annotated[int, msgspec.Meta(ge=0, le=200)] = 0


# --- events -----------------------------------------------------------------------------------------


class TableOpened(Public, frozen=True, tag="table_opened"):
    """The first event of a log: everything that was settled when the table was created."""

    table: Annotated[str, PUBLIC]
    game: Annotated[str, PUBLIC]
    seats: Annotated[int, PUBLIC]
    options: Annotated[dict[str, Any], PUBLIC]
    epoch: Annotated[str, PUBLIC]
    listed: Annotated[bool, PUBLIC]
    spectators: Annotated[Spectators, PUBLIC]
    reveal: Annotated[Literal["end", "never"], PUBLIC]
    autostart: Annotated[bool, PUBLIC]
    commitment: Annotated[str, PUBLIC]
    deal_key: Annotated[bytes, SECRET]
    host_hash: Annotated[bytes, SECRET]


class SeatTaken(Public, frozen=True, tag="seat_taken"):
    """Somebody sat down. ``entropy`` is the text that they added to the shuffles, if any."""

    seat: Annotated[int, PUBLIC]
    name: Annotated[str, PUBLIC]
    token_hash: Annotated[bytes, SECRET]
    bot: Annotated[bool, PUBLIC] = False
    entropy: Annotated[str | None, PUBLIC] = None


class SeatLeft(Public, frozen=True, tag="seat_left"):
    """A seat is free again; its token is dead."""

    seat: Annotated[int, PUBLIC]
    reason: Annotated[Literal["left", "removed"], PUBLIC]


class SpectatorAdmitted(Public, frozen=True, tag="spectator_admitted"):
    """The host issued a token for a spectator."""

    token_hash: Annotated[bytes, SECRET]


class Started(Public, frozen=True, tag="started"):
    """The game began; the events of its beginning follow in the same commit."""


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


TABLE_EVENTS: tuple[type[Event], ...] = (
    TableOpened,
    SeatTaken,
    SeatLeft,
    SpectatorAdmitted,
    Started,
    Finished,
    Abandoned,
)


# --- state ------------------------------------------------------------------------------------------


class Seat(msgspec.Struct, frozen=True):
    """Who sits on a seat, ``since`` the version of the commit that seated them."""

    name: str
    token_hash: bytes
    bot: bool = False
    since: int = 0


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a table: the fold of its commits."""

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
    reveal: Literal["end", "never"]
    autostart: bool
    commitment: str
    deal_key: bytes
    host_hash: bytes
    spectator_hashes: tuple[bytes, ...] = ()
    state: State | None = None
    result: Result | None = None

    @property
    def over(self) -> bool:
        """Whether nothing can happen at this table any more."""
        return self.status in ("finished", "abandoned")


class Decision(msgspec.Struct, frozen=True):
    """The events that answer a command, and the table after them (version and time not yet set)."""

    events: tuple[Event, ...]
    table: Table


AnyGame = Game[Any, Any]


def dealer_of(table: Table) -> Dealer:
    """The source of the table's shuffles: its key and what the seats added."""
    return KeyedDealer(table.deal_key, [part.encode() if part else None for part in table.entropy])


# --- fold -------------------------------------------------------------------------------------------


def opened(game: AnyGame, event: TableOpened) -> Table:
    """The table that the first event of a log makes."""
    return Table(
        id=event.table,
        game=event.game,
        epoch=event.epoch,
        seats=(None,) * event.seats,
        entropy=(None,) * event.seats,
        options=msgspec.convert(event.options, game.options),
        listed=event.listed,
        spectators=event.spectators,
        reveal=event.reveal,
        autostart=event.autostart,
        commitment=event.commitment,
        deal_key=event.deal_key,
        host_hash=event.host_hash,
    )


def evolve(game: AnyGame, table: Table, event: Event) -> Table:
    """The table after ``event``. Never refuses."""
    change = msgspec.structs.replace
    match event:
        case SeatTaken():
            seats, entropy = list(table.seats), list(table.entropy)
            seats[event.seat] = Seat(event.name, event.token_hash, event.bot, table.version + 1)
            if table.status == "open":
                entropy[event.seat] = event.entropy
            return change(table, seats=tuple(seats), entropy=tuple(entropy))
        case SeatLeft():
            seats, entropy = list(table.seats), list(table.entropy)
            seats[event.seat] = None
            if table.status == "open":
                entropy[event.seat] = None
            return change(table, seats=tuple(seats), entropy=tuple(entropy))
        case SpectatorAdmitted():
            return change(table, spectator_hashes=(*table.spectator_hashes, event.token_hash))
        case Started():
            return change(table, status="playing", state=game.initial(table.options, len(table.seats)))
        case Finished():
            result = Result(event.places, event.scores, event.winners, event.reason)
            return change(table, status="finished", result=result)
        case Abandoned():
            return change(table, status="abandoned")
        case _:
            if table.state is None:
                return table
            return change(table, state=game.evolve(table.state, event))


def apply(game: AnyGame, table: Table | None, commit: Commit) -> Table:
    """The table after ``commit``.

    Raises:
        CorruptLog: the commit does not follow: a gap in versions, or no table at its beginning.
    """
    version = table.version if table else 0
    if commit.version != version + 1:
        raise CorruptLog(f"version {commit.version} cannot follow version {version}")
    events = iter(commit.events)
    created_ms = commit.at_ms
    if table is None:
        first = next(events, None)
        if not isinstance(first, TableOpened):
            raise CorruptLog("version 1 does not open a table")
        table = opened(game, first)
    else:
        created_ms = table.created_ms
    for event in events:
        table = evolve(game, table, event)
    return stamped(table, commit.version, commit.at_ms, created_ms)


def stamped(table: Table, version: int, at_ms: int, created_ms: int | None = None) -> Table:
    """The table with the version and time of the commit that led to it."""
    created = at_ms if version == 1 else (table.created_ms if created_ms is None else created_ms)
    return msgspec.structs.replace(table, version=version, at_ms=at_ms, created_ms=created)


# --- decisions --------------------------------------------------------------------------------------


def _decision(game: AnyGame, table: Table, *events: Event) -> Decision:
    for event in events:
        table = evolve(game, table, event)
    return Decision(events, table)


def _still_there(table: Table) -> None:
    if table.over:
        raise Rejected("finished", f"this table is {table.status}; open a new one")


def decide_open(game: AnyGame, event: TableOpened) -> Decision:
    """Open a table. The server filled the event in; its options are checked already."""
    return Decision((event,), opened(game, event))


def decide_sit(
    game: AnyGame,
    table: Table,
    *,
    seat: int | None,
    name: str,
    token_hash: bytes,
    entropy: str | None,
    bot: bool = False,
) -> Decision:
    """Sit down on ``seat``, or on the first free one.

    Raises:
        Rejected: ``finished``, ``not_found`` (no such seat), ``seat_taken``, ``table_full``.
    """
    _still_there(table)
    free = [number for number, there in enumerate(table.seats) if there is None]
    if seat is not None and not 0 <= seat < len(table.seats):
        raise Rejected(
            "not_found", f"there is no seat {seat}: this table has seats 0 to {len(table.seats) - 1}"
        )
    if not free:
        raise Rejected("table_full", "every seat of this table is taken")
    if seat is None:
        seat = free[0]
    elif seat not in free:
        raise Rejected(
            "seat_taken", f"seat {seat} is taken; free: {', '.join(map(str, free))}", {"free": free}
        )
    return _decision(game, table, SeatTaken(seat, name, token_hash, bot, entropy))


def decide_leave(game: AnyGame, table: Table, *, seat: int, removed: bool) -> Decision:
    """Free a seat: its player leaves, or the host removes them.

    A running game goes on and waits for whoever sits down there next; when the last person leaves a
    running game, the table is abandoned.

    Raises:
        Rejected: ``finished``; ``not_found`` (nobody sits there).
    """
    _still_there(table)
    if not 0 <= seat < len(table.seats) or table.seats[seat] is None:
        raise Rejected("not_found", f"nobody sits on seat {seat}")
    events: list[Event] = [SeatLeft(seat, "removed" if removed else "left")]
    people = sum(
        there is not None and not there.bot for number, there in enumerate(table.seats) if number != seat
    )
    if table.status == "playing" and not people:
        events.append(Abandoned("everybody left", _revealed(table)))
    return _decision(game, table, *events)


def decide_admit(game: AnyGame, table: Table, *, token_hash: bytes) -> Decision:
    """Issue a spectator's token. Raises `Rejected` ``finished`` for a table that is over."""
    _still_there(table)
    return _decision(game, table, SpectatorAdmitted(token_hash))


def decide_start(game: AnyGame, table: Table, dealer: Dealer | None = None) -> Decision:
    """Start the game: every seat is taken, the entropy is frozen.

    Raises:
        Rejected: ``already_started``, ``finished``, ``need_players``.
    """
    _still_there(table)
    if table.status != "open":
        raise Rejected("already_started", "this table has started")
    free = [number for number, there in enumerate(table.seats) if there is None]
    if free:
        raise Rejected("need_players", f"free seats: {', '.join(map(str, free))}", {"free": free})
    table = evolve(game, table, Started())
    assert table.state is not None
    emit = Emitter(game, table.state)
    game.start(emit, dealer or dealer_of(table))
    return _settled(game, table, emit, Started())


def decide_act(
    game: AnyGame,
    table: Table,
    seat: int,
    action: Mapping[str, Any],
    *,
    if_version: int | None = None,
    dealer: Dealer | None = None,
) -> Decision:
    """An action of a seat in the game.

    Raises:
        Rejected: in this order ``not_started`` / ``finished``, ``version_conflict``, ``not_your_turn``,
            ``illegal_action``.
    """
    if table.status == "open":
        raise Rejected("not_started", "the game has not started yet")
    _still_there(table)
    if if_version is not None and if_version != table.version:
        raise Rejected(
            "version_conflict",
            f"the table is at version {table.version}, not {if_version}",
            {"version": table.version},
        )
    state = table.state
    assert state is not None
    seen = see(state, seat)
    offers = game.actions(seen, seat)
    if not offers:
        waiting = game.waiting(see(state, SPECTATOR))
        names = ", ".join(f"seat {number}" for number in waiting)
        raise Rejected(
            "not_your_turn",
            f"seat {seat} cannot act now; the game waits for {names}",
            {"waiting": list(waiting)},
        )
    if not grammar.allows(offers, action):
        message = game.explain(seen, seat, action, offers) or grammar.explain(offers, action)
        raise Rejected("illegal_action", message)
    emit = Emitter(game, state)
    game.decide(emit, seat, action, dealer or dealer_of(table))
    return _settled(game, table, emit)


def _settled(game: AnyGame, table: Table, emit: Emitter[Any], *before: Event) -> Decision:
    table = msgspec.structs.replace(table, state=emit.state)
    events = (*before, *emit.events)
    result = game.result(emit.state)
    if result is not None:
        finished = Finished(result.places, result.scores, result.winners, result.reason, _revealed(table))
        events = (*events, finished)
        table = evolve(game, table, finished)
    return Decision(events, table)


def _revealed(table: Table) -> str | None:
    return table.deal_key.hex() if table.reveal == "end" else None


# --- who is who -------------------------------------------------------------------------------------


def seat_of(table: Table, token_hash: bytes) -> int | None:
    """The seat that a token belongs to, or None. Compares in constant time."""
    for number, there in enumerate(table.seats):
        if there is not None and hmac.compare_digest(there.token_hash, token_hash):
            return number
    return None


def is_host(table: Table, token_hash: bytes) -> bool:
    """Whether a token is the host's."""
    return hmac.compare_digest(table.host_hash, token_hash)


def is_admitted(table: Table, token_hash: bytes) -> bool:
    """Whether a token is one that the host issued for a spectator."""
    return any(hmac.compare_digest(known, token_hash) for known in table.spectator_hashes)


def waiting(game: AnyGame, table: Table) -> tuple[int, ...]:
    """The seats that the table waits for; public."""
    if table.status != "playing" or table.state is None:
        return ()
    return game.waiting(see(table.state, SPECTATOR))


def actions(game: AnyGame, table: Table, viewer: int) -> list[grammar.Offer]:
    """What ``viewer`` may do at this table now; ``[]`` for whoever may not act."""
    if table.status != "playing" or table.state is None or viewer < 0:
        return []
    return game.actions(see(table.state, viewer), viewer)
