"""``facedown serve``: the server."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from server.commands.common import FAILED, MISUSED, fail, note, settings_of


def run(env: Mapping[str, str], **options: object) -> None:
    """Serve until a signal says stop.

    Args:
        env: the environment, which holds the settings.
        options: settings of the command line, which go before; None for those not given.
    """
    from server.embedded import EmbeddedStoreError
    from server.run import CannotListen, serve
    from server.settings import SettingsError, misspelt
    from server.store.base import StoreUnavailable, WeakStore

    settings = settings_of(env, options)
    for name, meant in misspelt(env):
        note(f"{name} is no setting; did you mean {meant}?")
    try:
        done = serve(settings, lambda address: note(f"Facedown serves at {address}  (stop with Ctrl-C)"))
    except (CannotListen, EmbeddedStoreError, StoreUnavailable, WeakStore) as error:
        fail(str(error))
    except SettingsError as error:
        fail(str(error), MISUSED)
    if not done:
        raise typer.Exit(FAILED)
