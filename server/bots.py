"""Bots: the server's own players. They see what their seat sees, and nothing else.

A policy gets the offers of a seat, that seat's masked state and a generator of random numbers that
follows from the table, the version and the seat; so the same view gives the same move.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import structlog

from domain import table as tables
from domain.actions import Offer
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.game import Game
from domain.table import Table
from domain.visibility import see
from server.jobs import NoSuchTable
from server.store.base import HistoryBroken, OutcomeUnknown, StoreUnavailable

if TYPE_CHECKING:
    from server.room import Room
    from server.service import Service

log = structlog.get_logger(__name__)

Policy = Callable[[Game[Any, Any], Any, int, Sequence[Offer], random.Random], dict[str, Any]]

CANDIDATES = 64
"""How many actions a greedy bot looks at where there are more."""


def chance(
    game: Game[Any, Any], seen: Any, seat: int, offers: Sequence[Offer], rng: random.Random
) -> dict[str, Any]:
    """Any action, each offer and each value equally likely."""
    candidate = rng.choice(offers)
    action: dict[str, Any] = {"type": candidate["type"]}
    for name, choice in candidate.items():
        if name == "type":
            continue
        if "one_of" in choice:
            action[name] = rng.choice(choice["one_of"])
        else:
            most = choice["max"]
            action[name] = rng.sample(choice["some_of"], rng.randint(choice["min"], most))
    return action


def greedy(
    game: Game[Any, Any], seen: Any, seat: int, offers: Sequence[Offer], rng: random.Random
) -> dict[str, Any]:
    """The action that looks best at once, as the game appraises it from what the seat knows."""
    candidates = _all(offers)
    if candidates is None:
        candidates = [chance(game, seen, seat, offers, rng) for _ in range(CANDIDATES)]
    best = max(game.appraise(seen, seat, action) for action in candidates)
    return rng.choice([action for action in candidates if game.appraise(seen, seat, action) == best])


def _all(offers: Sequence[Offer]) -> list[dict[str, Any]] | None:
    """Every single action, or None where there are multisets to choose or too many."""
    found: list[dict[str, Any]] = []
    for candidate in offers:
        partial: list[dict[str, Any]] = [{"type": candidate["type"]}]
        for name, choice in candidate.items():
            if name == "type":
                continue
            if "one_of" not in choice:
                return None
            partial = [{**action, name: value} for action in partial for value in choice["one_of"]]
        found += partial
        if len(found) > 10 * CANDIDATES:
            return None
    return found


POLICIES: dict[str, Policy] = {"random": chance, "greedy": greedy}


def decide(game: Game[Any, Any], table: Table, seat: int, policy: str) -> dict[str, Any] | None:
    """What a bot on ``seat`` does now, or None where it may do nothing."""
    if table.state is None:
        return None
    seen = see(table.state, seat)
    offers = game.actions(seen, seat)
    if not offers:
        return None
    rng = random.Random(f"{table.id} {table.version} {seat}")  # noqa: S311 - a bot's taste, no secret
    return POLICIES.get(policy, greedy)(game, seen, seat, offers, rng)


class Bots:
    """Moves for the bots of this process's rooms, one commit after another.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._planned: set[str] = set()

    def look(self, room: Room) -> None:
        """If the table waits for a bot, let it move after a short while."""
        if room.id in self._planned or room.live is None or self._next(room) is None:
            return
        self._planned.add(room.id)
        delay_s = self._service.settings.bot_delay_ms / 1000
        asyncio.get_running_loop().call_later(delay_s, self._go, room.id)

    def _go(self, ident: str) -> None:
        self._planned.discard(ident)
        self._service.spawn(self._move(ident))

    @staticmethod
    def _next(room: Room) -> int | None:
        for seat in tables.waiting(room.game, room.table):
            if tables.stand_in(room.table, seat) is not None:
                return seat
        return None

    async def _move(self, ident: str) -> None:
        try:
            await self._service.call(ident, self._play)
        except Rejected as refused:
            log.warning("bot_refused", table=ident, code=refused.code, reason=refused.message)
        except (NoSuchTable, StoreUnavailable, OutcomeUnknown, UnknownEvent, CorruptLog, HistoryBroken):
            return  # the timers look again

    async def _play(self, room: Room) -> None:
        await room.ready(fresh=False)
        seat = self._next(room)
        if seat is None:
            return
        there = room.table.seats[seat]
        own = there is not None and there.bot

        def judged(table: Table) -> tables.Decision:
            policy = tables.stand_in(table, seat)
            action = None if policy is None else decide(room.game, table, seat, policy)
            if action is None:
                raise Rejected("not_your_turn", "nothing to do for a bot")
            return tables.decide_stand_in(room.game, table, seat, action)

        try:
            await room.writer.command(seat if own else "server", judged)
        except Rejected as refused:
            if refused.code not in ("not_your_turn", "forbidden", "finished", "paused"):
                raise
