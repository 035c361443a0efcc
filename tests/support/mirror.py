"""A table as one viewer was told of it, kept by the rules of the wire contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]


def merged(old: Any, patch: Any) -> Any:
    """RFC 7396, written from the text of the RFC."""
    if not isinstance(patch, dict):
        return patch
    found = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found


def without_nulls(value: Any) -> Any:
    """The value with absent members where null ones were (not inside arrays: those are replaced whole)."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return value


@dataclass
class Mirror:
    """A table as one viewer was told of it. Refuses gaps, repeats and a clock that goes back."""

    table: str
    viewer: Message
    views: str = "full"
    version: int = 0
    at_ms: int = 0
    epoch: str = ""
    status: str = ""
    view: Any = None
    actions: list[Message] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    owed: int = 0  # updates that a resume still owes
    updates: dict[int, Message] = field(default_factory=dict)
    presence: dict[int, bool] = field(default_factory=dict)

    @property
    def seat(self) -> int:
        """The seat, or -1."""
        return int(self.viewer.get("seat", -1))

    def resumable(self) -> Message:
        """What an attach needs to resume from here."""
        return {"from": self.version, "epoch": self.epoch, "from_ms": self.at_ms}

    def attached(self, message: Message, before: Mirror | None) -> None:
        """Take in an answer to an attach."""
        self.version, self.epoch, self.status = message["version"], message["epoch"], message["status"]
        if message["recovered"]:
            assert before is not None, "recovered without having been here"
            assert message["epoch"] == before.epoch
            assert message["version"] == before.version
            assert not {"view", "actions"} & set(message), f"a recovered attach has no view: {message}"
            self.owed = message["head"] - message["version"]
            assert self.owed >= 0
            self.view, self.at_ms = before.view, before.at_ms
            self.actions, self.waiting = before.actions, before.waiting
            self.updates = dict(before.updates)
            if self.owed:
                self.actions = []
        else:
            assert ("view" in message) == (self.views != "none")
            self.at_ms = message["at_ms"]
            self.view = message.get("view")
            self.actions, self.waiting = message["actions"], message["waiting"]
            if before is not None and before.epoch == self.epoch:
                self.updates = dict(before.updates)

    def update(self, message: Message) -> None:
        """Take in an update."""
        version = message["version"]
        assert version == self.version + 1, f"version {version} after {self.version} of {self.table}"
        assert message["at_ms"] >= self.at_ms, f"the clock of {self.table} went back"
        assert message["by"] in ("clock", "host", "server") or isinstance(message["by"], int)
        self.version, self.at_ms, self.status = version, message["at_ms"], message["status"]
        self.waiting = message["waiting"]
        self.updates[version] = message
        resuming = self.owed > 0
        self.owed -= resuming
        if resuming and self.owed:
            assert not {"view", "patch", "actions"} & set(message), (
                "only the last update of a resume has them"
            )
            return
        self.actions = message["actions"]
        if resuming and self.views != "none":
            assert "view" in message, "the last update of a resume has the full view"
        if self.views == "none":
            assert not {"view", "patch"} & set(message)
        elif "view" in message:
            assert "patch" not in message
            assert self.views == "full" or resuming
            self.view = message["view"]
        else:
            assert self.views == "patch", "neither a view nor a patch"
            self.view = merged(self.view, message["patch"])
