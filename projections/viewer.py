"""Viewers: a seat, a spectator, or the referee (who sees all of a finished game)."""

from __future__ import annotations

from typing import Any

from domain.visibility import REFEREE, SPECTATOR

Viewer = int

__all__ = ["REFEREE", "SPECTATOR", "Viewer", "on_wire"]


def on_wire(viewer: Viewer) -> dict[str, Any]:
    """How a viewer is named in messages: ``{"seat": n}``, ``{"spectator": true}`` or ``{"open": true}``."""
    if viewer >= 0:
        return {"seat": viewer}
    return {"open": True} if viewer == REFEREE else {"spectator": True}
