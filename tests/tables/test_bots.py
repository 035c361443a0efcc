"""Bots over two processes: whole games over sockets, each decision stored once, no conflicts."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from domain.registry import games
from tests.support.clients import Client, Http, chosen, client
from tests.tables.sitting import all_done, kinds, over

GAMES = sorted(games())


async def conflicts(http: Http) -> int:
    """How many appends of a process came second."""
    text = (await http.ask("GET", "/metrics")).text
    return int(float(re.findall(r"(?m)^facedown_\w*conflict\w*_total (\S+)$", text)[0]))


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[pytest.mark.long] if number % 3 else []) for number, game in enumerate(GAMES)],
)
async def test_a_table_of_bots_finishes_and_each_moves_once(pair: tuple[str, str], game: str) -> None:
    """Watched at both processes; seated through both in turn."""
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        before = [await conflicts(http) for http in (one, two)]
        made = await one.table(game, listed=False)
        table, path = made["table"], f"/v1/tables/{made['table']}/bots"
        size = len((await one.facts(table))["seats"])
        async with client(pair[0]) as here, client(pair[1], "msgpack") as there:
            for watcher in (here, there):
                await watcher.attach(table, views="none")
            for seat in range(size):
                policy = ("greedy", "random")[seat % 2]
                await (one, two)[seat % 2].done(
                    201, "POST", path, {"policy": policy}, token=made["host_token"]
                )
            facts = await over(two, table)
            assert facts["status"] == "finished"
            _, lines = await two.log(table, query="?views=patch")
            for watcher in (here, there):
                await watcher.version(table, facts["version"])
                updates = watcher.tables[table].updates
                assert list(updates) == list(range(2, facts["version"] + 1))
                for line in lines[1:]:
                    assert updates[line["version"]]["events"] == line["events"]
        # A move of a seat is only ever stored when that seat was awaited: nobody moved twice.
        for earlier, line in itertools.pairwise(lines):
            if line["version"] > size + 2:
                assert line["by"] in earlier["waiting"], line
        assert "played_for" not in kinds(lines)
        after = [await conflicts(http) for http in (one, two)]
        assert sum(after) - sum(before) <= 2, "two processes move the same bots"


async def test_people_and_bots_at_one_table_over_both(pair: tuple[str, str]) -> None:
    """Two people at different processes and a bot: its moves follow theirs, whoever made them."""
    async with Http(pair[0]) as one, Http(pair[1]) as two:
        made = await one.table("trick-and-trade", seats=3)
        table, path = made["table"], f"/v1/tables/{made['table']}"
        tokens = [(await http.sit(table, "Ann", seat=seat))["token"] for seat, http in ((0, one), (2, two))]
        await two.done(201, "POST", f"{path}/bots", {"seat": 1}, token=made["host_token"])
        async with client(pair[0]) as ann, client(pair[1]) as bob:
            rng = random.Random(table)

            async def play(there: Client, token: str) -> None:
                await there.attach(table, token)
                mirror = there.tables[table]
                while True:
                    await there.until(lambda: mirror.status == "finished" or mirror.actions)
                    if mirror.status == "finished":
                        return
                    answer = await there.act(table, chosen(rng, mirror.actions))
                    assert answer["type"] == "accepted", answer

            await all_done(play(ann, tokens[0]), play(bob, tokens[1]))
        _, lines = await two.log(table)
        moves = [line["by"] for line in lines[5:]]
        assert set(moves) == {0, 1, 2}
        assert kinds(lines).count("finished") == 1
