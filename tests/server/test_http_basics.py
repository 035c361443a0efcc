"""The HTTP API as a whole: addresses, methods, queries, bodies, headers, descriptions."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate
from starlette.routing import Route

from tests.support.clients import Http
from tests.support.server import Running, Serve

NOWHERE = "aaaaaaaaaaaaaaaaaaaa"
POSTS = [
    "/v1/tables",
    "/v1/tables/{table}/seats",
    "/v1/tables/{table}/start",
    "/v1/tables/{table}/spectators",
    "/v1/tables/{table}/bots",
    "/v1/tables/{table}/host",
    "/v1/tables/{table}/mute",
    "/v1/tables/{table}/pause",
    "/v1/tables/{table}/resume",
    "/v1/tables/{table}/rematch",
    "/v1/games/oopsie/quick",
    "/v1/mine",
]
GETS = [
    "/v1",
    "/v1/games",
    "/v1/tables",
    "/v1/tables/{table}",
    "/v1/tables/{table}/log",
    "/v1/tables/{table}/at/1",
    "/v1/tables/{table}/talk",
    "/v1/schema",
    "/v1/openapi.json",
    "/v1/asyncapi.json",
    "/healthz",
    "/readyz",
]


async def test_get_v1_tells_version_protocols_and_limits(http: Http) -> None:
    about = await http.done(200, "GET", "/v1")
    assert about["server"] == "facedown"
    assert about["protocols"] == [1]
    assert about["limits"]["max_message_bytes"] == 64 * 1024
    assert about["limits"]["max_frame_bytes"] == 128 * 1024
    assert about["limits"]["resume_window"] == 300


async def test_the_catalogue_lets_any_client_play(http: Http) -> None:
    games = (await http.done(200, "GET", "/v1/games"))["games"]
    assert {game["game"] for game in games} >= {"trick-and-trade", "oopsie", "mein-schatz"}
    for game in games:
        assert game["title"]
        assert game["help"]
        assert game["seats"] == sorted(set(game["seats"]))
        assert game["actions"]
        for schema in ("options", "view", "events"):
            assert game[schema]["$schema"].startswith("https://json-schema.org/")
        made = await http.table(game["game"])
        facts = await http.facts(made["table"])
        assert len(facts["seats"]) == game["seats"][0]


async def test_what_can_be_read_takes_no_other_method(http: Http) -> None:
    table = (await http.table())["table"]
    for path in (path.format(table=table) for path in GETS):
        response = await http.ask("GET", path)
        assert response.status_code == 200, path
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert (await http.ask("HEAD", path)).status_code == 200
        also = ("POST",) if path == "/v1/tables" else ()
        for method in {"PUT", "PATCH", "DELETE", "POST"} - set(also):
            assert await _allowed(http, method, path) == {"GET", "HEAD", *also}


async def test_what_is_posted_cannot_be_read(http: Http) -> None:
    for path in (path.format(table=NOWHERE) for path in POSTS if path != "/v1/tables"):
        also = ("DELETE",) if path.endswith("/host") else ()
        for method in ("GET", "PUT"):
            assert await _allowed(http, method, path) == {"POST", *also}
    assert await _allowed(http, "GET", f"/v1/tables/{NOWHERE}/seats/0") == {"DELETE"}


async def _allowed(http: Http, method: str, path: str) -> set[str]:
    """What is allowed where this is not."""
    response = await http.ask(method, path)
    assert response.status_code == 405, (method, path)
    if method != "HEAD":
        assert response.json()["code"] == "not_found"
    return {name.strip() for name in response.headers["Allow"].split(",")}


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT"])
async def test_there_is_nothing_at_other_addresses(http: Http, method: str) -> None:
    for path in (
        "/v1/nothing",
        "/v1/tables/a/b/c",
        "/v2",
        "/v1/games/oopsie",
        "/v1/tables//seats",
        "/nothing",
    ):
        await http.refused(404, "not_found", method, path)


async def test_an_unknown_or_repeated_query_is_refused(http: Http) -> None:
    """A client that puts a token there is told so, and it is not taken for a spectator."""
    made = await http.table()
    calls = [("GET", path) for path in GETS[:7]] + [("POST", path) for path in POSTS]
    calls.append(("DELETE", "/v1/tables/{table}/seats/0"))
    for method, path in calls:
        body: Any = {} if method == "POST" else None
        for query in ("?token=x", "?x", "?a=1&a=1"):
            address = path.format(table=made["table"]) + query
            await http.refused(400, "bad_message", method, address, body, token=made["host_token"])
    log = f"/v1/tables/{made['table']}/log"
    for query in ("?views=patch&views=patch", "?views=full", "?open=1", "?views="):
        await http.refused(400, "bad_message", "GET", log + query)


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" ",
    "no JSON": b"game=oopsie",
    "half": b'{"game":"oopsie"',
    "a list": b'[{"game":"oopsie"}]',
    "null": b"null",
    "a text": b'"oopsie"',
    "two values": b'{"game":"oopsie"}{}',
    "a duplicate key": b'{"game":"oopsie","game":"oopsie"}',
    "a duplicate key inside": b'{"game":"oopsie","spectators":{"delay":1,"delay":2}}',
    "NaN": b'{"game":"oopsie","options":{"x":NaN}}',
    "an integer beyond 2^53": b'{"game":"oopsie","seats":9007199254740992}',
    "a byte order mark": b'\xef\xbb\xbf{"game":"oopsie"}',
    "no UTF-8": b'{"game":"oop\xffsie"}',
    "a lone surrogate": b'{"game":"\\ud800"}',
    "a deep nest": b'{"game":"oopsie","options":' + b'{"a":' * 40 + b"1" + b"}" * 41,
    "an unknown field": b'{"game":"oopsie","color":"red"}',
    "no game": b"{}",
    "a game that is a number": b'{"game":1}',
    "a game that is null": b'{"game":null}',
    "seats that are a text": b'{"game":"oopsie","seats":"4"}',
    "seats that are true": b'{"game":"oopsie","seats":true}',
    "seats that are null": b'{"game":"oopsie","seats":null}',
    "seats that are a fraction": b'{"game":"oopsie","seats":4.5}',
    "listed that is a text": b'{"game":"oopsie","listed":"yes"}',
    "options that are a list": b'{"game":"oopsie","options":[]}',
    "an unknown reveal": b'{"game":"oopsie","reveal":"now"}',
    "unknown spectators": b'{"game":"oopsie","spectators":{"who":"friends"}}',
    "a delay that is negative": b'{"game":"oopsie","spectators":{"delay":-1}}',
    "a delay that is too long": b'{"game":"oopsie","spectators":{"delay":100000}}',
    "an unknown field in spectators": b'{"game":"oopsie","spectators":{"since":1}}',
    "a clock that is a number": b'{"game":"oopsie","clock":5}',
    "a clock that is negative": b'{"game":"oopsie","clock":{"move_ms":-1,"bank_ms":0}}',
    "an unknown on_timeout": b'{"game":"oopsie","on_timeout":"panic"}',
}


async def test_bodies_that_are_none_are_bad_messages(http: Http) -> None:
    for what, body in BODIES.items():
        response = await http.ask("POST", "/v1/tables", body)
        assert (response.status_code, response.json()["code"]) == (400, "bad_message"), what
    assert (await http.done(200, "GET", "/v1/tables"))["tables"] == []


async def test_every_post_reads_its_body_strictly(http: Http) -> None:
    made = await http.table()
    large = b'{"name":"' + b"x" * (64 * 1024) + b'"}'
    for path in (path.format(table=made["table"]) for path in POSTS):
        for body in (b"[]", b'{"a":1,"a":1}', b'{"unknown":1}', b"{"):
            await http.refused(400, "bad_message", "POST", path, body, token=made["host_token"])
        await http.refused(413, "too_large", "POST", path, large, token=made["host_token"])


async def test_a_body_in_pieces_is_limited_too(http: Http) -> None:
    async def pieces() -> Any:
        for _ in range(100):
            yield b" " * 1024

    response = await http.client.post("/v1/tables", content=pieces())
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


async def test_a_request_that_breaks_off_leaves_no_trace(here: Running, http: Http) -> None:
    """The log of the server is checked for it at the end."""
    url = httpx.URL(here.url)
    for head in (
        b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
        b"POST /v1",
        b"\x16\x03\x01",
    ):
        _, writer = await asyncio.open_connection(url.host, url.port)
        writer.write(head)
        await writer.drain()
        await http.ask("GET", "/healthz")
        writer.close()
        await writer.wait_closed()
    await http.done(200, "GET", "/v1")


@pytest.mark.no_cover
async def test_the_description_is_valid_and_complete(here: Running, http: Http) -> None:
    described = await http.done(200, "GET", "/v1/openapi.json")
    validate(described)
    there = {
        (route.path, method)
        for route in here.app.routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }
    told = {(path, method.upper()) for path, methods in described["paths"].items() for method in methods}
    assert there - told <= {("/metrics", "GET"), ("/", "GET")}, "routes that are not described"
    assert told <= there, "descriptions without a route"


async def test_the_websocket_is_described(http: Http) -> None:
    described = await http.done(200, "GET", "/v1/asyncapi.json")
    assert described["asyncapi"].startswith("3.")
    assert "/v1/ws" in json.dumps(described)


async def test_metrics_are_readable_and_count(http: Http) -> None:
    await http.table()
    response = await http.client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain")
    assert re.search(r"^facedown_\w+ ", response.text, re.MULTILINE)


async def test_who_asks_too_fast_is_told_when_to_go_on(serve: Serve) -> None:
    here = await serve(request_burst=5, request_rate_per_s=0.5)
    async with Http(here.url) as http:
        for _ in range(5):
            await http.table()
        response = await http.ask(
            "POST", "/v1/tables", {"game": "oopsie"}, headers={"Origin": "https://a.example"}
        )
        assert (response.status_code, response.json()["code"]) == (429, "rate_limited")
        assert 1 <= int(response.headers["Retry-After"]) <= 2
        assert 1 <= response.json()["detail"]["retry_after_ms"] <= 2000
        # A page of another origin can read that, too.
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert (await http.ask("GET", "/v1/tables")).status_code == 200


async def test_an_address_opens_so_many_tables(serve: Serve) -> None:
    here = await serve(tables_per_address_per_hour=3)
    async with Http(here.url) as http:
        for _ in range(3):
            await http.table()
        response = await http.ask("POST", "/v1/tables", {"game": "oopsie"})
        assert (response.status_code, response.json()["code"]) == (429, "rate_limited")
        assert int(response.headers["Retry-After"]) > 60
