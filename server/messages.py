"""What a connection's messages do to a room: attach, detach, act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from domain.errors import Rejected
from domain.registry import games
from projections.redaction import redact_all
from projections.viewer import SPECTATOR, on_wire
from server import metrics
from server.access import viewer_of
from server.acting import ActJob, Answered
from server.feed import Attachment, Feed
from server.jobs import Revoked, refusal
from server.owner import Told
from server.past import told_since
from server.room import Room
from server.wire import (
    Attached,
    Detached,
    Error,
    LobbyUnwatched,
    Refused,
    ToClient,
    UnwatchLobby,
    Update,
    WatchLobby,
    deadlines_of,
)

if TYPE_CHECKING:
    from server.connection import Connection


class UnwatchJob:
    """A job: stop watching a table that nobody here watches."""

    async def run(self, room: Room) -> None:
        """Do it."""
        await room.unwatch()

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Nobody waits for an answer."""


class DetachJob(Answered):
    """A job: stop being a viewer. In its turn, so that commands sent before are answered before."""

    async def run(self, room: Room) -> None:
        """Do it and answer."""
        self._done()

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Also a table that is not there is one that is not watched."""
        self._done()

    def _done(self) -> None:
        table = self.message.table
        if table in self.connection.attachments:
            self.connection.forget(table)
        self.connection.tell(Detached(id=self.message.id, table=table, reason="asked"))


class AttachJob(Answered):
    """A job: become a viewer."""

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer with an error."""
        self.connection.attach_ended()
        super().fail(code, message, detail)

    async def run(self, room: Room) -> None:
        """Watch the table, then in one step answer and be a viewer."""
        connection = self.connection
        await room.ready(fresh=False)
        try:
            await room.watch()
            await room.ready()
            missed = await self._missed(room)
            if connection.alive:
                self._become(room, missed)
        finally:
            if room.watched and not room.attachments():
                await room.unwatch()
        connection.attach_ended()

    async def _missed(self, room: Room) -> list[Told] | None:
        """What the client missed since ``from``, or None where it must start anew."""
        message = self.message
        if message.from_ is UNSET:
            return None
        viewer = self._viewer(room)
        table = room.feed(viewer).table
        window = self.connection.service.settings.resume_window
        if message.epoch != table.epoch or not 1 <= message.from_ <= table.version:
            return None
        if table.version - message.from_ > window:
            return None
        told = await told_since(room, message.from_)
        if not told or told[0].commit.version != message.from_:
            return None
        if message.from_ms is not UNSET and told[0].commit.at_ms != message.from_ms:
            return None
        # Commits that came meanwhile are in memory, newest last.
        last = told[-1].commit.version
        told += [new for new in room.recent if new.commit.version > last]
        return told[1:]

    def _viewer(self, room: Room) -> int:
        token = None if self.message.token is UNSET else self.message.token
        return viewer_of(room.table, token)

    def _become(self, room: Room, missed: list[Told] | None) -> None:
        connection, message = self.connection, self.message
        viewer = self._viewer(room)
        feed = room.feed(viewer)
        if missed is not None:
            missed = [told for told in missed if told.commit.version <= feed.table.version]
            if len(missed) != feed.table.version - message.from_:
                missed = None
        before = connection.attachments.get(room.id)
        if viewer == SPECTATOR and (before is None or before.viewer != SPECTATOR):
            most = connection.service.settings.max_spectators_per_table
            if len(feed.viewers.get(viewer, ())) >= most:
                raise Rejected("forbidden", f"this table has {most} spectators here, more cannot be served")
        if before is not None:
            connection.forget(room.id)
        attachment = Attachment(connection, room.id, viewer, message.views)
        feed.add(attachment)
        connection.attachments[room.id] = attachment
        if viewer >= 0:
            connection.service.presence.arrived(room.id, viewer)
        metrics.ATTACHES.labels("no" if missed is None else "yes").inc()
        if missed is None:
            connection.tell(self._whole(feed, attachment))
        else:
            for reply in self._resumed(feed, attachment, missed):
                connection.tell(reply)

    def _whole(self, feed: Feed, attachment: Attachment) -> Attached:
        table = feed.table
        snapshot = feed.sight.snapshot(attachment.viewer)
        return Attached(
            id=self.message.id,
            table=table.id,
            viewer=on_wire(attachment.viewer),
            version=table.version,
            at_ms=table.at_ms,
            epoch=table.epoch,
            status=snapshot.status,
            recovered=False,
            view=UNSET if attachment.views == "none" else snapshot.view,
            actions=snapshot.actions,
            waiting=snapshot.waiting,
            deadlines=deadlines_of(table),
        )

    def _resumed(self, feed: Feed, attachment: Attachment, missed: list[Told]) -> list[ToClient]:
        table, viewer = feed.table, attachment.viewer
        replies: list[ToClient] = [
            Attached(
                id=self.message.id,
                table=table.id,
                viewer=on_wire(viewer),
                version=self.message.from_,
                epoch=table.epoch,
                status=table.status,
                recovered=True,
                head=table.version,
            )
        ]
        for told in missed:
            last = told.commit.version == table.version
            snapshot = feed.sight.snapshot(viewer) if last else None
            view: Any = UNSET
            if snapshot is not None and attachment.views != "none":
                view = snapshot.view
            replies.append(
                Update(
                    table=table.id,
                    version=told.commit.version,
                    at_ms=told.commit.at_ms,
                    by=told.commit.by,
                    status=told.status,
                    events=redact_all(told.commit.events, viewer),
                    view=view,
                    actions=UNSET if snapshot is None else snapshot.actions,
                    waiting=told.waiting,
                    deadlines=deadlines_of(table) if last else UNSET,
                )
            )
        return replies


async def act(job: ActJob, room: Room) -> None:
    """Decide on the command of a seat, store, tell, answer."""
    connection, message = job.connection, job.message
    attachment = connection.attachments.get(room.id)
    if attachment is None or attachment.viewer == SPECTATOR:
        text = "attach with a seat's token first" if attachment is None else "spectators cannot act"
        job.fail("forbidden", text)
        return
    seat = attachment.viewer
    there = room.table.seats[seat]
    try:
        await room.writer.command(
            seat,
            lambda table: job.decide(room, seat, there, table),
            job.command(),
            lambda commit: job.stored(room, commit),
        )
    except Revoked:
        job.fail("forbidden", "this seat's token is not valid any more")
    except Rejected as refused:
        metrics.COMMANDS.labels(room.game.name, refused.code).inc()
        job.note(refused.code, room.table.version)
        connection.tell(
            Refused(
                id=message.id,
                table=room.id,
                code=refused.code,
                message=refused.message,
                detail=refused.detail or UNSET,
                version=room.table.version,
            )
        )


async def watch_lobby(connection: Connection, message: WatchLobby) -> None:
    """Answer with the list of tables, and tell its changes from then on."""
    service = connection.service
    game = None if message.game is UNSET else message.game
    if game is not None and game not in games():
        text = f"there is no game {game!r}; games: {', '.join(games())}"
        connection.tell(Error(id=message.id, code="no_such_game", message=text))
        return
    try:
        await service.lobby.watch(connection, game, message.id)
    except Exception as error:  # noqa: BLE001 - every message gets an answer
        told = refusal(error, "lobby")
        connection.tell(Error(id=message.id, code=told.code, message=told.message))
    if not connection.alive:
        service.lobby.unwatch(connection)  # gone while it waited


async def unwatch_lobby(connection: Connection, message: UnwatchLobby) -> None:
    """Tell no more of the list of tables."""
    await connection.service.lobby.leave(connection)
    connection.tell(LobbyUnwatched(id=message.id))
