"""Prints, as JSON, what the generated files of the JavaScript client are made from.

``schema`` is the document of ``GET /v1/schema``, ``games`` the catalogue of ``GET /v1/games``, and
``decks`` says what each shuffle of each game shuffles, so that the client can tell a replaced card
without knowing any rules. The decks are found by playing: a rule is kept where it held in every game.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from domain.actions import Offer
from domain.events import event_name
from domain.registry import games
from server.catalogue import catalogue
from server.schema import messages
from tests.support.play import Playout, pick

GAMES_EACH = 12
"""How many games are played for each game and number of seats."""

STUBBORN = 0.8
"""How often an action of the first type that is offered is taken, in every other game.

Shuffles that need unlikely play (nobody takes before the deck has run out) happen in those.
"""


class Sample(msgspec.Struct, frozen=True):
    """One shuffle that happened.

    ``before`` are the outcomes of the shuffles before it, newest first; ``since`` counts the texts that
    stood in each field of the events since the last of them.
    """

    seats: int
    options: dict[str, Any]
    items: Counter[Any]
    event: str
    before: list[tuple[str, tuple[Any, ...]]]
    since: dict[str, Counter[str]]


def stem(label: str) -> str:
    """The label of a shuffle without its numbers: the shuffles of all rounds are of one kind."""
    return re.sub(r"\d+", "#", label)


def samples(name: str) -> dict[str, list[Sample]]:
    """The shuffles of some random games, by the stem of their label."""
    game = games()[name]
    found: dict[str, list[Sample]] = {}
    for seats in game.seats:
        for number in range(GAMES_EACH):
            playout = Playout(game, seats, key=number.to_bytes(32, "big"))
            rng = random.Random(number)  # noqa: S311 - a seed that gives the same games every time
            playout.play(rng, choose=stubborn if number % 2 else pick)
            before: list[tuple[str, tuple[Any, ...]]] = []
            since: dict[str, Counter[str]] = {}
            options = msgspec.to_builtins(playout.table.options)
            for commit in playout.commits:
                for event in commit.events:
                    label, order = getattr(event, "label", None), getattr(event, "order", None)
                    if label is None or order is None:
                        for field, value in msgspec.structs.asdict(event).items():
                            if isinstance(value, str):
                                since.setdefault(field, Counter())[value] += 1
                        continue
                    sample = Sample(
                        seats, options, Counter(order), event_name(type(event)), list(before), since
                    )
                    found.setdefault(stem(label), []).append(sample)
                    before.insert(0, (stem(label), order))
                    since = {}
    return found


def stubborn(rng: random.Random, offers: Sequence[Offer]) -> dict[str, Any]:
    """Mostly an action of the first type on offer."""
    first = [offer for offer in offers if offer["type"] == offers[0]["type"]]
    return pick(rng, first if rng.random() < STUBBORN else offers)


def rule(found: list[Sample]) -> dict[str, Any]:
    """What the shuffles of one kind shuffle, by the first kind of rule that fits them all."""
    first = found[0]
    for least in (0, 3):
        if all(sample.items == Counter(range(max(sample.seats, least))) for sample in found):
            return {"seats": least}
    for option, value in first.options.items():
        if isinstance(value, list | tuple) and len(value) > 5:
            extra = [sample.items - Counter(sample.options[option]) for sample in found]
            exact = all(
                sample.items == Counter(sample.options[option]) + more
                for sample, more in zip(found, extra, strict=True)
            )
            if exact and all(more == extra[0] for more in extra):
                return {"option": option, "plus": counts(extra[0])}
    if all(sample.items == first.items for sample in found):
        return {"cards": counts(first.items)}
    return _by_seats(found) or _rest(found) or _unused(found) or {"within": counts(_most(found))}


def counts(items: Counter[Any]) -> dict[str, int]:
    """Cards with how often each is there, in alphabetical order."""
    return dict(sorted(items.items()))


def _by_seats(found: list[Sample]) -> dict[str, Any] | None:
    decks: dict[int, Counter[Any]] = {}
    for sample in found:
        if decks.setdefault(sample.seats, sample.items) != sample.items:
            return None
    return {"by_seats": {str(seats): counts(items) for seats, items in sorted(decks.items())}}


def _rest(found: list[Sample]) -> dict[str, Any] | None:
    """What an earlier shuffle left over (the end of its outcome), with the same cards added each time."""
    for label, _ in found[0].before:
        outcomes = [dict(reversed(sample.before)).get(label) for sample in found]
        for added in range(sum(found[0].items.values())):
            extra = []
            for sample, outcome in zip(found, outcomes, strict=True):
                size = sum(sample.items.values()) - added
                rest = Counter(outcome[len(outcome) - size :] if outcome and 0 < size < len(outcome) else ())
                more = sample.items - rest
                extra.append(more if rest + more == sample.items and sum(more.values()) == added else None)
            if extra[0] is not None and all(more == extra[0] for more in extra):
                return {"after": label, "plus": counts(extra[0])}
    return None


def _unused(found: list[Sample]) -> dict[str, Any] | None:
    """A fixed deck without the cards that one field of the events since the last shuffle named."""
    for field in found[0].since:
        decks = [sample.items + sample.since.get(field, Counter()) for sample in found]
        if all(deck == decks[0] for deck in decks):
            return {"cards": counts(decks[0]), "less": field}
    return None


def _most(found: list[Sample]) -> Counter[Any]:
    most: Counter[Any] = Counter()
    for sample in found:
        most |= sample.items
    return most


def main() -> None:
    """Print the document."""
    decks = {
        name: {
            label: {"events": sorted({sample.event for sample in found}), **rule(found)}
            for label, found in sorted(samples(name).items())
        }
        for name in games()
    }
    catalogued = json.loads(catalogue.games())["games"]
    document = {"schema": messages(), "games": catalogued, "decks": decks}
    json.dump(document, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
