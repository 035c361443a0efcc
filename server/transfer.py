"""Moves tables between stores: raw logs as lines of JSON, for operators only.

A file holds the deal keys of its tables, also of running ones, and the hashes of all tokens. Each line
carries the digest of all lines up to it (`projections.digests`), so that a file that was cut short, put into
another order or edited is noticed, and where. The lines are

- ``{"facedown_export": 1, "release", "note", "secret"}``; the secret, in base64, only where a whole store is
  exported: by it the tokens and ids of requests with an idempotency key are found again
- for each table its ``{"table", "game", "seats", "options", "epoch", "commitment", "reveal", "status",
  "versions"}``, followed by its commits ``{"version", "at_ms", "commit", "sum"}``: the stored commit as JSON,
  bytes in it as ``{"$bytes": base64}``, and the beginning of the SHA-256 of its stored bytes. Where these do
  not come back from JSON exactly, ``data`` holds them in base64 instead of ``commit``
- ``{"end": true, "tables"}``
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import msgspec

from domain import table as tables
from domain.dealing import commitment
from domain.errors import CorruptLog, UnknownEvent
from domain.registry import codec, games, table_codec
from domain.table import AnyGame, Table, TableOpened
from projections.digests import digest
from server.catalogue import release
from server.jobs import NoSuchTable
from server.store.base import Archive, Entry
from server.tokens import is_table

FORMAT = 1
NOTE = "for operators only: this file holds the deal keys of its tables, also of running games"
_BYTES = "$bytes"

Line = dict[str, Any]


class BadExport(Exception):
    """A file that cannot be imported. Nothing of it was stored.

    Args:
        line: the number of the line that is wrong.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Exported(msgspec.Struct, frozen=True):
    """A table of an export: its whole log, and the table that it leads to."""

    entries: list[Entry]
    table: Table
    listed: bool


# --- out --------------------------------------------------------------------------------------------


class Writer:
    """Makes the lines of a file, each as bytes with its digest."""

    def __init__(self) -> None:
        self._before = ""
        self._tables = 0

    def begin(self, secret: bytes | None) -> bytes:
        """The first line."""
        line: Line = {"facedown_export": FORMAT, "release": release(), "note": NOTE}
        if secret is not None:
            line["secret"] = base64.b64encode(secret).decode()
        return self._line(line)

    def table(self, ident: str, entries: list[Entry]) -> Iterator[bytes]:
        """The lines of one table.

        Raises:
            UnknownEvent, CorruptLog: its log cannot be read by this release; nothing of it was given out.
        """
        table = folded(entries)
        if table.id != ident:
            raise CorruptLog(f"the log of {ident} is that of {table.id}")
        self._tables += 1
        yield self._line(_heading(table, entries[0]))
        for entry in entries:
            yield self._line(_plain(entry))

    def end(self) -> bytes:
        """The last line."""
        return self._line({"end": True, "tables": self._tables})

    def _line(self, line: Line) -> bytes:
        self._before = digest(self._before, line)
        return msgspec.json.encode({**line, "digest": self._before}) + b"\n"


def _heading(table: Table, first: Entry) -> Line:
    opened = table_codec().decode(first.version, first.at_ms, first.data).events[0]
    assert isinstance(opened, TableOpened)
    return {
        "table": table.id,
        "game": table.game,
        "seats": len(table.seats),
        "options": opened.options,  # as they were stored: this release may know more of them
        "epoch": table.epoch,
        "commitment": table.commitment,
        "reveal": table.reveal,
        "status": table.status,
        "versions": table.version,
    }


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _plain(entry: Entry) -> Line:
    line: Line = {"version": entry.version, "at_ms": entry.at_ms}
    commit = _to_json(msgspec.msgpack.decode(entry.data))
    if _from_json(commit) == entry.data:
        line["commit"] = commit
    else:
        line["data"] = base64.b64encode(entry.data).decode()
    return {**line, "sum": _sum(entry.data)}


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {name: _to_json(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_to_json(inner) for inner in value]
    return value


def _from_json(value: Any) -> bytes | None:
    """The stored bytes of a commit in JSON, or None where it is none."""
    try:
        return msgspec.msgpack.encode(_unpacked(value))
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        return None


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_BYTES}:
            return base64.b64decode(value[_BYTES], validate=True)
        return {name: _unpacked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_unpacked(inner) for inner in value]
    return value


def folded(entries: Iterable[Entry]) -> Table:
    """The table that a log leads to. Raises `UnknownEvent`, `CorruptLog`."""
    table: Table | None = None
    for reached in _fold(entries):
        table = reached
    if table is None:
        raise CorruptLog("the log is empty")
    return table


def _fold(entries: Iterable[Entry]) -> Iterator[Table]:
    table: Table | None = None
    game: AnyGame | None = None
    decode = table_codec().decode
    for entry in entries:
        if game is None:
            first = decode(entry.version, entry.at_ms, entry.data).events[:1]
            if not first or not isinstance(first[0], TableOpened):
                raise CorruptLog("version 1 does not open a table")
            game = games().get(first[0].game)
            if game is None:
                raise UnknownEvent(f"the game {first[0].game!r} is not known to this release")
            decode = codec(game.name).decode
        table = tables.apply(game, table, decode(entry.version, entry.at_ms, entry.data))
        yield table


async def export(store: Archive, idents: Iterable[str], *, secret: bool = False) -> AsyncIterator[bytes]:
    """All lines of a file with these tables, each as it stands when its turn comes.

    Args:
        secret: put the store's secret into it as well.

    Raises:
        NoSuchTable: one of them is not in the store.
        UnknownEvent, CorruptLog, HistoryBroken, StoreUnavailable
    """
    writer = Writer()
    yield writer.begin(await store.secret() if secret else None)
    for ident in idents:
        entries = await store.read(ident)
        if not entries:
            raise NoSuchTable(ident)
        for line in writer.table(ident, entries):
            yield line
    yield writer.end()


# --- in ---------------------------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> Iterator[Exported]:
    """The tables of a file, each checked completely. Raises `BadExport`, also at the very end."""
    numbered = _checked(lines)
    number, first = next(numbered, (1, {}))
    if first.get("facedown_export") != FORMAT:
        raise BadExport(number, "this is not an export of tables, or of a format that is not known here")
    heading: Line | None = None
    at = number
    entries: list[Entry] = []
    seen: set[str] = set()
    for number, line in numbered:
        if "version" in line:
            if heading is None:
                raise BadExport(number, "a commit stands before any table")
            entries.append(_entry(number, line, len(entries) + 1, entries[-1].at_ms if entries else 0))
            continue
        if heading is not None:
            yield _table(at, heading, entries)
        if "end" in line:
            if line.get("tables") != len(seen):
                raise BadExport(number, f"there are {len(seen)} tables, not {line.get('tables')}")
            for after, _ in numbered:
                raise BadExport(after, "something follows after the last line")
            return
        heading, at, entries = line, number, []
        if not isinstance(line.get("table"), str) or line["table"] in seen or not is_table(line["table"]):
            raise BadExport(number, f"{line.get('table')!r} is no table, or one that came before")
        seen.add(line["table"])
    raise BadExport(number, "the file ends here, but it should go on: it was cut short")


def _checked(lines: Iterable[bytes]) -> Iterator[tuple[int, Line]]:
    before = ""
    for number, raw in enumerate(lines, start=1):
        if not raw.endswith(b"\n"):
            raise BadExport(number, "the line is not complete: the file was cut short")
        try:
            line = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadExport(number, f"this is not JSON: {error}") from None
        if not isinstance(line, dict):
            raise BadExport(number, "this is not an object")
        before = digest(before, line)
        if line.get("digest") != before:
            raise BadExport(
                number, "the digest does not fit: this line was changed, or one before it was lost or moved"
            )
        yield number, line


def _entry(number: int, line: Line, version: int, since_ms: int) -> Entry:
    if line["version"] != version:
        raise BadExport(number, f"version {version} should stand here, not {line['version']}")
    at_ms = line.get("at_ms")
    if type(at_ms) is not int or not since_ms <= at_ms < 1 << 53:
        raise BadExport(number, f"version {version}: at_ms is no time, or before that of the last version")
    data: bytes | None
    if "commit" in line:
        data = _from_json(line["commit"])
    else:
        try:
            data = base64.b64decode(line.get("data", ""), validate=True)
        except (binascii.Error, ValueError, TypeError):
            data = None
    if data is None or line.get("sum") != _sum(data):
        raise BadExport(number, f"version {version}: the commit is not the one that was exported")
    return Entry(version, at_ms, data)


def _table(number: int, heading: Line, entries: list[Entry]) -> Exported:
    table: Table | None = None
    done = number
    try:
        for reached in _fold(entries):
            table = reached
            done += 1
    except (UnknownEvent, CorruptLog) as error:
        raise BadExport(done + 1, str(error)) from None
    except Exception as error:  # noqa: BLE001 - whatever a forged commit leads a game to
        raise BadExport(done + 1, f"the commit does not follow: {type(error).__name__}") from None
    if table is None:
        raise BadExport(number, "no commit follows")
    for name, is_ in _heading(table, entries[0]).items():
        if heading.get(name) != is_:
            raise BadExport(number, f"{name} is {heading.get(name)!r} here, but the commits lead to {is_!r}")
    if commitment(table.id, table.deal_key) != table.commitment:
        raise BadExport(number + 1, "the deal key does not fit its commitment")
    return Exported(entries, table, table.listed)


def secret_of(first: bytes) -> bytes | None:
    """The secret that the first line of a file holds, if any. Raises `BadExport`."""
    told = msgspec.json.decode(first).get("secret")
    try:
        return None if told is None else base64.b64decode(told, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise BadExport(1, "the secret is not in base64") from None


class Conflict(Exception):
    """A table of the file is in the store already, with another log. Nothing was stored."""


async def missing(store: Archive, exported: Exported) -> bool:
    """Whether the table is not in the store yet. Raises `Conflict` where another one is."""
    there = await store.read(exported.table.id)
    if there and there != exported.entries:
        raise Conflict(f"the table {exported.table.id} is in this store already, with another log")
    return not there


async def restore(store: Archive, exported: Exported) -> bool:
    """Store a table that `missing` named; False where the very same is there. Raises `Conflict`."""
    table = exported.table
    if exported.listed:
        await store.index(table.id, table.created_ms, table.game, table.status)
    if not await store.restore(table.id, exported.entries):
        return await missing(store, exported)
    if not table.over:
        # Somebody looks at once: its clocks may have run out, its bots wait to move.
        await store.wake(table.id, await store.now_ms())
    return True
