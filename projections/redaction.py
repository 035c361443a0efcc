"""Events as a viewer may see them: an empty object to which what the viewer may know is added."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from msgspec import UNSET

from domain.events import Event, event_name
from domain.visibility import HIDDEN, PUBLIC, audiences
from projections.viewer import REFEREE, Viewer

_name = cache(event_name)


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
    shown = {"type": _name(kind)}
    for field, audience in audiences(kind).items():
        value = getattr(event, field)
        if audience is not PUBLIC:
            value = audience.shown(value, event, viewer)
        if value is not UNSET and value is not None:
            shown[field] = value
    return shown


def redact_all(events: Iterable[Event], viewer: Viewer) -> list[dict[str, Any]]:
    """Those of ``events`` that ``viewer`` learns of, redacted, in order."""
    return [shown for event in events if (shown := redact(event, viewer)) is not None]
