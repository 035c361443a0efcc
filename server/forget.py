"""Takes the name of a person out of stored tables, for good.

Names stand where somebody sat down: in that entry of the log and in the request that it answers; the talk of
a seat stands beside the log. The entries are written anew with ``(removed)`` in the place of the name,
versions and times as they were, and one entry follows that says so (`domain.table.NameRemoved`). The table
gets another epoch, so whoever knows its history has to read it again. All else stays: the moves, the shuffles
and what proves them, the hash of the seat's token, by which a player who is still there plays on.

Every step may be repeated. The log comes last: as long as a name is in it, another run finds what is left.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
import structlog

from domain.events import Event, encode_commit
from domain.table import REMOVED_NAME, NameRemoved
from server.archive import Archived
from server.hearing import decoder
from server.jobs import NoSuchTable
from server.store.base import Archive, Entry, StoreUnavailable
from server.tokens import is_table, new_epoch

log = structlog.get_logger(__name__)

LATE_S = 6.0
"""How long to wait for a rematch that is being opened: longer than a process tries to store it."""
_LOOK_S = 0.25

_decode = msgspec.msgpack.Decoder().decode
_encode = msgspec.msgpack.Encoder().encode


class Sat(NamedTuple):
    """Somebody who sat down: where, with which version and until which, and by which token."""

    seat: int
    name: str
    since: int
    until: float
    token_hash: bytes


class Forgotten(msgspec.Struct, frozen=True):
    """A table, and how many names were taken out of it now."""

    table: str
    names: int


class Whom(NamedTuple):
    """Whose name: of everybody who ever sat on a seat, or bore a name, or both; bots are nobody."""

    seat: int | None = None
    name: str | None = None

    def means(self, sat: Sat) -> bool:
        """Whether it is this one."""
        if self.name is not None and _plain(self.name) != sat.name:
            return False
        return self.seat in (None, sat.seat)


class NobodyThere(Exception):
    """Nobody who is meant ever sat at the table, and no name was taken out there before."""


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


async def forget(store: Archive, table: str, whom: Whom) -> list[Forgotten]:
    """Take a name out of a table, and out of its rematches for whoever went on there with the same token.

    Args:
        store: with the archive, where there is one.
        table: where to begin.
        whom: at least a seat or a name.

    Raises:
        NoSuchTable: there is no such table.
        NobodyThere: whoever is meant never sat there. A name that is gone cannot be told from one that was
            never there, so this is not said of a seat, or a table, out of which a name was taken before.
        StoreUnavailable, HistoryBroken, CorruptLog: it is done in part; another run does the rest.
        OSError: an archived table cannot be written.
    """
    if not is_table(table):
        raise NoSuchTable(table)
    entries = await store.read(table)
    if not entries:
        raise NoSuchTable(table)
    found: list[Forgotten] = []
    sats = _sats(entries)
    hashes = {sat.token_hash for sat in sats if whom.means(sat)}
    if not hashes and not any(Whom(whom.seat, REMOVED_NAME).means(sat) for sat in sats):
        raise NobodyThere(table)
    seen = {table}
    linked = _linked(entries) if hashes else []
    absent = [other for other in linked if not await _same_person(store, other, hashes, seen, found)]
    found.append(Forgotten(table, await _from(store, table, whom.means)))
    for other in (other for other in absent if other in _following(entries)):
        # A process that agreed on a rematch before may be about to open it, with the name that it knows.
        for _ in range(round(LATE_S / _LOOK_S)):
            if await _same_person(store, other, hashes, seen - {other}, found):
                break
            await asyncio.sleep(_LOOK_S)
    return [one for one in found if one.names]


async def _same_person(
    store: Archive, table: str, hashes: set[bytes], seen: set[str], found: list[Forgotten]
) -> bool:
    """Follow the rematches of a table in both directions. Gives whether the table is there."""
    if table in seen:
        return True
    seen.add(table)
    entries = await store.read(table)
    for linked in _linked(entries):
        await _same_person(store, linked, hashes, seen, found)
    if entries:
        found.append(Forgotten(table, await _from(store, table, lambda sat: sat.token_hash in hashes)))
    return bool(entries)


async def _from(store: Archive, table: str, means: Callable[[Sat], bool]) -> int:
    """Take names out of one table: out of its talk, its file, and its log."""
    async with _held(store, table) as archive:
        while True:
            there = await archive.inner.read(table) if archive else await store.read(table)
            filed = archive.filed(table) if archive else None
            entries = there or filed or []
            sats = [sat for one in (there, filed or []) for sat in _sats(one) if means(sat)]
            await store.unsay(table, [said for said in await store.said(table) if _of(said, sats)])
            new, names = _without(entries, means)
            note = encode_commit("server", names, None)
            if archive and filed is not None and there:
                # An earlier end of the log, left when the table went on. It is read no more.
                older, more = _without(filed, means)
                if more:
                    archive.refile(table, older)
            if not names:
                return 0
            if not there:
                assert archive is not None
                if await archive.replace(table, new, note):
                    break
            elif await store.rewrite(table, new, note) is not None:
                break
    log.info("names_removed", table=table, names=len(names))
    await store.signal("look", table.encode())
    await store.signal("lobby", table.encode())
    return len(names)


@asynccontextmanager
async def _held(store: Archive, table: str) -> AsyncIterator[Archived | None]:
    """The archive, with nobody else moving the table into it or out of it; None where there is no archive."""
    if not isinstance(store, Archived):
        yield None
        return
    async with store.held(table):
        yield store


def _without(
    entries: Sequence[Entry], means: Callable[[Sat], bool]
) -> tuple[list[Entry], tuple[NameRemoved, ...]]:
    """A log without some names and with another epoch, and what is to be said of it; () where nothing is."""
    gone = {(sat.since, sat.seat) for sat in _sats(entries) if means(sat) and sat.name != REMOVED_NAME}
    if not gone:
        return list(entries), ()
    new = []
    for entry in entries:
        commit: dict[str, Any] = _decode(entry.data)
        for event in commit["events"]:
            if _is(event, "table_opened"):
                event["epoch"] = new_epoch()
            if _is(event, "seat_taken") and (entry.version, event["seat"]) in gone:
                event["name"] = REMOVED_NAME
                action = (commit.get("command") or {}).get("action", {})
                if action.get("type") == "sit":
                    action["name"] = None
        new.append(entry._replace(data=_encode(commit)))
    return new, tuple(NameRemoved(seat, version) for version, seat in sorted(gone))


def _sats(entries: Sequence[Entry]) -> list[Sat]:
    """Every person who ever sat at a table."""
    found: list[Sat] = []
    for version, event in _events(entries):
        if _is(event, "seat_taken") or _is(event, "seat_left"):
            seat = event["seat"]
            there = [sat for sat in found if sat.seat == seat and sat.until == _EVER]
            found = [sat._replace(until=version) if sat in there else sat for sat in found]
        if _is(event, "seat_taken") and not event.get("bot"):
            found.append(Sat(event["seat"], event["name"], version, _EVER, event["token_hash"]))
    return found


_EVER = float("inf")


def _of(said: bytes, sats: Sequence[Sat]) -> bool:
    """Whether some of these said it."""
    told = decoder.decode(said)
    return any(told.by.get("seat") == sat.seat and sat.since <= told.version < sat.until for sat in sats)


def _linked(entries: Sequence[Entry]) -> list[str]:
    """The tables that came before and after."""
    before = [event.get("previous") for _, event in _events(entries) if _is(event, "table_opened")]
    return [table for table in before if table is not None] + _following(entries)


def _following(entries: Sequence[Entry]) -> list[str]:
    return [event["next"] for _, event in _events(entries) if _is(event, "rematch_opened")]


def _events(entries: Sequence[Entry]) -> Iterator[tuple[int, dict[str, Any]]]:
    """All events as they are stored, whatever release wrote them."""
    for entry in entries:
        for event in _decode(entry.data)["events"]:
            yield entry.version, event


def _is(event: dict[str, Any], name: str) -> bool:
    return str(event.get("type")).partition("/")[0] == name


# --- what a running server does about it --------------------------------------------------------------

_MARK = b"name_removed"


def removes_names(entry: Entry, decode: Callable[[Entry], Any]) -> bool:
    """Whether an entry says that what came before it was changed.

    Args:
        decode: of the table.
    """
    if _MARK not in entry.data:
        return False
    events: Sequence[Event] = decode(entry).events
    return any(isinstance(event, NameRemoved) for event in events)


__all__ = ["Forgotten", "NobodyThere", "StoreUnavailable", "Whom", "forget", "removes_names"]
