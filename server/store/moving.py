"""What is done with whole tables of a Redis store: moved, archived, written anew."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from redis.exceptions import ResponseError

from server.store import keys
from server.store.base import Appended, Entry, StoreUnavailable
from server.store.link import BURY, FAILURES, RESTORE, REWRITE, explain
from server.store.nodes import Node, Nodes

_LOOK_S = 0.05


class Moving:
    """The part of `server.store.base.Archive` that an `EventStore` has not."""

    _nodes: Nodes

    async def secret(self) -> bytes:
        """See `EventStore.secret`."""
        return await self._secret(secrets.token_bytes(32))

    async def _secret(self, made: bytes) -> bytes:
        key = keys.SHARED_SECRET
        return bytes((await self._nodes.ask([("SET", key, made, "NX"), ("GET", key)]))[1])

    async def tables(self) -> list[str]:
        """See `server.store.base.Archive.tables`."""
        return sorted({keys.table_of(key) for key in await self._nodes.scan(keys.log_pattern())})

    async def adopt(self, secret: bytes) -> bool:
        """See `server.store.base.Archive.adopt`."""
        return await self._secret(secret) == secret

    async def restore(self, table: str, entries: Sequence[Entry]) -> bool:
        """See `server.store.base.Archive.restore`."""
        args = [part for entry in entries for part in (entry.at_ms, entry.data)]
        return bool(
            (await self._nodes.ask([("FCALL", RESTORE, 2, keys.log(table), keys.gone(table), *args)]))[0]
        )

    async def bury(self, table: str, head: int, at_ms: int, remember_ms: int) -> bool:
        """See `server.store.base.Archive.bury`."""
        names = (keys.log(table), keys.gone(table))
        return bool((await self._nodes.ask([("FCALL", BURY, 2, *names, head, at_ms, remember_ms)]))[0])

    async def rewrite(self, table: str, entries: Sequence[Entry], data: bytes) -> Appended | None:
        """See `server.store.base.Archive.rewrite`."""
        args = [data, *(part for entry in entries for part in (entry.at_ms, entry.data))]
        names = (keys.log(table), keys.gone(table))
        outcome, at_ms = (await self._nodes.ask([("FCALL", REWRITE, 2, *names, *args)]))[0]
        return Appended(at_ms, repeated=outcome == 2) if outcome else None

    async def unsay(self, table: str, data: Sequence[bytes]) -> None:
        """See `server.store.base.Archive.unsay`."""
        if data:
            await self._nodes.ask([("LREM", keys.talk(table), 0, piece) for piece in data])

    async def compact(self) -> None:
        """See `server.store.base.Archive.compact`."""
        await asyncio.gather(*map(_compacted, self._nodes.all))


async def _compacted(node: Node) -> None:
    try:
        await _rewritten(node)  # one that runs already may have begun too early
        while True:
            try:
                await node.client.bgrewriteaof()
                break
            except ResponseError as error:
                if "in progress" not in str(error):
                    raise
            await asyncio.sleep(_LOOK_S)
        if await _rewritten(node) != "ok":
            raise StoreUnavailable(f"{node.link.name}: the append-only file could not be written anew")
    except FAILURES as error:
        raise StoreUnavailable(f"{node.link.name}: {explain(error)}") from error


async def _rewritten(node: Node) -> str:
    """Wait until no rewrite of the append-only file runs; how the last one ended."""
    while True:
        info = await node.client.info("persistence")
        if not int(info["aof_rewrite_in_progress"]) and not int(info["aof_rewrite_scheduled"]):
            return str(info["aof_last_bgrewrite_status"])
        await asyncio.sleep(_LOOK_S)
