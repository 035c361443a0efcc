"""Talk at a table: who may, who hears it, when."""

from __future__ import annotations

import asyncio

from tests.server.playing import played
from tests.support.clients import Client, Http, Kind, Message, client
from tests.support.server import Running


async def said(one: Client, table: str) -> list[Message]:
    """What a connection has heard so far, as far as it has been sent."""
    await one.ask({"type": "ping"})
    return [message for message in one.seen if message["type"] == "said" and message["table"] == table]


async def test_everybody_hears_what_is_said_and_who_said_it(here: Running, http: Http, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as watcher:
        await watcher.attach(game.table)
        answer = await game.seats[1].ask({"type": "say", "table": game.table, "text": "  good luck  "})
        assert answer == {"type": "heard", "id": answer["id"], "table": game.table}
        await watcher.ask({"type": "say", "table": game.table, "reaction": "clap"})
        for one in (*game.seats, watcher):
            await one.until(lambda one=one: len([m for m in one.seen if m["type"] == "said"]) == 2)  # type: ignore[misc]
            first, second = await said(one, game.table)
            assert (first["by"], first["text"], first["version"]) == ({"seat": 1}, "good luck", 5)
            assert (second["by"], second["reaction"]) == ({"spectator": True}, "clap")
            assert "reaction" not in first
            assert "text" not in second
        kept = (await http.done(200, "GET", f"/v1/tables/{game.table}/talk"))["talk"]
        assert [entry.get("text") for entry in kept] == ["good luck", None]
        assert (await http.facts(game.table))["version"] == 5  # talk is no part of the log


async def test_what_is_no_talk_is_a_bad_message(here: Running, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        await one.attach(game.table, game.tokens[0])
        for bad in (
            {},
            {"text": ""},
            {"text": "   "},
            {"text": "x" * 301},
            {"text": "a\u202eb"},
            {"text": "a\0b"},
            {"text": 1},
            {"text": None},
            {"reaction": "shrug"},
            {"reaction": None},
            {"text": "a", "reaction": "clap"},
            {"text": "a", "to": 1},
        ):
            answer = await one.ask({"type": "say", "table": game.table, **bad})
            assert (answer["type"], answer["code"]) == ("error", "bad_message"), bad
        assert await said(one, game.table) == []


async def test_who_may_talk_is_up_to_the_table(here: Running) -> None:
    talk = {"type": "say", "text": "hello"}
    async with client(here.url) as watcher:
        answer = await watcher.ask({**talk, "table": "aaaaaaaaaaaa"})
        assert (answer["type"], answer["code"]) == ("error", "forbidden")
        for who, seats, spectators in (("all", True, True), ("seats", True, False), ("none", False, False)):
            async with played(here.url, talk=who) as game:
                answer = await watcher.ask({**talk, "table": game.table})
                assert answer["code"] == "forbidden"  # not attached
                await watcher.attach(game.table)
                for one, may in ((game.seats[0], seats), (watcher, spectators)):
                    answer = await one.ask({**talk, "table": game.table})
                    assert answer.get("code") == (None if may else "forbidden"), who


async def test_the_muted_play_on_but_do_not_talk(here: Running, http: Http) -> None:
    talk = {"type": "say", "text": "hello"}
    async with played(here.url) as game, client(here.url) as watcher:
        await watcher.attach(game.table)
        path = f"/v1/tables/{game.table}/mute"
        await http.done(200, "POST", path, {"seat": 0}, token=game.host)
        await http.done(200, "POST", path, {}, token=game.host)
        for one, whom in ((game.seats[0], "you"), (watcher, "all spectators")):
            answer = await one.ask({**talk, "table": game.table})
            assert (answer["type"], answer["code"]) == ("error", "muted")
            assert answer["message"].startswith(f"the host has muted {whom};")
        assert (await game.seats[1].ask({**talk, "table": game.table}))["type"] == "heard"
        for seat in game.seats:
            await seat.version(game.table, 7)
        await game.move(3)
        await http.done(200, "POST", path, {"seat": 0, "muted": False}, token=game.host)
        assert (await game.seats[0].ask({**talk, "table": game.table}))["type"] == "heard"


async def test_too_much_talk_is_limited_and_nothing_else_is(here: Running) -> None:
    async with played(here.url) as game:
        one = game.seats[0]
        answers = [await one.ask({"type": "say", "table": game.table, "text": f"{n}"}) for n in range(8)]
        limited = [answer for answer in answers if answer["type"] == "error"]
        assert [answer["type"] for answer in answers[:5]] == ["heard"] * 5
        assert limited
        assert {answer["code"] for answer in limited} == {"rate_limited"}
        assert all(answer["detail"]["retry_after_ms"] >= 1 for answer in limited)
        await game.move(2)


async def test_ten_people_talk_at_once_and_all_hear_all(here: Running) -> None:
    async with played(here.url, "trick-and-trade", 5) as game:
        says = [
            one.ask({"type": "say", "table": game.table, "text": f"{seat} {number}"})
            for seat, one in enumerate(game.seats)
            for number in range(2)
        ]
        await asyncio.gather(*says)
        heard = []
        for one in game.seats:
            await one.until(lambda one=one: len([m for m in one.seen if m["type"] == "said"]) == 10)  # type: ignore[misc]
            heard.append([message["text"] for message in await said(one, game.table)])
        assert all(texts == heard[0] for texts in heard)
        assert len(set(heard[0])) == 10
