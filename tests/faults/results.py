"""The tables of a long run: what was injected, how often, and what was found afterwards."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path
from typing import NamedTuple

TIMES = int(os.environ.get("FACEDOWN_TIMES", "50"))
"""How often each fault is injected."""

_HEAD = """# The last long run

`FACEDOWN_RESULTS=docs/long-run.md make test-long` runs everything at its full count and writes these tables.
A row that a run does not measure, of a part of the suite or of one that failed, stays as it was.
"""


class _Section(NamedTuple):
    title: str
    intro: str
    columns: tuple[str, ...]


_FAULTS = _Section(
    "Faults",
    "A row stands for a run in which nothing accepted was lost, nothing was stored twice, and every client\n"
    "was told what the log holds. Simulated clusters are counted by their seeds.",
    ("fault", "injected", "commands accepted and found in the log once", "versions"),
)
_PLANTED = _Section(
    "Planted faults",
    "Negative controls: a server with a fault of its own, and the first run of fifty that notices it.",
    ("planted fault", "suite", "noticed by"),
)
_FIGURES = _Section("Figures", "What else was counted.", ("what", "figures"))
_SECTIONS = (_FAULTS, _PLANTED, _FIGURES)


class Results:
    """Rows by name; those of earlier runs stay until they are measured again."""

    def __init__(self) -> None:
        self._rows: dict[_Section, dict[str, str]] = {section: {} for section in _SECTIONS}

    def add(self, name: str, times: int, accepted: int, versions: int) -> None:
        """A fault was injected so often, and what was accepted was found once."""
        self._row(_FAULTS, name, name, times, accepted, versions)

    def planted(self, fault: str, suite: str, noticed: str) -> None:
        """A planted fault was noticed."""
        self._row(_PLANTED, f"{fault}, {suite}", fault, suite, noticed)

    def figure(self, what: str, figures: str) -> None:
        """Something was counted."""
        self._row(_FIGURES, what, what, figures)

    def _row(self, section: _Section, name: str, *cells: object) -> None:
        self._rows[section][name] = f"| {' | '.join(map(str, cells))} |"

    def write(self, path: Path) -> None:
        """Bring the tables up to date. Several processes may do so at once."""
        if not any(self._rows.values()):
            return
        with path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = self._updated(file.read())
            file.truncate(0)
            file.write(text)

    def _updated(self, before: str) -> str:
        parts = [_HEAD]
        for section in _SECTIONS:
            rows = {**_known(before, section), **self._rows[section]}
            if rows:
                head = f"| {' | '.join(section.columns)} |\n|{'---|' * len(section.columns)}\n"
                lines = "".join(f"{rows[name]}\n" for name in sorted(rows))
                parts.append(f"## {section.title}\n\n{section.intro}\n\n{head}{lines}")
        return "\n".join(parts)


def _known(text: str, section: _Section) -> dict[str, str]:
    """The rows of a section, by name."""
    _, _, rest = text.partition(f"## {section.title}\n")
    body = rest.partition("\n## ")[0]
    rows = re.findall(r"^\| (?!-).+ \|$", body, re.MULTILINE)[1:]
    cells = {row: row[2:-2].split(" | ") for row in rows}
    return {", ".join(found[:2]) if section is _PLANTED else found[0]: row for row, found in cells.items()}
