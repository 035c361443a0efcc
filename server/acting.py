"""The usual way of an `act` message, which needs no waiting; all else is a job.

Apart from `server.messages` because it is compiled, and what waits is not (see `scripts/compile`).
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, final

import structlog
from msgspec import UNSET
from mypy_extensions import mypyc_attr

from domain import table as tables
from domain.actions import canonical
from domain.events import Command, Commit
from domain.table import Decision, Seat, Table
from projections.viewer import SPECTATOR
from server import metrics
from server.jobs import Revoked
from server.showing import Showing, at_rest, game_of, sight_of
from server.storing import begin
from server.wire import Accepted, Act, Error

if TYPE_CHECKING:
    from server.connection import Connection
    from server.room import Room

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
        answer_error(self.connection, self.message, code, message, detail)


@final
@mypyc_attr(acyclic=True)
class ActJob:
    """A job: a command of the seat that is attached."""

    def __init__(self, connection: Connection, message: Act) -> None:
        self.connection = connection
        self.message = message

    def begin(self, room: Showing) -> bool:
        """Decide at once and send the commit to the store, where everything is as usual.

        Nothing has happened where it gives False: then the job is to be posted. Its answer is the same.
        """
        attachment = self.connection.attachments.get(room.id)
        if attachment is None or attachment.viewer == SPECTATOR or not at_rest(room):
            return False
        return begin(room.writer, self, attachment.viewer)

    def run(self, room: Room) -> Coroutine[Any, Any, None]:
        """Decide, store, tell, answer, in turn."""
        from server.messages import act

        return act(self, room)

    def fail(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        """Answer with an error."""
        self.note(code, None)
        answer_error(self.connection, self.message, code, message, detail)

    def note(self, outcome: str, version: int | None) -> None:
        """A line for each command at the level debug: what became of it, not what it was."""
        if _level.isEnabledFor(logging.DEBUG):
            message = self.message
            log.debug("command", table=message.table, version=version, command=message.id, outcome=outcome)

    def command(self) -> Command:
        """The command as it is stored."""
        return Command(self.message.id, canonical(self.message.action))

    def decide(self, room: Showing, seat: int, there: Seat | None, table: Table) -> Decision:
        """The decision for a state of the table; ``there``: who was on the seat when the message came.

        Raises:
            Revoked: somebody else sits there now. `Rejected`, as `domain.table.decide_act`.
        """
        assert there is not None
        if table.seats[seat] is not there and tables.seat_of(table, there.token_hash) != seat:
            raise Revoked
        message = self.message
        sight = sight_of(room)
        return tables.decide_act(
            game_of(room),
            table,
            seat,
            message.action,
            if_version=None if message.if_version is UNSET else message.if_version,
            seen=None if table.state is None else sight.seen(seat),
            offers=sight.actions(seat),
        )

    def stored(self, room: Showing, commit: Commit) -> None:
        """It is stored and told to the viewers: answer."""
        self.connection.tell(Accepted(id=self.message.id, table=room.id, version=commit.version))
        metrics.ACCEPTED.count(game_of(room).name)
        self.note("accepted", commit.version)


def answer_error(
    connection: Connection, message: Any, code: str, text: str, detail: dict[str, Any] | None
) -> None:
    """Answer a message with an error."""
    ident, table = message.id, message.table
    connection.tell(Error(id=ident, table=table, code=code, message=text, detail=detail or UNSET))
