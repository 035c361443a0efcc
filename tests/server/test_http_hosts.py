"""Bots, hosts, pauses, rematches and quick tables over HTTP."""

from __future__ import annotations

from tests.server.playing import played
from tests.server.test_http_tables import MINE, NOWHERE, seats_of
from tests.support.clients import Http, Message, client
from tests.support.server import Running


async def test_bots_take_seats(http: Http) -> None:
    made = await http.table()
    path, host = f"/v1/tables/{made['table']}/bots", made["host_token"]
    assert await http.done(201, "POST", path, {"policy": "random", "seat": 1}, token=host) == {"seat": 1}
    assert (await http.done(201, "POST", path, {}, token=host))["seat"] == 0
    refused: list[tuple[Message, int, str]] = [
        ({"policy": "cheat"}, 422, "bad_options"),
        ({"policy": ""}, 422, "bad_options"),
        ({"policy": 1}, 400, "bad_message"),
        ({"seat": 1}, 409, "seat_taken"),
        ({"seat": 7}, 404, "not_found"),
    ]
    for body, status, code in refused:
        await http.refused(status, code, "POST", path, body, token=host)
    facts = await http.facts(made["table"])
    assert [seat["bot"] for seat in facts["seats"]] == [True, True, False]
    # The host removes a bot as anybody.
    await http.done(204, "DELETE", f"/v1/tables/{made['table']}/seats/1", token=host)


async def test_the_host_hands_over(http: Http) -> None:
    made = await http.table()
    path, host = f"/v1/tables/{made['table']}/host", made["host_token"]
    token = (await http.sit(made["table"], "Ann"))["token"]
    await http.refused(404, "not_found", "POST", path, {"seat": 1}, token=host)
    await http.done(200, "POST", path, {"seat": 0}, token=host)
    await http.done(201, "POST", f"/v1/tables/{made['table']}/bots", {}, token=token)
    response = await http.ask("POST", f"/v1/tables/{made['table']}/bots", {}, token=host)
    assert response.status_code in (401, 403)


async def test_a_paused_game_takes_no_move(here: Running, http: Http) -> None:
    async with played(here.url) as game:
        path = f"/v1/tables/{game.table}"
        facts = await http.done(200, "POST", f"{path}/pause", token=game.host)
        assert facts["version"] == 6
        await http.refused(409, "paused", "POST", f"{path}/pause", token=game.host)
        for seat in game.seats:
            await seat.version(game.table, 6)
            answer = await seat.act(game.table, {"type": "play", "card": "nev-1"})
            assert (answer["type"], answer["code"]) == ("rejected", "paused")
            assert seat.tables[game.table].actions == []
        await http.done(200, "POST", f"{path}/resume", token=game.host)
        for seat in game.seats:
            await seat.version(game.table, 7)
        await game.move()


async def test_seats_pause_when_all_have_asked(here: Running, http: Http) -> None:
    async with played(here.url) as game:
        path = f"/v1/tables/{game.table}/pause"
        for number, token in enumerate(game.tokens):
            facts = await http.done(200, "POST", path, token=token)
            assert facts["version"] == 6 + number
            assert facts["paused"] == (number == 2)


async def test_a_rematch_takes_over_seats_and_tokens_once(here: Running, http: Http) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        path = f"/v1/tables/{game.table}/rematch"
        await http.refused(409, "already_started", "POST", path, token=game.host)
        await game.finish()
        await http.refused(401, "unauthorized", "POST", path)
        answers = [await http.done(201, "POST", path, token=token) for token in (*game.tokens, game.host)]
        assert len({str(answer) for answer in answers}) == 1
        following = answers[0]["next"]
        for seat in game.seats:
            told = await seat.next("rematch")
            assert (told["table"], told["next"]) == (game.table, following)
        facts = await http.facts(following)
        assert (facts["status"], facts["game"]) == ("playing", "trinket-trove")
        assert seats_of(facts) == ["Player 0", "Player 1"]
        async with client(here.url) as one:
            for number, token in enumerate(game.tokens):
                assert (await one.attach(following, token))["viewer"] == {"seat": number}


async def test_quick_players_meet(http: Http) -> None:
    path = "/v1/games/trick-and-trade/quick"
    made = [await http.done(201, "POST", path, {"name": f"Player {number}"}) for number in range(4)]
    assert len({entry["table"] for entry in made[:3]}) == 1
    assert made[3]["table"] != made[0]["table"]
    assert (await http.facts(made[0]["table"]))["status"] == "playing"
    await http.refused(404, "no_such_game", "POST", "/v1/games/chess/quick", {"name": "Ann"})
    await http.refused(422, "bad_options", "POST", path, {"name": "Ann", "seats": 9})
    await http.refused(400, "bad_message", "POST", path, {"name": ""})


async def test_mine_tells_how_it_stands_where_one_has_tokens(http: Http) -> None:
    table, host, tokens = await http.full()
    asked = [(table, token) for token in tokens] + [(table, host), (table, MINE), (NOWHERE, MINE)]
    body = {"tables": [{"table": name, "token": token} for name, token in asked]}
    told = (await http.done(200, "POST", "/v1/mine", body))["tables"]
    assert [entry.get("viewer") for entry in told[:4]] == [
        *({"seat": n} for n in range(3)),
        {"spectator": True},
    ]
    assert sum(entry["your_turn"] for entry in told[:4]) == 1
    assert [entry.get("code") for entry in told[4:]] == ["unauthorized", "no_such_table"]
