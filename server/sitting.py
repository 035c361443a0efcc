"""A request to sit down: whose it is, and how a repetition of it is known."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from domain import table as tables
from domain.actions import canonical
from domain.errors import Rejected
from domain.events import Command
from domain.table import Decision, Table
from server import access
from server.requests import Sit
from server.room import Room
from server.tokens import Derived, digest, is_token, new_token

Decide = Callable[[Table], Decision]


class Sitter:
    """One request to sit down: its token, and the command by which a repetition is known.

    Args:
        body: the request.
        derived: what belongs to its idempotency key, if it has one.

    Raises:
        Rejected: ``bad_message``.
    """

    def __init__(self, body: Sit, derived: Derived | None) -> None:
        self._name = access.clean_name(body.name)
        self._seat = None if body.seat is UNSET else body.seat
        self._entropy = None if body.entropy is UNSET else body.entropy
        chosen = None if body.token is UNSET else body.token
        if chosen is not None and not is_token(chosen):
            wanted = "32 or more random bytes in base64url (43 characters or more)"
            raise Rejected("bad_message", f"token: {wanted} are needed")
        if self._entropy is not None and not self._entropy.isprintable():
            raise Rejected("bad_message", "entropy: only printable characters are allowed")
        self.token = chosen or (derived.token("seat") if derived else new_token())
        self._known = digest(self.token)
        self.command = None
        if derived or chosen:
            ident = derived.command_id() if derived else self._known.hex()[:32]
            fields = {"name": body.name, "seat": self._seat, "entropy": self._entropy}
            self.command = Command(ident, canonical({"type": "sit", **fields}), http=True)

    def decide(self, room: Room) -> Decide:
        """The decision of sitting down in ``room``."""

        def decide(table: Table) -> Decision:
            taken = tables.seat_of(table, self._known) is not None or tables.is_host(table, self._known)
            if taken or tables.is_admitted(table, self._known):
                raise Rejected("id_reused", "this token is in use at this table; choose another one")
            return tables.decide_sit(
                room.game,
                table,
                seat=self._seat,
                name=self._name,
                token_hash=self._known,
                entropy=self._entropy,
            )

        return decide
