"""What the domain refuses, and how it says so.

Codes used here (all from the closed list of the wire contract): ``bad_options``, ``seat_taken``,
``table_full``, ``need_players``, ``already_started``, ``not_started``, ``finished``, ``forbidden``,
``not_your_turn``, ``illegal_action``, ``version_conflict``, ``not_found``.
"""

from __future__ import annotations

from typing import Any


class Rejected(Exception):
    """A command that the rules refuse. Nothing has changed.

    Args:
        code: one of the codes above.
        message: a sentence that says what was wrong and what would be right. It tells nothing
            that the seat which sent the command may not know.
        detail: values for a program, or None.
    """

    def __init__(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail


class BadOptions(Rejected):
    """Table options that the game does not accept; ``detail['option']`` names the wrong entry."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__("bad_options", f"{option}: {message}", {"option": option})


class UnknownEvent(Exception):
    """A stored event of a type or version that this program does not know (a newer one wrote it)."""


class CorruptLog(Exception):
    """A stored commit that cannot be read as one, or that does not follow from the one before."""
