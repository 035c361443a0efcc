"""The canary over many games: all that a viewer can read of a table is searched for what it was not told.

A card with a code of its own may stand in a view, in actions or anywhere else only once an event has told the
viewer of it; the deal key and the hashes of tokens only after the end, or never. The canary of
`tests.conformance.test_canary` looks closer, with refusals and by the identity of cards, at fewer games.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.events import Shuffled, event_name
from domain.registry import games
from domain.visibility import PUBLIC, SPECTATOR
from projections import history
from tests.conformance.setups import SETUPS, label, random_options
from tests.secrecy.keys import told
from tests.secrecy.logs import Recorded, recorded
from tests.support.counts import LONG
from tests.support.planting import plant_audience

GAMES = 30 if LONG else 1
pytestmark = pytest.mark.timeout(900 if LONG else 60)
LAY_OPEN = {"tokens_turned"}
"""Shuffles of what everybody saw before: where each lies is hidden, not that it is there."""
_WORDS = re.compile(r"[a-z0-9+-]+")


def played(name: str, seats: int, number: int) -> Recorded:
    """A game: number 0 with the default options, the others with any."""
    if not number:
        return recorded(name, seats)
    options = random_options(games()[name], random.Random(f"{name}/{number}"))
    seed = "patient" if number % 5 == 1 else f"canary/{number}"
    return Recorded(name, seats, seed=seed, options=options)


def canaries(game: Recorded) -> frozenset[str]:
    """The cards of which there is one in each deck."""
    found: set[str] = set()
    several: set[str] = set()
    for commit in game.commits:
        for event in commit.events:
            if isinstance(event, Shuffled) and event_name(type(event)) not in LAY_OPEN:
                cards = [card for card in event.order if isinstance(card, str)]
                found.update(cards)
                several.update(card for card in set(cards) if cards.count(card) > 1)
    return frozenset(found - several)


def words(value: Any) -> set[str]:
    """Whatever may be a code in the JSON of a value."""
    return set(_WORDS.findall(msgspec.json.encode(value).decode()))


def strangers(game: Recorded, viewer: int) -> Iterator[str]:
    """What stands in the log of a viewer (with patches) before an event told it, and secrets of the table."""
    cards = canaries(game)
    known: set[str] = set()
    for line in history.lines(game.commits, viewer, patches=True):
        if line["version"] > 1:  # the options of the table name whole decks
            known |= words(line["events"]) & cards
        rest = {name: value for name, value in line.items() if name != "events"}
        yield from (f"version {line['version']}: {card}" for card in (words(rest) & cards) - known)
        over = line["version"] == len(game.commits)
        for secret in told(msgspec.json.encode(line), game.table):
            if not (over and secret == "the deal key"):
                yield f"version {line['version']}: {secret}"


@pytest.mark.parametrize("number", range(GAMES))
@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_nobody_reads_of_a_card_before_an_event_told_of_it(setup: tuple[str, int], number: int) -> None:
    game = played(*setup, number)
    seats = range(game.seats) if LONG else [len(game.commits) % game.seats]
    for viewer in (*seats, SPECTATOR):
        assert list(strangers(game, viewer)) == [], f"viewer {viewer}, options {game.table.options}"


def test_the_canary_has_something_to_look_for() -> None:
    """Where every card is there twice, only the key and the hashes are left."""
    without = {name for name, seats in SETUPS if not canaries(recorded(name, seats))}
    assert without == {"trinket-trove"}


@pytest.mark.interpreted
def test_the_canary_finds_cards_that_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    game = recorded("trick-and-trade", 3)
    monkeypatch.setattr("projections.frame.see", lambda state, viewer, public=None: state)
    assert list(strangers(game, SPECTATOR))


def test_the_canary_finds_a_key_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    game = recorded("trick-and-trade", 3)
    opened = type(game.commits[0].events[0])
    plant_audience(monkeypatch, opened, "deal_key", PUBLIC)
    assert "version 1: the deal key" in list(strangers(game, 0))
