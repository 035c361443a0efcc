"""What the commands share: how they fail and how they write."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any, NoReturn, TypeVar

import typer

from server.client import ClientError, Refused, Server
from server.settings import Settings, SettingsError

T = TypeVar("T")

FAILED = 1
MISUSED = 2


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with a sentence on standard error."""
    typer.echo(f"facedown: {message}", err=True)
    raise typer.Exit(code)


def note(message: str) -> None:
    """A line about what goes on, on standard error."""
    typer.echo(message, err=True)


def counted(number: int, thing: str) -> str:
    """A number of things: ``1 table``, ``2 tables``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def settings_of(env: Mapping[str, str], options: Mapping[str, Any]) -> Settings:
    """The settings that environment and command line give. Ends the command where one is wrong.

    Args:
        options: settings of the command line; None for those not given.
    """
    try:
        return Settings.from_env(env).replaced(**options)
    except SettingsError as error:
        fail(str(error), MISUSED)


def as_json(value: Any) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def reach(url: str) -> Server:
    """The server at an address. Ends the command where that is none."""
    try:
        return Server(url)
    except ValueError as error:
        fail(f"--url: {error}", MISUSED)


def finish(work: Coroutine[Any, Any, T], url: str | None = None) -> T:
    """Run the command's work. Ends the command with a sentence where the server refuses or is not there.

    Args:
        url: the address the user gave, if any, for the advice.
    """
    try:
        return asyncio.run(work)
    except Refused as refused:
        # What the user asked for is wrong, or it cannot be done.
        misuse = refused.code in ("no_such_game", "bad_options", "bad_message")
        fail(str(refused), MISUSED if misuse else FAILED)
    except ClientError as error:
        advice = "" if url is None else "; is it running (facedown serve)? Name another one with --url"
        fail(f"{error}{advice}")
