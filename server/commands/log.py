"""``facedown log``: what happened at a table."""

from __future__ import annotations

import typer

from server.commands import lines
from server.commands.common import as_json, finish, reach


def run(table: str, url: str, token: str | None, *, opened: bool, json: bool) -> None:
    """Write the log as the bearer of ``token`` may read it."""
    query = {"open": "true"} if opened else {}
    header, *versions = finish(reach(url).log(table, token, **query), url)
    if json:
        for line in (header, *versions):
            typer.echo(as_json(line))
        return
    typer.echo(lines.header(header))
    for line in versions:
        typer.echo(lines.version(line))
