"""Marks of presence: which seats are connected to this process, for all processes to see."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Mapping, Sequence

from server.store import keys
from server.store.base import StoreUnavailable
from server.store.link import ARRIVE, PRESENT
from server.store.nodes import Nodes

_log = logging.getLogger(__name__)


class Marks:
    """The marks of one process; they expire unless they are renewed.

    Args:
        nodes: the servers of the store.
        life_ms: how long a mark lasts.
    """

    def __init__(self, nodes: Nodes, life_ms: int) -> None:
        self._nodes = nodes
        self._life_ms = life_ms
        self._process = secrets.token_hex(8)
        self._here: dict[str, set[str]] = {}

    async def put(self, table: str, seat: int, here: bool) -> None:
        """See `EventStore.set_present`."""
        mark = f"{seat}:{self._process}"
        marks = self._here.setdefault(table, set())
        if here:
            marks.add(mark)
        else:
            marks.discard(mark)
            if not marks:
                del self._here[table]
        if not here:
            await self._leave({table: {mark}})
            return
        try:
            await self._nodes.ask([("FCALL", ARRIVE, 1, keys.here(table), self._life_ms, mark)])
        except StoreUnavailable as error:
            _log.info("a mark of presence waits for its renewal: %s", error)

    async def present(self, tables: Sequence[str]) -> list[set[int]]:
        """See `EventStore.present`."""
        found = await self._nodes.ask([("FCALL_RO", PRESENT, 1, keys.here(table)) for table in tables])
        return [{int(mark.partition(b":")[0]) for mark in marks} for marks in found]

    async def renew(self) -> None:
        """Put off the expiry of all our marks."""
        renewed = {table: set(marks) for table, marks in self._here.items()}
        await self._nodes.try_ask(
            [
                ("FCALL", ARRIVE, 1, keys.here(table), self._life_ms, *marks)
                for table, marks in renewed.items()
            ]
        )
        # Whoever left meanwhile may have been marked again.
        await self._leave({table: marks - self._here.get(table, set()) for table, marks in renewed.items()})

    async def clear(self) -> None:
        """Take all our marks away."""
        marks, self._here = self._here, {}
        await self._leave(marks)

    async def _leave(self, gone: Mapping[str, Collection[str]]) -> None:
        try:
            await self._nodes.ask(
                [("ZREM", keys.here(table), *marks) for table, marks in gone.items() if marks]
            )
        except StoreUnavailable as error:
            _log.info("a mark of presence is left to expire: %s", error)
