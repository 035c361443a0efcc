"""The bodies of HTTP requests, as types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.table import Clock, Spectators


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of request bodies; unknown fields are refused."""


class CreateTable(Body, frozen=True, kw_only=True):
    """``POST /v1/tables``."""

    game: Annotated[str, Meta(max_length=64, description="name of the game, as in GET /v1/games")]
    seats: Annotated[int, Meta(description="absent: the smallest number of the game")] | UnsetType = UNSET
    options: Annotated[dict[str, Any], Meta(description="options of the game")] = {}
    listed: Annotated[bool, Meta(description="whether the lobby shows the table")] = True
    spectators: Spectators = Spectators()
    reveal: Annotated[
        Literal["end", "never"], Meta(description="whether the deal key is told when the game is over")
    ] = "end"
    autostart: Annotated[bool, Meta(description="start when the last seat is taken")] = True
    clock: Annotated[Clock, Meta(description="how long a seat may think")] | None = None
    on_timeout: Annotated[
        Literal["bot", "forfeit", "wait"],
        Meta(description="what follows when a seat is out of time, or its player leaves a running game"),
    ] = "bot"
    talk: Annotated[Literal["seats", "all", "none"], Meta(description="who may talk at the table")] = "all"


class Sit(Body, frozen=True, kw_only=True):
    """``POST /v1/tables/{table}/seats``."""

    name: Annotated[str, Meta(description="1 to 40 characters, none of them invisible")]
    seat: Annotated[int, Meta(description="absent: the first free one")] | UnsetType = UNSET
    entropy: (
        Annotated[str, Meta(min_length=1, max_length=128, description="added to the shuffles")] | UnsetType
    ) = UNSET
    token: (
        Annotated[str, Meta(max_length=200, description="32 or more random bytes, base64url")] | UnsetType
    ) = UNSET


class Nothing(Body, frozen=True, kw_only=True):
    """A request whose body says nothing: empty or ``{}``."""


class Created(msgspec.Struct, frozen=True):
    """A new table. Keep the host token: it is never told again."""

    table: str
    host_token: str


class Seated(msgspec.Struct, frozen=True):
    """A seat and the token that makes its bearer the player there."""

    seat: int
    token: str


class Admitted(msgspec.Struct, frozen=True):
    """A spectator's token."""

    token: str


class Page(msgspec.Struct, frozen=True):
    """A page of the lobby; ``next`` is the cursor of the next page, None on the last."""

    tables: list[Any]
    next: str | None


class At(msgspec.Struct, frozen=True, kw_only=True):
    """A table at one version, as the bearer may see it."""

    table: str
    viewer: dict[str, Any]
    version: int
    at_ms: int
    status: str
    view: Any
    actions: list[dict[str, Any]]
    waiting: tuple[int, ...]


class AddBot(Body, frozen=True, kw_only=True):
    """``POST /v1/tables/{table}/bots``."""

    policy: Annotated[str, Meta(max_length=40, description="how it plays: random, greedy, strong")] = "greedy"
    seat: Annotated[int, Meta(description="absent: the first free one")] | UnsetType = UNSET


class PassHost(Body, frozen=True, kw_only=True):
    """``POST /v1/tables/{table}/host``."""

    seat: Annotated[int, Meta(description="who sits there is the host from now on")]


class Mute(Body, frozen=True, kw_only=True):
    """``POST /v1/tables/{table}/mute``."""

    seat: Annotated[int, Meta(description="absent: all spectators")] | UnsetType = UNSET
    muted: Annotated[bool, Meta(description="false: let them talk again")] = True


class Quick(Body, frozen=True, kw_only=True):
    """``POST /v1/games/{game}/quick``: sit down wherever players of the same wishes wait."""

    name: Annotated[str, Meta(description="1 to 40 characters, none of them invisible")]
    seats: Annotated[int, Meta(description="absent: the smallest number of the game")] | UnsetType = UNSET
    options: Annotated[dict[str, Any], Meta(description="options of the game")] = {}
    entropy: (
        Annotated[str, Meta(min_length=1, max_length=128, description="added to the shuffles")] | UnsetType
    ) = UNSET
    token: (
        Annotated[str, Meta(max_length=200, description="32 or more random bytes, base64url")] | UnsetType
    ) = UNSET


class QuickSeat(msgspec.Struct, frozen=True):
    """Where one sits now."""

    table: str
    seat: int
    token: str


class Rematched(msgspec.Struct, frozen=True):
    """The table at which the same players go on, with the seats and tokens that they have."""

    next: str


class MyTable(Body, frozen=True, kw_only=True):
    """A table and a token for it."""

    table: Annotated[str, Meta(max_length=40)]
    token: Annotated[str, Meta(min_length=1, max_length=200)]


class Mine(Body, frozen=True, kw_only=True):
    """``POST /v1/mine``: how it stands at tables of which one has tokens."""

    tables: Annotated[list[MyTable], Meta(max_length=50)]


class MyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One's own view of a table: its facts, which seat, whether it waits for one.

    ``code`` says why there is nothing else: ``no_such_table``, ``unauthorized`` or ``unavailable``.
    """

    table: str
    code: str | UnsetType = UNSET
    facts: Any = UNSET
    viewer: dict[str, Any] | UnsetType = UNSET
    your_turn: bool = False
