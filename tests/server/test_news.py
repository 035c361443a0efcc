"""The frames of an update: put together from pieces, and the same message as the whole encoded at once."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from domain.registry import games
from projections.frame import Sight
from projections.patch import struct_patch
from projections.redaction import redact_all
from server.codec import Kind, decode, encode
from server.members import Members
from server.news import News
from server.wire import Update, Views, deadlines_of
from tests.conformance.setups import SETUPS, label, playouts, viewers

FORMS: list[tuple[Kind, Views]] = [
    (kind, views) for kind in ("json", "msgpack") for views in ("full", "patch", "none")
]


def same(kind: Kind, frame: bytes, whole: bytes) -> bool:
    """Whether two frames are the same message in the same number of bytes; members may stand elsewhere."""
    return len(frame) == len(whole) and decode(kind, frame) == decode(kind, whole)


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_the_pieces_make_the_whole(setup: tuple[str, int]) -> None:
    assert setup[0] in games()
    for playout in playouts(*setup)[:1]:
        before = Sight(playout.states[0])
        for commit, table in zip(playout.commits[1:], playout.states[1:], strict=True):
            sight = Sight(table, before)
            news = News(commit, before, sight)
            for viewer in viewers(playout):
                for kind, views in FORMS:
                    whole = Update(
                        table=table.id,
                        version=commit.version,
                        at_ms=commit.at_ms,
                        by=commit.by,
                        status=table.status,
                        events=redact_all(commit.events, viewer),
                        view=sight.view(viewer) if views == "full" else UNSET,
                        patch=struct_patch(before.view(viewer), sight.view(viewer))
                        if views == "patch"
                        else UNSET,
                        actions=sight.actions(viewer),
                        waiting=sight.waiting,
                        deadlines=deadlines_of(table),
                    )
                    assert same(kind, news.frame(viewer, kind, views), encode(kind, whole))
            before = sight


@pytest.mark.parametrize("kind", ["json", "msgpack"])
@pytest.mark.parametrize("some", [0, 1, 15, 16, 300])
@pytest.mark.parametrize("more", [0, 1, 14, 20])
def test_members_join_as_if_encoded_together(kind: Kind, some: int, more: int) -> None:
    one = {f"a{number}": [number] for number in range(some)}
    other = {f"b{number}": "x" for number in range(more)}
    assert Members(kind, encode(kind, one)).joined(encode(kind, other)) == encode(kind, one | other)
