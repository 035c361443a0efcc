"""JSON merge patches (RFC 7396) between two views."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import fields


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


def struct_patch(old: msgspec.Struct, new: msgspec.Struct) -> dict[str, Any]:
    """As `merge_patch` of the two as plain values, but quicker: what is the same object is skipped."""
    kind = type(new)
    if type(old) is not kind or not as_declared(kind):
        return merge_patch(msgspec.to_builtins(old), msgspec.to_builtins(new))
    patch: dict[str, Any] = {}
    for field in kind.__struct_fields__:
        before, value = getattr(old, field), getattr(new, field)
        if value is not before:
            patch_member(patch, field, before, value)
    return patch


def patch_member(patch: dict[str, Any], field: str, before: Any, value: Any) -> None:
    """Add to ``patch`` what makes a member ``before`` become ``value``; `UNSET` for one that is absent."""
    if value is UNSET or value is None:
        if before is not UNSET and before is not None:
            patch[field] = None
    elif isinstance(value, msgspec.Struct) and isinstance(before, msgspec.Struct):
        if inner := struct_patch(before, value):
            patch[field] = inner
    elif isinstance(value, dict) and isinstance(before, dict):
        if inner := merge_patch(msgspec.to_builtins(before), msgspec.to_builtins(value)):
            patch[field] = inner
    elif value != before or _is_object(value) != _is_object(before):
        patch[field] = value


def _is_object(value: Any) -> bool:
    return isinstance(value, dict | msgspec.Struct)


@cache
def as_declared(kind: type[msgspec.Struct]) -> bool:
    """Whether an instance is encoded as its fields under their names, and nothing else."""
    config = kind.__struct_config__
    names = all(field.encode_name == field.name for field in fields(kind))
    return names and config.tag is None and not config.omit_defaults and not config.array_like


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
