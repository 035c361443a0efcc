"""``facedown inspect``: a stored table at any version, as any viewer or as all side by side.

It reads the store itself, so it is for operators and developers. Of a running game it tells what is
hidden, which only ``--dev`` allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from domain.events import Commit
from domain.registry import codec, table_codec
from domain.table import Table, TableOpened
from projections import frame, history
from projections.viewer import REFEREE, SPECTATOR, on_wire
from server.commands import lines
from server.commands.common import FAILED, as_json, fail
from server.commands.replay import tree, viewer_of
from server.commands.transfer import with_store
from server.jobs import NoSuchTable
from server.store.base import EventStore


def run(
    table: str,
    env: Mapping[str, str],
    *,
    viewer: str | None,
    at: int | None,
    dev: bool,
    json: bool,
    **options: object,
) -> None:
    """Show a table at its last version or at ``at``, as ``viewer`` or as everybody in turn."""

    async def work(store: EventStore) -> list[tuple[Commit, Table]]:
        return await load(store, table)

    steps = with_store(env, options, work)
    last = steps[-1][1]
    if not last.over and not dev:
        fail("this game runs; what it hides is shown with --dev only", FAILED)
    version = len(steps) if at is None else at
    if not 1 <= version <= len(steps):
        fail(f"the table has versions 1 to {len(steps)}", FAILED)
    chosen = viewer_of(viewer, len(last.seats))
    everybody = [REFEREE, SPECTATOR, *range(len(last.seats))]
    commit, then = steps[version - 1]
    for one in everybody if chosen is None else [chosen]:
        shown = seen(commit, then, one)
        if json:
            typer.echo(as_json(shown))
            continue
        typer.echo(f"--- {_name(one)}")
        typer.echo(lines.version(shown))
        typer.echo("\n".join(tree(shown["view"])))
        typer.echo(f"  waiting: {lines.value(list(shown['waiting']))}")
        for offer in shown["actions"]:
            typer.echo(f"  may: {lines.event(offer)}")


def seen(commit: Commit, table: Table, viewer: int) -> dict[str, Any]:
    """All that a viewer was told of one version."""
    snapshot = frame.snapshot(table, viewer)
    return {
        "viewer": on_wire(viewer),
        **frame.plain(history.line(commit, viewer)),
        "view": frame.plain(snapshot.view),
        "actions": snapshot.actions,
        "waiting": snapshot.waiting,
    }


async def load(store: EventStore, table: str) -> list[tuple[Commit, Table]]:
    """Every version of a stored table. Raises `server.jobs.NoSuchTable` and what reading raises."""
    entries = await store.read(table)
    if not entries:
        raise NoSuchTable(table)
    first = table_codec().decode(*entries[0])
    opened = first.events[0]
    assert isinstance(opened, TableOpened)
    decode = codec(opened.game).decode
    return list(history.states([first, *(decode(*entry) for entry in entries[1:])]))


def _name(viewer: int) -> str:
    names = {REFEREE: "everything", SPECTATOR: "a spectator"}
    return names.get(viewer, f"seat {viewer}")
