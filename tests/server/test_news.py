"""The frames of an update: put together from pieces, and the same message as the whole encoded at once."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from domain import table as tables
from domain.events import Commit
from domain.registry import games
from domain.table.decisions import decision
from projections.frame import Sight
from projections.patch import struct_patch
from projections.redaction import redact_all
from projections.viewer import SPECTATOR, Viewer
from server.codec import Kind, decode, encode
from server.members import Members
from server.news import Frames, News
from server.wire import Update, Views, deadlines_of
from tests.conformance.setups import SETUPS, label, playouts, viewers

FORMS: list[tuple[Kind, Views]] = [
    (kind, views) for kind in ("json", "msgpack") for views in ("full", "patch", "none")
]


def same(kind: Kind, frame: bytes, whole: bytes) -> bool:
    """Whether two frames are the same message in the same number of bytes; members may stand elsewhere."""
    return len(frame) == len(whole) and decode(kind, frame) == decode(kind, whole)


def whole_of(kind: Kind, views: Views, commit: Commit, before: Sight, sight: Sight, viewer: Viewer) -> bytes:
    """An update, encoded at once."""
    table = sight.table
    update = Update(
        table=table.id,
        version=commit.version,
        at_ms=commit.at_ms,
        by=commit.by,
        status=table.status,
        events=redact_all(commit.events, viewer),
        view=sight.view(viewer) if views == "full" else UNSET,
        patch=struct_patch(before.view(viewer), sight.view(viewer)) if views == "patch" else UNSET,
        actions=sight.actions(viewer),
        waiting=sight.waiting,
        deadlines=deadlines_of(table),
    )
    return encode(kind, update)


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_the_pieces_make_the_whole(setup: tuple[str, int]) -> None:
    assert setup[0] in games()
    for playout in playouts(*setup)[:1]:
        before, frames = Sight(playout.states[0]), Frames()
        for commit, table in zip(playout.commits[1:], playout.states[1:], strict=True):
            sight = Sight(table, before)
            news = News(commit, before, sight, frames)
            for viewer in viewers(playout):
                for kind, views in FORMS:
                    whole = whole_of(kind, views, commit, before, sight, viewer)
                    assert same(kind, news.frame(viewer, kind, views), whole)
            before = sight


@pytest.mark.parametrize(("kind", "views"), FORMS)
def test_what_is_kept_of_the_frame_is_that_of_the_version(kind: Kind, views: Views) -> None:
    """Given a game that runs, when something around it changes, then the next update shows it."""
    playout = playouts(*SETUPS[0])[0]
    game = games()[playout.states[0].game]
    number = next(number for number, table in enumerate(playout.states) if table.status == "playing")
    table, frames = playout.states[number], Frames()
    before, seen = Sight(table), []

    def told(decision: tables.Decision) -> None:
        nonlocal table, before
        commit = Commit(table.version + 1, table.at_ms + 1, "host", decision.events)
        table = tables.sealed(game, table, decision.table, commit)
        sight = Sight(table, before)
        frame = News(commit, before, sight, frames).frame(SPECTATOR, kind, views)
        assert same(kind, frame, whole_of(kind, views, commit, before, sight, SPECTATOR))
        before = sight
        seen.append(sight.frame)

    for decide in (tables.decide_pause, tables.decide_resume):
        for seat in (0, None):  # one asks, the host orders
            told(decide(game, table, seat=seat))
            told(decision(game, table, tables.Muted(True, 0)))
    for seat in (0, 1):
        told(decision(game, table, tables.TimedOut(seat, "bot")))
        told(decision(game, table, tables.Muted(False, 0)))
    told(tables.decide_leave(game, table, seat=0, removed=False))
    assert len({id(frame) for frame in seen}) < len(seen)
    assert len({(frame.seats, frame.paused, frame.asked) for frame in seen}) >= 5


@pytest.mark.parametrize("kind", ["json", "msgpack"])
@pytest.mark.parametrize("some", [0, 1, 15, 16, 300])
@pytest.mark.parametrize("more", [0, 1, 14, 20])
def test_members_join_as_if_encoded_together(kind: Kind, some: int, more: int) -> None:
    one = {f"a{number}": [number] for number in range(some)}
    other = {f"b{number}": "x" for number in range(more)}
    assert Members(kind, encode(kind, one)).joined(encode(kind, other)) == encode(kind, one | other)
