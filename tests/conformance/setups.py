"""The setups that every conformance test runs over: each registered game with each number of seats.

Games are played once a setup and shared by the tests. ``FACEDOWN_LONG=1`` plays more of them. Without it each
test runs over one setup of every game, the next test over another one.
"""

from __future__ import annotations

import random
import types
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from domain.actions import Offer
from domain.registry import games
from domain.table import AnyGame
from domain.visibility import SPECTATOR
from tests.support.counts import LONG
from tests.support.play import Playout, pick

GAMES_A_SETUP = 12 if LONG else 2
MOMENTS_A_GAME = 60 if LONG else 8

SETUPS = [(name, seats) for name, game in games().items() for seats in game.seats]


def label(setup: Any) -> str:
    """How a setup is called in the names of tests."""
    return f"{setup[0]}-{setup[1]}"


def has_its_turn(test: str, setup: tuple[str, int]) -> bool:
    """Whether the quick suite runs a test over a setup: by the test's name, the same in every run."""
    name, seats = setup
    possible = games()[name].seats
    return seats == possible[zlib.crc32(f"{test}/{name}".encode()) % len(possible)]


@cache
def switches(game: AnyGame) -> dict[str, tuple[Any, ...]]:
    """The options of a game that are a choice between few values, with those values."""
    found = {}
    for field, hint in get_type_hints(game.options).items():
        values: list[Any] = []
        parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
        for part in parts:
            if part is bool:
                values += [False, True]
            elif get_origin(part) is Literal:
                values += get_args(part)
        if values:
            found[field] = tuple(values)
    return found


def random_options(game: AnyGame, rng: random.Random) -> dict[str, Any]:
    """Some value for each option that is a choice."""
    return {field: rng.choice(values) for field, values in switches(game).items()}


def biased(rng: random.Random) -> Callable[[random.Random, Sequence[Offer]], dict[str, Any]]:
    """A way to choose that likes some action types more than others, so that games go to rarer places."""
    likes: dict[str, float] = {}

    def choose(rng_: random.Random, offers: Sequence[Offer]) -> dict[str, Any]:
        weights = [likes.setdefault(offer["type"], 10 ** rng.uniform(-2, 2)) for offer in offers]
        return pick(rng_, rng_.choices(offers, weights))

    return choose


def play_one(name: str, seats: int, number: int) -> Playout:
    """Game ``number`` of a setup, played to its end at random: number 0 evenly, with the default options."""
    rng = random.Random(f"{name}/{seats}/{number}")
    game = games()[name]
    options = random_options(game, rng) if number else {}
    played = Playout(game, seats, options=options, key=rng.randbytes(32))
    return played.play(rng, choose=biased(rng) if number else None)


@cache
def playouts(name: str, seats: int) -> list[Playout]:
    """The games of a setup."""
    return [play_one(name, seats, number) for number in range(GAMES_A_SETUP)]


def viewers(playout: Playout) -> tuple[int, ...]:
    """Everybody who may look on: the seats and a spectator."""
    return (*range(playout.seats), SPECTATOR)


def moments(playout: Playout, number: int = MOMENTS_A_GAME) -> list[int]:
    """Versions to look at: the start, the end, and some between."""
    first = playout.seats + 2
    last = len(playout.commits)
    between = range(first + 1, last)
    rng = random.Random(f"moments/{playout.game.name}/{last}")
    return sorted({first, last, *rng.sample(between, min(number, len(between)))})


def walk(value: Any) -> Iterator[Any]:
    """Every value inside nested dicts, lists and tuples, containers left out, keys included."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from walk(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from walk(inner)
    else:
        yield value


def choices(offer: Offer) -> dict[str, dict[str, Any]]:
    """The parameters of an offer."""
    return {name: choice for name, choice in offer.items() if name != "type"}
