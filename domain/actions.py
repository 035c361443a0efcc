"""The grammar of actions: what a viewer may do now, as data that needs no rules to read.

An offer is ``{"type": name, parameter: choice, ...}``; a choice is ``{"one_of": [values]}`` or
``{"some_of": [values], "min": a, "max": b}`` (a multiset, order free). One offer and one value per
parameter: every combination is legal and nothing else is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

Offer = dict[str, Any]
Action = Mapping[str, Any]
Value = str | int


def one_of(values: Sequence[Value]) -> dict[str, Any]:
    """A choice of exactly one of ``values``; equal values are named once."""
    if len(values) > _FEW:
        return {"one_of": list(dict.fromkeys(values))}
    named: list[Value] = []
    for value in values:
        if value not in named:
            named.append(value)
    return {"one_of": named}


_FEW: Final = 12
"""Among so many it is quicker to look through all than to hash each."""


def some_of(values: Sequence[Value], least: int, most: int) -> dict[str, Any]:
    """A choice of ``least`` to ``most`` of ``values``; a value may be taken as often as it is listed."""
    return {"some_of": list(values), "min": least, "max": most}


def offer(kind: str, **choices: dict[str, Any]) -> Offer:
    """One offer: an action type and a choice for each of its parameters."""
    return {"type": kind, **choices}


def allows(offers: Sequence[Offer], action: Action) -> bool:
    """Whether ``action`` is one of those that ``offers`` stand for, types included (True is not 1)."""
    for candidate in offers:  # noqa: SIM110 - at every move
        if _fits(candidate, action):
            return True
    return False


def _fits(candidate: Offer, action: Action) -> bool:
    if len(candidate) != len(action) or candidate["type"] != action.get("type"):
        return False
    for name, choice in candidate.items():
        if name != "type" and (name not in action or not _chosen(choice, action[name])):
            return False
    return True


def _same_kind(value: Any, values: Sequence[Value]) -> bool:
    return bool(values) and type(value) is type(values[0])


def _chosen(choice: Mapping[str, Any], value: Any) -> bool:
    if "one_of" in choice:
        values = choice["one_of"]
        return _same_kind(value, values) and value in values
    values = choice["some_of"]
    if not isinstance(value, list | tuple) or not choice["min"] <= len(value) <= choice["max"]:
        return False
    if not all(_same_kind(item, values) for item in value):
        return False
    held = Counter(values)
    return all(number <= held[item] for item, number in Counter(value).items())


def canonical(action: Action) -> dict[str, Any]:
    """The form in which two equal actions are the same: keys and the members of lists in order."""
    return {key: _sorted(action[key]) for key in sorted(action)}


def _sorted(value: Any) -> Any:
    if type(value) is str or type(value) is int:
        return value
    if isinstance(value, list | tuple):
        return sorted((_sorted(item) for item in value), key=lambda item: (type(item).__name__, repr(item)))
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return value


def size(offers: Sequence[Offer]) -> int:
    """How many values are offered in all: 1 means that there is no choice left."""
    total = 0
    for candidate in offers:
        number = 1
        for name, choice in candidate.items():
            if name != "type":
                number *= len(choice["one_of"]) if "one_of" in choice else 2
        total += number
    return total


def explain(offers: Sequence[Offer], action: Action) -> str:
    """A sentence that says in what ``action`` differs from what is offered."""
    kind = action.get("type")
    same = [candidate for candidate in offers if candidate["type"] == kind]
    if not same:
        kinds = ", ".join(dict.fromkeys(candidate["type"] for candidate in offers))
        return f"{brief(kind)} is not possible now; possible: {kinds}"
    candidate = same[0]
    for name in candidate:
        if name not in action:
            return f"{kind} needs the parameter {name}: {_described(candidate[name])}"
    for name in action:
        if name not in candidate:
            known = ", ".join(key for key in candidate if key != "type") or "none"
            return f"{kind} has no parameter {brief(name)}; it has: {known}"
    for name, choice in candidate.items():
        if name != "type" and not any(_chosen(other[name], action[name]) for other in same if name in other):
            return f"{kind}.{name} cannot be {brief(action[name])}; it is {_described(choice)}"
    return f"{kind} does not go with these parameters together"


def _described(choice: Mapping[str, Any]) -> str:
    if "one_of" in choice:
        return "one of " + ", ".join(str(value) for value in choice["one_of"])
    values = ", ".join(str(value) for value in choice["some_of"]) or "nothing"
    return f"a list of {choice['min']} to {choice['max']} of " + values


def brief(value: Any) -> str:
    """A client's own value, short enough to be quoted in a sentence."""
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else text[:57] + "..."
