"""The command line. Each command is a module of `server.commands`; here are its name and its options.

Exit codes: 0 done, 1 it could not be done, 2 it was asked for in a wrong way.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Card games with hidden information, served."
)

HERE = "http://localhost:8000"

Url = Annotated[str, typer.Option(help="address of the server")]
Json = Annotated[bool, typer.Option("--json", help="write JSON, and nothing else, to standard output")]
Token = Annotated[
    str | None,
    typer.Option(
        help="token of a seat, a spectator or the host; better in the variable than in the list of processes",
        envvar="FACEDOWN_VIEWER_TOKEN",
    ),
]


@app.callback()
def main() -> None:
    """Card games with hidden information, served over WebSockets."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="address to listen on")] = None,
    port: Annotated[int | None, typer.Option(help="port to listen on; 0 takes a free one")] = None,
    store: Annotated[
        str | None, typer.Option(help="redis://..., unix://..., or none for the embedded one")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="folder of the embedded store")] = None,
    allow_weak_store: Annotated[
        bool, typer.Option("--allow-weak-store", help="accept a store that may lose what it acknowledged")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="processes that serve; one a core")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error")] = None,
) -> None:
    """Run the server; without a store named, with one of its own in ./facedown-data."""
    from server.commands import serve as command

    command.run(
        os.environ,
        host=host,
        port=port,
        store=store,
        data=data,
        allow_weak_store=allow_weak_store or None,
        workers=workers,
        log_level=log_level,
    )


@app.command()
def games(
    url: Annotated[str | None, typer.Option(help="ask this server; absent: the games installed here")] = None,
    json: Json = False,
) -> None:
    """List the games."""
    from server.commands import games as command

    command.run(url, json=json)


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="name of the game, as in `facedown games`")],
    bots: Annotated[bool, typer.Option("--bots", help="let random players take every seat")] = False,
    seats: Annotated[int | None, typer.Option(help="absent: as few as the game allows")] = None,
    url: Annotated[
        str | None, typer.Option(help="play at this server; absent: at one started for it")
    ] = None,
    codec: Annotated[
        Literal["json", "msgpack", "mixed"], typer.Option(help="encoding of the connections")
    ] = "json",
    options: Annotated[str | None, typer.Option(help="options of the game, a JSON object")] = None,
    seed: Annotated[
        int | None, typer.Option(help="of what the players choose; the deal stays random")
    ] = None,
    timeout: Annotated[float, typer.Option(help="seconds that the game may last", min=0.1)] = 300.0,
    json: Json = False,
) -> None:
    """Play one whole game over real connections, and write how it ended."""
    from server.commands import play as command
    from server.commands.common import MISUSED, fail

    if not bots:
        fail("only random players can play from here: add --bots", MISUSED)
    plan = command.Plan(
        game=game,
        seats=seats,
        options=command.options_of(options),
        codecs=("json", "msgpack") if codec == "mixed" else (codec,),
        seed=seed,
        timeout_s=timeout,
    )
    command.run(plan, url, json=json)


@app.command()
def watch(
    table: Annotated[str, typer.Argument(help="id of the table")],
    url: Url = HERE,
    token: Token = None,
    json: Json = False,
) -> None:
    """Write what happens at a table as it happens, until it is over."""
    from server.commands import watch as command

    command.run(table, url, token, json=json)


@app.command()
def log(
    table: Annotated[str, typer.Argument(help="id of the table")],
    url: Url = HERE,
    token: Token = None,
    opened: Annotated[
        bool, typer.Option("--open", help="all of a finished game, with nothing hidden")
    ] = False,
    views: Annotated[
        bool, typer.Option("--views", help="JSON with the views, for facedown replay of a running game")
    ] = False,
    json: Json = False,
) -> None:
    """Write what has happened at a table, one version a line."""
    from server.commands import log as command

    command.run(table, url, token, opened=opened, views=views, json=json)


@app.command()
def verify(
    log: Annotated[str, typer.Argument(help="file with a log, also packed by gzip; - for standard input")],
    shuffles_only: Annotated[
        bool, typer.Option("--shuffles-only", help="do not play the game again (logs of another release)")
    ] = False,
    json: Json = False,
) -> None:
    """Check that a log is whole and that its cards were dealt as promised.

    Exit code 0: proven. 1: something does not fit, or the log cannot prove it (the game is not over,
    reveal: never).
    """
    from server.commands import verify as command

    command.run(log, shuffles_only=shuffles_only, json=json)


Store = Annotated[
    str | None, typer.Option(help="redis://..., unix://..., or none for the embedded one in --data")
]
Data = Annotated[Path | None, typer.Option(help="folder of the embedded store; a server may be running")]


@app.command()
def export(
    tables: Annotated[list[str] | None, typer.Argument(help="ids of tables")] = None,
    everything: Annotated[bool, typer.Option("--all", help="every table of the store")] = False,
    to: Annotated[str, typer.Option(help="file to write, packed where it ends in .gz; - for output")] = "-",
    store: Store = None,
    data: Data = None,
) -> None:
    """Write whole tables to a file, for operators: it holds the deal keys, also of running games."""
    from server.commands import transfer as command

    command.run_export(tables or [], to, os.environ, everything=everything, store=store, data=data)


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(help="file that export wrote; - for standard input")],
    store: Store = None,
    data: Data = None,
) -> None:
    """Read tables from a file into a store: all of them, or none if anything is wrong with it."""
    from server.commands import transfer as command

    command.run_import(file, os.environ, store=store, data=data)


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="where the copy goes; it must not exist")],
    store: Store = None,
    data: Data = None,
) -> None:
    """Copy a store on this machine, and its archived tables, into a new folder; a server may be running."""
    from server.commands import backup as command

    command.run(folder, os.environ, store=store, data=data)


@app.command()
def forget(
    tables: Annotated[list[str] | None, typer.Argument(help="ids of tables")] = None,
    seat: Annotated[int | None, typer.Option(help="whoever sat on this seat", min=0)] = None,
    name: Annotated[str | None, typer.Option(help="whoever bore this name")] = None,
    everything: Annotated[bool, typer.Option("--all", help="every table, also archived ones")] = False,
    store: Store = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Take a person's name and talk out of stored tables, for good; a server may be running."""
    from server.commands import forget as command

    command.run(
        tables or [],
        os.environ,
        seat=seat,
        name=name,
        everywhere=everything,
        json=json,
        store=store,
        data=data,
    )


@app.command()
def doctor(store: Store = None, data: Data = None, json: Json = False) -> None:
    """Look whether the store keeps what it acknowledges; a server may be running on it."""
    from server.commands import doctor as command

    command.run(os.environ, json=json, store=store, data=data)


As = Annotated[str | None, typer.Option("--as", help="open, spectator, or a seat such as seat:2")]
AtVersion = Annotated[int | None, typer.Option("--at", help="only this version")]


@app.command()
def replay(
    log: Annotated[str, typer.Argument(help="file with a log, also packed by gzip; - for standard input")],
    viewer: As = None,
    at: AtVersion = None,
    json: Json = False,
) -> None:
    """Step through a log: in a terminal by keys, else all of it, or one version with its view."""
    from server.commands import replay as command

    command.run(log, viewer=viewer, at=at, json=json)


@app.command()
def inspect(
    table: Annotated[str, typer.Argument(help="id of the table")],
    viewer: As = None,
    at: AtVersion = None,
    dev: Annotated[bool, typer.Option("--dev", help="also a running game, with all that it hides")] = False,
    store: Store = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show a stored table as everybody saw it, side by side; for operators and developers."""
    from server.commands import inspect as command

    command.run(table, os.environ, viewer=viewer, at=at, dev=dev, json=json, store=store, data=data)


@app.command("new-game")
def new_game(
    name: Annotated[str, typer.Argument(help="its name on the wire: words in lower case joined by '-'")],
    title: Annotated[str | None, typer.Option(help="its title; made from the name if absent")] = None,
    root: Annotated[Path, typer.Option(help="checkout of Facedown to write into")] = Path(),
) -> None:
    """Write a small working game, with its view, rules and tests, to make your own game of."""
    from server.commands import new_game as command

    command.run(name, title, root.absolute())


if __name__ == "__main__":
    app()
