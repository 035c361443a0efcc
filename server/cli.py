"""The command line: ``facedown serve``, ``games``, ``play``, ``watch``, ``log``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Card games with hidden information, served."
)


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
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error")] = None,
) -> None:
    """Run the server; without a store named, with one of its own in ./facedown-data."""
    from server.embedded import EmbeddedStoreError
    from server.run import serve as run
    from server.settings import Settings, SettingsError, misspelt
    from server.store.base import StoreUnavailable, WeakStore

    try:
        settings = Settings.from_env(os.environ).replaced(
            host=host,
            port=port,
            store=store,
            data=data,
            allow_weak_store=allow_weak_store or None,
            log_level=log_level,
        )
    except SettingsError as error:
        _fail(str(error))
    for name, meant in misspelt(os.environ):
        typer.echo(f"{name} is no setting; did you mean {meant}?", err=True)
    try:
        done = run(
            settings,
            lambda address: typer.echo(f"Facedown serves at {address}  (stop with Ctrl-C)", err=True),
        )
    except (EmbeddedStoreError, StoreUnavailable, WeakStore) as error:
        _fail(str(error))
    if not done:
        raise typer.Exit(1)


def _fail(message: str) -> None:
    typer.echo(f"facedown: {message}", err=True)
    sys.exit(1)
