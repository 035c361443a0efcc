"""Tables come and go by the thousand: what the store and a server keep of them does not grow."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from redis.asyncio import Redis

from server.embedded import EmbeddedStore
from tests.faults.results import Results
from tests.support.clients import Http, chosen, client
from tests.support.counts import LONG
from tests.support.server import Launch, ServerProcess
from tests.support.store import eventually
from tests.tables.sitting import UNLIMITED

CYCLES = int(os.environ.get("FACEDOWN_CYCLES", "2000")) if LONG else 24
WARM = CYCLES // 4
AT_ONCE = 4
IDLE = 20
OPERATOR = "o" * 43
MEGABYTE = 1 << 20


class Kept(NamedTuple):
    """What is kept at some moment."""

    keys: Counter[str]
    store_bytes: int
    server_bytes: int
    rooms: int

    def __str__(self) -> str:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.keys.items())) or "none"
        store, server = (f"{size / MEGABYTE:.1f} MB" for size in (self.store_bytes, self.server_bytes))
        return f"keys: {kinds}; store {store}; server {server}, {self.rooms} rooms"


async def life(http: Http, number: int) -> None:
    """A whole life of a table: opened, played for a while or to the end, over."""
    if number % 8 == 0:
        await with_bots(http)
        return
    rng = random.Random(number)
    table, host, tokens = await http.full("trick-and-trade", 3)
    async with client(http.url) as one:
        for token in tokens:
            answer = await one.attach(table, token)
            if answer["viewer"]["seat"] in answer["waiting"]:
                break
        await one.ask({"type": "say", "table": table, "text": f"table {number}"})
        assert (await one.act(table, chosen(rng, one.tables[table].actions)))["type"] == "accepted"
    if number % 4 == 1:
        await http.done(200, "POST", f"/v1/tables/{table}/pause", token=host)
    for seat, token in enumerate(tokens):
        await http.done(204, "DELETE", f"/v1/tables/{table}/seats/{seat}", token=token)


async def with_bots(http: Http) -> None:
    """Bots play to the end, and nobody watches."""
    made = await http.table("mein-schatz", seats=2, listed=False)
    table, host = made["table"], made["host_token"]
    for _ in range(2):
        await http.done(201, "POST", f"/v1/tables/{table}/bots", {"policy": "random"}, token=host)

    async def over() -> bool:
        facts = await http.ask("GET", f"/v1/tables/{table}")
        return facts.status_code == 404 or facts.json()["status"] == "finished"

    await eventually(over)


async def kept(admin: Redis, server: ServerProcess) -> Kept:
    """What is kept now, tables that are over having gone."""
    kinds: Counter[str] = Counter()
    async for key in admin.scan_iter(count=1000):
        name = key.decode()
        # Of a table the kind of key, of an index its name.
        kinds[re.sub(r"^fd:\{(?!lobby|secret)[^}]*\}:", "", name)] += 1
    assert server.pid is not None
    status = await asyncio.to_thread(Path(f"/proc/{server.pid}/status").read_text)
    async with Http(server.url) as http:
        state = await http.done(200, "GET", "/v1/admin", token=OPERATOR)
    return Kept(
        kinds,
        int((await admin.info("memory"))["used_memory"]),
        int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024,
        state["rooms"],
    )


async def lives(server: ServerProcess, admin: Redis, first: int, last: int) -> None:
    """Many lives, some at once; then wait until their logs have left the store, and the notes of them."""
    numbers = iter(range(first, last))

    async def one_after_the_other() -> None:
        async with Http(server.url) as http:
            for number in numbers:
                await life(http, number)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_the_other())

    async def gone() -> bool:
        return not [key async for key in admin.scan_iter(match="fd:{*}:[lg]o[gn]*", count=1000)]

    await eventually(gone)


@pytest.mark.timeout(3600 if LONG else 60)
async def test_nothing_grows_with_the_tables_that_were_played(
    embedded: EmbeddedStore, launch: Launch, tmp_path: Path, results: Results
) -> None:
    seconds = time.monotonic()
    archive = tmp_path / "archive"
    server = await launch(
        "one",
        embedded.url,
        **UNLIMITED,
        archive=archive,
        archive_after_hours=0.0,
        archive_keep_days="0.00001",
        idle_tables=IDLE,
        operator_token=OPERATOR,
    )
    async with Redis.from_url(embedded.url) as admin:
        await lives(server, admin, 0, WARM)
        before = await kept(admin, server)
        await lives(server, admin, WARM, CYCLES)
        after = await kept(admin, server)
    talk = after.keys["talk"]  # the last talk of a table goes by itself, after thirty days
    assert talk <= CYCLES
    assert after.keys - Counter(talk=talk) == before.keys - Counter(talk=talk)
    assert after.rooms <= IDLE + AT_ONCE
    if LONG:
        assert after.store_bytes - before.store_bytes < 4 * MEGABYTE
        assert after.server_bytes - before.server_bytes < 20 * MEGABYTE
    minutes = (time.monotonic() - seconds) / 60
    results.figure(
        "tables opened, played, over and archived",
        f"{CYCLES} in {minutes:.1f} minutes. After {WARM}: {before}. After all: {after}",
    )
