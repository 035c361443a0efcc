"""What makes names in a folder as durable as the files behind them."""

from __future__ import annotations

import os
from pathlib import Path


def sync(folder: Path) -> None:
    """Flush a folder to the disk: the files that were made, renamed or removed in it. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
