"""``facedown play``: random players play one whole game over real connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import typer

from server.client import Codec, Server, Viewer, play_at_random
from server.commands import lines
from server.commands.common import FAILED, MISUSED, as_json, fail, finish, note, reach

REPORTED = 50
"""A progress line whenever so many versions have passed."""


class Plan(NamedTuple):
    """One game to be played.

    Args:
        game: its name.
        seats: how many; None: as few as the game allows.
        options: options of the game.
        codecs: the encodings of the seats' connections, in turn.
        seed: makes the players choose alike, but not the cards fall alike; None: a new one.
        timeout_s: for how long the game may last.
    """

    game: str
    seats: int | None = None
    options: dict[str, Any] = {}
    codecs: Sequence[Codec] = ("json",)
    seed: int | None = None
    timeout_s: float = 300.0


def run(plan: Plan, url: str | None, *, json: bool) -> None:
    """Play, then write the result. Ends the command with 0 only for a finished game."""
    result = _at_home(plan) if url is None else finish(_limited(reach(url), plan), url)
    if json:
        typer.echo(as_json(result))
    else:
        _write(result)
    if result["status"] != "finished":
        raise typer.Exit(FAILED)


def options_of(text: str | None) -> dict[str, Any]:
    """The option ``--options``. Ends the command where it is no JSON object."""
    try:
        options = json.loads(text or "{}")
    except ValueError as error:
        fail(f"--options: this is not JSON: {error}", MISUSED)
    if not isinstance(options, dict):
        fail("""--options: a JSON object is needed, such as '{"rounds": 4}'""", MISUSED)
    return options


def _at_home(plan: Plan) -> dict[str, Any]:
    """Play at a server of our own."""
    from server import logs
    from server.commands.local import own_store, serving
    from server.embedded import EmbeddedStoreError

    logs.configure("error")

    async def work() -> dict[str, Any]:
        async with serving(settings) as url:
            return await _limited(Server(url), plan)

    try:
        with own_store() as settings:
            return finish(work())
    except EmbeddedStoreError as error:
        fail(str(error))


async def _limited(server: Server, plan: Plan) -> dict[str, Any]:
    try:
        async with asyncio.timeout(plan.timeout_s):
            return await play(server, plan)
    except TimeoutError:
        fail(f"the game was not over after {plan.timeout_s:g} s")


async def play(server: Server, plan: Plan) -> dict[str, Any]:
    """Open a table, seat random players, and wait until it is over.

    Returns:
        ``{game, table, seats, options, seed, status, reason, places, scores, winners, versions, actions,
        duration_s}``; the result's members are None if there is none.

    Raises:
        server.client.ClientError: the server refused something, or is not there.
    """
    began = time.monotonic()
    seed = random.SystemRandom().randrange(2**32) if plan.seed is None else plan.seed
    settings: dict[str, Any] = {"options": plan.options, "autostart": False}
    if plan.seats is not None:
        settings["seats"] = plan.seats
    opened = await server.create(plan.game, **settings)
    table = opened["table"]
    facts = await server.facts(table)
    seats = len(facts["seats"])
    note(f"table {table} at {server.url}: {plan.game}, {seats} seats, seed {seed}")
    async with contextlib.AsyncExitStack() as stack:
        viewers: list[Viewer] = []
        for number in range(seats):
            seat = await server.sit(table, f"Bot {number}", seat=number)
            codec = plan.codecs[number % len(plan.codecs)]
            viewers.append(await stack.enter_async_context(server.attach(table, seat["token"], codec=codec)))
        await server.start(table, opened["host_token"])
        # Each seat chooses by itself; its choices depend on nothing but the seed and what it is offered.
        rngs = [random.Random(f"{seed}/{number}") for number in range(seats)]  # noqa: S311
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_report(viewers[0]))
                players = [
                    group.create_task(play_at_random(viewer, rng))
                    for viewer, rng in zip(viewers, rngs, strict=True)
                ]
        except ExceptionGroup as group_error:
            raise group_error.exceptions[0] from None
        last = viewers[0]
    ended = (last.view or {}).get("result", {})
    return {
        "game": plan.game,
        "table": table,
        "seats": seats,
        "options": plan.options,
        "seed": seed,
        "status": last.status,
        **{name: ended.get(name) for name in ("reason", "places", "scores", "winners")},
        "versions": last.version,
        "actions": sum(player.result() for player in players),
        "duration_s": round(time.monotonic() - began, 3),
    }


async def _report(viewer: Viewer) -> None:
    while not viewer.over:
        enough = viewer.version + REPORTED

        def reached(enough: int = enough) -> bool:
            return viewer.over or viewer.version >= enough

        await viewer.until(reached)
        note(f"version {viewer.version}: {viewer.status}")


def _write(result: dict[str, Any]) -> None:
    typer.echo(f"{result['game']} at table {result['table']}: {result['status']}")
    if result["places"] is not None:
        seats = [{"seat": seat, "name": f"Bot {seat}"} for seat in range(result["seats"])]
        for line in lines.result({"seats": seats, "result": result}):
            typer.echo(line)
        typer.echo(f"winners: {', '.join(f'seat {seat}' for seat in result['winners'])} ({result['reason']})")
    numbers = f"{result['versions']} versions, {result['actions']} actions"
    typer.echo(f"{numbers} in {result['duration_s']:.2f} s, seed {result['seed']}")
