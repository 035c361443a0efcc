"""JSON merge patches (RFC 7396) between two views."""

from __future__ import annotations

from typing import Any


def merge_patch(old: Any, new: Any) -> dict[str, Any]:
    """The patch that turns ``old`` into ``new``: members that differ, None for those that are gone.

    Lists are replaced as a whole. A member that is None counts as absent, since a patch cannot say it.
    """
    patch: dict[str, Any] = {}
    for key, value in new.items():
        before = old.get(key)
        if value is None:
            if before is not None:
                patch[key] = None
        elif isinstance(value, dict) and isinstance(before, dict):
            if inner := merge_patch(before, value):
                patch[key] = inner
        elif not _same(value, before):
            patch[key] = value
    for key, before in old.items():
        if before is not None and key not in new:
            patch[key] = None
    return patch


def _same(value: Any, before: Any) -> bool:
    """Whether two members are the same on the wire, where True is not 1."""
    if isinstance(value, list | tuple):
        return (
            isinstance(before, list | tuple) and len(value) == len(before) and all(map(_same, value, before))
        )
    if isinstance(value, dict):
        return (
            isinstance(before, dict)
            and value.keys() == before.keys()
            and all(_same(member, before[name]) for name, member in value.items())
        )
    return value == before and isinstance(value, bool) == isinstance(before, bool)


def apply_patch(old: Any, patch: Any) -> Any:
    """What `merge_patch` describes, applied (for tests and for clients in Python)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply_patch(merged.get(key), value)
    return merged
