"""Opening tables, sitting down, leaving, starting: what each call does and refuses."""

from __future__ import annotations

from tests.server.playing import played
from tests.support.clients import Http, Message
from tests.support.server import Running

NOWHERE = "aaaaaaaaaaaaaaaaaaaa"
MINE = "T" * 42 + "-"


def seats_of(facts: Message) -> list[str | None]:
    """The names on the seats."""
    return [seat["name"] for seat in facts["seats"]]


# --- open -------------------------------------------------------------------------------------------


async def test_a_new_table_is_as_it_was_asked_for(http: Http) -> None:
    made = await http.table(
        "oopsie",
        seats=4,
        listed=False,
        spectators={"who": "token", "delay": 7},
        reveal="never",
        autostart=False,
    )
    assert set(made) == {"table", "host_token"}
    facts = await http.facts(made["table"])
    assert facts["game"] == "oopsie"
    assert facts["status"] == "open"
    assert (facts["version"], len(facts["seats"])) == (1, 4)
    assert facts["spectators"] == {"who": "token", "delay": 7}
    assert (facts["listed"], facts["reveal"], facts["autostart"]) == (False, "never", False)
    assert len(facts["commitment"]) == 64
    assert facts["epoch"]


async def test_ids_and_tokens_are_unlike_each_other(http: Http) -> None:
    made = [await http.table() for _ in range(20)]
    assert len({entry["table"] for entry in made}) == 20
    for entry in made:
        assert entry["table"].isalnum()
        assert entry["table"].islower()
        assert len(entry["host_token"]) == 43
        assert (await http.facts(entry["table"]))["commitment"]
    assert len({entry["host_token"] for entry in made}) == 20


async def test_what_no_game_offers_is_refused(http: Http) -> None:
    refused = [
        (404, "no_such_game", {"game": "chess"}),
        (404, "no_such_game", {"game": ""}),
        (404, "no_such_game", {"game": "Oopsie"}),
        (422, "bad_options", {"game": "oopsie", "seats": 3}),
        (422, "bad_options", {"game": "oopsie", "seats": 0}),
        (422, "bad_options", {"game": "oopsie", "seats": -4}),
        (422, "bad_options", {"game": "oopsie", "options": {"no_such": 1}}),
        (422, "bad_options", {"game": "oopsie", "clock": {"move_ms": 0, "bank_ms": 0}}),
    ]
    for status, code, body in refused:
        await http.refused(status, code, "POST", "/v1/tables", body)
    assert (await http.done(200, "GET", "/v1/tables"))["tables"] == []


async def test_what_is_not_there_is_not_found(http: Http) -> None:
    body: Message | None
    for table in (NOWHERE, "short", "UPPERCASE", "x" * 33, "a.b.c.d.e", "%00%00%00%00%00%00%00%00"):
        for method, path, body in (
            ("GET", "", None),
            ("GET", "/log", None),
            ("GET", "/at/1", None),
            ("GET", "/talk", None),
            ("POST", "/seats", {"name": "Ann"}),
            ("POST", "/start", None),
            ("POST", "/spectators", None),
            ("POST", "/bots", {}),
            ("POST", "/rematch", None),
            ("DELETE", "/seats/0", None),
        ):
            await http.refused(404, "no_such_table", method, f"/v1/tables/{table}{path}", body, token=MINE)


# --- sit --------------------------------------------------------------------------------------------


async def test_players_sit_where_they_want_or_where_is_room(http: Http) -> None:
    table = (await http.table(seats=4))["table"]
    assert (await http.sit(table, "Ann", seat=2))["seat"] == 2
    assert (await http.sit(table, "Ben"))["seat"] == 0
    assert (await http.sit(table, "Cem"))["seat"] == 1
    assert seats_of(await http.facts(table)) == ["Ben", "Cem", "Ann", None]
    path = f"/v1/tables/{table}/seats"
    refused = await http.refused(409, "seat_taken", "POST", path, {"name": "Dora", "seat": 2})
    assert refused["detail"] == {"free": [3]}
    for seat in (4, -1, 2**53 - 1):
        await http.refused(404, "not_found", "POST", path, {"name": "Dora", "seat": seat})
    assert (await http.sit(table, "Dora"))["seat"] == 3
    for body in ({"name": "Eve"}, {"name": "Eve", "seat": 0}):
        await http.refused(409, "table_full", "POST", path, body)
    facts = await http.facts(table)
    assert (facts["status"], facts["version"]) == ("playing", 6)


async def test_names_are_cleaned_or_refused(http: Http) -> None:
    table = (await http.table("trinket-trove", seats=6))["table"]
    path = f"/v1/tables/{table}/seats"
    bad = ["", "   ", "x" * 41, "a\nb", "a\0b", "\u202eevil", "a\u200bb", "\u2028", "\ufeffAnn", "\ue000"]
    for name in bad:
        await http.refused(400, "bad_message", "POST", path, {"name": name})
    others: list[Message] = [{"name": None}, {"name": 1}, {"name": ["Ann"]}, {"name": {}}, {}]
    for body in others:
        await http.refused(400, "bad_message", "POST", path, body)
    good = {"  Ann  ": "Ann", "Zoe\u0308": "Zoë", "李雷": "李雷", "x" * 40: "x" * 40, "🦊": "🦊"}
    for name in good:
        await http.sit(table, name)
    assert seats_of(await http.facts(table))[: len(good)] == list(good.values())


async def test_entropy_is_short_and_printable(http: Http) -> None:
    table = (await http.table())["table"]
    path = f"/v1/tables/{table}/seats"
    for entropy in ("", "x" * 129, "a\0b", 1, None):
        await http.refused(400, "bad_message", "POST", path, {"name": "Ann", "entropy": entropy})
    await http.sit(table, "Ann", entropy="x" * 128)
    _, lines = await http.log(table)
    assert lines[1]["events"][0]["entropy"] == "x" * 128


async def test_a_token_of_ones_own_makes_sitting_down_repeatable(http: Http) -> None:
    table = (await http.table())["table"]
    path = f"/v1/tables/{table}/seats"
    body = {"name": "Ann", "token": MINE}
    first = await http.done(201, "POST", path, body)
    assert first == {"seat": 0, "token": MINE}
    for _ in range(3):
        assert await http.done(201, "POST", path, body) == first
    assert (await http.facts(table))["version"] == 2
    for other in ({"name": "Bob"}, {"name": "Ann", "seat": 1}, {"name": "Ann", "entropy": "x"}):
        told = await http.refused(409, "id_reused", "POST", path, {**other, "token": MINE})
        assert told["message"].startswith("this key or token belongs to another request of yours (version 2)")
    assert (await http.done(200, "GET", f"/v1/tables/{table}/at/2", token=MINE))["viewer"] == {"seat": 0}
    # At another table it is another seat's.
    elsewhere = (await http.table())["table"]
    assert (await http.sit(elsewhere, "Ann", seat=2, token=MINE))["seat"] == 2


async def test_a_token_that_is_too_weak_or_taken_is_refused(http: Http) -> None:
    made = await http.table()
    path = f"/v1/tables/{made['table']}/seats"
    for token in ("x" * 42, "x" * 201, "x" * 42 + "+", "x" * 42 + "=", " " + "x" * 43, "", None, 1):
        await http.refused(400, "bad_message", "POST", path, {"name": "Ann", "token": token})
    await http.refused(409, "id_reused", "POST", path, {"name": "Ann", "token": made["host_token"]})
    # A spectator's would stay valid when its seat is left, and whoever issued it knows it.
    admitted = await http.done(
        201, "POST", f"/v1/tables/{made['table']}/spectators", token=made["host_token"]
    )
    await http.refused(409, "id_reused", "POST", path, {"name": "Ann", "token": admitted["token"]})


async def test_who_left_does_not_sit_down_again_by_a_repeated_request(http: Http) -> None:
    table = (await http.table())["table"]
    body = {"name": "Ann", "token": MINE}
    await http.done(201, "POST", f"/v1/tables/{table}/seats", body)
    await http.done(204, "DELETE", f"/v1/tables/{table}/seats/0", token=MINE)
    await http.refused(409, "id_reused", "POST", f"/v1/tables/{table}/seats", body)
    assert seats_of(await http.facts(table)) == [None] * 3


# --- leave ------------------------------------------------------------------------------------------


async def test_leaving_frees_the_seat_at_once(http: Http) -> None:
    made = await http.table()
    table = made["table"]
    token = (await http.sit(table, "Ann"))["token"]
    await http.done(204, "DELETE", f"/v1/tables/{table}/seats/0", token=token)
    assert seats_of(await http.facts(table))[0] is None
    await http.refused(401, "unauthorized", "DELETE", f"/v1/tables/{table}/seats/0", token=token)
    for seat in ("0", "3", "99", "x", "-1", "1.0", "%D9%A1"):
        await http.refused(
            404, "not_found", "DELETE", f"/v1/tables/{table}/seats/{seat}", token=made["host_token"]
        )
    assert (await http.sit(table, "Bob"))["seat"] == 0


async def test_nobody_frees_the_seat_of_another(http: Http) -> None:
    table, _, tokens = await http.full()
    await http.refused(403, "forbidden", "DELETE", f"/v1/tables/{table}/seats/1", token=tokens[0])


async def test_after_the_end_nobody_leaves_sits_or_starts(here: Running, http: Http) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        await game.finish()
        path = f"/v1/tables/{game.table}"
        await http.refused(409, "finished", "DELETE", f"{path}/seats/0", token=game.tokens[0])
        await http.refused(409, "finished", "POST", f"{path}/seats", {"name": "Ann"})
        for call in ("/start", "/spectators", "/bots", "/pause"):
            body: Message | None = {} if call == "/bots" else None
            await http.refused(409, "finished", "POST", path + call, body, token=game.host)


# --- start ------------------------------------------------------------------------------------------


async def test_the_host_starts_when_everybody_is_there(http: Http) -> None:
    made = await http.table(autostart=False)
    path, host = f"/v1/tables/{made['table']}", made["host_token"]
    refused = await http.refused(409, "need_players", "POST", f"{path}/start", token=host)
    assert refused["detail"] == {"free": [0, 1, 2]}
    tokens = [(await http.sit(made["table"], f"Player {number}"))["token"] for number in range(3)]
    facts = await http.facts(made["table"])
    assert (facts["status"], facts["version"]) == ("open", 4)
    await http.refused(403, "forbidden", "POST", f"{path}/start", token=tokens[0])
    facts = await http.done(200, "POST", f"{path}/start", token=host)
    assert (facts["status"], facts["version"]) == ("playing", 5)
    await http.refused(409, "already_started", "POST", f"{path}/start", token=host)


async def test_the_last_to_sit_starts_the_game_in_a_commit_of_its_own(http: Http) -> None:
    table, _, _ = await http.full()
    _, lines = await http.log(table)
    kinds = [[event["type"] for event in line["events"]] for line in lines]
    assert kinds[0] == ["table_opened"]
    assert kinds[1:4] == [["seat_taken"]] * 3
    assert kinds[4][0] == "started"
    assert [line["by"] for line in lines] == ["host", 0, 1, 2, "server"]
