"""``facedown log``: what happened at a table."""

from __future__ import annotations

import typer

from server.commands import lines
from server.commands.common import MISUSED, as_json, fail, finish, reach


def run(table: str, url: str, token: str | None, *, opened: bool, views: bool, json: bool) -> None:
    """Write the log as the bearer of ``token`` may read it; with ``views`` it can be replayed."""
    if opened and views:
        fail("an open log needs no --views: it can be replayed as any viewer", MISUSED)
    query = {"open": "true"} if opened else {"views": "patch"} if views else {}
    header, *versions = finish(reach(url).log(table, token, **query), url)
    if json or views:
        for line in (header, *versions):
            typer.echo(as_json(line))
        return
    typer.echo(lines.header(header))
    for line in versions:
        typer.echo(lines.version(line))
