"""What the client raises."""

from __future__ import annotations

from typing import Any, Final

RETRIED: Final = frozenset({"outcome_unknown", "unavailable", "rate_limited"})
"""Codes that say "ask again": a command with the same id, anything else as it was."""


class ClientError(Exception):
    """Base of what this package raises."""


class Unreachable(ClientError):
    """No server answers at the address, or none that speaks this protocol."""


class Refused(ClientError):
    """The server refused: ``code`` is from the closed list of the protocol, ``detail`` may be None."""

    def __init__(self, code: str, message: str, detail: dict[str, Any] | None = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.detail = detail

    @classmethod
    def told(cls, message: dict[str, Any]) -> Refused:
        """From an ``error`` or ``rejected`` message, or from the body of an HTTP error."""
        return cls(message["code"], message["message"], message.get("detail"))

    @property
    def wait_s(self) -> float:
        """In how many seconds to ask again, where the code says so."""
        return float((self.detail or {}).get("retry_after_ms", 200)) / 1000


class Gone(ClientError):
    """This is no viewer of the table any more; ``reason`` as in the message ``detached``."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"detached from the table: {reason}")
        self.reason = reason
