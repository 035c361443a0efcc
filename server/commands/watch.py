"""``facedown watch``: a table, live."""

from __future__ import annotations

from typing import Any

import typer

from server.client import Server
from server.commands import lines
from server.commands.common import as_json, finish, reach


def run(table: str, url: str, token: str | None, *, json: bool) -> None:
    """Write what happens at the table until it is over."""
    finish(_watch(reach(url), table, token, json), url)


async def _watch(server: Server, table: str, token: str | None, json: bool) -> None:
    async with server.attach(table, token, keep=True) as viewer:
        async for message in viewer.messages():
            if json:
                typer.echo(as_json(message))
            elif (text := readable(message)) is not None:
                typer.echo(text)
        if not json:
            for line in lines.result(viewer.view):
                typer.echo(line)


def readable(message: dict[str, Any]) -> str | None:
    """A message as a line, or None for what a person needs not see."""
    match message["type"]:
        case "attached" if message["recovered"]:
            return "      (connected again)"
        case "attached":
            return f"{message['table']}: {message['status']} at version {message['version']}"
        case "update":
            return lines.version(message)
        case "presence":
            return f"      seat {message['seat']} {'is here' if message['connected'] else 'is away'}"
    return None
