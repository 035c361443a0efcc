"""The table of what is declared hidden, at the end of each game's RULES.md.

``python -m tests.secrecy.visibility --write`` writes it anew from the audiences of events and state. The
table 'Who knows what' above it says the same in the words of the game and is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import domain.games
from domain.events import event_name
from domain.registry import games
from domain.table import TABLE_EVENTS
from domain.visibility import PUBLIC, Audience, audiences

COMMAND = "python -m tests.secrecy.visibility --write"
HEADING = "### As it is declared"
INTRODUCTION = (
    "Everything in events and in the state of the game that is not shown to everybody in full, as the\n"
    f"program declares and enforces it. Written by `{COMMAND}`."
)


def words(audience: Audience) -> str:
    """An audience in words."""
    text = audience.name
    if named := re.match(r"seat in ([a-z_, ]+)", text):
        fields = " or ".join(f"`{name}`" for name in named[1].split(", "))
        text = f"the seat in {fields}{text[named.end() :]}"
    text = text.replace("others: hidden", "the others nothing").replace(
        "others: count", "the others how many"
    )
    return {"hidden": "nobody", "count": "everybody how many"}.get(text, text)


def rows(name: str) -> list[tuple[str, str, str]]:
    """Event or "state", field, and who is shown it, of everything in a game that is not public."""
    game = games()[name]
    found = []
    for kind in game.events:
        if kind.known_to is not PUBLIC:
            found.append((f"`{event_name(kind)}`", "that it happened", words(kind.known_to)))
        found += [
            (f"`{event_name(kind)}`", f"`{field}`", words(audience))
            for field, audience in audiences(kind).items()
            if audience is not PUBLIC
        ]
    found += [
        ("state", f"`{field}`", words(audience))
        for field, audience in audiences(game.state).items()
        if audience is not PUBLIC
    ]
    return found


def section(name: str) -> str:
    """The end of a game's RULES.md."""
    lines = [HEADING, "", INTRODUCTION, "", "| of | field | who is shown it |", "|---|---|---|"]
    lines += [f"| {of} | {field} | {who} |" for of, field, who in rows(name)]
    return "\n".join(lines) + "\n"


def path(name: str) -> Path:
    """Where the rules of a game are."""
    return Path(next(iter(domain.games.__path__))) / name.replace("-", "_") / "RULES.md"


def table_secrets() -> set[tuple[str, str]]:
    """The fields of the events of all tables that are not public, by event."""
    return {
        (event_name(kind), field)
        for kind in TABLE_EVENTS
        for field, audience in audiences(kind).items()
        if audience is not PUBLIC
    }


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit(f"usage: {COMMAND}\n\n{__doc__}")
    for game in games():
        above = path(game).read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
        path(game).write_text(f"{above}\n\n{section(game)}", encoding="utf-8")
