"""Quick join over two processes: nobody is left out, no table is overfull, tables fill."""

from __future__ import annotations

import asyncio
import base64
import itertools
import random
from collections import Counter
from typing import Any

import pytest

from server.store import MemoryBackend, MemoryStore
from tests.support.clients import Http, Message, client
from tests.support.server import Serve
from tests.tables.sitting import UNLIMITED, all_done

PATH = "/v1/games/{}/quick"


def fresh_token(rng: random.Random) -> str:
    """A token as a client makes it."""
    return base64.urlsafe_b64encode(rng.randbytes(32)).rstrip(b"=").decode()


async def quick(http: Http, game: str, name: str, key: str | None = None, **body: object) -> Message:
    """A seat at a quick table."""
    made: Message = await http.done(201, "POST", PATH.format(game), {"name": name, **body}, key=key)
    return made


async def check_seats(http: Http, seats: list[Message], size: int) -> None:
    """Every answer is a seat of its own, and the log of its table says the same."""
    assert len({(seat["table"], seat["seat"]) for seat in seats}) == len(seats)
    assert len({seat["token"] for seat in seats}) == len(seats)
    for table, number in Counter(seat["table"] for seat in seats).items():
        facts = await http.facts(table)
        assert len(facts["seats"]) == size
        taken = [seat for seat in facts["seats"] if seat["name"] is not None]
        assert len(taken) == number
        assert (facts["status"] == "playing") == (number == size)


async def test_fifty_at_once_over_both_processes_all_get_a_seat_and_tables_fill(
    pair: tuple[str, str],
) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        servers = itertools.cycle((one, two))
        made = await all_done(
            *(
                quick(http, "mein-schatz", f"Guest {n}", seats=3)
                for n, http in zip(range(50), servers, strict=False)
            )
        )
        await check_seats(two, made, 3)
        sizes = sorted(Counter(seat["table"] for seat in made).values())
        assert sizes == [2, *[3] * 16]  # only the last table waits
        (last,) = {seat["table"] for seat in made if (await one.facts(seat["table"]))["status"] == "open"}
        late = await quick(two, "mein-schatz", "Late", seats=3)
        assert late["table"] == last
        assert (await one.facts(last))["status"] == "playing"
        async with client(pair[1]) as there:
            assert (await there.attach(late["table"], late["token"]))["viewer"] == {"seat": late["seat"]}


async def test_wishes_that_differ_do_not_meet(pair: tuple[str, str]) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        made = await all_done(
            quick(one, "thread-the-needle", "Ann", seats=4),
            quick(two, "thread-the-needle", "Bob", seats=5),
            quick(two, "trinket-trove", "Cid", seats=4),
        )
        assert len({seat["table"] for seat in made}) == 3
        async with client(pair[0]) as there:
            answer = await there.ask({"type": "watch_lobby"})
            assert {seat["table"] for seat in made} <= {facts["table"] for facts in answer["tables"]}


async def test_a_listed_table_on_which_somebody_waits_is_filled_first(pair: tuple[str, str]) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        table = (await one.table("trinket-trove", seats=5))["table"]
        nobody = await one.table("trinket-trove", seats=5)
        hidden = await one.table("trinket-trove", seats=5, listed=False)
        slow = await one.table("trinket-trove", seats=5, clock={"move_ms": 1000})
        manual = await one.table("trinket-trove", seats=5, autostart=False)
        for other in (table, hidden["table"], slow["table"], manual["table"]):
            await one.sit(other, "Waits")
        made = await all_done(
            *(quick((one, two)[n % 2], "trinket-trove", f"Guest {n}", seats=5) for n in range(4))
        )
        assert {seat["table"] for seat in made} == {table}
        assert (await two.facts(table))["status"] == "playing"
        late = await quick(two, "trinket-trove", "Late", seats=5)
        others = {one["table"] for one in (nobody, hidden, slow, manual)}
        assert late["table"] not in {table} | others


async def test_a_seat_that_was_left_is_given_again(pair: tuple[str, str]) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        # Options that no other test wishes for: the store is shared with them.
        wish: dict[str, Any] = {"seats": 2, "options": {"failed_needle_keeps_birds": False}}
        made = [await quick(one, "thread-the-needle", f"Guest {n}", **wish) for n in range(3)]
        assert made[0]["table"] == made[1]["table"] != made[2]["table"]
        lone = made[2]
        path = f"/v1/tables/{lone['table']}/seats/{lone['seat']}"
        await one.done(204, "DELETE", path, token=lone["token"])
        # The host left and nobody was there: that table is over, and nobody is sent to it.
        assert (await two.facts(lone["table"]))["status"] == "abandoned"
        pairs = [await quick(two, "thread-the-needle", f"Pair {n}", **wish) for n in range(2)]
        assert pairs[0]["table"] == pairs[1]["table"] != lone["table"]
        assert (await one.facts(pairs[0]["table"]))["status"] == "playing"


@pytest.mark.parametrize("by", ["key", "token"])
async def test_a_repeated_request_finds_its_seat_again_wherever_others_have_sat_down(
    pair: tuple[str, str], by: str
) -> None:
    rng = random.Random(by)
    token = {"token": fresh_token(rng)} if by == "token" else {}
    key = f"a-quick-seat-{rng.getrandbits(64):x}" if by == "key" else None
    game, seats = ("trick-and-trade", 4) if by == "key" else ("trick-and-trade", 5)
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        at_once = await all_done(
            *(quick((one, two)[n % 2], game, "Ann", key, seats=seats, **token) for n in range(6))
        )
        assert len({str(answer) for answer in at_once}) == 1
        first = at_once[0]
        # Others fill that table, and tables that other tests may have left, and go on at new ones.
        others: list[Message] = []
        while None in [seat["name"] for seat in (await one.facts(first["table"]))["seats"]]:
            others.append(await quick(one, game, f"Guest {len(others)}", seats=seats))
            assert len(others) < 500
        others += [await quick(two, game, f"Later guest {n}", seats=seats) for n in range(seats + 1)]
        assert len({seat["table"] for seat in others} - {first["table"]}) >= 2
        for http in (one, two):
            assert await quick(http, game, "Ann", key, seats=seats, **token) == first
        body = {"name": "Ann", "seats": 3, **token}
        await two.refused(409, "id_reused", "POST", PATH.format(game), body, key=key)
        body = {"name": "Bob", "seats": seats, **token}
        await two.refused(409, "id_reused", "POST", PATH.format(game), body, key=key)


async def test_a_request_whose_answer_was_lost_is_found_again_when_a_seat_it_was_refused_is_free(
    serve: Serve,
) -> None:
    backend = MemoryBackend()
    one = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with Http(one.url) as http:
        waiting = (await http.table("mein-schatz", seats=2))["table"]
        ann = await http.sit(waiting, "Ann")
        rivals = [quick(http, "mein-schatz", f"Guest {n}", f"quick-guest-{n}", seats=2) for n in range(5)]
        made = await asyncio.gather(*rivals)
        assert sorted(Counter(seat["table"] for seat in made).values()) == [1, 2, 2]
        await http.done(204, "DELETE", f"/v1/tables/{waiting}/seats/0", token=ann["token"])
        for number, seat in enumerate(made):
            again = await quick(http, "mein-schatz", f"Guest {number}", f"quick-guest-{number}", seats=2)
            assert again == seat
