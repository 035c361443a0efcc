"""The published vectors of what the games deal: each label that a game uses, and whole logs.

``python -m tests.secrecy.vectors --write`` writes into ``tests/domain/vectors/``:

- ``labels.json``: for every game one of each of its shuffles (a number in a label stands for all), by
  the second implementation of the algorithm (`tests.domain.reference_dealing`);
- ``open-log.jsonl`` and ``spectator-log.jsonl``: one finished game as the open log and as spectators may
  read it. Like all recorded games they are never written anew once released: ``--write-logs`` does it.

Clients in other languages test their own check of a log by them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from domain.events import Shuffled, event_name
from domain.registry import games
from domain.visibility import REFEREE, SPECTATOR
from tests.domain import reference_dealing
from tests.secrecy.logs import Recorded, recorded, text

FOLDER = reference_dealing.VECTORS.parent
LABELS = FOLDER / "labels.json"
LOGS = {FOLDER / "open-log.jsonl": REFEREE, FOLDER / "spectator-log.jsonl": SPECTATOR}
COMMAND = "python -m tests.secrecy.vectors --write"


def pattern(label: str) -> str:
    """A label with every number in it replaced."""
    return re.sub(r"\d+", "N", label)


def shuffles(game: Recorded) -> list[Shuffled]:
    """All shuffles of a game."""
    return [event for commit in game.commits for event in commit.events if isinstance(event, Shuffled)]


def some(name: str) -> Iterator[Recorded]:
    """Games of all numbers of seats; not all shuffles happen in each."""
    for seats in games()[name].seats:
        for seed in ("", "1", "patient"):
            yield recorded(name, seats, seed)


def labels() -> list[dict[str, Any]]:
    """One vector for each event of each game that tells of a shuffle."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for name in games():
        for played in some(name):
            key = played.table.deal_key
            entropy = [part or "" for part in played.table.entropy]
            for event in shuffles(played):
                kind = event_name(type(event))
                items: list[Any] = sorted(
                    event.order, key=lambda item: item.encode() if isinstance(item, str) else item
                )
                vector = {
                    "game": name,
                    "event": kind,
                    "key": key.hex(),
                    "entropy": entropy,
                    "label": event.label,
                    "items": items,
                    "order": reference_dealing.shuffle(
                        key, [part.encode() for part in entropy], event.label, items
                    ),
                }
                if len(items) < 4 or vector["order"] != items:
                    found.setdefault((name, kind), vector)
    return list(found.values())


if __name__ == "__main__":
    if not {"--write", "--write-logs"} & set(sys.argv):
        sys.exit(f"usage: {COMMAND} [--write-logs]\n\n{__doc__}")
    LABELS.write_text(
        "[\n" + ",\n".join(json.dumps(vector) for vector in labels()) + "\n]\n", encoding="utf-8"
    )
    for path, viewer in LOGS.items():
        if "--write-logs" in sys.argv or not path.exists():
            path.write_bytes(text(recorded("mein-schatz", 3, "published").log(viewer)))
