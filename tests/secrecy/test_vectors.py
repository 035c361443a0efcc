"""The published vectors of what the games deal are right, and none is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domain.dealing import KeyedDealer
from domain.events import Shuffled, event_name
from domain.registry import games
from server.commands.verify import checked
from tests.domain import reference_dealing
from tests.secrecy.vectors import COMMAND, LABELS, LOGS, pattern, shuffles, some
from tests.support.counts import LONG

PUBLISHED: list[dict[str, Any]] = json.loads(LABELS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", PUBLISHED, ids=lambda vector: f"{vector['game']}:{vector['label']}")
def test_both_implementations_give_the_published_outcome(vector: dict[str, Any]) -> None:
    key, entropy = bytes.fromhex(vector["key"]), [part.encode() for part in vector["entropy"]]
    assert list(KeyedDealer(key, entropy).shuffle(vector["label"], vector["items"])) == vector["order"]
    assert reference_dealing.shuffle(key, entropy, vector["label"], vector["items"]) == vector["order"]


@pytest.mark.parametrize("name", games())
def test_every_label_that_a_game_uses_has_a_vector_and_is_used_once_a_table(name: str) -> None:
    published = {pattern(vector["label"]) for vector in PUBLISHED if vector["game"] == name}
    for game in some(name):
        used = [event.label for event in shuffles(game)]
        assert len(used) == len(set(used))
        assert {pattern(label) for label in used} <= published, f"write the vectors anew: {COMMAND}"


def test_every_event_that_tells_of_a_shuffle_has_a_vector() -> None:
    published = {(vector["game"], vector["event"]) for vector in PUBLISHED}
    assert published == {
        (name, event_name(kind))
        for name, game in games().items()
        for kind in game.events
        if issubclass(kind, Shuffled)
    }


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_published_logs_are_proven(path: Path) -> None:
    report = checked(path.read_bytes())
    assert report.findings == []
    assert report.proven
    assert report.last_digest
    assert (report.rehearsed is not None) == (path.stem == "open-log")


@pytest.mark.parametrize("name", games())
def test_cards_come_to_every_place_equally_often(name: str) -> None:
    """Chi-square of a game's own decks over fixed keys: a card among those that lie at places of one seat.

    Over hundreds of deals the first card in sorted order falls into each quarter of the deck. Three degrees
    of freedom: 99.99 % lie below 21.1. The keys are fixed, so this cannot fail by chance.
    """
    vector = max((one for one in PUBLISHED if one["game"] == name), key=lambda one: len(one["items"]))
    items = vector["items"]
    rounds, size = 500 if LONG else 150, len(items)
    for card in (items[0], items[size // 2], items[-1]):
        held = items.count(card)
        counts = [0.0] * 4
        for number in range(rounds // 10):
            dealer = KeyedDealer(number.to_bytes(32, "big"), [b"a", b"b"])
            for hand in range(10):
                order = dealer.shuffle(vector["label"].replace("1", str(hand + 1)) + f"/{hand}", items)
                for at, dealt in enumerate(order):
                    if dealt == card:
                        counts[at * 4 // size] += 1
        places = [sum(at * 4 // size == part for at in range(size)) for part in range(4)]
        expected = [rounds * held * part / size for part in places]
        chi = sum((count - due) ** 2 / due for count, due in zip(counts, expected, strict=True))
        assert chi < 21.1, (card, counts, expected)
