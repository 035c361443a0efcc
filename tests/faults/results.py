"""The table of a long run: each fault, how often it was injected, and what was found afterwards."""

from __future__ import annotations

import os
import re
from pathlib import Path

LONG = os.environ.get("FACEDOWN_LONG") == "1"
TIMES = 50
"""How often each fault is injected."""

_HEAD = """# The last long run

`FACEDOWN_RESULTS=docs/long-run.md make test-long` runs every fault at its full count and writes this
table. A row stands for a run in which nothing accepted was lost, nothing was stored twice, and every client
was told what the log holds.

| fault | injected | commands accepted and found in the log once | versions |
|---|---|---|---|
"""


class Results:
    """Rows by name; those of earlier runs stay until they are measured again."""

    def __init__(self) -> None:
        self._rows: dict[str, str] = {}

    def add(self, name: str, times: int, accepted: int, versions: int) -> None:
        """What a test has found."""
        self._rows[name] = f"| {name} | {times} | {accepted} | {versions} |"

    def write(self, path: Path) -> None:
        """Bring the table up to date."""
        known = {}
        if path.exists():
            known = {
                found[1]: found[0]
                for found in re.finditer(r"^\| (.+?) \| \d.*$", path.read_text(), re.MULTILINE)
            }
        rows = {**known, **self._rows}
        path.write_text(_HEAD + "\n".join(rows[name] for name in sorted(rows)) + "\n")
