"""Turn clocks, as a fold of the log: nothing of them is stored but the times of the commits.

A seat that the table waits for has ``move_ms`` for its action and then its bank. Every action starts
anew. What an action took beyond ``move_ms`` leaves the bank when it is done, or when the time is up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from domain.events import Commit
from domain.table.events import PauseAsked, PlayedFor, ResumeAsked

if TYPE_CHECKING:
    from domain.table.state import Table


def deadline(table: Table, seat: int) -> int | None:
    """When the time of ``seat`` runs out (ms since 1970), or None where no clock runs for it.

    Only a person who is there has a clock: not a bot, not a free seat, not a player who is away.
    """
    if table.clock is None or table.paused or not _thinks(table, seat):
        return None
    since = table.running[seat]
    return None if since is None else since + table.clock.move_ms + table.banks_ms[seat]


def deadlines(table: Table) -> dict[int, int]:
    """The deadline of every seat for which a clock runs, by seat."""
    found = {}
    for seat in range(len(table.seats)):
        if (at := deadline(table, seat)) is not None:
            found[seat] = at
    return found


def ticked(
    before: Table | None, after: Table, commit: Commit, waiting: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """Banks and running clocks after ``commit``.

    Args:
        before: the table before it.
        after: the table after its events, clocks not yet moved.
        waiting: the seats awaited now, nobody in a pause.
    """
    clock = after.clock
    assert clock is not None
    now = commit.at_ms
    if after.paused:
        if before is None or before.paused:
            sat = _actor(commit)  # whoever sits down in a pause begins with a whole move
            fresh = (
                0 if seat == sat and spent is not None else spent for seat, spent in enumerate(after.running)
            )
            return after.banks_ms, tuple(fresh)
        return after.banks_ms, tuple(None if since is None else now - since for since in after.running)
    running = after.running
    if before is not None and before.paused:
        running = tuple(None if spent is None else now - spent for spent in running)
    actor = _actor(commit)
    banks: list[int] = []
    since: list[int | None] = []
    for seat, started in enumerate(running):
        bank = after.banks_ms[seat]
        done = started is not None and (seat == actor or seat not in waiting)
        thought = before is not None and _thinks(before, seat)
        if started is not None and thought and (done or not _thinks(after, seat)):
            bank = max(0, bank - max(0, now - started - clock.move_ms))
        banks.append(bank)
        if seat not in waiting:
            since.append(None)
        else:
            since.append(now if started is None or done else started)
    return tuple(banks), tuple(since)


def _thinks(table: Table, seat: int) -> bool:
    there = table.seats[seat]
    return there is not None and not there.bot and not there.away


def _actor(commit: Commit) -> int | None:
    """The seat whose thinking ended with this commit, or that was taken by it."""
    for event in commit.events:
        if isinstance(event, PlayedFor):
            return event.seat
        if isinstance(event, PauseAsked | ResumeAsked):
            return None  # asking is no move: it must not wind up the clock
    return commit.by if isinstance(commit.by, int) else None
