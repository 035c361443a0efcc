"""The canary, for every game: no viewer is sent a card that no event has told it of.

The twin worlds find out whether hidden cards change anything; this is the plain search beside it. Every byte
that a viewer receives (view, actions, refusals) is searched for the codes of cards, and each must have stood
in an event for that viewer before. Cards of which there are several alike, and cards that are dealt again,
are followed by the identity of their objects.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.registry import games
from domain.table import Table
from domain.visibility import SPECTATOR
from projections.redaction import redact_all
from tests.conformance.setups import SETUPS, label, random_options
from tests.support.counts import LONG
from tests.support.watch import Watch, answer, fresh
from tests.support.worlds import World

SETTINGS = 4 if LONG else 1


def world(name: str, seats: int, number: int) -> World:
    """A played world: number 0 with the default options."""
    rng = random.Random(f"canary/{name}/{seats}/{number}")
    options = random_options(games()[name], rng) if number else {}
    played = World(games()[name], seats, options=options, key=rng.randbytes(32))
    played.play(rng)
    return played


def single(played: World) -> frozenset[str]:
    """The cards of which there is one in each deck."""
    found: set[str] = set()
    several: set[str] = set()
    for order in played.tracing.dealt.values():
        cards = [card for card in order if isinstance(card, str)]
        found.update(cards)
        several.update(card for card in cards if cards.count(card) > 1)
    return frozenset(found - several)


def named(data: bytes | str, cards: frozenset[str]) -> set[str]:
    """The cards whose codes stand in a text, as words of their own."""
    text = data.decode() if isinstance(data, bytes) else data
    return set(re.findall(r"[a-z0-9+-]+", text)) & cards


def strangers(played: World, viewer: int, send: Any = fresh) -> Iterator[str]:
    """Cards that stand in what a viewer is sent before any event told it of them."""
    watch = Watch(played, viewer)
    cards = single(played)
    told: set[str] = set()
    for commit, table in list(zip(played.commits, played.states, strict=True))[played.first - 1 :]:
        events = redact_all(commit.events, viewer)
        told |= named(msgspec.json.encode(events), cards)
        if not LONG and commit.version % 3:
            continue
        content = send(played.game, table, viewer)
        yield from (
            f"version {commit.version}: {card}" for card in named(msgspec.json.encode(content), cards) - told
        )
        for probe in watch.probes(commit.version):
            own = named(json.dumps(probe), cards)
            text = answer(played.game, table, viewer, probe)
            yield from (
                f"version {commit.version}, refused: {card}" for card in named(text, cards) - told - own
            )
        for slot in played.tracing.inside(content):
            if watch.knowledge.told.get(slot, commit.version + 1) > commit.version:
                yield f"version {commit.version}: {slot}"


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_no_viewer_is_sent_a_card_before_an_event_told_it_of_that_card(setup: tuple[str, int]) -> None:
    for number in range(SETTINGS):
        played = world(*setup, number)
        seats = range(played.seats) if LONG else [len(played.commits) % played.seats]
        for viewer in (*seats, SPECTATOR):
            assert list(strangers(played, viewer)) == [], f"viewer {viewer}, options {played.options}"


def test_the_canary_finds_a_card_that_was_never_told() -> None:
    played = world("trick-and-trade", 3, 0)

    def leaking(game: Any, table: Table, viewer: int) -> Any:
        return {**fresh(game, table, viewer), "note": table.state.hands[0][:1]}  # type: ignore[union-attr]

    assert list(strangers(played, SPECTATOR, leaking))
    assert not list(strangers(played, SPECTATOR))
