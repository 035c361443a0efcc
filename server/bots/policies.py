"""How bots choose. A policy gets what its seat may know, and random numbers that follow from the table, the
version and the seat: so the same view gives the same move.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import comb
from typing import Any, Final

from domain.actions import Offer
from domain.errors import Rejected
from domain.game import Game

AnyGame = Game[Any, Any]
Action = dict[str, Any]

Policy = Callable[[AnyGame, Any, int, Sequence[Offer], random.Random], Action]
"""``(game, seen, seat, offers, rng) -> action``; ``seen`` is the masked state of the seat."""

MOST_CANDIDATES: Final = 640
"""A greedy bot appraises every action where there are no more than this many."""

SAMPLED: Final = 64
"""How many it appraises where there are more and the game names none."""

PLAYOUTS: Final = 720
"""How many games a strong bot plays out for one move, whatever it holds and however many actions it has."""


def chance(game: AnyGame, seen: Any, seat: int, offers: Sequence[Offer], rng: random.Random) -> Action:
    """Any action, each offer and each value equally likely."""
    candidate = rng.choice(offers)
    action: Action = {"type": candidate["type"]}
    for name, choice in candidate.items():
        if name == "type":
            continue
        if "one_of" in choice:
            action[name] = rng.choice(choice["one_of"])
        else:
            action[name] = rng.sample(choice["some_of"], rng.randint(choice["min"], choice["max"]))
    return action


def greedy(game: AnyGame, seen: Any, seat: int, offers: Sequence[Offer], rng: random.Random) -> Action:
    """The action that looks best at once, as the game appraises it from what the seat knows."""
    candidates = game.candidates(seen, seat, offers) or every(offers, MOST_CANDIDATES)
    if candidates is None:
        candidates = [chance(game, seen, seat, offers, rng) for _ in range(SAMPLED)]
    worths = [game.appraise(seen, seat, action) for action in candidates]
    best = max(worths)
    return rng.choice([action for action, worth in zip(candidates, worths, strict=True) if worth == best])


def strong(
    game: AnyGame,
    log: Sequence[Mapping[str, Any]],
    seat: int,
    offers: Sequence[Offer],
    rng: random.Random,
    playouts: int = PLAYOUTS,
) -> Action:
    """The action that does best on average, played out in worlds that the seat cannot tell from the true one.

    Flat Monte Carlo search: every action meets the same worlds, so that luck in them counts for all alike.

    Args:
        game: one that ``imagines``.
        log: the lines of the running game's log as the seat may read them, the header first.
        seat: the bot's.
        offers: what it may do.
        rng: chooses the worlds, and what happens in them.
        playouts: how many games to play out in all.
    """
    actions = every(offers, playouts) or [chance(game, None, seat, offers, rng) for _ in range(SAMPLED)]
    sums = [0.0] * len(actions)
    for world in islice(game.worlds(log, seat, rng), max(1, playouts // len(actions))):
        for number, action in enumerate(actions):
            sums[number] += game.playout(world, seat, action, rng)
    return actions[max(range(len(actions)), key=sums.__getitem__)]


def every(offers: Sequence[Offer], most: int) -> list[Action] | None:
    """Every single action that ``offers`` stand for, or None where they are more than ``most``."""
    found: list[Action] = []
    for candidate in offers:
        partial: list[Action] = [{"type": candidate["type"]}]
        for name, choice in candidate.items():
            if name == "type":
                continue
            if _number(choice) * len(partial) > most:
                return None
            values = list(_values(choice))
            partial = [{**action, name: value} for action in partial for value in values]
        found += partial
        if len(found) > most:
            return None
    return found


def _number(choice: Mapping[str, Any]) -> int:
    """At most how many values a choice has."""
    if "one_of" in choice:
        return len(choice["one_of"])
    held = len(choice["some_of"])
    return sum(comb(held, size) for size in range(choice["min"], choice["max"] + 1))


def _values(choice: Mapping[str, Any]) -> Iterator[Any]:
    if "one_of" in choice:
        yield from choice["one_of"]
        return
    held = Counter(choice["some_of"])
    yield from _multisets(list(held.items()), choice["min"], choice["max"])


def _multisets(held: Sequence[tuple[Any, int]], least: int, most: int) -> Iterator[list[Any]]:
    """Every multiset of ``least`` to ``most`` of the values held, each once."""
    if not held:
        if least <= 0:
            yield []
        return
    (value, number), rest = held[0], held[1:]
    for taken in range(min(number, most) + 1):
        for others in _multisets(rest, least - taken, most - taken):
            yield [value] * taken + others


QUICK: Final[dict[str, Policy]] = {"random": chance, "greedy": greedy}
"""The policies that answer at once."""

STRONG: Final = "strong"
"""The policy that thinks ahead, for games that have what it needs."""

POLICIES: Final = (*QUICK, STRONG)


def policies_of(game: AnyGame) -> tuple[str, ...]:
    """The policies that a bot can have in a game."""
    return POLICIES if game.imagines else tuple(QUICK)


def require_policy(game: AnyGame, policy: str) -> None:
    """Refuse a policy that no bot can have in a game. Raises `Rejected` ``bad_options``."""
    known = policies_of(game)
    if policy not in known:
        message = f"policy: {game.title} has bots {', '.join(known)}, not {policy[:40]!r}"
        raise Rejected("bad_options", message, {"option": "policy", "bots": list(known)})


def seeded(table: str, version: int, seat: int) -> random.Random:
    """The random numbers of a bot's decision."""
    return random.Random(f"{table} {version} {seat}")  # noqa: S311 - a bot's taste, no secret
