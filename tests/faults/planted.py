"""A real server with a planted fault: ``python -m tests.faults.planted FAULT serve ...``."""

from __future__ import annotations

import sys

from server.cli import app
from server.store import RedisStore
from tests.simulation import planted

FAULTS = ("retrying-writer", "no-id-check", "told-before-stored", "settled-by-reading", "no-head-comparison")


async def _nothing_compared(self: RedisStore) -> None:
    """Lost news stays lost."""


def main(fault: str, arguments: list[str]) -> None:
    """Run a command of the server with the fault in it."""
    if fault == "no-head-comparison":
        RedisStore._compare = _nothing_compared  # type: ignore[method-assign]
    with planted.planted(fault):
        app(arguments)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
