"""Two server processes over one store: players spread over both, and races that exactly one must win."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import Iterator

import pytest

from server.embedded import EmbeddedStore
from tests.e2e.players import Player, check_agreement, check_commands
from tests.support.clients import Client, Http, Kind, chosen, client
from tests.support.server import ServerProcess

KINDS: tuple[Kind, ...] = ("json", "msgpack")
VIEWS = ("full", "patch")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the store that both processes use."""
    with EmbeddedStore(tmp_path_factory.mktemp("shared") / "store") as url:
        yield url


@pytest.fixture(scope="module")
def urls(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of two processes that share a store."""
    folder = tmp_path_factory.mktemp("servers")
    one, two = ServerProcess(folder / "one", store), ServerProcess(folder / "two", store)
    with contextlib.ExitStack() as stack:
        for process in (one, two):
            stack.callback(process.end)
            asyncio.run(process.start())
        yield one.url, two.url


@pytest.mark.parametrize("game", ["trick-and-trade", "trinket-trove"])
async def test_players_on_both_see_the_same_game(urls: tuple[str, str], store: str, game: str) -> None:
    async with Http(urls[0]) as http:
        table, _, tokens = await http.full(game, 4)
        rng = random.Random(game)
        players = [
            Player(
                lambda: rng.choice(urls),
                table,
                token,
                kind=KINDS[seat % 2],
                views=VIEWS[seat // 2],
                seed=f"{game}/{seat}",
                drop=0.05,
            )
            for seat, token in enumerate(tokens)
        ]
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.play())
        for url in urls:
            async with Http(url) as other:
                await check_agreement(other, table, players)
        await check_commands(store, game, table, players)


async def test_of_twenty_who_sit_down_at_once_four_get_a_seat(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as one, Http(urls[1]) as two:
        table = (await one.table("trick-and-trade", seats=4))["table"]
        path = f"/v1/tables/{table}/seats"
        answers = await asyncio.gather(
            *(
                http.ask("POST", path, {"name": f"Guest {number}"})
                for number, http in zip(range(20), itertools.cycle((one, two)), strict=False)
            )
        )
        seated = [answer.json() for answer in answers if answer.status_code == 201]
        refused = [answer.json()["code"] for answer in answers if answer.status_code != 201]
        assert sorted(answer["seat"] for answer in seated) == [0, 1, 2, 3]
        assert refused == ["table_full"] * 16
        header, lines = await two.log(table)
        kinds = [event["type"] for line in lines for event in line["events"]]
        assert kinds[:6] == ["table_opened", *["seat_taken"] * 4, "started"]
        assert (header["version"], header["status"]) == (6, "playing")
        for answer in seated:
            async with client(urls[answer["seat"] % 2]) as there:
                assert (await there.attach(table, answer["token"]))["viewer"] == {"seat": answer["seat"]}


async def test_one_chosen_seat_goes_to_one_of_many(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as one, Http(urls[1]) as two:
        table = (await one.table("trick-and-trade", seats=4))["table"]
        answers = await asyncio.gather(
            *(
                http.ask("POST", f"/v1/tables/{table}/seats", {"name": f"Guest {number}", "seat": 2})
                for number, http in zip(range(10), itertools.cycle((one, two)), strict=False)
            )
        )
        codes = sorted(answer.json().get("code", "seated") for answer in answers)
        assert codes == ["seat_taken"] * 9 + ["seated"]
        assert (await two.facts(table))["version"] == 2


async def test_the_same_requests_through_both_happen_once(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as one, Http(urls[1]) as two:
        both = list(itertools.islice(itertools.cycle((one, two)), 10))
        body = {"game": "trick-and-trade", "seats": 4}
        made = await asyncio.gather(
            *(http.done(201, "POST", "/v1/tables", body, key="open-the-table") for http in both)
        )
        assert len({str(answer) for answer in made}) == 1
        path = f"/v1/tables/{made[0]['table']}"
        sat = await asyncio.gather(
            *(http.done(201, "POST", f"{path}/seats", {"name": "Ann"}, key="sit-down-once") for http in both)
        )
        assert len({str(answer) for answer in sat}) == 1
        facts = await two.done(200, "GET", path)
        assert facts["version"] == 2


async def test_one_command_through_both_at_once_is_one_commit(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as http, client(urls[0]) as one, client(urls[1], "msgpack") as two:
        table, _, tokens = await http.full("trick-and-trade", 3)
        rng = random.Random(1)
        for turn in range(12):
            watching: list[Client] = []
            for there in (one, two):
                seat = next(iter((await there.attach(table))["waiting"]))
                await there.attach(table, tokens[seat])
                watching.append(there)
            mirror = one.tables[table]
            ident = f"turn-{turn}"
            message = {
                "type": "act",
                "id": ident,
                "table": table,
                "action": chosen(rng, mirror.actions),
            }
            for there in watching:
                there.repeats.add(ident)
            first, second = await asyncio.gather(*(there.ask(message) for there in watching))
            assert first["type"] == second["type"] == "accepted", (first, second)
            assert first["version"] == second["version"] == mirror.version
            await two.version(table, mirror.version)
        assert (await http.facts(table))["version"] == 5 + 12


async def test_different_commands_of_one_seat_at_once_keep_one(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as http, client(urls[0]) as one, client(urls[1], "msgpack") as two:
        table, _, tokens = await http.full("trick-and-trade", 3)
        lead = (await one.attach(table))["waiting"][0]
        for there in (one, two):
            await there.attach(table, tokens[lead])
        cards = one.tables[table].actions[0]["card"]["one_of"]
        answers = await asyncio.gather(
            *(
                there.act(table, {"type": "play", "card": card})
                for there, card in zip(itertools.cycle((one, two)), cards, strict=False)
            )
        )
        assert sorted(answer["type"] for answer in answers) == ["accepted", *["rejected"] * (len(cards) - 1)]
        assert {answer["code"] for answer in answers if answer["type"] == "rejected"} == {"not_your_turn"}
        assert (await http.facts(table))["version"] == 6


async def test_one_id_with_two_actions_at_once_is_one_command(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as http, client(urls[0]) as one, client(urls[1]) as two:
        table, _, tokens = await http.full("trick-and-trade", 3)
        lead = (await one.attach(table))["waiting"][0]
        for there in (one, two):
            await there.attach(table, tokens[lead])
        cards = one.tables[table].actions[0]["card"]["one_of"]
        answers = await asyncio.gather(
            one.act(table, {"type": "play", "card": cards[0]}, id="the-move"),
            two.act(table, {"type": "play", "card": cards[1]}, id="the-move"),
        )
        assert sorted(answer.get("code", "accepted") for answer in answers) == ["accepted", "id_reused"]


@pytest.mark.parametrize("attempt", range(3))
async def test_leaving_while_the_game_starts_gives_one_order(urls: tuple[str, str], attempt: int) -> None:
    """Whichever comes first: the log is playable, the leaver's token is dead, no seat is doubled."""
    async with Http(urls[0]) as one, Http(urls[1]) as two:
        made = await one.table("trick-and-trade", seats=3, autostart=False)
        table, host = made["table"], made["host_token"]
        tokens = [(await one.sit(table, f"Player {number}"))["token"] for number in range(3)]
        started, left = await asyncio.gather(
            one.ask("POST", f"/v1/tables/{table}/start", token=host),
            two.ask("DELETE", f"/v1/tables/{table}/seats/1", token=tokens[1]),
        )
        assert left.status_code == 204
        kinds = [[event["type"] for event in line["events"]] for line in (await two.log(table))[1]]
        if started.status_code == 200:
            assert kinds[4][0] == "started"
            assert kinds[5] == ["seat_left"]
        else:
            assert started.json()["code"] == "need_players"
            assert kinds[4:] == [["seat_left"]]
        for http in (one, two):
            assert (await http.facts(table))["seats"][1]["name"] is None
            await http.refused(401, "unauthorized", "GET", f"/v1/tables/{table}", token=tokens[1])


async def test_a_seat_that_leaves_elsewhere_is_detached_here(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as one, client(urls[1]) as there:
        table, host, tokens = await one.full("trick-and-trade", 3)
        await there.attach(table, tokens[0])
        await one.done(204, "DELETE", f"/v1/tables/{table}/seats/0", token=host)
        gone = await there.next("detached")
        assert (gone["table"], gone["reason"]) == (table, "removed")
        assert there.seen[-2]["events"] == [{"type": "seat_left", "seat": 0, "reason": "removed"}]
        refused = await there.attach(table, tokens[0])
        assert refused["code"] == "unauthorized"


async def test_the_lobby_and_presence_reach_the_other_process(urls: tuple[str, str]) -> None:
    async with Http(urls[0]) as one, client(urls[1]) as there, client(urls[0]) as player:
        await there.ask({"type": "watch_lobby"})
        made = await one.table("trick-and-trade", seats=3)
        table = made["table"]
        added = await there.next("lobby_change", lambda change: change.get("added", {}).get("table") == table)
        assert added["added"]["status"] == "open"
        token = (await one.sit(table, "Ann"))["token"]
        await there.next("lobby_change", lambda change: _named(change, table, 0) == "Ann")
        await there.attach(table)
        await player.attach(table, token)
        await there.until(lambda: there.tables[table].presence.get(0) is True)
        async with Http(urls[1]) as two:
            assert (await two.facts(table))["seats"][0]["connected"] is True
        await player.drop()
        await there.until(lambda: there.tables[table].presence.get(0) is False)


def _named(change: dict[str, object], table: str, seat: int) -> object:
    facts = change.get("changed")
    if not isinstance(facts, dict) or facts["table"] != table:
        return None
    return facts["seats"][seat]["name"]
