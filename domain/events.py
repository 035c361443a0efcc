"""The base of all events, and the commit that holds them.

An event class is the format on disk: its tag is its name, and a changed meaning gets a new tag
(``dealt/2``) with an upcast from the old one. What viewers receive is named without the version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, ClassVar

import msgspec

from domain.errors import CorruptLog, UnknownEvent
from domain.visibility import HIDDEN, PUBLIC, Audience

By = int | str
"""Who caused a commit: a seat, ``"host"``, ``"server"`` or ``"clock"``."""


class Event(msgspec.Struct, gc=False, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Something that happened. Each subclass gives a ``tag`` and an audience for every field.

    ``known_to`` is the audience of the event itself: whether a viewer learns that it happened at all.
    A class that says nothing is hidden.

    A stored event with a field that its class lacks is one of a newer release, and not known here.
    A new public field needs None as its default, or else old logs would show more than they did.
    """

    known_to: ClassVar[Audience] = HIDDEN


class Public(Event, frozen=True):
    """An event that everybody learns of; its fields declare their own audiences."""

    known_to: ClassVar[Audience] = PUBLIC


class Shuffled(Public, frozen=True):
    """The outcome of one shuffle of the table's dealing stream (see `domain.dealing`).

    Subclasses give ``order`` the audience of their game. Because every shuffle starts from the sorted
    list, label and outcome are all that is needed to check it once the deal key is known.
    """

    label: Annotated[str, PUBLIC]
    order: Annotated[tuple[str, ...] | tuple[int, ...], HIDDEN]


def event_name(kind: type[Event]) -> str:
    """The name of an event type on the wire: its tag without the version."""
    return event_tag(kind).partition("/")[0]


@cache
def event_tag(kind: type[Event]) -> str:
    """The tag that an event type has on disk."""
    tag = kind.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{kind.__name__} has no tag of its own")
    return tag


class Command(msgspec.Struct, gc=False, frozen=True, omit_defaults=True):
    """The command that a commit answers.

    Args:
        id: the client's own id, scoped to ``by`` of the commit; for a request over HTTP, a digest of its
            idempotency key or of the token that it brought.
        action: the action in canonical form.
        http: whether it came over HTTP; those ids are scoped to the table.
    """

    id: str
    action: dict[str, Any]
    http: bool = False


class Commit(msgspec.Struct, gc=False, frozen=True):
    """All that one command brought about: the unit that is stored, sent and replayed.

    Args:
        version: 1 for the creation of the table, then without a gap.
        at_ms: the store's time in milliseconds since 1970, never below the commit before.
        by: who caused it.
        events: what happened, in order.
        command: the command it answers, or None where none had an id.
    """

    version: int
    at_ms: int
    by: By
    events: tuple[Event, ...]
    command: Command | None = None


class _Stored(msgspec.Struct, gc=False, frozen=True, omit_defaults=True):
    """A commit as it stands in its stream entry; version and time stand beside it."""

    by: By
    events: list[msgspec.Raw]
    command: Command | None = None


class _Storing(msgspec.Struct, gc=False, frozen=True, omit_defaults=True):
    by: By
    events: tuple[Event, ...]
    command: Command | None = None


Upcast = Callable[[dict[str, Any]], dict[str, Any]]
"""From the fields of an old event (with its old tag in ``type``) to those of the next version."""

_encode = msgspec.msgpack.Encoder().encode
_decode_stored = msgspec.msgpack.Decoder(_Stored).decode


def encode_commit(by: By, events: tuple[Event, ...], command: Command | None) -> bytes:
    """The bytes of a commit for its stream entry."""
    return _encode(_Storing(by, events, command))


class EventCodec:
    """Reads the events of one family (those of tables, or of tables and one game) from their bytes.

    Args:
        kinds: the event types.
        upcasts: for the tag of an event that is no longer written, how to make the next version of it.
    """

    def __init__(self, kinds: Iterable[type[Event]], upcasts: dict[str, Upcast] | None = None) -> None:
        self.kinds = tuple(kinds)
        self.upcasts = upcasts or {}
        self.tags = {event_tag(kind): kind for kind in self.kinds}
        if len(self.tags) != len(self.kinds):
            raise TypeError("two event types share a tag")
        union = self._union()
        self._decode = msgspec.msgpack.Decoder(union).decode
        several: Any = tuple[union, ...]  # type: ignore[valid-type]
        fields: list[Any] = [("by", By), ("events", several), ("command", Command | None, None)]
        whole = msgspec.defstruct("Whole", fields, frozen=True, gc=False)
        self._decode_whole = msgspec.msgpack.Decoder(whole).decode

    def _union(self) -> Any:
        union: Any = self.kinds[0]
        for kind in self.kinds[1:]:
            union = union | kind
        return union

    def decode(self, version: int, at_ms: int, data: bytes) -> Commit:
        """The commit that stands in a stream entry.

        Raises:
            UnknownEvent: it holds an event that this program does not know.
            CorruptLog: it is not a commit.
        """
        try:
            whole: Any = self._decode_whole(data)
        except msgspec.DecodeError:
            return self._decode_parts(version, at_ms, data)
        return Commit(version, at_ms, whole.by, whole.events, whole.command)

    def decode_all(self, entries: Iterable[tuple[int, int, bytes]]) -> list[Commit]:
        """The commits of many entries, each a version, its time and its bytes. Raises as `decode`."""
        kept = list(entries)
        decode: Callable[[bytes], Any] = self._decode_whole
        try:
            return [
                Commit(version, at_ms, (whole := decode(data)).by, whole.events, whole.command)
                for version, at_ms, data in kept
            ]
        except msgspec.DecodeError:
            return [self.decode(*entry) for entry in kept]

    def _decode_parts(self, version: int, at_ms: int, data: bytes) -> Commit:
        """A commit with an old event, or one that cannot be read."""
        try:
            stored = _decode_stored(data)
        except msgspec.DecodeError as error:
            raise CorruptLog(f"version {version} is not a commit: {error}") from None
        events = tuple(self._event(raw, version) for raw in stored.events)
        return Commit(version, at_ms, stored.by, events, stored.command)

    def _event(self, raw: msgspec.Raw, version: int) -> Event:
        try:
            return self._decode(raw)  # type: ignore[no-any-return]
        except msgspec.DecodeError:
            return self._upcast(raw, version)

    def _upcast(self, raw: msgspec.Raw, version: int) -> Event:
        try:
            fields = msgspec.msgpack.decode(raw, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CorruptLog(f"version {version} holds something that is no event: {error}") from None
        tag = fields.get("type")
        while tag in self.upcasts:
            fields = self.upcasts[tag](fields)
            tag = fields["type"]
        if tag not in self.tags:
            raise UnknownEvent(
                f"version {version} holds an event {tag!r}, which this version of the server does not know"
            )
        try:
            return msgspec.convert(fields, self._union())  # type: ignore[no-any-return]
        except msgspec.ValidationError as error:
            raise UnknownEvent(
                f"version {version}: the event {tag!r} is not as this server knows it: {error}"
            ) from None
