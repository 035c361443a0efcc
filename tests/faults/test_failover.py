"""Games on a Redis Cluster whose primaries die, or hand over, while they are played."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.faults.games import opened_game
from tests.faults.results import TIMES, Results
from tests.faults.test_history import Table, alerted, seated
from tests.support.cluster import Cluster, cluster_of
from tests.support.server import Launch
from tests.support.store import PATIENCE_S


async def keepers(cluster: Cluster, table: str) -> tuple[int, int]:
    """The primary of a table, and its replica, once a server that came back is one again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            servers = await cluster.servers_of(f"fd:{{{table}}}:log")
            if len(servers) == 2:
                return servers[0], servers[1]
            await asyncio.sleep(0.05)


async def a_replica_that_was_behind_takes_over(cluster: Cluster, there: Table) -> None:
    """The last moves, acknowledged and told, are lost with the primary."""
    primary, replica = await keepers(cluster, there.table)
    before = await there.moves(3)
    await cluster.cut_off(replica)
    await there.moves(4)
    cluster.kill(primary)
    cluster.thaw(replica)
    await there.sent_away()
    await alerted(there.server)
    answers = await there.resume()
    assert {(answer["recovered"], answer["version"]) for answer in answers} == {(False, before)}
    assert await there.moves(5) == before + 5


async def test_nobody_notices_a_failover_and_everybody_is_told_of_one_that_loses_moves(
    launch: Launch, tmp_path: Path
) -> None:
    async with cluster_of(tmp_path / "cluster", (1, 1, 1)) as cluster:
        there = await seated(launch, cluster.url)
        before = await there.moves(2)
        _, replica = await keepers(cluster, there.table)
        await cluster.hand_over(replica)
        assert await there.moves(2) == before + 2
        await a_replica_that_was_behind_takes_over(cluster, there)
        await there.close()
        await asyncio.to_thread(there.server.stop)


@pytest.mark.long
@pytest.mark.timeout(120 + 20 * TIMES)
@pytest.mark.parametrize("how", ["dies", "hands over"])
async def test_a_game_goes_on_however_often_its_primary_changes(
    launch: Launch, tmp_path: Path, results: Results, how: str
) -> None:
    async with cluster_of(tmp_path / "cluster", (1, 1, 1)) as cluster:
        # Whoever hands over has told its replica everything; whoever dies has, if the servers wait for it.
        settings = {"store_replicas": 1} if how == "dies" else {}
        servers = [await launch(name, cluster.url, **settings) for name in ("one", "two")]
        game = await opened_game(servers, cluster.url, how)

        async def changes() -> None:
            primary, replica = await keepers(cluster, game.table)
            if how == "dies":
                cluster.kill(primary)
                await cluster.leads(replica)
                await cluster.restart(primary)
            else:
                await cluster.hand_over(replica)

        versions = await game.through(TIMES, changes)
        results.add(f"primary of a cluster {how}", TIMES, game.accepted, versions)
        for server in servers:
            await asyncio.to_thread(server.stop)
