"""The update that tells of one commit, as a frame for each viewer.

Most of it is the same for all: that is encoded once, with gaps where viewers differ, and a viewer's frame
is put together from its pieces. The message is that of the whole encoded at once; where a game tells a
viewer's own members apart, these come last.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from msgspec import UNSET, Raw
from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from domain.events import Commit
from projections.frame import Sight
from projections.patch import patch_member, struct_patch
from projections.redaction import for_all, redact_all, same_for_all
from projections.viewer import SPECTATOR, Viewer
from server.codec import Kind, encode, encoder
from server.members import Members
from server.wire import Update, Views, deadlines_of

_MARK = secrets.token_bytes(24)
_GAP: Any = Raw(_MARK)
_NOTHING: Final[dict[str, bytes]] = {"json": b"[]", "msgpack": b"\x90"}


@mypyc_attr(acyclic=True)
class _Form:
    """What is made once for all who get an update in the same encoding, with the same of the view."""

    __slots__ = ("cut", "kind", "rest", "shared", "views", "write")

    def __init__(self, kind: Kind, views: Views, cut: list[bytes]) -> None:
        self.kind = kind
        self.views = views
        self.cut = cut
        self.write = encoder(kind)
        self.rest: Members | None = None
        self.shared: dict[str, Any] | None = None


@mypyc_attr(acyclic=True)
class Frames:
    """What is around a game's view, encoded: it seldom changes from one version to the next."""

    __slots__ = ("_encoded", "_frame")

    def __init__(self) -> None:
        self._frame: Any = None
        self._encoded: dict[Kind, Raw] = {}

    def encoded(self, kind: Kind, sight: Sight) -> Raw:
        """The view of a started game, with a gap for what the viewer sees of the game."""
        if sight.frame is not self._frame:
            self._frame = sight.frame
            self._encoded.clear()
        found = self._encoded.get(kind)
        if found is None:
            found = self._encoded[kind] = Raw(encode(kind, sight.frame_of(_GAP)))
        return found


@mypyc_attr(acyclic=True)
class News:
    """One commit and what it led to.

    Args:
        commit: the commit.
        before: the table before it.
        sight: the table after it.
        frames: kept by whoever tells of one commit of a table after the other.
    """

    __slots__ = ("_before", "_commit", "_forms", "_frames", "_same", "_sight")

    def __init__(self, commit: Commit, before: Sight, sight: Sight, frames: Frames) -> None:
        self._frames = frames
        self._commit = commit
        self._before = before
        self._sight = sight
        self._same = same_for_all(commit.events)
        self._forms: list[_Form] = []

    def frame(self, viewer: Viewer, kind: Kind, views: Views) -> bytes:
        """The update as ``viewer`` gets it."""
        form = self._form(kind, views)
        cut, write, sight = form.cut, form.write, self._sight
        pieces = [cut[0]]
        if not self._same:
            pieces.append(write(redact_all(self._commit.events, viewer)))
            pieces.append(cut[1])
        if views == "patch":
            pieces.append(write(self._patch(form, viewer)))
            pieces.append(cut[-2])
        elif views == "full" and sight.state is not None:
            pieces.append(self._game(form, viewer))
            pieces.append(cut[-2])
        actions = sight.actions(viewer)
        pieces.append(write(actions) if actions else _NOTHING[kind])
        pieces.append(cut[-1])
        return b"".join(pieces)

    def _form(self, kind: Kind, views: Views) -> _Form:
        for form in self._forms:
            if form.kind == kind and form.views == views:
                return form
        form = _Form(kind, views, self._cut(kind, views))
        self._forms.append(form)
        return form

    def _game(self, form: _Form, viewer: Viewer) -> bytes:
        """What the viewer sees of the game; what is the same for all is encoded once."""
        sight = self._sight
        own = sight.own(viewer)
        if own is None:
            return form.write(sight.game_view(viewer))
        rest = form.rest
        if rest is None:
            public: Any = sight.game_view(SPECTATOR)
            without = replace(public, **dict.fromkeys(sight.apart, UNSET))
            rest = form.rest = Members(form.kind, form.write(without))
        return rest.joined(form.write(own))

    def _patch(self, form: _Form, viewer: Viewer) -> dict[str, Any]:
        """What changed of the viewer's view; what is the same for all is worked out once."""
        before, sight = self._before, self._sight
        own, was = sight.own(viewer), before.own(viewer)
        if own is None or was is None:
            return struct_patch(before.view(viewer), sight.view(viewer))
        shared = form.shared
        if shared is None:
            shared = form.shared = struct_patch(before.view(SPECTATOR), sight.view(SPECTATOR))
            common = shared.get("game", {})
            shared["game"] = {name: common[name] for name in common if name not in sight.apart}
        game: dict[str, Any] = dict(shared["game"])
        for name in sight.apart:
            old, new = was.get(name, UNSET), own.get(name, UNSET)
            if old is not new:
                patch_member(game, name, old, new)
        patch = dict(shared)
        if game:
            patch["game"] = game
        else:
            del patch["game"]
        return patch

    def _cut(self, kind: Kind, views: Views) -> list[bytes]:
        commit, sight = self._commit, self._sight
        table = sight.table
        view: Any = UNSET
        events: Any = for_all(commit.events) if self._same else _GAP
        if views == "full":
            view = sight.frame if sight.state is None else self._frames.encoded(kind, sight)
        update = Update(
            table=table.id,
            version=commit.version,
            at_ms=commit.at_ms,
            by=commit.by,
            status=table.status,
            events=events,
            view=view,
            patch=_GAP if views == "patch" else UNSET,
            actions=_GAP,
            waiting=sight.waiting,
            deadlines=UNSET if table.clock is None else deadlines_of(table),
        )
        return encode(kind, update).split(_MARK)
