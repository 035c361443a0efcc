"""Other worlds: the same game with hidden cards exchanged, as they could be for all that a viewer knows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.events import Commit, encode_commit
from domain.game import State
from domain.registry import codec
from domain.table import AnyGame, Table, apply
from domain.tarot.cards import POSITION, in_order
from domain.visibility import see
from projections import frame
from projections.redaction import redact_all
from tests.support.play import Playout


def mapped(value: Any, cards: Mapping[str, str]) -> Any:
    """``value`` (builtins) with each card replaced as ``cards`` says."""
    if isinstance(value, str):
        return cards.get(value, value)
    if isinstance(value, dict):
        return {key: mapped(member, cards) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [mapped(member, cards) for member in value]
    return value


def cards_in(value: Any) -> set[str]:
    """All cards that stand anywhere in ``value`` (builtins)."""
    if isinstance(value, str):
        return {value} & POSITION.keys()
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return set().union(*(cards_in(member) for member in value))
    return set()


def mixed(cards: Iterable[str], rng: random.Random) -> dict[str, str]:
    """A random exchange of ``cards`` among themselves."""
    before = sorted(cards)
    after = list(before)
    rng.shuffle(after)
    return dict(zip(before, after, strict=True))


def relabelled(game: AnyGame, commits: Iterable[Commit], cards: Mapping[str, str]) -> list[Commit]:
    """The commits of the world in which each card is another."""
    decode = codec(game.name).decode
    return [
        decode(
            commit.version,
            commit.at_ms,
            msgspec.msgpack.encode(
                mapped(msgspec.msgpack.decode(encode_commit(commit.by, commit.events, commit.command)), cards)
            ),
        )
        for commit in commits
    ]


def received(game: AnyGame, commits: Iterable[Commit], viewer: int) -> bytes:
    """Every byte that a viewer gets: the events of each commit, the view and the actions after it."""
    parts = []
    table: Table | None = None
    for commit in commits:
        table = apply(game, table, commit)
        parts.append((redact_all(commit.events, viewer), frame.snapshot(table, viewer)))
    return msgspec.msgpack.encode(parts)


def same_stream(playout: Playout, viewer: int, rng: random.Random) -> int:
    """Check that ``viewer`` cannot tell a world apart in which cards it has never seen are exchanged.

    The playout must be in its first hand. Gives the number of such cards.
    """
    game, commits = playout.game, playout.commits
    before = received(game, commits, viewer)
    seen = cards_in(msgspec.msgpack.decode(before))
    unseen = {card for hand in playout.state.hands for card in hand} | set(playout.state.talon)
    unseen |= cards_in(msgspec.to_builtins(playout.state.picks))
    cards = mixed(unseen - seen, rng)
    other = relabelled(game, commits, cards)
    assert received(game, other, viewer) == before
    return len(cards)


def same_snapshot(
    playout: Playout, viewer: int, known: Callable[[State], set[str]], rng: random.Random
) -> int:
    """Check that a fresh view does not tell what lies in the hidden zones now, seen once or not.

    Args:
        known: from the state as the viewer sees it, the cards whose place it is shown.

    Gives the number of hidden cards.
    """
    table = playout.table
    state: Any = table.state
    before = frame.snapshot(table, viewer)
    shown = known(see(state, viewer))
    zones = {card for hand in state.hands for card in hand} | set(state.talon)
    cards = mixed(zones - shown, rng)
    changes: dict[str, Any] = {
        "hands": tuple(in_order(mapped(hand, cards)) for hand in state.hands),
        "talon": in_order(mapped(state.talon, cards)),
        "picks": tuple(mapped(state.picks, cards)),
    }
    if hasattr(state, "discards"):
        changes["discards"] = tuple(mapped(state.discards, cards))
    if hasattr(state, "passed"):
        changes["passed"] = tuple(tuple(mapped(own, cards)) for own in state.passed)
        changes["received"] = tuple(tuple(mapped(own, cards)) for own in state.received)
    other = replace(table, state=replace(state, **changes))
    assert frame.snapshot(other, viewer) == before
    return len(cards)
