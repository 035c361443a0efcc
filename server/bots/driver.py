"""Moves the bots of a process's tables, and those who play for people that are away."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import structlog

from domain import actions as grammar
from domain import table as tables
from domain.errors import CorruptLog, Rejected, UnknownEvent
from domain.table import Table
from domain.visibility import see
from server import metrics
from server.bots.policies import QUICK, STRONG, Action, AnyGame, chance, greedy, policies_of, seeded
from server.bots.thinking import Thinker, ThinkingFailed, question
from server.jobs import NoSuchTable
from server.store.base import HistoryBroken, OutcomeUnknown, StoreUnavailable

if TYPE_CHECKING:
    from server.room import Room
    from server.service import Service

log = structlog.get_logger(__name__)


def decide(game: AnyGame, table: Table, seat: int, policy: str) -> Action | None:
    """What a bot on ``seat`` does now, or None where it may do nothing.

    A policy that fails, or wants what is not offered, is replaced by chance for this move; one that
    cannot be answered at once, or is not known, by the greedy one.
    """
    if table.state is None:
        return None
    seen = see(table.state, seat)
    offers = game.actions(seen, seat)
    if not offers:
        return None
    try:
        action = QUICK.get(policy, greedy)(game, seen, seat, offers, seeded(table.id, table.version, seat))
        if grammar.allows(offers, action):
            return action
        reason = "it wanted what was not offered"
    except Exception as error:  # noqa: BLE001 - no bot's mistake may stop a table
        reason = repr(error)
    _failed(table, seat, policy, reason)
    return chance(game, seen, seat, offers, seeded(table.id, table.version, seat))


def _failed(table: Table, seat: int, policy: str, reason: str) -> None:
    log.error(
        "bot_failed", table=table.id, version=table.version, seat=seat, policy=policy, reason=reason[:300]
    )


def left_until_due(spent_s: float, delay_s: float) -> float:
    """How long an answer that took ``spent_s`` waits for the next multiple of ``delay_s``; seconds."""
    return delay_s - spent_s % delay_s if delay_s else 0.0


class Thought(NamedTuple):
    """A decision that was thought out while the table could go on.

    ``action`` is for ``seat`` where the game stands as in ``table``.
    """

    table: Table
    seat: int
    asked: bytes
    action: Action | None = None


class Bots:
    """Moves for the bots of this process's rooms, one commit after another.

    Each move comes a fixed time after the table began to wait for it, or a multiple of that: how long a
    bot thinks tells nothing of what it holds.

    Args:
        service: the process.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._thinker = Thinker()
        self._planned: dict[str, object] = {}
        self._closed = False

    async def close(self) -> None:
        """Move no more."""
        self._closed = True
        await self._thinker.close()

    def look(self, room: Room) -> None:
        """If the table waits for a bot, let it move after a short while."""
        if self._closed or room.id in self._planned or room.live is None:
            return
        seat = self._next(room)
        if seat is None:
            return
        plan = self._planned[room.id] = object()
        delay_s = 0.0 if self._thinks(room, seat) else self._delay_s
        asyncio.get_running_loop().call_later(delay_s, self._go, room.id, plan)

    @property
    def _delay_s(self) -> float:
        return self._service.settings.bot_delay_ms / 1000

    def _go(self, ident: str, plan: object) -> None:
        if not self._closed:
            self._service.spawn(self._move(ident, plan))

    @staticmethod
    def _next(room: Room) -> int | None:
        table = room.table
        played = tables.stand_ins(table)
        if not played:
            return None
        return next((seat for seat in tables.waiting(room.game, table) if seat in played), None)

    async def _move(self, ident: str, plan: object) -> None:
        try:
            since = asyncio.get_running_loop().time()
            thought = await self._service.call(ident, partial(self._begin, plan=plan))
            if thought is not None:
                thought = await self._thought_out(thought)
                await self._until_due(since)
                await self._service.call(ident, partial(self._finish, plan=plan, thought=thought))
        except Rejected as refused:
            log.warning("bot_refused", table=ident, code=refused.code, reason=refused.message)
        except (NoSuchTable, StoreUnavailable, OutcomeUnknown, UnknownEvent, CorruptLog, HistoryBroken):
            return  # the timers look again
        finally:
            self._done(ident, plan)

    def _done(self, ident: str, plan: object) -> None:
        """The plan is carried out, or given up; not one that was made since."""
        if self._planned.get(ident) is plan:
            del self._planned[ident]

    async def _begin(self, room: Room, *, plan: object) -> Thought | None:
        """Move at once, or give what there is to think about.

        A plan that comes to nothing is dropped here, in the room's turn: else a commit that follows
        at once would find it still there, and nobody would look again.
        """
        await room.ready(fresh=False)
        seat = self._next(room)
        if seat is not None and self._thinks(room, seat):
            thought = await self._thought_of(room, seat)
            if thought is not None:
                return thought
        self._done(room.id, plan)
        if seat is not None:
            await self._act(room, seat, None)
        return None

    async def _thought_of(self, room: Room, seat: int) -> Thought | None:
        table = room.table
        entries = await self._service.store.read(room.id)
        commits = [room.decode(entry) for entry in entries if entry.version <= table.version]
        try:
            asked = question(room.game, table, commits, seat)
        except Exception as error:  # noqa: BLE001 - no bot's mistake may stop a table
            _failed(table, seat, STRONG, repr(error))
            return None
        return None if asked is None else Thought(table, seat, asked)

    @staticmethod
    def _thinks(room: Room, seat: int) -> bool:
        return STRONG in policies_of(room.game) and tables.stand_in(room.table, seat) == STRONG

    async def _thought_out(self, thought: Thought) -> Thought:
        try:
            return thought._replace(action=await self._thinker.answer(thought.asked))
        except ThinkingFailed as error:
            if not self._closed:
                _failed(thought.table, thought.seat, STRONG, str(error))
            return thought

    async def _until_due(self, since: float) -> None:
        await asyncio.sleep(left_until_due(asyncio.get_running_loop().time() - since, self._delay_s))

    async def _finish(self, room: Room, *, plan: object, thought: Thought) -> None:
        await room.ready(fresh=False)
        self._done(room.id, plan)
        if self._next(room) == thought.seat and room.table.state == thought.table.state:
            await self._act(room, thought.seat, thought.action)
        self.look(room)

    async def _act(self, room: Room, seat: int, thought_out: Action | None) -> None:
        """Store what the bot does; another process may be faster, and then this one does nothing.

        Args:
            room: the room.
            seat: who is to move.
            thought_out: what it does where the game stands as it does now; None: ask its policy.
        """
        there = room.table.seats[seat]
        own = there is not None and there.bot
        state = room.table.state

        def judged(table: Table) -> tables.Decision:
            policy = tables.stand_in(table, seat)
            if policy is None or table.state != state:
                raise Rejected("not_your_turn", "somebody has moved")
            offers = tables.actions(room.game, table, seat)
            if thought_out is not None and grammar.allows(offers, thought_out):
                action: Action | None = thought_out
            else:
                action = decide(room.game, table, seat, policy)
            if action is None:
                raise Rejected("not_your_turn", "nothing to do for a bot")
            return tables.decide_stand_in(room.game, table, seat, action)

        try:
            await room.writer.command(seat if own else "server", judged)
            metrics.BOTS.inc()
        except Rejected as refused:
            if refused.code not in ("not_your_turn", "forbidden", "finished", "paused"):
                raise
