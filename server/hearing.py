"""What viewers are told later than it was heard: what was said, and who is connected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from server.wire import Presence, Said

if TYPE_CHECKING:
    from server.feed import Feed

KEPT_TALK = 200
"""How much of a table's talk is kept, in the store and for those behind a delay."""

decoder = msgspec.json.Decoder(Said)
"""Reads what is kept in the store."""


class Unheard:
    """Talk that waits until the version at which it was said can be seen."""

    def __init__(self) -> None:
        self._waiting: list[Said] = []

    def load(self, kept: Iterable[bytes], visible: int) -> None:
        """Take in what the store keeps; what was said up to version ``visible`` can be heard already."""
        known = [said for said in map(decoder.decode, kept) if said.version > visible]
        self._waiting = known + [said for said in self._waiting if said not in known]

    def add(self, said: Said) -> None:
        """Something was said."""
        self._waiting = [*self._waiting[1 - KEPT_TALK :], said]

    def due(self, visible: int) -> list[Said]:
        """What can be heard now that version ``visible`` can be seen, in the order it was said; only once."""
        due = [said for said in self._waiting if said.version <= visible]
        self._waiting = [said for said in self._waiting if said.version > visible]
        return due


class Unseen:
    """Seats that are connected, but cannot be seen to be taken yet, at one of a table's feeds."""

    def __init__(self) -> None:
        self._waiting: set[int] = set()

    def load(self, connected: Iterable[int], feed: Feed) -> None:
        """These seats are connected; whoever begins to watch reads it of those that can be seen."""
        self._waiting = {seat for seat in connected if feed.table.seats[seat] is None}

    def hear(self, presence: Presence) -> None:
        """A seat is connected, or no more."""
        (self._waiting.add if presence.connected else self._waiting.discard)(presence.seat)

    def tell(self, feed: Feed) -> None:
        """Tell what can be told now, only once."""
        if not self._waiting:
            return
        table = feed.table
        for seat in sorted(seat for seat in self._waiting if table.seats[seat] is not None):
            self._waiting.discard(seat)
            feed.broadcast(Presence(table=table.id, seat=seat, connected=True))
