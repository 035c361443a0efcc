"""Names of keys and channels. The braces keep all keys of one table on one node of a cluster."""

from __future__ import annotations

import re
import zlib

SIGNALS = "fd:{lobby}:signals"
SHARED_SECRET = "fd:{secret}"  # noqa: S105 - the name of its key
LOBBY = "fd:{lobby}"

_NAME = re.compile(r"[A-Za-z0-9_.:~-]{1,100}")
_CURSOR = re.compile(r"(\d{1,15})-(" + _NAME.pattern + ")")


def check_name(name: str) -> str:
    """The name itself. Raises ValueError for one that would not be safe inside a key."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a name a store can use: {name!r}")
    return name


def log(table: str) -> str:
    """The stream with the table's entries."""
    return f"fd:{{{check_name(table)}}}:log"


def log_pattern() -> str:
    """What the keys of all logs match."""
    return "fd:{*}:log"


def news(table: str) -> str:
    """The sharded channel that tells of the table's commits."""
    return f"fd:{{{check_name(table)}}}:news"


def gone(table: str) -> str:
    """The note of an archived log's end."""
    return f"fd:{{{check_name(table)}}}:gone"


def fence(table: str) -> str:
    """A key that says nothing and vanishes; see the function `store`."""
    return f"fd:{{{check_name(table)}}}:fence"


def here(table: str) -> str:
    """The sorted set of seats that are connected, scored with the time when the mark expires."""
    return f"fd:{{{check_name(table)}}}:here"


def talk(table: str) -> str:
    """The list of what was said at a table; apart from its log, so that it can go without it."""
    return f"fd:{{{check_name(table)}}}:talk"


SHELVES = 16
"""Over how many keys the index of deadlines is spread, so that a cluster shares it."""


def deadlines(table: str) -> str:
    """The sorted set of tables, scored with the time when somebody must look, that a table stands in."""
    return deadlines_shelf(zlib.crc32(check_name(table).encode()) % SHELVES)


def deadlines_shelf(number: int) -> str:
    """One of the keys of the index of deadlines."""
    return f"fd:deadlines:{{{number}}}"


def table_of(channel: bytes) -> str:
    """The table that a news channel, or a log, belongs to."""
    return channel[4 : channel.index(b"}")].decode()


def shelf(game: str | None, status: str | None) -> str:
    """The part of the lobby index with these properties; every table stands on four shelves."""
    return f"{LOBBY}:by:{check_name(game) if game else '*'}:{check_name(status) if status else '*'}"


def place(created_ms: int, table: str) -> str:
    """The member of a shelf: it sorts by age, then by name."""
    return f"{created_ms:015d}-{check_name(table)}"


def place_of(cursor: str) -> str:
    """The member that a cursor names. Raises ValueError if it is none of ours."""
    found = _CURSOR.fullmatch(cursor)
    if not found:
        raise ValueError("not a cursor of a listing")
    return place(int(found[1]), found[2])


def cursor_of(member: str) -> str:
    """The cursor that names a member of a shelf."""
    created, _, table = member.partition("-")
    return f"{int(created)}-{table}"


def tables_in(member: str) -> str:
    """The table that a member of a shelf stands for."""
    return member.partition("-")[2]
