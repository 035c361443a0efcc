"""The log of a table as one viewer may read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from domain.events import Commit
from domain.registry import games
from domain.table import Table, apply
from projections import frame
from projections.patch import merge_patch
from projections.redaction import redact_all
from projections.viewer import Viewer, on_wire

FORMAT = 1


def header(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The first line of a log. ``version`` is the last one that follows."""
    return {
        "facedown": FORMAT,
        "table": table.id,
        "game": table.game,
        "seats": len(table.seats),
        "options": msgspec.to_builtins(table.options),
        "epoch": table.epoch,
        "commitment": table.commitment,
        "reveal": table.reveal,
        "viewer": on_wire(viewer),
        "status": table.status,
        "version": table.version,
    }


def line(commit: Commit, viewer: Viewer) -> dict[str, Any]:
    """One version of a log."""
    return {
        "version": commit.version,
        "at_ms": commit.at_ms,
        "by": commit.by,
        "events": redact_all(commit.events, viewer),
    }


def states(commits: Iterable[Commit]) -> Iterator[tuple[Commit, Table]]:
    """Each commit with the table after it, in one fold from the first."""
    table: Table | None = None
    game = None
    for commit in commits:
        if game is None:
            game = games()[commit.events[0].game]  # type: ignore[attr-defined]
        table = apply(game, table, commit)
        yield commit, table


def lines(commits: Iterable[Commit], viewer: Viewer, *, patches: bool) -> Iterator[dict[str, Any]]:
    """All versions of a log; ``patches``: each with the patch of the view, the status and who is awaited."""
    if not patches:
        for commit in commits:
            yield line(commit, viewer)
        return
    before: dict[str, Any] = {}
    for commit, table in states(commits):
        snapshot = frame.snapshot(table, viewer)
        plain = frame.plain(snapshot.view)
        shown = line(commit, viewer)
        shown["status"] = snapshot.status
        shown["patch"] = merge_patch(before, plain)
        shown["actions"] = snapshot.actions
        shown["waiting"] = snapshot.waiting
        yield shown
        before = plain
