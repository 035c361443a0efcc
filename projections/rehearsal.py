"""Plays the game of an open log again: every commit must follow from the rules, and lead to the result.

A log does not hold the commands, only what they brought about. So for each commit of a seat the actions that
the seat was offered are tried until one leads to exactly these events. Commits that are no moves (who sat
down, a pause) are not decided again, but the end of a game always is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from domain import table as tables
from domain.actions import Offer, allows
from domain.errors import CorruptLog, Rejected
from domain.events import Commit, Event, event_name
from domain.registry import codec, games
from domain.table import AnyGame, Decision, Table
from domain.visibility import SECRET, audiences
from projections.verify import Log, Report

MOST_TRIES = 20_000
"""A move that could have been made in more ways is only read (no game offers as many)."""


class Unlike(Exception):
    """A commit does not follow; the text says why."""


def rehearse(log: Log, report: Report) -> None:
    """Play the game again and note the first commit that does not fit.

    The deal key must be known (``report.key``) and the log be the open one.
    """
    game = games().get(log.header.game)
    if game is None:
        report.wrong(log.first, f"the game {log.header.game!r} is not known to this installation")
        return
    report.rehearsed = 0
    table: Table | None = None
    key = _key(log)
    for number, line in log.lines:
        try:
            events = tuple(_event(game, raw, key) for raw in line.events)
            commit = Commit(line.version, line.at_ms, line.by, events)
            if table is not None and _decide(game, table, commit):
                report.rehearsed += 1
            table = tables.apply(game, table, commit)
        except (Unlike, CorruptLog) as error:
            report.wrong(number, f"version {line.version}: {error}")
            return
        except Rejected as refused:
            report.wrong(number, f"version {line.version} is against the rules: {refused.message}")
            return
        except Exception as error:  # noqa: BLE001 - an altered log may lead a game anywhere
            report.wrong(number, f"version {line.version} cannot be played again ({type(error).__name__})")
            return
    assert table is not None
    if table.status != log.header.status:
        text = f"the header says {log.header.status}, but the log leads to {table.status}"
        report.wrong(log.first, text)


def restored(log: Log) -> Iterator[tuple[Commit, Table]]:
    """Each version of an open log with the table after it, folded and not judged.

    Raises:
        Unlike: an event is none of the game's.
        CorruptLog: the versions do not follow each other.
    """
    game = games().get(log.header.game)
    if game is None:
        raise Unlike(f"the game {log.header.game!r} is not known to this installation")
    key = next((str(event["deal_key"]) for *_, event in log.events() if "deal_key" in event), "")
    table: Table | None = None
    for _, line in log.lines:
        events = tuple(_event(game, raw, key) for raw in line.events)
        commit = Commit(line.version, line.at_ms, line.by, events)
        table = tables.apply(game, table, commit)
        yield commit, table


def _key(log: Log) -> str:
    return next(str(event["deal_key"]) for *_, event in log.events() if "deal_key" in event)


@cache
def _kinds(game: str) -> dict[str, type[Event]]:
    """The event types by their names on the wire; of several versions the last, which is written now."""
    return {event_name(kind): kind for kind in codec(game).kinds}


def _event(game: AnyGame, raw: Mapping[str, Any], key: str) -> Event:
    """An event as the open log tells it, with what is told to nobody filled up."""
    kind = _kinds(game.name).get(str(raw.get("type")))
    if kind is None:
        raise Unlike(f"{raw.get('type')!r} is no event of {game.name}")
    fields = {name: value for name, value in raw.items() if name != "type"}
    for field in msgspec.structs.fields(kind):
        if field.name in fields or not field.required:
            continue
        fields[field.name] = "" if audiences(kind)[field.name] is SECRET else None
    if "deal_key" in fields and kind is tables.TableOpened:
        fields["deal_key"] = bytes.fromhex(key)
    if unknown := set(fields) - set(kind.__struct_fields__):
        raise Unlike(f"{raw['type']} has no field {min(unknown)!r}")
    try:
        return msgspec.convert({**fields, "type": kind.__struct_config__.tag}, kind)
    except msgspec.ValidationError as error:
        raise Unlike(f"{raw['type']} is not as this installation knows it: {error}") from None


def _decide(game: AnyGame, table: Table, commit: Commit) -> bool:
    """Decide a commit again; False for one that is only read. Raises `Unlike`."""
    kinds = {type(event) for event in commit.events}
    if tables.Started in kinds:
        return _alike(commit, [tables.decide_start(game, table)])
    if tables.TimedOut in kinds:
        seat = _seat(commit, tables.TimedOut)
        return _alike(commit, [tables.decide_timeout(game, table, seat=seat, now_ms=commit.at_ms)])
    if tables.SeatLeft in kinds:
        left = next(event for event in commit.events if isinstance(event, tables.SeatLeft))
        removed = left.reason == "removed"
        return _alike(commit, [tables.decide_leave(game, table, seat=left.seat, removed=removed)])
    if kinds & set(game.events):
        by = _seat(commit, tables.PlayedFor) if tables.PlayedFor in kinds else commit.by
        if not isinstance(by, int):
            raise Unlike(f"{by} makes a move")
        return _alike(commit, _moves(game, table, by, commit))
    if tables.Finished in kinds:
        raise Unlike("the game ends without a move")
    return False


def _seat(commit: Commit, kind: type[tables.TimedOut] | type[tables.PlayedFor]) -> int:
    return next(event.seat for event in commit.events if isinstance(event, kind))


def _alike(commit: Commit, decisions: Sequence[Decision] | Iterator[Decision]) -> bool:
    last: tuple[Event, ...] = ()
    tries = 0
    for decision in decisions:
        if decision.events == commit.events:
            return True
        last = decision.events
        tries += 1
    if tries == MOST_TRIES:
        return False
    if tries == 1:
        raise Unlike(f"the rules lead to something else here{_apart(commit.events, last)}")
    raise Unlike(f"no action that seat {commit.by} was offered leads to these events")


def _apart(told: Sequence[Event], due: Sequence[Event]) -> str:
    for one, other in itertools.zip_longest(told, due):
        if one != other:
            is_, should = ("nothing" if event is None else event_name(type(event)) for event in (one, other))
            return f": another {is_}" if is_ == should else f": {is_} where {should} is due"
    return ""


def _moves(game: AnyGame, table: Table, seat: int, commit: Commit) -> Iterator[Decision]:
    """The decisions of all that ``seat`` could have done, what the events name first."""
    standing_in = tables.PlayedFor in {type(event) for event in commit.events}
    named = list(_named(msgspec.to_builtins(commit.events)))
    offers = tables.actions(game, table, seat)
    if not offers:
        raise Unlike(f"seat {seat} could not act")
    for action in itertools.islice(_actions(offers, named), MOST_TRIES):
        yield tables.decide_act(game, table, seat, action, standing_in=standing_in)


def _named(value: Any) -> Iterator[Any]:
    """Every value and every list inside nested values."""
    if isinstance(value, list | tuple):
        yield list(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _named(inner)
    elif value is not None:
        yield value


def _actions(offers: Sequence[Offer], named: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for offer in offers:
        choices = {name: choice for name, choice in offer.items() if name != "type"}
        values = [_values(choice, named) for choice in choices.values()]
        for chosen in itertools.product(*values):
            yield {"type": offer["type"], **dict(zip(choices, chosen, strict=True))}


def _values(choice: Mapping[str, Any], named: Sequence[Any]) -> list[Any]:
    if "one_of" in choice:
        return sorted(choice["one_of"], key=lambda value: value not in named)
    # Of a multiset there may be millions: only what the events name, or nothing, or a rest, can have been it.
    offered, least, most = choice["some_of"], choice["min"], choice["max"]
    lists = [value for value in named if isinstance(value, list)]
    lists += [[value] for value in named if isinstance(value, str | int)]
    lists += [[], list(offered)]
    shape = {"type": "", "values": choice}
    fitting = [
        value
        for value in lists
        if least <= len(value) <= most and allows([shape], {"type": "", "values": value})
    ]
    if len(offered) <= 6:
        for size in range(least, most + 1):
            fitting += [list(some) for some in itertools.combinations(offered, size)]
    unique: dict[tuple[tuple[Any, int], ...], Any] = {}
    for value in fitting:
        unique.setdefault(tuple(sorted(Counter(value).items())), value)
    return list(unique.values())
