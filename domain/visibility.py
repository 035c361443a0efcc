"""Who may know a value: declared at the field, applied in one place.

Every field of an event and of a game's state carries an `Audience` in its annotation::

    class Dealt(Event, tag="dealt"):
        label: Annotated[str, PUBLIC]
        hands: Annotated[tuple[tuple[str, ...], ...], EACH_OWN]

A field that declares nothing is `HIDDEN`. `see` gives the part of a state that a viewer may know,
as a state of the same type whose other fields are masked; legal actions, rejections and views are
computed from that alone, so they cannot tell more.

A viewer is an integer: a seat (0 and up), `SPECTATOR`, or `REFEREE`, who sees everything but
`SECRET` fields and exists only for finished tables and for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET
from msgspec.structs import force_setattr

SPECTATOR: Final = -1
REFEREE: Final = -2

S = TypeVar("S", bound=msgspec.Struct)

Show = Callable[[Any, Any, int], Any]
"""``(value, holder, viewer) -> shown value``, or `UNSET` where the viewer may know nothing of it."""

Add = Callable[[Any, Any, int], Any]


class Audience:
    """Who may know a field.

    Args:
        name: how it is called in documents and schemas.
        show: gives what a seat or a spectator is shown of the value; never called for the referee.
        referee: False for values that nobody is ever shown (token hashes, the deal key).
        same: whether all seats and spectators are shown the same.
        add: ``(shown, value, seat) -> shown``: from what a spectator is shown to what a seat is, where that
            is quicker than ``show``.
    """

    __slots__ = ("add", "name", "referee", "same", "show")

    def __init__(
        self, name: str, show: Show, *, referee: bool = True, same: bool = False, add: Add | None = None
    ) -> None:
        self.name = name
        self.show = show
        self.referee = referee
        self.same = same
        self.add = add

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def shown(self, value: Any, holder: Any, viewer: int) -> Any:
        """What ``viewer`` sees of ``value``, a field of ``holder``; `UNSET` for nothing at all."""
        if viewer == REFEREE:
            return value if self.referee else UNSET
        return self.show(value, holder, viewer)


def blanks(value: Sequence[Any] | None) -> tuple[None, ...] | None:
    """Only the length of ``value``: a None for each element."""
    return None if value is None else _blank(len(value))


_BLANKS: Final = [(None,) * length for length in range(128)]


def _blank(length: int) -> tuple[None, ...]:
    return _BLANKS[length] if length < 128 else (None,) * length


PUBLIC: Final = Audience("public", lambda value, holder, viewer: value, same=True)
HIDDEN: Final = Audience("hidden", lambda value, holder, viewer: UNSET, same=True)
SECRET: Final = Audience("secret", lambda value, holder, viewer: UNSET, referee=False, same=True)
COUNT: Final = Audience("count", lambda value, holder, viewer: blanks(value), same=True)


def only(*fields: str, others: Audience = HIDDEN) -> Audience:
    """Known to the seats that stand in ``fields`` of the holder (each a seat, None or a tuple of seats).

    Args:
        fields: names of fields of the same event or state.
        others: what everybody else is shown.
    """

    def show(value: Any, holder: Any, viewer: int) -> Any:
        for field in fields:
            who = getattr(holder, field)
            if who == viewer or (isinstance(who, tuple) and viewer in who):
                return value
        return others.show(value, holder, viewer)

    return Audience(f"seat in {', '.join(fields)}; others: {others.name}", show)


def each_own(others: Audience = COUNT) -> Audience:
    """A tuple with one element a seat: each seat knows its own; of the rest ``others`` is shown.

    What is hidden altogether stands as None, so that the positions stay the seats.
    """

    def show(value: Any, holder: Any, viewer: int) -> Any:
        if value is None:
            return None
        if others is COUNT:  # the usual case, in a quick way
            lengths: list[Any] = [None if hand is None else _blank(len(hand)) for hand in value]
            if 0 <= viewer < len(lengths):
                lengths[viewer] = value[viewer]
            return tuple(lengths)
        shown: list[Any] = []
        for seat, own in enumerate(value):
            if seat == viewer:
                shown.append(own)
            else:
                masked = None if own is None else others.show(own, holder, viewer)
                shown.append(None if masked is UNSET else masked)
        return tuple(shown)

    return Audience(f"each its own; others: {others.name}", show, add=_with_own if others.same else None)


def _with_own(shown: Any, value: Any, seat: int) -> Any:
    if value is None or not 0 <= seat < len(value):
        return shown
    several: list[Any] = list(shown)
    several[seat] = value[seat]
    return tuple(several)


EACH_OWN: Final = each_own(COUNT)


def when(test: Callable[[Any], bool], then: Audience, otherwise: Audience, name: str = "") -> Audience:
    """``then`` where ``test(holder)`` holds (a rule that depends on an option, a phase), else ``otherwise``.

    ``test`` must depend on public fields alone.
    """
    return Audience(
        name or f"{then.name} or {otherwise.name}",
        lambda value, holder, viewer: (then if test(holder) else otherwise).show(value, holder, viewer),
    )


def rule(name: str, show: Show) -> Audience:
    """A rule of its own, for shapes that the others do not fit (slices of a dealt deck, face-down cards)."""
    return Audience(name, show)


@cache
def audiences(kind: type[msgspec.Struct]) -> dict[str, Audience]:
    """The audience of each field of a Struct type; `HIDDEN` for a field that declares none."""
    hints = get_type_hints(kind, include_extras=True)
    found = {}
    for field in kind.__struct_fields__:
        extras = get_args(hints[field])[1:] if get_origin(hints[field]) is Annotated else ()
        found[field] = next((extra for extra in extras if isinstance(extra, Audience)), HIDDEN)
    return found


@cache
def undeclared(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Fields that say nothing about who may know them. A test wants this empty for every type."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        field
        for field in kind.__struct_fields__
        if not (
            get_origin(hints[field]) is Annotated
            and any(isinstance(extra, Audience) for extra in get_args(hints[field])[1:])
        )
    )


class _Plan:
    """What is done to a state of one type: its fields that are not public, and those that differ by seat."""

    __slots__ = ("masked", "personal")

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        declared = audiences(kind).items()
        self.masked = [(field, who) for field, who in declared if who is not PUBLIC]
        self.personal = [(field, who) for field, who in declared if not who.same]


_plans: Final[dict[Any, _Plan]] = {}


def _plan(kind: Any) -> _Plan:
    found = _plans.get(kind)
    if found is None:
        found = _plans[kind] = _Plan(kind)
    return found


def see(state: S, viewer: int, public: S | None = None) -> S:
    """The part of ``state`` that ``viewer`` may know: the same type, what is hidden masked.

    A field that the viewer may know nothing of is None, whatever its type says.

    Args:
        public: what a spectator may know of ``state``, where the caller has it already.
    """
    plan = _plan(type(state))
    if public is not None and viewer >= 0:
        return cast("S", _added(plan, state, viewer, public))
    if not plan.masked:
        return state
    seen: Any = _copy(state)
    for field, who in plan.masked:
        value = getattr(state, field)
        if viewer != REFEREE:
            value = who.show(value, state, viewer)
        elif not who.referee:
            value = None
        force_setattr(seen, field, None if value is UNSET else value)
    return cast("S", seen)


def _added(plan: _Plan, state: Any, seat: int, public: Any) -> Any:
    """What a spectator may know, and what the seat may know beyond it."""
    if not plan.personal:
        return public
    seen = _copy(public)
    for field, who in plan.personal:
        value = getattr(state, field)
        if who.add is _with_own:
            value = _with_own(getattr(public, field), value, seat)
        elif who.add is not None:
            value = who.add(getattr(public, field), value, seat)
        else:
            value = who.show(value, state, seat)
        force_setattr(seen, field, None if value is UNSET else value)
    return seen


def _copy(state: Any) -> Any:
    # Copied and then changed: names that are known only at run time make `replace` twice as slow.
    return state.__copy__()
