"""What was said at a table and is not to be heard yet by those who watch it with a delay."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from server.wire import Said

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
