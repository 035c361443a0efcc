"""``facedown games``: what can be played."""

from __future__ import annotations

from typing import Any

import typer

from server.commands.common import as_json, finish, reach


def run(url: str | None, *, json: bool) -> None:
    """List the games of this installation, or of the server at ``url``."""
    found = known() if url is None else finish(reach(url).games(), url)
    if json:
        typer.echo(as_json({"games": found}))
        return
    width = max((len(game["game"]) for game in found), default=0)
    titles = max((len(game["title"]) for game in found), default=0)
    for game in found:
        seats = ", ".join(map(str, game["seats"]))
        typer.echo(f"{game['game']:<{width}}  {game['title']:<{titles}}  {seats} seats")


def known() -> list[dict[str, Any]]:
    """The catalogue of this installation."""
    import msgspec

    from server.catalogue import catalogue

    found: list[dict[str, Any]] = msgspec.json.decode(catalogue.games())["games"]
    return found
