"""Rematches: one new table however many ask and wherever, with the seats and tokens of the old one."""

from __future__ import annotations

import asyncio

import pytest

from server.store import MemoryBackend, MemoryStore
from server.store.base import Appended, StoreUnavailable
from tests.support.clients import Http, Message, client
from tests.support.server import Serve
from tests.support.store import eventually
from tests.tables.sitting import UNLIMITED, Sitting, all_done, kinds, over, sitting


async def forfeited(game: Sitting) -> None:
    """End the game: nobody acts."""
    await over(game.http[0], game.table)
    await game.agree()


QUICK_END = {"clock": {"move_ms": 100}, "on_timeout": "forfeit"}


async def opening(http: Http, table: str) -> Message:
    """The first event of a table's log."""
    _, lines = await http.log(table)
    event: Message = lines[0]["events"][0]
    return event


async def test_all_seats_at_once_through_both_processes_get_one_table(pair: tuple[str, str]) -> None:
    async with sitting(pair, "mein-schatz", 4, **QUICK_END, talk="seats", listed=False) as game:
        await forfeited(game)
        path = f"{game.path}/rematch"
        askers = [*game.tokens, *game.tokens, game.host]
        answers = await all_done(
            *(game.http[n % 2].done(201, "POST", path, token=token) for n, token in enumerate(askers))
        )
        (following,) = {answer["next"] for answer in answers}
        for one in game.everybody:
            told = await one.next("rematch")
            assert (told["table"], told["next"]) == (game.table, following)
            # The table is there when it is told of, on whatever server.
            assert (await one.attach(following))["type"] == "attached"
        lines = await game.agree()
        assert kinds(lines).count("rematch_opened") == 1
        new, old = await opening(game.http[0], following), await opening(game.http[1], game.table)
        assert {name for name in new if new[name] != old.get(name)} == {
            "table",
            "epoch",
            "commitment",
            "previous",
        }
        facts = await game.http[1].facts(following)
        # It does not start by itself, as the old one did not.
        assert (facts["previous"], facts["status"]) == (game.table, "open")
        assert (await game.http[0].facts(game.table))["next"] == following
        await game.http[0].done(200, "POST", f"/v1/tables/{following}/start", token=game.host)
        for seat, (one, token) in enumerate(zip(game.seats, game.tokens, strict=True)):
            assert (await one.attach(following, token))["viewer"] == {"seat": seat}
        for one in game.everybody:
            assert len([m for m in one.seen if m["type"] == "rematch"]) == 1


async def test_the_deal_of_a_rematch_is_new(pair: tuple[str, str]) -> None:
    async with sitting(pair, "mein-schatz", 2, **QUICK_END) as game:
        await forfeited(game)
        keys, tables = [], [game.table]
        for _ in range(2):
            answer = await game.http[0].done(
                201, "POST", f"/v1/tables/{tables[-1]}/rematch", token=game.tokens[1]
            )
            tables.append(answer["next"])
            await game.http[1].done(200, "POST", f"/v1/tables/{tables[-1]}/start", token=game.host)
            await over(game.http[1], tables[-1])
        for table in tables:
            _, lines = await game.http[1].log(table)
            keys.append((lines[0]["events"][0]["commitment"], lines[-1]["events"][-1].get("deal_key")))
            if table != tables[-1]:
                ends = [event for line in lines for event in line["events"] if event["type"] == "finished"]
                keys[-1] = (keys[-1][0], ends[0]["deal_key"])
        assert len({commitment for commitment, _ in keys}) == len({key for _, key in keys}) == 3
        assert all(key for _, key in keys)


async def test_a_rematch_starts_by_itself_where_the_old_table_did(pair: tuple[str, str]) -> None:
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        table, _, tokens = await one.full("mein-schatz", 2, **QUICK_END)
        await over(one, table)
        answers = await all_done(
            *(http.done(201, "POST", f"/v1/tables/{table}/rematch", token=tokens[0]) for http in (one, two))
        )
        (following,) = {answer["next"] for answer in answers}
        _, lines = await two.log(following)
        assert kinds(lines)[:4] == ["table_opened", "seat_taken", "seat_taken", "started"]


async def test_a_host_who_sits_keeps_the_powers_of_the_host_and_no_more(pair: tuple[str, str]) -> None:
    """In the rematch too: a host who leaves passes that on, and the old token is dead."""
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        table, host, tokens = await one.full("mein-schatz", 3, autostart=False, **QUICK_END)
        path = f"/v1/tables/{table}"
        await one.done(200, "POST", f"{path}/host", {"seat": 1}, token=host)
        await one.done(200, "POST", f"{path}/mute", {"seat": 2}, token=tokens[1])
        await one.done(200, "POST", f"{path}/mute", {}, token=tokens[1])
        await one.done(200, "POST", f"{path}/start", token=tokens[1])
        await over(one, table)
        following = (await two.done(201, "POST", f"/v1/tables/{table}/rematch", token=tokens[2]))["next"]
        path = f"/v1/tables/{following}"
        assert (await two.facts(following))["host_seat"] == 1
        await one.refused(401, "unauthorized", "POST", f"{path}/mute", {}, token=host)
        await one.done(200, "POST", f"{path}/mute", {"muted": False}, token=tokens[1])
        async with client(pair[1]) as muted:
            await muted.attach(following, tokens[2])
            answer = await muted.ask({"type": "say", "table": following, "text": "hello"})
            assert (answer["type"], answer.get("code")) == ("error", "muted")
        await one.done(204, "DELETE", f"{path}/seats/1", token=tokens[1])
        assert (await two.facts(following))["host_seat"] == 0
        await two.refused(401, "unauthorized", "POST", f"{path}/mute", {}, token=tokens[1])
        await two.done(200, "POST", f"{path}/mute", {"seat": 2, "muted": False}, token=tokens[0])


async def test_a_rematch_wants_a_game_that_is_over_and_all_seats_taken(pair: tuple[str, str]) -> None:
    async with sitting(pair, "mein-schatz", 3) as game:
        path = f"{game.path}/rematch"
        await game.http[0].refused(409, "already_started", "POST", path, token=game.tokens[0])
        await game.http[0].refused(401, "unauthorized", "POST", path)
        await game.http[1].done(204, "DELETE", f"{game.path}/seats/2", token=game.tokens[2])
        for seat in (0, 1):
            await game.http[1].done(204, "DELETE", f"{game.path}/seats/{seat}", token=game.tokens[seat])
        assert (await game.http[0].facts(game.table))["status"] == "abandoned"
        await game.http[0].refused(409, "need_players", "POST", path, token=game.host)
        made = await game.http[0].table()
        path = f"/v1/tables/{made['table']}/rematch"
        await game.http[0].refused(409, "not_started", "POST", path, token=made["host_token"])


class Failing(MemoryStore):
    """A store that fails so many appends to tables that it does not know yet."""

    def __init__(self, backend: MemoryBackend) -> None:
        super().__init__(backend)
        self.fail = 0

    async def append(self, table: str, version: int, data: bytes, after_ms: int | None = None) -> Appended:
        """Append, or fail."""
        if version == 1 and self.fail:
            self.fail -= 1
            raise StoreUnavailable("gone for a moment")
        return await super().append(table, version, data, after_ms)


@pytest.mark.parametrize("watched", [False, True])
async def test_a_rematch_whose_table_was_not_opened_heals(serve: Serve, watched: bool) -> None:
    """As when a process dies in between: by who asks again, and by another process that has viewers."""
    backend = MemoryBackend()
    failing = Failing(backend)
    one = await serve(store=failing, **UNLIMITED)
    two = await serve(store=MemoryStore(backend), **UNLIMITED)
    async with Http(one.url) as http, Http(two.url) as other, client(two.url) as viewer:
        table, _, tokens = await http.full("mein-schatz", 2, **QUICK_END)
        await over(http, table)
        if watched:
            await viewer.attach(table)
        failing.fail = 1
        path = f"/v1/tables/{table}/rematch"
        await http.refused(503, "unavailable", "POST", path, token=tokens[0])
        following = (await other.facts(table))["next"]
        if watched:
            assert (await viewer.next("rematch"))["next"] == following
            assert (await viewer.attach(following))["type"] == "attached"
        else:
            await other.refused(404, "no_such_table", "GET", f"/v1/tables/{following}")

        async def healed() -> bool:
            answers = await asyncio.gather(*(api.ask("POST", path, token=tokens[1]) for api in (http, other)))
            assert {answer.json()["next"] for answer in answers} == {following}
            return bool((await other.facts(following))["status"] != "open")

        await eventually(healed)
        _, lines = await other.log(table)
        assert kinds(lines).count("rematch_opened") == 1
