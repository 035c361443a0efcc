"""Decisions on a table: who sits, who hosts, when it starts, pauses and ends.

Each function gives a `Decision` or raises `Rejected`; nothing here knows the time or draws at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from domain.dealing import Dealer, KeyedDealer, T
from domain.emitter import Emitted
from domain.errors import Rejected
from domain.events import Event
from domain.game import Emitter
from domain.table import events as happened
from domain.table.folding import evolve, opened, people
from domain.table.state import AnyGame, Decision, Table
from domain.visibility import SPECTATOR


class _TableDealer:
    """Sets up the table's stream only when something is shuffled, which few actions do."""

    __slots__ = ("_dealer", "_table")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._dealer: KeyedDealer | None = None

    def shuffle(self, label: str, items: Sequence[T]) -> tuple[T, ...]:
        if self._dealer is None:
            added = [part.encode() if part else None for part in self._table.entropy]
            self._dealer = KeyedDealer(self._table.deal_key, added)
        return self._dealer.shuffle(label, items)


def dealer_of(table: Table) -> Dealer:
    """The source of the table's shuffles: its key and what the seats added."""
    return _TableDealer(table)


def decision(game: AnyGame, table: Table, *events: Event) -> Decision:
    """The decision that ``events`` follow."""
    for event in events:
        table = evolve(game, table, event)
    return Decision(events, table)


def still_there(table: Table) -> None:
    """Refuse a table that is over. Raises `Rejected` ``finished``."""
    if table.over:
        raise Rejected("finished", f"this table is {table.status}; open a new one")


def revealed(table: Table) -> str | None:
    """The deal key as the last event tells it, or None where the table never reveals it."""
    return table.deal_key.hex() if table.reveal == "end" else None


def decide_open(game: AnyGame, event: happened.TableOpened, *more: Event) -> Decision:
    """Open a table. The server filled the event in; its options are checked already.

    Args:
        more: for a rematch, the seats and spectators that are taken over.
    """
    rest = decision(game, opened(game, event), *more)
    return Decision((event, *more), rest.table)


def decide_sit(
    game: AnyGame,
    table: Table,
    *,
    seat: int | None,
    name: str,
    token_hash: bytes,
    entropy: str | None,
    policy: str | None = None,
) -> Decision:
    """Sit down on ``seat``, or on the first free one; with a ``policy``, a bot does.

    At a table without a host, the first person to sit down becomes it.

    Raises:
        Rejected: ``finished``, ``not_found`` (no such seat), ``seat_taken``, ``table_full``.
    """
    still_there(table)
    free = [number for number, there in enumerate(table.seats) if there is None]
    if seat is not None and not 0 <= seat < len(table.seats):
        raise Rejected("not_found", f"there is no seat {seat}; seats are 0 to {len(table.seats) - 1}")
    if not free:
        raise Rejected("table_full", "every seat of this table is taken")
    if seat is None:
        seat = free[0]
    elif seat not in free:
        raise Rejected("seat_taken", f"seat {seat} is taken; free: {_listed(free)}", {"free": free})
    events: list[Event] = [happened.SeatTaken(seat, name, token_hash, policy is not None, entropy, policy)]
    if not table.host_hash and policy is None:
        events.append(happened.HostPassed(seat))
    return decision(game, table, *events)


def decide_leave(game: AnyGame, table: Table, *, seat: int, removed: bool) -> Decision:
    """Free a seat: its player leaves, or the host removes them.

    In a running game a bot plays on until somebody sits down there, or the seat forfeits, or the table
    waits, as the table was opened. When the last person leaves, the table is abandoned. A host who
    leaves passes that on.

    Raises:
        Rejected: ``finished``; ``not_found`` (nobody sits there).
    """
    still_there(table)
    if not 0 <= seat < len(table.seats) or table.seats[seat] is None:
        raise Rejected("not_found", f"nobody sits on seat {seat}")
    events: list[Event] = [happened.SeatLeft(seat, "removed" if removed else "left")]
    others = [
        number
        for number, there in enumerate(table.seats)
        if there is not None and not there.bot and number != seat
    ]
    if table.status == "playing" and not others:
        events.append(happened.Abandoned("everybody left", revealed(table)))
        return decision(game, table, *events)
    if table.host_seat == seat:
        if others:
            events.append(happened.HostPassed(others[0]))
        else:
            events.append(happened.Abandoned("the host left", revealed(table)))
            return decision(game, table, *events)
    if table.status == "playing" and table.on_timeout == "forfeit":
        events.append(forfeited(game, table, seat))
    else:
        events += granted_without(table, seat)
    return decision(game, table, *events)


def granted_without(table: Table, seat: int) -> list[Event]:
    """What the others have asked for and get now that ``seat`` is not asked any more."""
    left = set(people(table)) - {seat}
    if not table.asked or not left or not left <= set(table.asked):
        return []
    return [happened.Resumed() if table.paused else happened.Paused()]


def decide_host_leave(game: AnyGame, table: Table) -> Decision:
    """The host goes: the first person at the table is host, or without any the table is abandoned."""
    still_there(table)
    there = people(table) or tuple(
        number for number, seat in enumerate(table.seats) if seat is not None and not seat.bot
    )
    if there:
        return decision(game, table, happened.HostPassed(there[0]))
    return decision(game, table, happened.Abandoned("the host left", revealed(table)))


def decide_pass_host(game: AnyGame, table: Table, *, seat: int) -> Decision:
    """Make whoever sits on ``seat`` the host. Raises `Rejected` ``finished``, ``not_found``."""
    still_there(table)
    there = table.seats[seat] if 0 <= seat < len(table.seats) else None
    if there is None or there.bot:
        raise Rejected("not_found", f"no person sits on seat {seat}")
    return decision(game, table, happened.HostPassed(seat))


def decide_mute(game: AnyGame, table: Table, *, seat: int | None, muted: bool) -> Decision:
    """Silence a seat or all spectators (None), or let them talk again; also after the end.

    Raises:
        Rejected: ``not_found`` where nobody sits there.
    """
    if seat is not None and not (0 <= seat < len(table.seats) and table.seats[seat] is not None):
        raise Rejected("not_found", f"nobody sits on seat {seat}")
    return decision(game, table, happened.Muted(muted, seat))


def decide_admit(game: AnyGame, table: Table, *, token_hash: bytes) -> Decision:
    """Issue a spectator's token. Raises `Rejected` ``finished`` for a table that is over."""
    still_there(table)
    return decision(game, table, happened.SpectatorAdmitted(token_hash))


def decide_start(game: AnyGame, table: Table, dealer: Dealer | None = None) -> Decision:
    """Start the game: every seat is taken, the entropy is frozen.

    Raises:
        Rejected: ``already_started``, ``finished``, ``need_players``.
    """
    still_there(table)
    if table.status != "open":
        raise Rejected("already_started", "this table has started")
    free = [number for number, there in enumerate(table.seats) if there is None]
    if free:
        raise Rejected("need_players", f"free seats: {_listed(free)}", {"free": free})
    table = evolve(game, table, happened.Started())
    assert table.state is not None
    emit = Emitted(game, table.state)
    game.start(emit, dealer or dealer_of(table))
    return settled(game, table, emit, (happened.Started(),))


def decide_pause(game: AnyGame, table: Table, *, seat: int | None) -> Decision:
    """Ask for a pause as a seat, or order one as the host (None).

    Raises:
        Rejected: ``not_started``, ``finished``, ``paused``.
    """
    in_play(table)
    if table.paused:
        raise Rejected("paused", "the game is paused already")
    return _ask(game, table, seat, happened.PauseAsked, happened.Paused())


def decide_resume(game: AnyGame, table: Table, *, seat: int | None) -> Decision:
    """Ask to go on as a seat, or order it as the host (None).

    Raises:
        Rejected: ``not_started``, ``finished``, ``illegal_action`` where the game is not paused.
    """
    in_play(table)
    if not table.paused:
        raise Rejected("illegal_action", "the game is not paused")
    return _ask(game, table, seat, happened.ResumeAsked, happened.Resumed())


def _ask(
    game: AnyGame,
    table: Table,
    seat: int | None,
    ask: type[happened.PauseAsked] | type[happened.ResumeAsked],
    granted: Event,
) -> Decision:
    if seat is None:
        return decision(game, table, granted)
    events: list[Event] = [ask(seat)]
    if set(people(table)) <= {*table.asked, seat}:
        events.append(granted)
    return decision(game, table, *events)


def decide_expire(game: AnyGame, table: Table, *, reason: str) -> Decision:
    """End a table without a result. Raises `Rejected` ``finished``."""
    still_there(table)
    return decision(game, table, happened.Abandoned(reason, revealed(table)))


def decide_rematch(game: AnyGame, table: Table, *, following: str) -> Decision:
    """Say where the same players go on.

    Raises:
        Rejected: ``not_started``, ``already_started`` while the game runs, ``need_players`` where a seat
            is free.
    """
    if table.status == "open":
        raise Rejected("not_started", "the first game has not started yet")
    if table.status == "playing":
        raise Rejected("already_started", "the game still runs; ask for a rematch when it is over")
    free = [number for number, there in enumerate(table.seats) if there is None]
    if free:
        raise Rejected("need_players", f"free seats: {_listed(free)}", {"free": free})
    return decision(game, table, happened.RematchOpened(following))


def taken_over(table: Table) -> list[Event]:
    """The events by which a rematch takes over the seats, host, spectators and mutes of ``table``."""
    seats = [
        happened.SeatTaken(number, there.name, there.token_hash, there.bot, None, there.policy)
        for number, there in enumerate(table.seats)
        if there is not None
    ]
    host = [] if table.host_seat is None else [happened.HostPassed(table.host_seat)]
    admitted = [happened.SpectatorAdmitted(known) for known in table.spectator_hashes]
    muted = [happened.Muted(True, None if seat == SPECTATOR else seat) for seat in table.muted]
    return [*seats, *host, *admitted, *muted]


def in_play(table: Table) -> None:
    """Refuse a table whose game does not run. Raises `Rejected` ``not_started`` or ``finished``."""
    if table.status == "playing":
        return
    if table.status == "open":
        raise Rejected("not_started", "the game has not started yet")
    still_there(table)


def settled(game: AnyGame, table: Table, emit: Emitter[Any], before: tuple[Event, ...]) -> Decision:
    """The decision of a game: its events after those ``before``, and the end of the table with the game."""
    table = replace(table, state=emit.state)
    events = (*before, *emit.events)
    result = game.result(emit.state)
    if result is not None:
        finished = happened.Finished(
            result.places, result.scores, result.winners, result.reason, revealed(table)
        )
        events = (*events, finished)
        table = evolve(game, table, finished)
    return Decision(events, table)


def forfeited(game: AnyGame, table: Table, seat: int) -> happened.Finished:
    """The end of a game in which ``seat`` gives up."""
    result = game.forfeit(table.state, seat)
    return happened.Finished(result.places, result.scores, result.winners, "forfeit", revealed(table))


def _listed(seats: list[int]) -> str:
    return ", ".join(map(str, seats))
