"""A feed: a table at the version that its viewers may see, and those who watch it.

Seats watch the table as it is. Spectators of a table with a delay have a feed of their own that runs
some commits behind; everything they are told comes from that feed's table.
"""

from __future__ import annotations

from typing import Protocol

from domain.events import Commit
from domain.table import Table
from projections import frame
from projections.viewer import Viewer
from server.codec import Kind, encode
from server.news import Frames, News
from server.wire import ToClient, Views


class Sink(Protocol):
    """Where frames for one connection go. Neither method blocks or raises."""

    kind: Kind

    def send(self, frame: bytes) -> None:
        """Queue a frame."""

    def drop(self, table: str, reason: str) -> None:
        """The connection is no viewer of ``table`` any more; tell it, and forget the attachment."""


class Attachment:
    """One connection that watches one table."""

    __slots__ = ("sink", "table", "viewer", "views")

    def __init__(self, sink: Sink, table: str, viewer: Viewer, views: Views) -> None:
        self.sink = sink
        self.table = table
        self.viewer = viewer
        self.views = views


class Feed:
    """Tells each viewer of each version, encoding once for all that get the same bytes."""

    def __init__(self, table: Table) -> None:
        self.sight = frame.Sight(table)
        self.viewers: dict[Viewer, list[Attachment]] = {}
        self._frames = Frames()

    @property
    def table(self) -> Table:
        """The table at the version that is visible here."""
        return self.sight.table

    def add(self, attachment: Attachment) -> None:
        """From now on tell this attachment too."""
        self.viewers.setdefault(attachment.viewer, []).append(attachment)

    def remove(self, attachment: Attachment) -> None:
        """Tell it nothing more."""
        there = self.viewers.get(attachment.viewer, [])
        if attachment in there:
            there.remove(attachment)
        if not there:
            self.viewers.pop(attachment.viewer, None)

    def attachments(self) -> list[Attachment]:
        """Everybody who watches this feed."""
        return [attachment for there in self.viewers.values() for attachment in there]

    def advance(self, commit: Commit, table: Table) -> None:
        """Show ``commit``, which led to ``table``."""
        before = self.sight
        sight = self.sight = frame.Sight(table, before)
        news = News(commit, before, sight, self._frames)
        for viewer, there in list(self.viewers.items()):
            if len(there) == 1:
                only = there[0]
                sink = only.sink
                sink.send(news.frame(viewer, sink.kind, only.views))
            else:
                _tell_all(news, viewer, there)

    def broadcast(self, message: ToClient) -> None:
        """Send one message to everybody who watches."""
        frames: dict[Kind, bytes] = {}
        for attachment in self.attachments():
            kind = attachment.sink.kind
            if kind not in frames:
                frames[kind] = encode(kind, message)
            attachment.sink.send(frames[kind])


def _tell_all(news: News, viewer: Viewer, there: list[Attachment]) -> None:
    """One frame for all that get the same bytes, made when the first of them wants it."""
    made: dict[tuple[Kind, Views], bytes] = {}
    for attachment in tuple(there):
        sink, views = attachment.sink, attachment.views
        kind = sink.kind
        found = made.get((kind, views))
        if found is None:
            found = made[kind, views] = news.frame(viewer, kind, views)
        sink.send(found)
