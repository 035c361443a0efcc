"""A server process in the simulation: a real `Service` on a simulated store, and it can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from server.service import Service
from server.store.base import StoreUnavailable
from tests.simulation.store import SimStore

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")


class Killed(Exception):
    """The process died before it answered."""


class Process:
    """One server process; a replacement for a killed one is a new `Process`."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.alive = True
        self.ready = False
        skew_ms = world.rng.randint(-3000, 3000)
        self.store = SimStore(world.disk, name)
        self.service = Service(self.store, world.settings, lambda: world.clock_ms() + skew_ms)
        self._death: asyncio.Future[None] = world.loop.create_future()
        self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        while self.alive:
            try:
                await self.service.start()
            except StoreUnavailable:
                await asyncio.sleep(0.5)
                self.store.kill()
                self.store = SimStore(self.world.disk, self.name)
                self.service.store = self.store
            else:
                self.ready = True
                return

    def kill(self) -> None:
        """End it as a crash would."""
        self.world.note("kill", self.name)
        self.alive = self.ready = False
        self.store.kill()
        self._death.set_result(None)
        for socket in list(self.world.sockets):
            if socket.process is self:
                socket.cut()

    async def request(self, work: Coroutine[Any, Any, T]) -> T:
        """An HTTP request: its result, or what it raised, or `Killed`."""
        await asyncio.sleep(self.world.rng.random() * self.world.weather.delay_s)
        task = asyncio.create_task(work)
        ends: set[asyncio.Future[Any]] = {task, self._death}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not self.alive:
            task.cancel()
            raise Killed
        return await task
