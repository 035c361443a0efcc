"""Events as a viewer may see them: an empty object to which what the viewer may know is added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import UNSET

from domain.events import Event, event_name, event_tag
from domain.visibility import HIDDEN, PUBLIC, Audience, audiences
from projections.viewer import REFEREE, SPECTATOR, Viewer


@cache
def _plan(kind: type[Event]) -> tuple[str, tuple[tuple[str, Audience | None], ...]]:
    """The name of an event type, and its fields, each with its audience unless it is public."""
    fields = ((field, None if who is PUBLIC else who) for field, who in audiences(kind).items())
    return event_name(kind), tuple(fields)


@cache
def _open(kind: type[Event]) -> bool:
    return kind.known_to is PUBLIC and all(who is PUBLIC for who in audiences(kind).values())


@cache
def _as_it_is(kind: type[Event]) -> bool:
    """Whether an event is encoded as it is shown: everybody sees all of it, and no field can be absent."""
    config, fields = kind.__struct_config__, msgspec.structs.fields(kind)
    hints = get_type_hints(kind)
    named = event_name(kind) == event_tag(kind) and all(field.name == field.encode_name for field in fields)
    there = not any(hints[field.name] is Any or NoneType in get_args(hints[field.name]) for field in fields)
    return _open(kind) and named and there and not config.omit_defaults and not config.array_like


def same_for_all(events: Iterable[Event]) -> bool:
    """Whether every viewer sees the same of ``events``."""
    for event in events:  # noqa: SIM110 - at every move
        if not _open(type(event)):
            return False
    return True


def for_all(events: Sequence[Event]) -> Sequence[Any]:
    """As `redact_all` for a spectator, where all see the same; to be encoded only."""
    for event in events:
        if not _as_it_is(type(event)):
            return redact_all(events, SPECTATOR)
    return events


def redact(event: Event, viewer: Viewer) -> dict[str, Any] | None:
    """``event`` as ``viewer`` may see it, or None where the viewer does not learn of it at all.

    A field of which the viewer may know nothing is absent; of a list whose length is public, the
    hidden members are None. A field that is None is absent.
    """
    kind = type(event)
    known_to = kind.known_to
    if known_to is not PUBLIC:
        if known_to is HIDDEN and viewer != REFEREE:
            return None
        if known_to.shown(True, event, viewer) is UNSET:
            return None
    name, fields = _plan(kind)
    shown: dict[str, Any] = {"type": name}
    for field, audience in fields:
        value = getattr(event, field)
        if audience is not None:
            value = audience.shown(value, event, viewer)
        if value is not UNSET and value is not None:
            shown[field] = value
    return shown


def redact_all(events: Iterable[Event], viewer: Viewer) -> list[dict[str, Any]]:
    """Those of ``events`` that ``viewer`` learns of, redacted, in order."""
    return [shown for event in events if (shown := redact(event, viewer)) is not None]
