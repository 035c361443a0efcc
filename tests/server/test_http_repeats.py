"""Idempotency keys: the same request again, another one, many at once."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.support.clients import Http, Message

# --- idempotency ------------------------------------------------------------------------------------

KEY = "a key that nobody guesses"


async def test_a_repeated_request_gets_the_first_answer(http: Http) -> None:
    body = {"game": "trick-and-trade", "autostart": False}
    made = await http.done(201, "POST", "/v1/tables", body, key=KEY)
    # Members in another order and defaults that are spelt out are the same request.
    same = [body, {"autostart": False, "game": "trick-and-trade"}, {**body, "listed": True, "options": {}}]
    for again in same:
        assert await http.done(201, "POST", "/v1/tables", again, key=KEY) == made
    path, host = f"/v1/tables/{made['table']}", made["host_token"]
    seats = [
        await http.done(201, "POST", f"{path}/seats", {"name": f"P{n}"}, key=f"{KEY} {n // 2}")
        for n in (0, 0, 2, 2)
    ]
    assert seats[0] == seats[1] != seats[2] == seats[3]
    bots = [await http.done(201, "POST", f"{path}/bots", {}, token=host, key=KEY) for _ in range(2)]
    assert bots[0] == bots[1]
    guests = [await http.done(201, "POST", f"{path}/spectators", token=host, key=KEY) for _ in range(2)]
    assert guests[0] == guests[1]
    for call, version in (("start", 6), ("pause", 7), ("resume", 8)):
        for _ in range(2):
            facts = await http.done(200, "POST", f"{path}/{call}", token=host, key=KEY)
            assert (facts["status"], facts["version"]) == ("playing", version)
    for _ in range(2):
        await http.done(204, "DELETE", f"{path}/seats/0", token=seats[0]["token"], key=KEY)
    assert (await http.facts(made["table"]))["version"] >= 9


@pytest.mark.parametrize(
    ("path", "first", "second"),
    [
        ("/v1/tables", {"game": "trick-and-trade"}, {"game": "oopsie"}),
        ("/v1/tables", {"game": "trick-and-trade"}, {"game": "trick-and-trade", "seats": 4}),
        ("/v1/tables", {"game": "trick-and-trade"}, {"game": "trick-and-trade", "listed": False}),
        ("{table}/seats", {"name": "Ann"}, {"name": "Bob"}),
        ("{table}/seats", {"name": "Ann"}, {"name": "Ann", "seat": 1}),
        ("{table}/bots", {"policy": "random"}, {"policy": "greedy"}),
        ("{table}/bots", {"seat": 3}, {"seat": 2}),
        ("{table}/mute", {"seat": 0}, {"seat": 1}),
        ("{table}/mute", {"seat": 0}, {"seat": 0, "muted": False}),
        ("{table}/host", {"seat": 0}, {"seat": 1}),
    ],
    ids=str,
)
async def test_another_request_under_the_same_key_is_id_reused(
    http: Http, path: str, first: Message, second: Message
) -> None:
    made = await http.table(seats=5)
    for number in range(2):
        await http.sit(made["table"], f"Guest {number}")
    path = path.format(table=f"/v1/tables/{made['table']}")
    host = made["host_token"] if path != "/v1/tables" else None
    response = await http.ask("POST", path, first, token=host, key=KEY)
    assert response.status_code in (200, 201)
    await http.refused(409, "id_reused", "POST", path, second, token=host, key=KEY)


async def test_a_key_is_one_tables_and_one_calls(http: Http) -> None:
    one, two = await http.table(), await http.table()
    made = [
        await http.done(201, "POST", f"/v1/tables/{table['table']}/seats", {"name": "Ann"}, key=KEY)
        for table in (one, two)
    ]
    assert made[0]["token"] != made[1]["token"]
    for table in (one, two):
        assert (await http.facts(table["table"]))["version"] == 2


async def test_keys_that_are_none_are_refused(http: Http) -> None:
    for key in ("", "short", "x" * 65, "tab\tin the key"):
        await http.refused(400, "bad_message", "POST", "/v1/tables", {"game": "oopsie"}, key=key)


async def test_a_refused_request_leaves_its_key_free(http: Http) -> None:
    await http.refused(404, "no_such_game", "POST", "/v1/tables", {"game": "chess"}, key=KEY)
    made = await http.done(201, "POST", "/v1/tables", {"game": "oopsie"}, key=KEY)
    path = f"/v1/tables/{made['table']}/seats"
    await http.refused(404, "not_found", "POST", path, {"name": "Ann", "seat": 9}, key=KEY)
    assert (await http.done(201, "POST", path, {"name": "Ann", "seat": 1}, key=KEY))["seat"] == 1


async def test_the_key_is_not_in_the_log(http: Http) -> None:
    made = await http.done(201, "POST", "/v1/tables", {"game": "trinket-trove"}, key=KEY)
    await http.done(201, "POST", f"/v1/tables/{made['table']}/seats", {"name": "Ann"}, key=KEY)
    header, lines = await http.log(made["table"])
    assert KEY not in json.dumps([header, *lines])


async def test_ten_equal_requests_at_once_are_one(http: Http) -> None:
    body = {"game": "trick-and-trade"}
    made = await asyncio.gather(*(http.done(201, "POST", "/v1/tables", body, key=KEY) for _ in range(10)))
    assert len({str(answer) for answer in made}) == 1
    path, host = f"/v1/tables/{made[0]['table']}", made[0]["host_token"]
    name = {"name": "Ann"}
    sat = await asyncio.gather(*(http.done(201, "POST", f"{path}/seats", name, key=KEY) for _ in range(10)))
    assert len({str(answer) for answer in sat}) == 1
    bots = (http.done(201, "POST", f"{path}/bots", {}, token=host, key=KEY) for _ in range(10))
    assert len({str(answer) for answer in await asyncio.gather(*bots)}) == 1
    assert (await http.facts(made[0]["table"]))["version"] == 3
    assert len((await http.done(200, "GET", "/v1/tables"))["tables"]) == 1
