"""The messages of the WebSocket, as types: what clients may send and what the server sends."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.actions import Offer
from domain.events import By
from domain.table import Table, deadlines
from projections.views import View

CODES = (
    "bad_message",
    "too_large",
    "rate_limited",
    "unauthorized",
    "forbidden",
    "no_such_table",
    "no_such_game",
    "no_such_version",
    "not_found",
    "bad_options",
    "seat_taken",
    "table_full",
    "need_players",
    "already_started",
    "not_started",
    "finished",
    "paused",
    "muted",
    "not_your_turn",
    "illegal_action",
    "version_conflict",
    "id_reused",
    "outcome_unknown",
    "unavailable",
    "resync_required",
)
"""The closed list of codes."""

Id = Annotated[str, Meta(min_length=1, max_length=64, description="1 to 64 printable characters")]
Token = Annotated[str, Meta(min_length=1, max_length=200)]
TableId = Annotated[str, Meta(max_length=200)]
Version = Annotated[int, Meta(ge=0)]
Views = Literal["full", "patch", "none"]
Reaction = Literal["thumbs_up", "clap", "laugh", "wow", "sad", "party", "think", "heart"]


class ToServer(
    msgspec.Struct, gc=False, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True
):
    """Base of the messages that clients send."""


class Attach(ToServer, frozen=True, tag="attach", kw_only=True):
    """Become a viewer of a table."""

    table: TableId
    id: Id | UnsetType = UNSET
    token: Token | UnsetType = UNSET
    from_: Version | UnsetType = msgspec.field(name="from", default=UNSET)
    epoch: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET
    from_ms: int | UnsetType = UNSET
    views: Views = "full"


class Detach(ToServer, frozen=True, tag="detach", kw_only=True):
    """Stop being a viewer of a table."""

    table: TableId
    id: Id | UnsetType = UNSET


class Act(ToServer, frozen=True, tag="act", kw_only=True):
    """A command of the seat that is attached here."""

    id: Id
    table: TableId
    action: dict[str, Any]
    if_version: Version | UnsetType = UNSET


class WatchLobby(ToServer, frozen=True, tag="watch_lobby", kw_only=True):
    """Receive the list of tables and its changes."""

    id: Id | UnsetType = UNSET
    game: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET


class UnwatchLobby(ToServer, frozen=True, tag="unwatch_lobby", kw_only=True):
    """Stop receiving the lobby's changes."""

    id: Id | UnsetType = UNSET


class Ping(ToServer, frozen=True, tag="ping", kw_only=True):
    """Ask for a pong."""

    id: Id | UnsetType = UNSET


class Say(ToServer, frozen=True, tag="say", kw_only=True):
    """Talk to everybody at a table: a text or a reaction."""

    table: TableId
    id: Id | UnsetType = UNSET
    text: Annotated[str, Meta(min_length=1, max_length=300)] | UnsetType = UNSET
    reaction: Reaction | UnsetType = UNSET


AnyToServer = Attach | Detach | Act | Say | WatchLobby | UnwatchLobby | Ping
TO_SERVER: tuple[type[ToServer], ...] = (Attach, Detach, Act, Say, WatchLobby, UnwatchLobby, Ping)


class ToClient(msgspec.Struct, gc=False, frozen=True, tag_field="type", kw_only=True):
    """Base of the messages that the server sends. Clients ignore types and fields they do not know."""


class Attached(ToClient, frozen=True, tag="attached", kw_only=True):
    """The answer to an attach."""

    id: Id | UnsetType = UNSET
    table: str
    viewer: dict[str, Any]
    version: int
    epoch: str
    status: str
    recovered: bool
    head: int | UnsetType = UNSET
    at_ms: int | UnsetType = UNSET
    view: View | UnsetType = UNSET
    actions: list[Offer] | UnsetType = UNSET
    waiting: tuple[int, ...] | UnsetType = UNSET
    deadlines: list[Deadline] | UnsetType = UNSET


class Update(ToClient, frozen=True, tag="update", kw_only=True):
    """One commit, as one viewer may know it."""

    table: str
    version: int
    at_ms: int
    by: By
    status: str
    events: list[dict[str, Any]]
    view: View | UnsetType = UNSET
    patch: dict[str, Any] | UnsetType = UNSET
    actions: list[Offer] | UnsetType = UNSET
    waiting: tuple[int, ...]
    deadlines: list[Deadline] | UnsetType = UNSET


class Accepted(ToClient, frozen=True, tag="accepted", kw_only=True):
    """The command is stored durably as ``version``."""

    id: str
    table: str
    version: int


class Refused(ToClient, frozen=True, tag="rejected", kw_only=True):
    """The command changed nothing."""

    id: str
    table: str
    code: str
    message: str
    detail: dict[str, Any] | UnsetType = UNSET
    version: int


class Error(ToClient, frozen=True, tag="error", kw_only=True):
    """The message could not be used; the connection stays usable."""

    id: str | UnsetType = UNSET
    table: str | UnsetType = UNSET
    code: str
    message: str
    detail: dict[str, Any] | UnsetType = UNSET


class Presence(ToClient, frozen=True, tag="presence", kw_only=True):
    """A seat got its first connection, or lost its last."""

    table: str
    seat: int
    connected: bool


class Lobby(ToClient, frozen=True, tag="lobby", kw_only=True):
    """The answer to watch_lobby: the listed tables that are open or playing, newest first."""

    id: Id | UnsetType = UNSET
    tables: list[dict[str, Any]]


class LobbyChange(ToClient, frozen=True, tag="lobby_change", kw_only=True):
    """One change since: exactly one of the three is there."""

    added: dict[str, Any] | UnsetType = UNSET
    changed: dict[str, Any] | UnsetType = UNSET
    removed: str | UnsetType = UNSET


class LobbyUnwatched(ToClient, frozen=True, tag="lobby_unwatched", kw_only=True):
    """The answer to unwatch_lobby."""

    id: Id | UnsetType = UNSET


class Pong(ToClient, frozen=True, tag="pong", kw_only=True):
    """The answer to a ping: the server's time."""

    id: Id | UnsetType = UNSET
    at_ms: int


class Said(ToClient, frozen=True, tag="said", kw_only=True):
    """Somebody talks: ``by`` is a viewer, ``version`` the table's when it was said. Not part of the log."""

    table: str
    by: dict[str, Any]
    at_ms: int
    version: int
    text: str | UnsetType = UNSET
    reaction: str | UnsetType = UNSET


class Heard(ToClient, frozen=True, tag="heard", kw_only=True):
    """The answer to a say: everybody is told."""

    id: Id | UnsetType = UNSET
    table: str


class Rematch(ToClient, frozen=True, tag="rematch", kw_only=True):
    """The same players go on at the table ``next``, with the seats and tokens that they have."""

    table: str
    next: str


class Deadline(msgspec.Struct, gc=False, frozen=True):
    """Until when a seat must have acted, and when its bank begins; the server's ms since 1970."""

    seat: int
    at_ms: int
    bank_from_ms: int


Reason = Literal["asked", "removed", "revoked", "closed", "slow", "shutdown", "resync_required"]


class Detached(ToClient, frozen=True, tag="detached", kw_only=True):
    """The connection is no viewer of the table any more."""

    id: Id | UnsetType = UNSET
    table: str
    reason: Reason


TO_CLIENT: tuple[type[ToClient], ...] = (
    Attached,
    Update,
    Accepted,
    Refused,
    Error,
    Presence,
    Lobby,
    LobbyChange,
    LobbyUnwatched,
    Pong,
    Said,
    Heard,
    Rematch,
    Detached,
)


_Small = Annotated[int, Meta(ge=-(2**15), lt=2**16)]


class PlainAct(Act, frozen=True, tag="act", kw_only=True):
    """An act whose parameters are texts, small numbers and lists of these."""

    action: dict[str, str | _Small | list[str | _Small]]


def deadlines_of(table: Table) -> list[Deadline] | UnsetType:
    """The deadlines of a table as messages tell them; absent where no clock runs."""
    if table.clock is None or table.paused or table.status != "playing":
        return UNSET
    banks = table.banks_ms
    return [Deadline(seat, at, at - banks[seat]) for seat, at in deadlines(table).items()]
