"""A server stops whatever it is doing."""

from __future__ import annotations

import asyncio

from tests.support.server import Serve


async def test_timers_that_have_just_been_woken_stop(serve: Serve) -> None:
    """A cancellation that came together with the wake-up was lost, and the server never ended."""
    here = await serve()
    timers = here.service.timers
    for turns in range(4):
        for _ in range(20):
            await asyncio.sleep(0)
        timers._wake.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await timers.stop()
        timers.start()
