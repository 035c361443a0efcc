"""What a process knows of the tables that it watches: how a lost piece of news, or of history, is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from server.store import keys

Place = tuple[int, int]
"""A version of a log and when it was stored; together they tell one history from another."""

_NOTHING_YET: Final = (-1, 0)

_NONE: Final = b"none"
"""Where all news may be new: none begin so."""


class _Told:
    """`known`: up to here nothing is missing. `top`: the furthest that was told at all.

    `stale`: how news begin that tell of `known` again, where that is an own commit.
    """

    __slots__ = ("known", "stale", "top")

    def __init__(self) -> None:
        self.known: Place = _NOTHING_YET
        self.stale = _NONE
        self.top: Place = _NOTHING_YET


class Watched:
    """Keeps for each watched table how far it was told, and how far whoever watches has caught up.

    That something was read does not count: it may have been read for somebody else.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Told] = {}
        self._channels: dict[bytes, _Told] = {}

    def __contains__(self, table: str) -> bool:
        return table in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def begin(self, table: str) -> None:
        """The table is about to be watched."""
        if table not in self._tables:
            self._tables[table] = self._channels[keys.news(table).encode()] = _Told()

    def joined(self, table: str, head: Place) -> None:
        """The subscription stands, and this was the head then: who watches reads up to there."""
        self.begin(table)
        told = self._tables[table]
        told.stale = _NONE
        told.known = max(told.known, head)
        told.top = max(told.top, told.known)

    def abandon(self, table: str) -> bool:
        """It could not be watched. Gives whether it is not watched now."""
        if table in self._tables and self._tables[table].known == _NOTHING_YET:
            self.end(table)
        return table not in self._tables

    def end(self, table: str) -> None:
        """The table is watched no more."""
        if self._tables.pop(table, None) is not None:
            del self._channels[keys.news(table).encode()]

    def stored(self, table: str, place: Place, after_ms: int) -> None:
        """An own commit was stored, the one before at ``after_ms``. The news of it will tell nothing new."""
        self.heard(table, place, after_ms)
        told = self._tables.get(table)
        if told is not None and told.known == place:
            told.stale = b"%d %d %d\n" % (place[0], place[1], after_ms)

    def is_stale(self, channel: bytes, news: bytes) -> bool:
        """Whether news are of the own commit that was stored last, and nothing came after it."""
        told = self._channels.get(channel)
        return told is not None and news.startswith(told.stale)

    def heard(self, table: str, place: Place, after_ms: int) -> bool:
        """News came; the commit before was stored at ``after_ms``.

        Gives whether that can be anything new: not where the same was told last, and nothing was missing.
        """
        told = self._tables.get(table)
        if told is None:
            return True
        known_version, known_ms = told.known
        if place[0] == known_version and place[1] == known_ms:
            return False
        # Anything else than the next one means that some were missed, or that what was told is not the
        # history any more: that counts as missing until somebody reads.
        if place[0] == known_version + 1 and after_ms == known_ms:
            told.known = place
            told.stale = _NONE
        told.top = max(told.top, place)
        return True

    def caught_up(self, table: str, last: Place) -> None:
        """Whoever watches has read the log and taken it in up to its end, whatever was told before."""
        told = self._tables.get(table)
        if told is not None:
            told.known = told.top = last
            told.stale = _NONE

    def places(self) -> list[tuple[str, Place]]:
        """What to compare with the logs."""
        return [(table, told.known) for table, told in self._tables.items() if told.known != _NOTHING_YET]

    def differs(self, table: str, asked: Place, head: int, at_ms: int) -> bool:
        """Whether somebody has to read.

        Args:
            asked: from `places`.
            head: of the log.
            at_ms: when the version that was asked for was stored, 0 where it is not there.
        """
        told = self._tables.get(table)
        if told is None or told.known != asked:
            return False  # there was news meanwhile: next time
        return (head, at_ms) != asked or told.top != asked
