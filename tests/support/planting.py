"""Another audience for a field, planted by tests that show that a leak is noticed."""

from __future__ import annotations

import msgspec
import pytest

from domain import visibility
from domain.visibility import Audience, audiences
from projections import redaction

_DERIVED = (
    (visibility, "_masked"),
    (visibility, "_personal"),
    (redaction, "_plan"),
    (redaction, "_open"),
)
"""What is worked out once from the audiences."""


def open_to(kind: type[msgspec.Struct], field: str, audience: Audience) -> Audience:
    """Give a field another audience; gives the one before."""
    known = audiences(kind)
    before, known[field] = known[field], audience
    for module, name in _DERIVED:
        getattr(module, name).cache_clear()
    return before


def plant_audience(
    monkeypatch: pytest.MonkeyPatch, kind: type[msgspec.Struct], field: str, audience: Audience
) -> None:
    """As `open_to`, for as long as the monkeypatch lasts."""
    monkeypatch.setitem(audiences(kind), field, audience)
    for module, name in _DERIVED:
        monkeypatch.setattr(module, name, getattr(module, name).__wrapped__)
