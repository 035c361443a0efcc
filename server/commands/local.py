"""A server in this process, for as long as a command or a test needs one."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from server.app import create_app
from server.run import Server, config_for, store_for
from server.settings import Settings


class _Quiet(Server):
    """A server that leaves signals to whoever started it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


@contextlib.contextmanager
def own_store() -> Iterator[Settings]:
    """Settings with an embedded store in a folder that goes when this ends. Call it in the main thread."""
    with tempfile.TemporaryDirectory(prefix="facedown-") as folder:
        settings = Settings(port=0, data=Path(folder) / "data", shutdown_grace_s=2.0, log_level="error")
        with store_for(settings) as (ready, _):
            yield ready


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[str]:
    """The address of a server in this event loop, stopped when this ends.

    Args:
        settings: with a store; port 0 takes a free one.

    Raises:
        RuntimeError: the server ended before it listened.
    """
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    app = create_app(settings)
    server = _Quiet(config_for(app, settings), app, settings.shutdown_grace_s, address.set_result)
    running = asyncio.create_task(server.serve())
    try:
        waited: list[asyncio.Future[Any]] = [address, running]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not address.done():
            await running
            raise RuntimeError("the server ended before it listened")
        yield address.result()
    finally:
        server.should_exit = True
        await running
