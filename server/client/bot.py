"""A player of any game: it knows no rules, only what ``actions`` offers it."""

from __future__ import annotations

import random
from typing import Any

from server.client.errors import Refused
from server.client.viewer import Message, Viewer


def pick(rng: random.Random, offers: list[Message]) -> Message:
    """One action at random out of what ``actions`` offers."""
    return {name: _chosen(rng, choice) for name, choice in rng.choice(offers).items()}


def _chosen(rng: random.Random, choice: Any) -> Any:
    if isinstance(choice, str):
        return choice  # the type of the action
    if "one_of" in choice:
        return rng.choice(choice["one_of"])
    return rng.sample(choice["some_of"], rng.randint(choice["min"], choice["max"]))


async def play_at_random(viewer: Viewer, rng: random.Random) -> int:
    """Act at random whenever the game waits for this seat, until the table is over.

    Returns:
        How many actions it took.

    Raises:
        Refused: the server refused what it had offered.
    """
    acts = 0
    while True:
        await viewer.until(lambda: viewer.over or viewer.may_act)
        if viewer.over:
            return acts
        version = viewer.version
        try:
            await viewer.act(pick(rng, viewer.actions))
            acts += 1
        except Refused:
            # Fair only if the table has moved on meanwhile.
            if viewer.version == version:
                raise
