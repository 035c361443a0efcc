"""`facedown export` and `import`: whole tables from store to store, and files that are not what they were."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from domain.events import encode_commit
from domain.registry import games
from projections.digests import digest
from server import transfer
from server.jobs import NoSuchTable
from server.store import Entry, MemoryStore
from server.transfer import BadExport, Conflict
from tests.secrecy.logs import Recorded
from tests.support.clients import Http
from tests.support.server import Serve


def entries(game: Recorded) -> list[Entry]:
    """The log as it is stored."""
    return [
        Entry(commit.version, commit.at_ms, encode_commit(commit.by, commit.events, commit.command))
        for commit in game.commits
    ]


FINISHED = Recorded("mein-schatz", 2)
RUNNING = Recorded("hold-my-beer", 3, most=4)
OPEN = Recorded("trick-and-trade", 3, most=0)
OPEN.commits, OPEN.states = OPEN.commits[:2], OPEN.states[:2]
TABLES = {game.table.id: entries(game) for game in (FINISHED, RUNNING, OPEN)}


async def filled() -> MemoryStore:
    """A store with three tables."""
    store = MemoryStore()
    await store.start()
    for ident, log in TABLES.items():
        await store.restore(ident, log)
    return store


async def empty() -> MemoryStore:
    store = MemoryStore()
    await store.start()
    return store


async def exported(*idents: str) -> list[bytes]:
    """The lines of a file with tables, all of them if none is named."""
    store = await filled()
    return [line async for line in transfer.export(store, idents or await store.tables())]


async def imported(store: Any, lines: list[bytes]) -> int:
    """What the command does: check everything, then store what is missing."""
    new = [found for found in transfer.read(lines) if await transfer.missing(store, found)]
    return sum([await transfer.restore(store, found) for found in new])


def plain(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def packed(lines: list[dict[str, Any]]) -> list[bytes]:
    """The lines with digests reckoned anew."""
    before, made = "", []
    for line in lines:
        bare = {name: value for name, value in line.items() if name != "digest"}
        before = digest(before, bare)
        made.append(json.dumps({**bare, "digest": before}).encode() + b"\n")
    return made


# --- there and back ---------------------------------------------------------------------------------


async def test_tables_come_back_byte_by_byte_with_their_times() -> None:
    store = await empty()
    assert await imported(store, await exported()) == 3
    for ident, log in TABLES.items():
        assert await store.read(ident) == log


async def test_a_file_made_from_the_imported_tables_is_the_same_file() -> None:
    store = await empty()
    lines = await exported()
    await imported(store, lines)
    assert [line async for line in transfer.export(store, await store.tables())] == lines


async def test_the_file_is_readable_and_says_what_it_holds() -> None:
    first, heading, opened, *_ = plain(await exported(FINISHED.table.id))
    assert first["facedown_export"] == 1
    assert "for operators only" in first["note"]
    assert "deal keys" in first["note"]
    assert heading["game"] == "mein-schatz"
    assert heading["commitment"] == FINISHED.table.commitment
    assert heading["options"] == json.loads(msgspec.json.encode(FINISHED.table.options))
    assert heading["versions"] == len(FINISHED.commits)
    event = opened["commit"]["events"][0]
    assert event["type"] == "table_opened"
    assert base64.b64decode(event["deal_key"]["$bytes"]) == FINISHED.table.deal_key


async def test_listed_and_running_tables_are_found_in_the_new_store() -> None:
    store = await empty()
    await imported(store, await exported())
    assert set((await store.listing(None, None, None, 10))[0]) == set(TABLES)
    due, _ = await store.due(await store.now_ms() + 1, 1000, 10)
    assert set(due) == {RUNNING.table.id, OPEN.table.id}


async def test_the_secret_moves_with_a_whole_store() -> None:
    store = await filled()
    lines = [line async for line in transfer.export(store, await store.tables(), secret=True)]
    secret = transfer.secret_of(lines[0])
    assert secret == await store.secret()
    assert transfer.secret_of((await exported())[0]) is None
    other = await empty()
    assert await other.adopt(secret)
    assert await other.secret() == secret
    await imported(other, lines)
    assert not await other.adopt(bytes(32))
    broken = plain(lines)
    broken[0]["secret"] = "%"
    with pytest.raises(BadExport, match="line 1"):
        transfer.secret_of(packed(broken)[0])


async def test_an_imported_game_goes_on_where_it_was(serve: Serve) -> None:
    here = await serve()
    async with Http(here.url) as http:
        ident, _, tokens = await http.full("hold-my-beer", 3)
        before = await http.log(ident, tokens[0])
        lines = [line async for line in transfer.export(here.service.store, [ident])]  # type: ignore[arg-type]
    store = MemoryStore()
    await store.start()
    await imported(store, lines)
    there = await serve(store)
    async with Http(there.url) as http:
        assert await http.log(ident, tokens[0]) == before
        await http.done(200, "POST", f"/v1/tables/{ident}/pause", token=tokens[0])
        assert (await http.facts(ident))["version"] == before[0]["version"] + 1


async def test_importing_twice_is_the_same_as_once() -> None:
    store = await empty()
    lines = await exported()
    assert await imported(store, lines) == 3
    assert await imported(store, lines) == 0
    assert await store.read(RUNNING.table.id) == TABLES[RUNNING.table.id]


@pytest.mark.parametrize("grown", [False, True])
async def test_another_table_of_the_same_name_is_refused_and_nothing_is_stored(grown: bool) -> None:
    store = await empty()
    log = TABLES[RUNNING.table.id]
    await store.restore(RUNNING.table.id, [*log, Entry(len(log) + 1, 2**41, b"more")] if grown else log[:-1])
    with pytest.raises(Conflict, match=RUNNING.table.id):
        await imported(store, await exported())
    assert await store.tables() == [RUNNING.table.id]


async def test_a_table_that_appears_while_it_is_imported_is_left_alone() -> None:
    store = await empty()
    found = list(transfer.read(await exported(RUNNING.table.id)))
    assert await transfer.missing(store, found[0])
    await store.restore(RUNNING.table.id, TABLES[RUNNING.table.id][:3])
    with pytest.raises(Conflict):
        await transfer.restore(store, found[0])
    assert len(await store.read(RUNNING.table.id)) == 3


async def test_bytes_that_json_cannot_say_exactly_are_kept_as_they_are() -> None:
    """A commit written by another encoder: the same meaning in other bytes."""
    log = TABLES[OPEN.table.id]
    assert log[1].data[0] == 0x83  # a map of three members, written in the short form
    longer = Entry(2, log[1].at_ms, b"\xde\x00\x03" + log[1].data[1:])
    store = await empty()
    await store.restore(OPEN.table.id, [log[0], longer])
    lines = [line async for line in transfer.export(store, [OPEN.table.id])]
    assert "data" in plain(lines)[3]
    assert "commit" in plain(lines)[2]
    other = await empty()
    await imported(other, lines)
    assert await other.read(OPEN.table.id) == [log[0], longer]


async def test_a_table_that_is_not_there_cannot_be_exported() -> None:
    store = await filled()
    with pytest.raises(NoSuchTable):
        [line async for line in transfer.export(store, ["nosuchtable"])]


# --- files that are not what they were --------------------------------------------------------------


@pytest.mark.parametrize("cut", range(40))
async def test_a_file_that_was_cut_short_is_refused(cut: int) -> None:
    content = b"".join(await exported())
    at = random.Random(cut).randrange(len(content))
    lines = content[:at].splitlines(keepends=True)
    with pytest.raises(BadExport) as refused:
        list(transfer.read(lines))
    assert refused.value.line == max(1, len(lines))


@pytest.mark.parametrize("number", range(30))
async def test_lost_repeated_and_moved_lines_are_named(number: int) -> None:
    lines = await exported()
    at = random.Random(number).randrange(1, len(lines) - 1)
    for altered, line in (
        (lines[:at] + lines[at + 1 :], at + 1),
        ([*lines[:at], lines[at], *lines[at:]], at + 2),
        ([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]], at + 1),
    ):
        with pytest.raises(BadExport, match="digest") as refused:
            list(transfer.read(altered))
        assert refused.value.line == line


@pytest.mark.parametrize("seed", range(60))
async def test_a_changed_byte_is_found_in_its_line(seed: int) -> None:
    lines = await exported()
    rng = random.Random(seed)
    at = rng.randrange(len(lines))
    line = bytearray(lines[at])
    where = rng.randrange(len(line) - 1)
    line[where] ^= 1 << rng.randrange(7)
    try:
        same = json.loads(bytes(line)) == json.loads(lines[at])
    except ValueError:
        same = False
    altered = [*lines[:at], bytes(line), *lines[at + 1 :]]
    if same:
        return
    with pytest.raises(BadExport) as refused:
        list(transfer.read(b"".join(altered).splitlines(keepends=True)))
    assert refused.value.line == at + 1


FORGED: dict[str, tuple[Callable[[list[dict[str, Any]]], Any], int, str]] = {
    "another card dealt": (
        lambda lines: _event(lines, "deck_shuffled")["order"].reverse(),
        6,
        "not the one that was exported",
    ),
    "a commit is missing": (lambda lines: lines.pop(4), 5, "version 3 should stand here"),
    "a version of no kind": (lambda lines: lines[4].update(version="3"), 5, "version 3 should stand here"),
    "time goes back": (lambda lines: lines[4].update(at_ms=1), 5, "at_ms"),
    "a time of no kind": (lambda lines: lines[4].update(at_ms=None), 5, "at_ms"),
    "base64 of no kind": (lambda lines: lines[4].update(data="%%", commit=None), 5, "not the one"),
    "no commit": (lambda lines: lines[4].pop("commit"), 5, "not the one"),
    "another status": (lambda lines: lines[1].update(status="playing"), 2, "status is 'playing'"),
    "another commitment": (lambda lines: lines[1].update(commitment="00"), 2, "commitment"),
    "fewer versions": (lambda lines: lines[1].update(versions=3), 2, "versions"),
    "another id": (lambda lines: lines[1].update(table="othertable"), 2, "table"),
    "no id": (lambda lines: lines[1].update(table=None), 2, "no table"),
    "not an export": (lambda lines: lines[0].pop("facedown_export"), 1, "not an export"),
    "another format": (lambda lines: lines[0].update(facedown_export=2), 1, "not an export"),
    "no table before": (lambda lines: lines.pop(1), 2, "before any table"),
    "the table twice": (lambda lines: lines.insert(-1, lines[1]), -2, "came before"),
    "too many tables": (lambda lines: lines[-1].update(tables=2), -1, "1 tables, not 2"),
    "something after the end": (lambda lines: lines.append({"end": True}), -1, "after the last line"),
    "no end": (lambda lines: lines.pop(), -1, "cut short"),
}


def _event(lines: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        event for line in lines for event in line.get("commit", {}).get("events", ()) if event["type"] == kind
    )
    return found


@pytest.mark.parametrize("forged", FORGED)
async def test_a_forged_file_with_digests_of_its_own_is_refused(forged: str) -> None:
    change, line, text = FORGED[forged]
    lines = plain(await exported(FINISHED.table.id))
    change(lines)
    with pytest.raises(BadExport, match=text) as refused:
        list(transfer.read(packed(lines)))
    assert refused.value.line == (line if line > 0 else len(lines) + 1 + line)


async def test_a_log_that_leads_nowhere_is_refused_at_its_line() -> None:
    store = await empty()
    log = TABLES[OPEN.table.id]
    unknown = log[1].data.replace(b"seat_taken", b"seat_token")
    await store.restore(OPEN.table.id, log)
    lines = plain([line async for line in transfer.export(store, [OPEN.table.id])])
    lines[3].pop("commit")
    lines[3] |= {"data": base64.b64encode(unknown).decode(), "sum": transfer._sum(unknown)}
    with pytest.raises(BadExport, match="seat_token") as refused:
        list(transfer.read(packed(lines)))
    assert refused.value.line == 4


async def test_a_key_that_does_not_fit_its_commitment_is_refused() -> None:
    lines = plain(await exported(OPEN.table.id))
    opened = _event(lines, "table_opened")
    opened["deal_key"]["$bytes"] = base64.b64encode(bytes(32)).decode()
    lines[2]["sum"] = transfer._sum(transfer._from_json(lines[2]["commit"]) or b"")
    with pytest.raises(BadExport, match="deal key"):
        list(transfer.read(packed(lines)))


def test_every_game_is_exported_exactly() -> None:
    for name, game in games().items():
        for entry in entries(Recorded(name, game.seats[0], most=30)):
            assert "commit" in transfer._plain(entry)
