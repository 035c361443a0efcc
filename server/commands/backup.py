"""``facedown backup``: copies the folder of a store while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from server.backup import BackupFailed, backup
from server.commands.common import MISUSED, fail, note, settings_of
from server.commands.transfer import store_url
from server.embedded import EmbeddedStoreError


def run(target: Path, env: Mapping[str, str], **options: object) -> None:
    """Copy the store and the archived tables into a new folder.

    Args:
        target: the folder; it must not exist.
        env: the environment, which names the store.
        options: settings of the command line; None for those not given.
    """
    settings = settings_of(env, options)
    if settings.store is not None and settings.store.startswith("memory:"):
        fail("memory:// keeps nothing: there is nothing to copy", MISUSED)
    try:
        with store_url(settings) as url:
            number = asyncio.run(backup(url, settings.archive_folder, target.absolute()))
    except (BackupFailed, EmbeddedStoreError) as error:
        fail(str(error))
    note(f"copied {number} bytes to {target}; a server starts from there with FACEDOWN_DATA={target}")
    note("(it holds the deal keys of running games: keep it as safe as the store itself)")
