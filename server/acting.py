"""The usual way of an `act` message, which needs no waiting; all else is a job.

Apart from `server.messages` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import structlog
from msgspec import UNSET
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.events import Command, Commit
from domain.table import Decision, Table
from projections.viewer import SPECTATOR
from server import metrics
from server.jobs import Revoked
from server.showing import Showing
from server.wire import Accepted, Error
from server.writer import seat_command

if TYPE_CHECKING:
    from server.connection import Connection

log = structlog.get_logger(__name__)
_level = logging.getLogger(__name__)  # asked first: a line that is not written must cost a move nothing


@mypyc_attr(allow_interpreted_subclasses=True)
class Answered:
    """A job of a message, answered by an `error` where it fails."""

    def __init__(self, connection: Connection, message: Any) -> None:
        self.connection = connection
        self.message = message

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer the message with an error."""
        ident, table = self.message.id, self.message.table
        self.connection.tell(Error(id=ident, table=table, code=code, message=message, detail=detail or UNSET))


@mypyc_attr(allow_interpreted_subclasses=True)
class Acting(Answered):
    """A command of the seat that is attached: `server.messages.ActJob` without what waits."""

    @final
    def begin(self, room: Showing) -> bool:
        """Decide at once and send the commit to the store, where everything is as usual.

        Nothing has happened where it gives False: then the job is to be posted. Its answer is the same.
        """
        attachment = self.connection.attachments.get(room.id)
        if attachment is None or attachment.viewer == SPECTATOR or not room.at_rest:
            return False
        seat = attachment.viewer
        job: Any = self
        return room.writer.begin(job, seat, self._deciding(room, seat), self._command(), self._stored(room))

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer with an error."""
        self._note(code, None)
        super().fail(code, message, detail)

    @final
    def _note(self, outcome: str, version: int | None) -> None:
        """A line for each command at the level debug: what became of it, not what it was."""
        if _level.isEnabledFor(logging.DEBUG):
            message = self.message
            log.debug("command", table=message.table, version=version, command=message.id, outcome=outcome)

    @final
    def _command(self) -> Command:
        return seat_command(self.message.id, self.message.action)

    @final
    def _deciding(self, room: Showing, seat: int) -> Callable[[Table], Decision]:
        message = self.message
        there = room.table.seats[seat]
        assert there is not None
        if_version = None if message.if_version is UNSET else message.if_version

        def decide(table: Table) -> Decision:
            if table.seats[seat] is not there and tables.seat_of(table, there.token_hash) != seat:
                raise Revoked
            sight = room.feed(seat).sight
            return tables.decide_act(
                room.game,
                table,
                seat,
                message.action,
                if_version=if_version,
                seen=None if table.state is None else sight.seen(seat),
                offers=sight.actions(seat),
            )

        return decide

    @final
    def _stored(self, room: Showing) -> Callable[[Commit], None]:
        def stored(commit: Commit) -> None:
            self.connection.tell(Accepted(id=self.message.id, table=room.id, version=commit.version))
            metrics.ACCEPTED.count(room.game.name)
            self._note("accepted", commit.version)

        return stored
