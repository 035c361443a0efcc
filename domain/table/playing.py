"""Decisions in a running game: a seat's action, a stand-in's, and the end of a seat's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain import actions as grammar
from domain.dealing import Dealer
from domain.emitter import Emitted
from domain.errors import Rejected
from domain.events import Event
from domain.table import events as happened
from domain.table.clocks import deadline
from domain.table.decisions import (
    dealer_of,
    decision,
    forfeited,
    granted_without,
    in_play,
    settled,
)
from domain.table.folding import evolve, stand_in, waiting
from domain.table.state import AnyGame, Decision, Table
from domain.visibility import SPECTATOR, see


def decide_act(
    game: AnyGame,
    table: Table,
    seat: int,
    action: Mapping[str, Any],
    *,
    if_version: int | None = None,
    dealer: Dealer | None = None,
    standing_in: bool = False,
    seen: Any = None,
    offers: Sequence[grammar.Offer] | None = None,
) -> Decision:
    """An action of a seat in the game.

    Args:
        seen: what the seat may know of this very state, where the caller has it already.
        offers: what the seat is offered in this very state, likewise.
        if_version: refuse where the table has moved on.
        dealer: another source of shuffles than the table's own, for tests.
        standing_in: the server acts for a player who is away or has left.

    Raises:
        Rejected: in this order ``not_started`` / ``finished``, ``paused``, ``version_conflict``,
            ``not_your_turn``, ``illegal_action``.
    """
    in_play(table)
    if table.paused:
        raise Rejected("paused", "the game is paused; it goes on when the host or all players resume it")
    if if_version is not None and if_version != table.version:
        text = f"the table is at version {table.version}, not {if_version}"
        raise Rejected("version_conflict", text, {"version": table.version})
    state = table.state
    assert state is not None
    if seen is None:
        seen = see(state, seat)
    if offers is None:
        offers = game.actions(seen, seat)
    if not offers:
        raise _not_your_turn(game, table, seen, seat)
    if not grammar.allows(offers, action):
        message = game.explain(seen, seat, action, offers) or grammar.explain(offers, action)
        raise Rejected("illegal_action", message)
    before = _said_first(table, seat, standing_in)
    for event in before:
        table = evolve(game, table, event)
    emit = Emitted(game, state)
    game.decide(emit, seat, action, dealer or dealer_of(table))
    return settled(game, table, emit, before)


def _said_first(table: Table, seat: int, standing_in: bool) -> tuple[Event, ...]:
    there = table.seats[seat]
    if there is not None and there.bot:
        return ()
    if standing_in:
        return (happened.PlayedFor(seat),)
    return (happened.Returned(seat),) if there is not None and there.away else ()


def _not_your_turn(game: AnyGame, table: Table, seen: Any, seat: int) -> Rejected:
    awaited = game.waiting(see(table.state, SPECTATOR))  # type: ignore[type-var]
    names = ", ".join(f"seat {number}" for number in awaited)
    why = game.idle(seen, seat) or f"seat {seat} cannot act now"
    text = f"{why}; the game waits for {names}"
    return Rejected("not_your_turn", text, {"waiting": list(awaited)})


def decide_stand_in(
    game: AnyGame, table: Table, seat: int, action: Mapping[str, Any], *, dealer: Dealer | None = None
) -> Decision:
    """A bot's action, for its own seat or for a player who is away or has left.

    Raises:
        Rejected: ``forbidden`` where a person plays that seat; else as `decide_act`.
    """
    if stand_in(table, seat) is None:
        raise Rejected("forbidden", f"seat {seat} is not played by a bot")
    return decide_act(game, table, seat, action, dealer=dealer, standing_in=True)


def decide_timeout(game: AnyGame, table: Table, *, seat: int, now_ms: int) -> Decision:
    """The time of ``seat`` has run out, if it has: judged here, whoever says so.

    Args:
        now_ms: the store's time.

    Raises:
        Rejected: ``illegal_action`` where there is nothing to do: the seat has acted, is away already,
            or has time left.
    """
    at = deadline(table, seat)
    if table.over or at is None or seat not in waiting(game, table):
        raise Rejected("illegal_action", f"no clock runs for seat {seat}")
    if now_ms < at:
        raise Rejected("illegal_action", f"seat {seat} has {at - now_ms} ms left")
    events: list[Event] = [happened.TimedOut(seat, table.on_timeout)]
    if table.on_timeout == "forfeit":
        events.append(forfeited(game, table, seat))
    else:
        events += granted_without(table, seat)
    return decision(game, table, *events)
