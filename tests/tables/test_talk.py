"""Talk over two processes: who hears what, when, in which order, and who may not talk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.hearing import KEPT_TALK
from server.store import MemoryBackend, MemoryStore
from tests.server.playing import played
from tests.support.clients import Client, Http, Message, client
from tests.support.server import Running, Serve
from tests.tables.sitting import UNLIMITED, all_done, sitting


def heard(one: Client, table: str) -> list[Message]:
    """What a connection has heard."""
    return [message for message in one.seen if message["type"] == "said" and message["table"] == table]


def text(wanted: str) -> Callable[[Message], bool]:
    """Whether something said is this."""
    return lambda said: bool(said.get("text") == wanted)


async def say(one: Client, table: str, text: str) -> Message:
    """Say something; gives the answer."""
    return await one.ask({"type": "say", "table": table, "text": text})


async def kept(http: Http, table: str, token: str | None = None) -> list[str]:
    """The texts that are kept."""
    found = await http.done(200, "GET", f"/v1/tables/{table}/talk", token=token)
    return [said["text"] for said in found["talk"]]


async def test_everybody_on_both_processes_hears_all_in_one_order(pair: tuple[str, str]) -> None:
    async with sitting(pair, "trick-and-trade", 4) as game:
        speakers = [*game.seats, *game.watchers]
        answers = await all_done(
            *(say(one, game.table, f"{number} {n}") for number, one in enumerate(speakers) for n in range(3))
        )
        assert {answer["type"] for answer in answers} == {"heard"}
        orders = []
        for one in speakers:
            await one.until(lambda one=one: len(heard(one, game.table)) == 18)  # type: ignore[misc]
            orders.append([said["text"] for said in heard(one, game.table)])
        assert all(order == orders[0] for order in orders)
        assert sorted(orders[0]) == sorted({f"{number} {n}" for number in range(6) for n in range(3)})
        for http in game.http:
            assert sorted(await kept(http, game.table)) == sorted(orders[0])
        assert (await game.http[0].facts(game.table))["version"] == 6  # none of it is in the log
        reaction = await game.seats[0].ask({"type": "say", "table": game.table, "reaction": "clap"})
        assert reaction["type"] == "heard"
        await game.watchers[1].next("said", lambda said: said.get("reaction") == "clap")


async def test_rate_length_and_who_may_talk_hold_on_both(pair: tuple[str, str]) -> None:
    async with sitting(pair, talk="seats") as game:
        answer = await say(game.watchers[1], game.table, "hello")
        assert (answer["type"], answer["code"]) == ("error", "forbidden")
        answer = await say(game.seats[0], game.table, "x" * 301)
        assert (answer["type"], answer["code"]) == ("error", "bad_message")
        answers = [await say(game.seats[0], game.table, f"{n}") for n in range(9)]
        assert answers[0]["type"] == "heard"
        limited = [answer for answer in answers if answer["type"] == "error"]
        assert {answer["code"] for answer in limited} == {"rate_limited"}
        assert all(answer["detail"]["retry_after_ms"] >= 1 for answer in limited)
        await game.heard((await game.act(game.waiting[0]))["version"])  # nothing else is limited
    async with sitting(pair, talk="none") as game:
        for one in (game.seats[1], game.watchers[0]):
            assert (await say(one, game.table, "hello"))["code"] == "forbidden"


async def test_more_connections_are_no_way_to_talk_more(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game:
        async with client(pair[1]) as again, client(pair[1]) as third:
            for one in (again, third):
                await one.attach(game.table, game.tokens[0])
            answers = [await say(one, game.table, "spam") for _ in range(5) for one in (again, third)]
        codes = [answer.get("code", "heard") for answer in answers]
        assert codes[:5] == ["heard"] * 5
        assert "rate_limited" in codes[5:]


async def test_muting_reaches_the_other_process_and_ends_with_the_seat(pair: tuple[str, str]) -> None:
    async with sitting(pair) as game:
        path = f"{game.path}/mute"
        await game.http[0].refused(403, "forbidden", "POST", path, {"seat": 0}, token=game.tokens[1])
        for body in ({"seat": 0}, {"seat": 1}, {}):
            await game.http[1].done(200, "POST", path, body, token=game.host)
        await game.head()
        for one in (game.seats[0], game.seats[1], *game.watchers):
            assert (await say(one, game.table, "hello"))["code"] == "muted"
        assert (await say(game.seats[2], game.table, "hello"))["type"] == "heard"
        await game.http[0].done(200, "POST", path, {"muted": False}, token=game.host)
        await game.head()
        assert (await say(game.watchers[1], game.table, "hello"))["type"] == "heard"
        await game.http[0].done(204, "DELETE", f"{game.path}/seats/1", token=game.tokens[1])
        token = (await game.http[1].sit(game.table, "New"))["token"]
        async with client(pair[0]) as new:
            await new.attach(game.table, token)
            assert (await say(new, game.table, "hello"))["type"] == "heard"


async def test_what_is_said_while_a_table_is_muted_at_once_is_heard_by_all_or_none(
    pair: tuple[str, str],
) -> None:
    async with sitting(pair) as game:
        for seat in range(3):
            body = {"seat": seat}
            answer, _ = await all_done(
                say(game.seats[seat], game.table, f"from {seat}"),
                game.http[seat % 2].done(200, "POST", f"{game.path}/mute", body, token=game.host),
            )
            assert answer.get("code", "heard") in ("heard", "muted")
            texts = await kept(game.http[0], game.table)
            assert (f"from {seat}" in texts) == (answer["type"] == "heard")
            if answer["type"] == "heard":
                for one in game.everybody:
                    await one.next("said", text(f"from {seat}"))


DELAY: dict[str, Any] = {"spectators": {"delay": 4}}


async def test_spectators_behind_a_delay_hear_when_they_see(serve: Serve) -> None:
    backend = MemoryBackend()
    one = await serve(store=MemoryStore(backend), **UNLIMITED)
    two = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with played(one.url, **DELAY) as game, client(two.url) as watcher, Http(two.url) as http:
        await watcher.attach(game.table)
        assert watcher.tables[game.table].version == 1
        await say(game.seats[0], game.table, "at the start")  # version 5
        await game.move()
        await say(game.seats[1], game.table, "later")  # version 6
        assert (await say(watcher, game.table, "from afar"))["type"] == "heard"
        # What spectators say among themselves does not wait for the seats' talk.
        await watcher.next("said", lambda said: said["text"] == "from afar")
        assert [said["text"] for said in heard(watcher, game.table)] == ["from afar"]
        assert await kept(http, game.table) == ["from afar"]
        assert len(await kept(http, game.table, game.tokens[2])) == 3
        await game.move(3)  # version 9: spectators see 5
        await watcher.next("said", lambda said: said["text"] == "at the start")
        told = [m for m in watcher.seen if m["type"] in ("said", "update")]
        assert (told[-2]["version"], told[-1]["text"]) == (5, "at the start")
        assert await kept(http, game.table) == ["at the start", "from afar"]
        await game.finish()  # the end of the game is the end of the delay
        await watcher.next("said", lambda said: said["text"] == "later")


async def test_who_begins_to_watch_later_hears_what_was_said_before_and_could_not_be_heard(
    serve: Serve,
) -> None:
    """Also on a process that did not know the table when it was said."""
    backend = MemoryBackend()
    one = await serve(store=MemoryStore(backend), **UNLIMITED)
    two = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with played(one.url, **DELAY) as game, client(two.url) as watcher:
        await game.move()
        await say(game.seats[0], game.table, "psst")  # version 6
        await watcher.attach(game.table)
        await game.move(3)
        await watcher.ask({"type": "ping"})
        await watcher.version(game.table, 5)
        assert heard(watcher, game.table) == []
        await game.move()
        await watcher.next("said", lambda said: said["text"] == "psst")


@pytest.mark.parametrize("token", [None, "x" * 43])
async def test_only_who_may_watch_reads_the_talk(here: Running, http: Http, token: str | None) -> None:
    async with played(here.url, spectators={"who": "token"}) as game:
        await say(game.seats[0], game.table, "hello")
        answer = await http.ask("GET", f"/v1/tables/{game.table}/talk", token=token)
        assert answer.json()["code"] == ("forbidden" if token is None else "unauthorized")
        assert await kept(http, game.table, game.tokens[1]) == ["hello"]


async def test_the_last_two_hundred_are_kept(here: Running, http: Http) -> None:
    async with played(here.url) as game:
        store = here.service.store
        await say(game.seats[0], game.table, "first")
        (first,) = await store.said(game.table)
        for number in range(KEPT_TALK):
            await store.say(game.table, first.replace(b"first", b"%d" % number), KEPT_TALK, 1000)
        assert await kept(http, game.table) == [str(number) for number in range(KEPT_TALK)]
