"""Events of the game as they stand on disk: what is pinned here is read for ever."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.events import Event, encode_commit
from domain.games.thread_the_needle import events
from domain.registry import codec
from domain.tarot.events import Award

STORED: list[tuple[Event, dict[str, Any]]] = [
    (
        events.StrawmenDealt("hand-1/deal", ("fool", "trump-1"), 1, 10, 0),
        {
            "type": "strawmen_dealt",
            "label": "hand-1/deal",
            "order": ["fool", "trump-1"],
            "hand": 1,
            "hand_size": 10,
            "starter": 0,
        },
    ),
    (events.BidMade(1, 4), {"type": "bid_made", "seat": 1, "level": 4}),
    (
        events.StrawmenTurned((events.Turned(0, 6, "fool"),)),
        {"type": "strawmen_turned", "cards": [{"seat": 0, "place": 6, "card": "fool"}]},
    ),
    (
        events.LineLooked(1, "column-2", ("fool", "clubs-8")),
        {"type": "line_looked", "seat": 1, "line": "column-2", "cards": ["fool", "clubs-8"]},
    ),
    (
        events.TalonRevealed(0, ("clubs-8", "fool")),
        {"type": "talon_revealed", "seat": 0, "cards": ["clubs-8", "fool"]},
    ),
    (
        events.TalonShared(0, "row-1", (-2, 4)),
        {"type": "talon_shared", "seat": 0, "line": "row-1", "points": [-2, 4]},
    ),
    (
        events.HandScored(2, (4, 0), (38, 42), (3, 5), (False, False), (Award(1, 1, "level"),), "missed"),
        {
            "type": "hand_scored",
            "hand": 2,
            "bids": [4, 0],
            "points": [38, 42],
            "levels": [3, 5],
            "made": [False, False],
            "awards": [{"seat": 1, "points": 1, "reason": "level"}],
            "needle": "missed",
        },
    ),
]


@pytest.mark.parametrize(
    ("event", "stored"), STORED, ids=lambda value: value.get("type", "") if isinstance(value, dict) else ""
)
def test_an_event_is_stored_and_read_back_as_ever(event: Event, stored: dict[str, Any]) -> None:
    data = encode_commit(0, (event,), None)
    assert msgspec.msgpack.decode(data)["events"] == [stored]
    commit = codec("thread-the-needle").decode(9, 1000, msgspec.msgpack.encode({"by": 0, "events": [stored]}))
    assert commit.events == (event,)


def test_every_event_of_the_game_alone_is_pinned() -> None:
    own = {kind for kind in events.EVENTS if kind.__module__ == events.__name__}
    assert {type(event) for event, _ in STORED} == own
