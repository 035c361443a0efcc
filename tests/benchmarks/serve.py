"""The server of the benchmarks: ours with the benchmark's game, or the floor beneath it.

``python -m tests.benchmarks.serve [floor]``, with the settings of `server.settings` in the environment.
"""

from __future__ import annotations

import os
import sys

from server.run import serve
from server.settings import Settings
from tests.benchmarks import floor, trick


def main() -> None:
    """Serve until a signal says stop; the address goes to standard output."""
    settings = Settings.from_env(os.environ)

    def started(address: str) -> None:
        sys.stdout.write(f"serves at {address}\n")
        sys.stdout.flush()

    trick.register()
    if sys.argv[1:] == ["floor"]:
        floor.serve(settings, started)
    else:
        serve(settings, started)


if __name__ == "__main__":
    main()
