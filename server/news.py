"""The update that tells of one commit, as a frame for each viewer.

Most of it is the same for all: that is encoded once, with gaps where viewers differ, and a viewer's frame
is put together from its pieces. The bytes are those of the whole message encoded at once.
"""

from __future__ import annotations

import secrets
from typing import Any

from msgspec import UNSET, Raw
from msgspec.structs import replace

from domain.events import Commit
from projections.frame import Sight
from projections.patch import struct_patch
from projections.redaction import redact_all, same_for_all
from projections.viewer import SPECTATOR, Viewer
from server.codec import Kind, encode, encoder
from server.wire import Update, Views, deadlines_of

_MARK = secrets.token_bytes(24)
_GAP: Any = Raw(_MARK)


class News:
    """One commit and what it led to.

    Args:
        commit: the commit.
        before: the table before it.
        sight: the table after it.
    """

    __slots__ = ("_before", "_commit", "_cuts", "_same", "_sight")

    def __init__(self, commit: Commit, before: Sight, sight: Sight) -> None:
        self._commit = commit
        self._before = before
        self._sight = sight
        self._same = same_for_all(commit.events)
        self._cuts: dict[tuple[Kind, Views], list[bytes]] = {}

    def frame(self, viewer: Viewer, kind: Kind, views: Views) -> bytes:
        """The update as ``viewer`` gets it."""
        cut = self._cuts.get((kind, views))
        if cut is None:
            cut = self._cuts[kind, views] = self._cut(kind, views)
        write, sight = encoder(kind), self._sight
        pieces = [cut[0]]
        if not self._same:
            pieces += (write(redact_all(self._commit.events, viewer)), cut[1])
        if views == "patch":
            patch = struct_patch(self._before.view(viewer), sight.view(viewer))
            pieces += (write(patch), cut[-2])
        elif views == "full" and (game := sight.game_view(viewer)) is not None:
            pieces += (write(game), cut[-2])
        pieces += (write(sight.actions(viewer)), cut[-1])
        return b"".join(pieces)

    def _cut(self, kind: Kind, views: Views) -> list[bytes]:
        commit, sight = self._commit, self._sight
        table = sight.table
        view: Any = UNSET
        if views == "full":
            view = sight.frame if table.state is None else replace(sight.frame, game=_GAP)
        update = Update(
            table=table.id,
            version=commit.version,
            at_ms=commit.at_ms,
            by=commit.by,
            status=table.status,
            events=redact_all(commit.events, SPECTATOR) if self._same else _GAP,
            view=view,
            patch=_GAP if views == "patch" else UNSET,
            actions=_GAP,
            waiting=sight.waiting,
            deadlines=deadlines_of(table),
        )
        return encode(kind, update).split(_MARK)
