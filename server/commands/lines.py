"""Log lines and updates as a person reads them. Of the games nothing is known here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

Message = dict[str, Any]


def header(log: Message) -> str:
    """The first line of a log."""
    viewer = log["viewer"]
    whose = f"seat {viewer['seat']} sees it" if "seat" in viewer else "spectators see it"
    if "open" in viewer:
        whose = "it was, with nothing hidden"
    what = f"{log['game']}, {log['seats']} seats, {log['status']} at version {log['version']}"
    return f"{log['table']}: {what}, as {whose}"


def version(line: Message) -> str:
    """One version: of a log, or an update."""
    when = datetime.fromtimestamp(line["at_ms"] / 1000, UTC).strftime("%H:%M:%S")
    by = line["by"]
    who = f"seat {by}" if isinstance(by, int) else by
    events = "; ".join(event(shown) for shown in line["events"]) or "(nothing to be seen)"
    return f"{line['version']:>4}  {when}  {who:<7} {events}"


def event(shown: Message) -> str:
    """One event: its type and its fields."""
    fields = (f"{name}={value(member)}" for name, member in shown.items() if name != "type")
    return " ".join([shown["type"], *fields])


def value(shown: Any) -> str:
    """A value in a line: a hidden card is ``?``."""
    if shown is None:
        return "?"
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    if isinstance(shown, list | tuple):
        return "[" + " ".join(map(value, shown)) + "]"
    if isinstance(shown, dict):
        return "{" + " ".join(f"{name}={value(member)}" for name, member in shown.items()) + "}"
    text = str(shown)
    return repr(text) if " " in text or not text else text


def result(view: Message | None) -> list[str]:
    """How a finished game ended, one line a seat; nothing for one that has no result."""
    if not view or "result" not in view:
        return []
    ended = view["result"]
    names = {seat["seat"]: seat.get("name", f"seat {seat['seat']}") for seat in view["seats"]}
    order = sorted(range(len(ended["places"])), key=lambda seat: ended["places"][seat])
    return [
        f"{ended['places'][seat]}. {names[seat]} (seat {seat}): {ended['scores'][seat]} points"
        for seat in order
    ]
