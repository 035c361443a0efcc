"""The end of tasks that run until they are told to stop."""

from __future__ import annotations

import asyncio
from typing import Any, Final

_AGAIN_S: Final = 0.1


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel ``tasks`` and wait until they have ended; what they ended with is nobody's business any more.

    One cancel is not always enough: `asyncio.wait_for` of Python 3.11 swallows it when what it waits for is
    done in the same step (python/cpython#86296), and the client library sends each command of its handshake
    in one. A loop that was cancelled there would go on for ever.
    """
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_AGAIN_S)
    for task in tasks:
        if not task.cancelled():
            task.exception()
