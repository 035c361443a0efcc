"""``facedown doctor``: whether the store keeps what it acknowledges."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import typer

from server import doctor
from server.commands.common import FAILED, MISUSED, as_json, fail, settings_of
from server.commands.transfer import store_url
from server.embedded import EmbeddedStoreError
from server.store.link import Settings as StoreSettings


def run(env: Mapping[str, str], *, json: bool, **options: object) -> None:
    """Write a table of what was looked at. Ends with 1 where a server would refuse to start.

    Args:
        env: the environment, which names the store.
        options: settings of the command line; None for those not given.
    """
    settings = settings_of(env, options)
    if settings.store is not None and settings.store.startswith("memory:"):
        fail("memory:// keeps nothing: there is nothing to look at", MISUSED)
    try:
        with store_url(settings) as url:
            checks = asyncio.run(doctor.diagnose(url, StoreSettings(), settings.store_replicas))
    except EmbeddedStoreError as error:
        fail(str(error))
    if json:
        for check in checks:
            typer.echo(as_json(check._asdict()))
    else:
        for row in doctor.rows(checks):
            typer.echo(row)
    if any(check.verdict == "refuse" for check in checks):
        raise typer.Exit(FAILED)
