"""Who a token makes you at a table."""

from __future__ import annotations

import unicodedata

from domain import table as tables
from domain.errors import Rejected
from domain.table import Table
from projections.viewer import SPECTATOR, Viewer
from server.tokens import digest

MAX_NAME = 40
REFUSED = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


def viewer_of(table: Table, token: str | None) -> Viewer:
    """The viewer that a token stands for; without one, a spectator if the table lets everybody watch.

    Raises:
        Rejected: ``unauthorized`` for a token that this table does not know, ``forbidden`` for nobody
            in particular where the table wants a token or has no spectators.
    """
    if token is None:
        if table.spectators.who == "all":
            return SPECTATOR
        wanted = "a spectator's token" if table.spectators.who == "token" else "a seat's token"
        raise Rejected("forbidden", f"this table cannot be watched without {wanted}")
    known = digest(token)
    seat = tables.seat_of(table, known)
    if seat is not None:
        return seat
    if tables.is_host(table, known) or tables.is_admitted(table, known):
        return SPECTATOR
    raise Rejected("unauthorized", "this token is not valid at this table")


def require_host(table: Table, token: str | None) -> None:
    """Refuse whoever is not the host. Raises `Rejected` ``unauthorized`` or ``forbidden``."""
    if token is None:
        raise Rejected("unauthorized", "this needs the host's token: Authorization: Bearer <host_token>")
    known = digest(token)
    if tables.is_host(table, known):
        return
    if tables.seat_of(table, known) is not None or tables.is_admitted(table, known):
        raise Rejected("forbidden", "only the host may do this")
    raise Rejected("unauthorized", "this token is not valid at this table")


def seat_or_host(table: Table, token: str | None, seat: int) -> bool:
    """Whether the host (True) or the seat itself (False) asks. Raises `Rejected` for anybody else."""
    if token is None:
        raise Rejected("unauthorized", "this needs the token of the seat or of the host")
    known = digest(token)
    if tables.is_host(table, known):
        return True
    mine = tables.seat_of(table, known)
    if mine == seat:
        return False
    if mine is not None or tables.is_admitted(table, known):
        raise Rejected("forbidden", "only the seat itself or the host may do this")
    raise Rejected("unauthorized", "this token is not valid at this table")


def clean_name(name: str) -> str:
    """A name as it is shown: normalised, without outer blanks.

    Raises:
        Rejected: ``bad_message`` for a name that is empty, too long, or holds characters that are
            invisible or change the direction of text.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise Rejected("bad_message", f"name: 1 to {MAX_NAME} characters are needed, {len(name)} were given")
    for character in name:
        if unicodedata.category(character) in REFUSED:
            raise Rejected("bad_message", f"name: the character U+{ord(character):04X} is not allowed")
    return name


def host_or_seat(table: Table, token: str | None) -> int | None:
    """The seat that asks, or None for the host. Raises `Rejected` for anybody else."""
    if token is None:
        raise Rejected("unauthorized", "this needs the token of a seat or of the host")
    known = digest(token)
    seat = tables.seat_of(table, known)
    if seat is not None and table.host_seat != seat:
        return seat
    if tables.is_host(table, known):
        return None
    if tables.is_admitted(table, known):
        raise Rejected("forbidden", "spectators cannot do this")
    raise Rejected("unauthorized", "this token is not valid at this table")
