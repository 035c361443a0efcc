"""How commits change the state of a table."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from domain import actions as grammar
from domain.errors import CorruptLog
from domain.events import Commit, Event
from domain.game import Result, State
from domain.table import clocks
from domain.table import events as happened
from domain.table.events import TableOpened
from domain.table.state import AnyGame, Seat, Table
from domain.visibility import SPECTATOR, see


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
        clock=event.clock,
        on_timeout=event.on_timeout,
        banks_ms=(event.clock.bank_ms if event.clock else 0,) * event.seats,
        running=(None,) * event.seats,
        previous=event.previous,
        talk=event.talk,
    )


def evolve(game: AnyGame, table: Table, event: Event) -> Table:
    """The table after ``event``. Never refuses."""
    match event:
        case happened.SeatTaken(seat=seat):
            there = Seat(event.name, event.token_hash, event.bot, table.version + 1, event.policy)
            return _seated(table, seat, there, event.entropy)
        case happened.SeatLeft(seat=seat):
            return _seated(table, seat, None, None)
        case happened.SpectatorAdmitted(token_hash=token_hash):
            return replace(table, spectator_hashes=(*table.spectator_hashes, token_hash))
        case happened.HostPassed(seat=seat):
            host = table.seats[seat]
            return replace(table, host_seat=seat, host_hash=host.token_hash if host else table.host_hash)
        case happened.Muted(muted=muted, seat=seat):
            who = SPECTATOR if seat is None else seat
            others = {number for number in table.muted if number != who}
            return replace(table, muted=tuple(sorted(others | {who} if muted else others)))
        case happened.Started():
            return replace(table, status="playing", state=game.initial(table.options, len(table.seats)))
        case happened.TimedOut(seat=seat) | happened.Returned(seat=seat):
            return _away(table, seat, isinstance(event, happened.TimedOut))
        case happened.PauseAsked(seat=seat) | happened.ResumeAsked(seat=seat):
            return replace(table, asked=tuple(sorted({*table.asked, seat})))
        case happened.Paused():
            return replace(table, paused=True, asked=())
        case happened.Resumed():
            return replace(table, paused=False, asked=())
        case happened.Finished():
            result = Result(event.places, event.scores, event.winners, event.reason)
            return replace(table, status="finished", result=result, paused=False, asked=())
        case happened.Abandoned():
            return replace(table, status="abandoned", paused=False, asked=())
        case happened.RematchOpened():
            return replace(table, next=event.next)
        case happened.NameRemoved(seat=seat):
            return _nameless(table, seat, event.sat_at)
        case _:
            if table.state is None:
                return table
            return replace(table, state=game.evolve(table.state, event))


def _seated(table: Table, seat: int, there: Seat | None, added: str | None) -> Table:
    seats, entropy = list(table.seats), list(table.entropy)
    seats[seat] = there
    if table.status == "open":
        entropy[seat] = added
    asked = tuple(other for other in table.asked if other != seat)
    muted = tuple(other for other in table.muted if other != seat)
    return replace(table, seats=tuple(seats), entropy=tuple(entropy), asked=asked, muted=muted)


def _away(table: Table, seat: int, away: bool) -> Table:
    there = table.seats[seat]
    if there is None:
        return table
    return _changed(table, seat, replace(there, away=away))


def _nameless(table: Table, seat: int, sat_at: int) -> Table:
    there = table.seats[seat]
    if there is None or there.since != sat_at:
        return table
    return _changed(table, seat, replace(there, name=happened.REMOVED_NAME))


def _changed(table: Table, seat: int, there: Seat) -> Table:
    """The table with whoever sits on ``seat`` as they are now."""
    return replace(table, seats=(*table.seats[:seat], there, *table.seats[seat + 1 :]))


def apply(game: AnyGame, table: Table | None, commit: Commit) -> Table:
    """The table after ``commit``.

    Raises:
        CorruptLog: the commit does not follow: a gap in versions, or no table at its beginning.
    """
    version = table.version if table else 0
    if commit.version != version + 1:
        raise CorruptLog(f"version {commit.version} cannot follow version {version}")
    events = iter(commit.events)
    after = table
    if after is None:
        first = next(events, None)
        if not isinstance(first, TableOpened):
            raise CorruptLog("version 1 does not open a table")
        after = opened(game, first)
    for event in events:
        after = evolve(game, after, event)
    return sealed(game, table, after, commit)


def fold(game: AnyGame, commits: Iterable[Commit], table: Table | None = None) -> Table | None:
    """The table after all ``commits``, as `apply` one by one would give it, but faster.

    Runs of a game's own events change the game's state alone, so the table around it is made once.

    Raises:
        CorruptLog: a commit does not follow.
    """
    state: State | None = None
    last: Commit | None = None
    evolved = game.evolve
    expected = 0 if table is None else table.version
    alone = _alone(table)
    for commit in commits:
        expected += 1
        events = commit.events
        if not alone or any(type(event) in _TABLE_KINDS for event in events):
            table = apply(game, _flushed(table, state, last), commit)
            state, last = table.state, None
            alone = _alone(table)
            continue
        if commit.version != expected:
            raise CorruptLog(f"version {commit.version} cannot follow version {expected - 1}")
        if state is None:
            assert table is not None
            state = table.state
        for event in events:
            state = evolved(state, event)
        last = commit
    return _flushed(table, state, last)


def _alone(table: Table | None) -> bool:
    """Whether a game's own events change nothing but its state."""
    return table is not None and table.clock is None and table.state is not None


def _flushed(table: Table | None, state: State | None, last: Commit | None) -> Table | None:
    if table is None or last is None or state is None:
        return table
    return stamped(replace(table, state=state), last.version, last.at_ms)


_TABLE_KINDS = frozenset(happened.TABLE_EVENTS)


def sealed(game: AnyGame, before: Table | None, after: Table, commit: Commit) -> Table:
    """The table that a decision led to, with version, time and clocks of the commit that stored it."""
    after = stamped(after, commit.version, commit.at_ms)
    if after.clock is None:
        return after
    banks, running = clocks.ticked(before, after, commit, waiting(game, after))
    return replace(after, banks_ms=banks, running=running)


def stamped(table: Table, version: int, at_ms: int) -> Table:
    """The table with version and time of a commit; clocks are not moved."""
    created = at_ms if version == 1 else table.created_ms
    return replace(table, version=version, at_ms=at_ms, created_ms=created)


def waiting(game: AnyGame, table: Table) -> tuple[int, ...]:
    """The seats that the table waits for; public. Nobody in a pause."""
    if table.status != "playing" or table.state is None or table.paused:
        return ()
    return game.waiting(see(table.state, SPECTATOR))


def actions(game: AnyGame, table: Table, viewer: int) -> list[grammar.Offer]:
    """What ``viewer`` may do at this table now; ``[]`` for whoever may not act."""
    if table.status != "playing" or table.state is None or viewer < 0 or table.paused:
        return []
    return game.actions(see(table.state, viewer), viewer)


def people(table: Table) -> tuple[int, ...]:
    """The seats on which a person sits who is not away."""
    return tuple(
        number
        for number, there in enumerate(table.seats)
        if there is not None and not there.bot and not there.away
    )


def stand_in(table: Table, seat: int) -> str | None:
    """The policy by which the server plays ``seat`` now, or None where a person does, or all wait."""
    there = table.seats[seat]
    if there is not None and there.bot:
        return there.policy
    if table.on_timeout == "bot" and (there is None or there.away):
        return STAND_IN
    return None


def stand_ins(table: Table) -> tuple[int, ...]:
    """The seats that the server plays now."""
    # At most tables there are none, and this is asked at every move.
    odd = [number for number, there in enumerate(table.seats) if there is None or there.bot or there.away]
    return tuple(seat for seat in odd if stand_in(table, seat) is not None) if odd else ()


STAND_IN = "greedy"
"""The policy of a bot that plays for somebody who is away or has left."""
