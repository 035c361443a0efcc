"""Another audience for a field, planted by tests that show that a leak is noticed."""

from __future__ import annotations

import msgspec
import pytest

from domain import visibility
from domain.visibility import Audience, audiences
from projections import redaction

_DERIVED = ("_plan", "_open", "_as_it_is")
"""What `projections.redaction` works out once from the audiences of events."""


def open_to(kind: type[msgspec.Struct], field: str, audience: Audience) -> Audience:
    """Give a field another audience; gives the one before."""
    known = audiences(kind)
    before, known[field] = known[field], audience
    visibility._plans.clear()
    for name in _DERIVED:
        getattr(redaction, name).cache_clear()
    return before


def plant_audience(
    monkeypatch: pytest.MonkeyPatch, kind: type[msgspec.Struct], field: str, audience: Audience
) -> None:
    """As `open_to`, for as long as the monkeypatch lasts."""
    monkeypatch.setitem(audiences(kind), field, audience)
    monkeypatch.setitem(visibility._plans, kind, visibility._Plan(kind))
    for name in _DERIVED:
        monkeypatch.setattr(redaction, name, getattr(redaction, name).__wrapped__)
