"""Which server keeps which table: always the same one, unless the store is a cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from redis.crc import key_slot

from server.store.asks import Asks
from server.store.base import StoreUnavailable, WeakStore
from server.store.check import is_cluster, weaknesses
from server.store.health import Health
from server.store.link import (
    FAILURES,
    LIBRARY,
    Address,
    Link,
    Settings,
    explain,
    is_missing_function,
)
from server.store.subscriber import Subscriber
from server.store.writer import MOVED_ON, Writer

_log = logging.getLogger(__name__)

_AT_ONCE = 500  # commands in one pipeline


class Node:
    """One primary and our connections to it: one writes, one listens, a few do the rest."""

    def __init__(self, link: Link, settings: Settings, subscriber: Subscriber, clustered: bool) -> None:
        self.link = link
        self.client = link.client()
        self.health = Health(link.name, self.client.ping)
        self.writer = Writer(link.connection, settings, self.health, others=clustered)
        self.subscriber = subscriber
        self._asks = Asks(link.connection, settings.attempt_s)
        self._settings = settings

    async def start(self) -> None:
        """Check the server and teach it our functions. Raises WeakStore, StoreUnavailable."""
        try:
            found = await weaknesses(self.client, self._settings.replicas)
            if found and not self._settings.allow_weak:
                raise WeakStore(found)
            for finding in found:
                _log.warning("weak store %s: %s", self.link.name, finding)
            await self._load()
            await self.subscriber.start()
            self.writer.start()
        except FAILURES as error:
            await self.close()
            raise StoreUnavailable(f"{self.link.name}: {explain(error)}") from error
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Let go of the connections."""
        await self.health.close()
        await self.writer.close()
        await self.subscriber.close()
        await self._asks.close()
        await self.client.aclose(close_connection_pool=True)

    async def ask(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run commands that may be repeated and do not block; an answer may be an exception.

        Raises:
            StoreUnavailable: the server is known to be away.
            RedisError, OSError, TimeoutError
        """
        self.health.check()
        answers: list[Any] = []
        for start in range(0, len(commands), _AT_ONCE):
            some = commands[start : start + _AT_ONCE]
            found = await self._asked(some)
            if any(map(is_missing_function, found)):
                await self._load()
                found = await self._asked(some)
            answers += found
        return answers

    async def _asked(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        try:
            return await self._asks.ask(commands)
        except FAILURES as error:
            self.health.failed(error)
            raise

    async def _load(self) -> None:
        await self.client.function_load(LIBRARY, replace=True)


class Nodes:
    """All primaries of the store, and the way from a key to its primary.

    Args:
        url: any one server of the store.
        new_subscriber: makes the subscriber of a new node.
        on_moved: called after the map changed, to bring what is watched to its new place.
    """

    def __init__(
        self,
        url: str,
        settings: Settings,
        new_subscriber: Callable[[Link], Subscriber],
        on_moved: Callable[[], Awaitable[None]],
    ) -> None:
        self._seed = Link(url, settings)
        self._settings = settings
        self._new_subscriber = new_subscriber
        self._on_moved = on_moved
        self._nodes: dict[Address | None, Node] = {}
        self._slots: list[tuple[int, int, Address | None]] = []
        self._lock = asyncio.Lock()
        self._round = 0  # maps fetched so far
        self._started = False
        self.clustered = False

    async def start(self) -> None:
        """Connect to every primary. Raises WeakStore, StoreUnavailable."""
        client = self._seed.client()
        try:
            self.clustered = await is_cluster(client)
        except FAILURES as error:
            raise StoreUnavailable(f"{self._seed.name}: {explain(error)}") from error
        finally:
            await client.aclose(close_connection_pool=True)
        self._started = True
        if self.clustered:
            await self.refresh(self._round)
        else:
            self._nodes = {None: await self._new_node(self._seed)}

    async def close(self) -> None:
        """Let go of all servers."""
        self._started = False
        nodes, self._nodes = self._nodes, {}
        for node in nodes.values():
            await node.close()

    async def scan(self, pattern: str) -> list[bytes]:
        """The keys of all servers that match. Raises StoreUnavailable."""
        found: list[bytes] = []
        for node in self.all:
            try:
                found += [key async for key in node.client.scan_iter(match=pattern, count=1000)]
            except FAILURES as error:
                raise StoreUnavailable(f"{node.link.name}: {explain(error)}") from error
        return found

    @property
    def all(self) -> list[Node]:
        """Every primary."""
        return list(self._nodes.values())

    @property
    def round(self) -> int:
        """Grows with every map fetched; see `refresh`."""
        return self._round

    def of(self, key: str) -> Node:
        """The primary that keeps this key. Raises StoreUnavailable if there is none now."""
        address: Address | None = None
        if self.clustered:
            slot = key_slot(key.encode())
            found = [address for first, last, address in self._slots if first <= slot <= last]
            if not found:
                raise StoreUnavailable(f"no server of the cluster keeps slot {slot}")
            address = found[0]
        node = self._nodes.get(address)
        if node is None:
            raise StoreUnavailable("the store is not started, or closed")
        return node

    async def ask(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run commands that may be repeated, each where its key is, and return the answers in order.

        The key is the first argument, or the first after the number of keys in a function call.

        Raises:
            StoreUnavailable: any of them failed.
        """
        for last_try in (not self.clustered, True):
            known = self._round
            answers = await self.try_ask(commands)
            bad = next((answer for answer in answers if isinstance(answer, Exception)), None)
            if bad is None:
                return answers
            if last_try or not is_moved(bad):
                if isinstance(bad, StoreUnavailable):
                    raise bad
                raise StoreUnavailable(explain(bad)) from bad
            await self.refresh(known)
        raise AssertionError("unreachable")

    async def try_ask(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Like `ask`, once; a command that fails has its exception as its answer."""
        places: dict[int, tuple[Node, list[int]]] = {}
        answers: list[Any] = [None] * len(commands)
        for index, command in enumerate(commands):
            try:
                node = self.of(_key_of(command))
            except StoreUnavailable as error:
                answers[index] = error
            else:
                places.setdefault(id(node), (node, []))[1].append(index)

        async def ask(node: Node, indexes: list[int]) -> None:
            try:
                found = await node.ask([commands[index] for index in indexes])
            except (*FAILURES, StoreUnavailable) as error:
                found = [error] * len(indexes)
            for index, answer in zip(indexes, found, strict=True):
                answers[index] = answer

        if len(places) == 1:
            await ask(*next(iter(places.values())))
        else:
            await asyncio.gather(*(ask(*place) for place in places.values()))
        return answers

    async def refresh(self, known: int) -> None:
        """Learn where the slots are now, unless that happened since round `known`.

        Raises:
            StoreUnavailable: no server of the cluster answers.
            WeakStore: a server of it does not keep what it acknowledges.
        """
        async with self._lock:
            if not self._started or self._round != known:
                return
            before, self._slots = self._slots, await self._fetch()
            nodes = set(self._nodes)
            wanted = {address for _, _, address in self._slots}
            for address in wanted - set(self._nodes):
                assert address is not None
                try:
                    self._nodes[address] = await self._new_node(self._seed.at(address))
                except (StoreUnavailable, WeakStore) as error:
                    if not known:
                        raise
                    _log.error("a server of the cluster cannot be used: %s", error)
            gone = [self._nodes.pop(address) for address in set(self._nodes) - wanted]
            self._round += 1
            moved = before != self._slots or nodes != set(self._nodes)
        if moved and known:
            await self._on_moved()
        for node in gone:
            await node.close()

    async def _fetch(self) -> list[tuple[int, int, Address | None]]:
        links = [node.link for node in self._nodes.values()]
        error: BaseException | None = None
        for link in [*links, self._seed]:
            client = link.client()
            try:
                slots = await client.execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
                # The first of a range's servers is its primary; no host means the one that was asked.
                return [
                    (first, last, Address(master[0].decode() if master[0] else link.host, int(master[1])))
                    for first, last, master, *_ in slots
                ]
            except FAILURES as failed:
                error = failed
            finally:
                await client.aclose(close_connection_pool=True)
        raise StoreUnavailable(f"no server of the cluster answers: {explain(error) if error else ''}")

    async def _new_node(self, link: Link) -> Node:
        node = Node(link, self._settings, self._new_subscriber(link), self.clustered)
        await node.start()
        return node


def is_moved(error: BaseException) -> bool:
    """Whether the map of the cluster may be out of date: another server, or soon another, keeps the key."""
    code = getattr(error, "status_code", None)
    return code in MOVED_ON if code else isinstance(error, (*FAILURES, StoreUnavailable))


def _key_of(command: tuple[Any, ...]) -> str:
    return str(command[3] if str(command[0]).startswith("FCALL") else command[1])
