"""Who may do what over HTTP: bearers, origins, spectators, delays."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.server.playing import played
from tests.support.clients import Http, Message, address, client
from tests.support.server import Running, Serve

NOBODY = "A" * 43
READS = ("", "/log", "/log?views=patch", "/at/1", "/talk")


async def test_the_scheme_may_be_in_any_case(http: Http) -> None:
    table, _, tokens = await http.full(spectators={"who": "none"})
    for scheme in ("Bearer", "bearer", "BEARER", "bEaReR"):
        headers = {"Authorization": f"{scheme} {tokens[0]}"}
        response = await http.ask("GET", f"/v1/tables/{table}/at/5", headers=headers)
        assert response.json()["viewer"] == {"seat": 0}


async def test_an_authorization_that_is_none_is_a_bad_message(http: Http) -> None:
    table, host, _ = await http.full()
    for header in ("", "Bearer", "Basic YTpi", host, f"Token {host}", f"Bearer {host} {host}"):
        for method, path in (("GET", ""), ("GET", "/log"), ("POST", "/start"), ("DELETE", "/seats/0")):
            headers = {"Authorization": header}
            await http.refused(400, "bad_message", method, f"/v1/tables/{table}{path}", headers=headers)


@pytest.mark.parametrize("name", ["Authorization", "Idempotency-Key"])
async def test_a_header_that_is_there_twice_is_a_bad_message(http: Http, name: str) -> None:
    """The first one counted, and the other was passed over in silence."""
    table, host, tokens = await http.full()
    bearer = ("Authorization", f"Bearer {host}")
    second = {"Authorization": f"Bearer {tokens[0]}", "Idempotency-Key": "another-key"}[name]
    twice = [bearer, ("Idempotency-Key", "a-key-of-mine"), (name, second)]
    response = await http.client.post(f"/v1/tables/{table}/spectators", headers=twice)
    assert (response.status_code, response.json()["code"]) == (400, "bad_message")
    assert response.json()["message"] == f"the header {name} is there 2 times; send it once"


async def test_an_invalid_token_is_401_everywhere_and_says_how_to_ask(http: Http) -> None:
    table, _, _ = await http.full()
    _, elsewhere, _ = await http.full()
    calls: list[tuple[str, str, Any]] = [("GET", path, None) for path in READS]
    calls += [("POST", path, {}) for path in ("/start", "/spectators", "/pause", "/resume", "/rematch")]
    calls += [("POST", "/bots", {}), ("POST", "/host", {"seat": 0}), ("POST", "/mute", {"seat": 0})]
    calls += [("DELETE", "/seats/0", None), ("DELETE", "/host", None)]
    for token in (NOBODY, "x", elsewhere, "é" * 20):
        for method, path, body in calls:
            response = await http.ask(
                method,
                f"/v1/tables/{table}{path}",
                body,
                headers={"Authorization": f"Bearer {token}".encode()},
            )
            assert (response.status_code, response.json()["code"]) == (401, "unauthorized"), (method, path)
            assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_what_needs_a_token_says_so_to_who_has_none(http: Http) -> None:
    table, _, _ = await http.full()
    for method, path in (
        ("POST", "/start"),
        ("POST", "/spectators"),
        ("DELETE", "/seats/0"),
        ("POST", "/rematch"),
    ):
        await http.refused(401, "unauthorized", method, f"/v1/tables/{table}{path}")


async def test_only_the_host_does_what_is_the_hosts(http: Http) -> None:
    table, host, tokens = await http.full()
    guest = (await http.done(201, "POST", f"/v1/tables/{table}/spectators", token=host))["token"]
    for token in (tokens[0], guest):
        for path, body in (("/start", {}), ("/spectators", {}), ("/bots", {}), ("/host", {"seat": 1})):
            await http.refused(403, "forbidden", "POST", f"/v1/tables/{table}{path}", body, token=token)
        await http.refused(403, "forbidden", "DELETE", f"/v1/tables/{table}/seats/1", token=token)


@pytest.mark.parametrize("who", ["all", "token", "none"])
async def test_what_spectators_may_read(http: Http, who: str) -> None:
    table, host, tokens = await http.full(spectators={"who": who})
    for path in READS[1:]:
        response = await http.ask("GET", f"/v1/tables/{table}{path}")
        assert response.status_code == (200 if who == "all" else 403), path
        for token in (host, tokens[0]):
            assert (await http.ask("GET", f"/v1/tables/{table}{path}", token=token)).status_code == 200
    # The facts are for everybody who knows the table's id.
    assert (await http.facts(table))["spectators"]["who"] == who
    response = await http.ask("POST", f"/v1/tables/{table}/spectators", token=host)
    assert response.status_code == (403 if who == "none" else 201)


async def test_a_spectator_sees_no_hand_and_a_seat_its_own(http: Http) -> None:
    table, host, tokens = await http.full()
    for token, seat in ((None, None), (host, None), (tokens[0], 0), (tokens[2], 2)):
        at = await http.done(200, "GET", f"/v1/tables/{table}/at/5", token=token)
        for number, hand in enumerate(at["view"]["game"]["hands"]):
            assert (None in hand) == (number != seat)
        header, _ = await http.log(table, token)
        assert header["viewer"] == at["viewer"] == ({"spectator": True} if seat is None else {"seat": seat})


async def test_versions_that_are_not_there_are_no_such_version(http: Http) -> None:
    table, _, tokens = await http.full()
    for version in ("0", "6", "-1", "1.0", "x", "99999999999999999999", "%D9%A1", "+1", "%201"):
        await http.refused(404, "no_such_version", "GET", f"/v1/tables/{table}/at/{version}", token=tokens[0])
    for number in range(1, 6):
        at = await http.done(200, "GET", f"/v1/tables/{table}/at/{number}", token=tokens[0])
        assert (at["table"], at["version"]) == (table, number)


async def test_everything_of_a_delayed_spectator_is_late_until_the_end(here: Running) -> None:
    """Facts, list, log, versions, attached and updates; a seat's are not."""
    async with (
        Http(here.url) as http,
        client(here.url) as watcher,
        played(here.url, "trinket-trove", 2, spectators={"delay": 3}) as game,
    ):
        attached = await watcher.attach(game.table)
        assert attached["version"] == 1
        while True:
            head = game.mirror.version
            visible = head if game.over else max(1, head - 3)
            facts = await http.facts(game.table)
            listed = (await http.done(200, "GET", "/v1/tables"))["tables"][0]
            header, lines = await http.log(game.table)
            assert {facts["version"], listed["version"], header["version"], len(lines)} == {visible}
            assert facts["status"] == listed["status"] == header["status"]
            assert facts["at_ms"] == lines[-1]["at_ms"]
            await http.done(200, "GET", f"/v1/tables/{game.table}/at/{visible}")
            refused = await http.refused(
                404, "no_such_version", "GET", f"/v1/tables/{game.table}/at/{visible + 1}"
            )
            assert refused["detail"] == {"head": visible}
            mirror = await watcher.version(game.table, visible)
            assert mirror.version == visible
            for seat, token in enumerate(game.tokens):
                assert (await http.facts(game.table, token))["version"] == head
                assert (await http.log(game.table, token))[0]["version"] == head
                own = await http.done(200, "GET", f"/v1/tables/{game.table}/at/{head}", token=token)
                assert own["viewer"] == {"seat": seat}
            if game.over:
                break
            await game.move()
        assert mirror.status == "finished"
        assert list(mirror.updates) == list(range(2, head + 1))
        assert mirror.view["result"] == game.mirror.view["result"]


async def test_the_open_log_is_for_the_end(here: Running, http: Http) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        path = f"/v1/tables/{game.table}/log?open=true"
        await http.refused(403, "forbidden", "GET", path, token=game.host)
        await http.refused(401, "unauthorized", "GET", path, token=NOBODY)
        await game.finish()
        response = await http.ask("GET", path)
        assert response.status_code == 200
        assert response.headers["Content-Type"].startswith("application/jsonl")
        lines = [json.loads(line) for line in response.text.splitlines()]
        assert "token_hash" not in response.text
        assert "host_hash" not in response.text
        (dealt,) = [event for line in lines[1:] for event in line["events"] if event["type"] == "dealt"]
        assert None not in dealt["order"]
    async with played(here.url, "trinket-trove", 2, reveal="never") as game:
        await game.finish()
        response = await http.ask("GET", f"/v1/tables/{game.table}/log?open=true", token=game.host)
        assert (response.status_code, response.json()["code"]) == (403, "forbidden")
        assert "deal_key" not in (await http.ask("GET", f"/v1/tables/{game.table}/log")).text


async def test_no_token_is_ever_in_anything_that_is_read(here: Running, http: Http) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        guest = (await http.done(201, "POST", f"/v1/tables/{game.table}/spectators", token=game.host))[
            "token"
        ]
        await game.finish()
        texts = [
            (await http.ask("GET", path)).text for path in ("/v1/tables", "/v1", "/v1/schema", "/metrics")
        ]
        for query in ("", "/log", "/log?views=patch", "/log?open=true", f"/at/{game.mirror.version}"):
            path = f"/v1/tables/{game.table}{query}"
            texts += [
                (await http.ask("GET", path, token=token)).text for token in (None, game.host, *game.tokens)
            ]
        texts += [json.dumps(one.seen) for one in game.seats]
        for text in texts:
            assert not [secret for secret in (game.host, guest, *game.tokens) if secret in text]


# --- origins ----------------------------------------------------------------------------------------

OURS = "https://play.example.org:8443"
FOREIGN = [
    "null",
    "https://evil.example",
    "https://play.example.org",
    "http://play.example.org:8443",
    "https://play.example.org:8443.evil.example",
    "https://evil.example/https://play.example.org:8443",
    "https://PLAY.example.org:8443",
    "https://play.example.org:84430",
    "https://sub.play.example.org:8443",
    "https://play.example.org:8443/",
    "",
]


async def _socket_status(url: str, *origins: str) -> int:
    """What a handshake from these origins is answered with."""
    try:
        headers = [("Origin", origin) for origin in origins]
        async with connect(address(url), additional_headers=headers):
            return 101
    except InvalidStatus as refused:
        response = refused.response
    assert response.status_code == 400 or json.loads(response.body or b"")["code"] == "forbidden"
    return response.status_code


def _preflight(origin: str, method: str = "POST") -> Message:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    }


async def _options(http: Http, headers: Message) -> httpx.Response:
    return await http.client.request("OPTIONS", "/v1/tables", headers=headers)


async def test_by_default_any_page_may_ask_and_none_sends_cookies(http: Http, here: Running) -> None:
    for origin in (OURS, "null", "https://evil.example"):
        response = await http.ask("GET", "/v1/tables", headers={"Origin": origin})
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in response.headers
        for method in ("POST", "DELETE", "GET"):
            response = await _options(http, _preflight(origin, method))
            assert response.status_code == 200
            assert method in response.headers["Access-Control-Allow-Methods"]
            allowed = response.headers["Access-Control-Allow-Headers"].lower()
            assert all(name in allowed for name in ("authorization", "content-type", "idempotency-key"))
            assert "Access-Control-Allow-Credentials" not in response.headers
        assert await _socket_status(here.url, origin) == 101
    # Also what is refused can be read.
    response = await http.ask("GET", "/v1/tables/nowhere0", headers={"Origin": OURS})
    assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (404, "*")


async def test_only_the_origins_that_are_named_may_ask(serve: Serve) -> None:
    here = await serve(origins=(OURS, "http://localhost:3000"))
    async with Http(here.url) as http:
        for origin in (OURS, "http://localhost:3000"):
            response = await http.ask("GET", "/v1/tables", headers={"Origin": origin})
            assert response.status_code == 200
            assert response.headers["Access-Control-Allow-Origin"] == origin
            assert "Origin" in response.headers["Vary"]
            response = await _options(http, _preflight(origin))
            assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (200, origin)
            assert await _socket_status(here.url, origin) == 101
        for origin in FOREIGN:
            response = await http.ask("GET", "/v1/tables", headers={"Origin": origin})
            assert (response.status_code, response.json()["code"]) == (403, "forbidden"), origin
            assert "Access-Control-Allow-Origin" not in response.headers
            response = await http.ask("POST", "/v1/tables", {"game": "oopsie"}, headers={"Origin": origin})
            assert response.status_code == 403, origin
            assert (await _options(http, _preflight(origin))).status_code == 403
            assert await _socket_status(here.url, origin) == 403, origin
        assert (await http.done(200, "GET", "/v1/tables"))["tables"] == []
        # Who is no browser sends none; who sends two, one of them foreign, is foreign.
        assert await _socket_status(here.url) == 101
        assert await _socket_status(here.url, OURS, "https://evil.example") in (400, 403)
        response = await http.client.get(
            "/v1/tables", headers=[("Origin", OURS), ("Origin", "https://evil.example")]
        )
        assert response.status_code == 403
