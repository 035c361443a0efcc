"""Node.js, for the tests of the JavaScript client and of the bot that is written in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def program(name: str) -> str | None:
    """A program of Node.js 20 or newer: beside this Python, or on the PATH."""
    for found in (Path(sys.executable).parent / name, shutil.which(name)):
        if found is None or not Path(found).exists():
            continue
        node = Path(found).with_name("node")
        version = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].partition(".")[0]) >= 20:
            return str(found)
    return None
