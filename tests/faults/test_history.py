"""A store that has forgotten what it acknowledged: everybody is told, nobody plays on as if nothing were."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.embedded import EmbeddedStore
from tests.support.clients import PATIENCE_S, Client, Http, chosen, join
from tests.support.server import Launch, ServerProcess

GAME, SEATS = "trick-and-trade", 3


class Table:
    """A table with a client on each seat and one spectator."""

    def __init__(self, server: ServerProcess, table: str, tokens: list[str]) -> None:
        self.server = server
        self.table = table
        self.tokens: list[str | None] = [*tokens, None]
        self.clients: list[Client] = []
        self.rng = random.Random(3)

    async def attach(self) -> None:
        """Everybody watches."""
        for token in self.tokens:
            client = await join(self.server.url)
            answer = await client.attach(self.table, token)
            assert answer["type"] == "attached", answer
            self.clients.append(client)

    async def moves(self, number: int) -> int:
        """Make some moves; gives the head."""
        head = 0
        for _ in range(number):
            mirror = self.clients[-1].tables[self.table]
            client = self.clients[mirror.waiting[0]]
            answer = await client.act(self.table, chosen(self.rng, client.tables[self.table].actions))
            assert answer["type"] == "accepted", answer
            head = answer["version"]
            for one in self.clients:
                await one.version(self.table, head)
        return head

    async def sent_away(self) -> None:
        """Everybody is told that the history is another one."""
        for client in self.clients:
            await client.next("detached", lambda message: message["reason"] == "resync_required")

    async def resume(self) -> Iterable[dict[str, object]]:
        """Everybody comes back over new connections and tries to go on where they were; gives the answers."""
        answers = []
        for number, (client, token) in enumerate(zip(self.clients, self.tokens, strict=True)):
            known = client.tables.get(self.table) or client.left[self.table]
            await client.close()
            new = self.clients[number] = await join(self.server.url)
            new.remember(known)
            answers.append(await new.attach(self.table, token, **known.resumable()))
        return answers

    async def close(self) -> None:
        for client in self.clients:
            await client.close()


async def seated(launch: Launch, store: str | None) -> Table:
    server = await launch("one", store)
    async with Http(server.url) as http:
        table, _, tokens = await http.full(GAME, SEATS)
    there = Table(server, table, tokens)
    await there.attach()
    return there


async def alerted(server: ServerProcess) -> None:
    """The operator can read of it."""
    async with asyncio.timeout(PATIENCE_S):
        while '"history_lost"' not in server.log:
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    "how", [pytest.param("shorter", marks=pytest.mark.long), "gone on otherwise", "with a hole"]
)
async def test_viewers_who_only_watch_are_told(embedded: EmbeddedStore, launch: Launch, how: str) -> None:
    there = await seated(launch, embedded.url)
    key = f"fd:{{{there.table}}}:log"
    before = await there.moves(3)
    async with Redis.from_url(embedded.url) as admin:
        old = await admin.dump(key)
        assert old is not None
        after = await there.moves(4)
        if how == "with a hole":
            # The head is as it was, so nobody notices before somebody reads.
            await admin.xdel(key, f"{before}-0")
            async with Http(there.server.url) as http:
                refused = await http.ask("GET", f"/v1/tables/{there.table}/log")
                assert refused.status_code == 503
            for client in there.clients:
                await client.close()
            return
        async with admin.pipeline(transaction=True) as both:
            both.restore(key, 0, old, replace=True)
            if how == "gone on otherwise":
                for version in range(before + 1, after + 1):
                    both.xadd(key, {"at": "2000000000000", "data": b"x"}, id=f"{version}-0")
            await both.execute()
    await there.sent_away()
    await alerted(there.server)
    answers = await there.resume()
    if how == "gone on otherwise":
        assert {answer["code"] for answer in answers} == {"unavailable"}  # what was put there is no commit
    else:
        assert {(answer["recovered"], answer["version"]) for answer in answers} == {(False, before)}
        assert await there.moves(5) == before + 5
    await there.close()


async def test_clients_resume_at_a_server_that_came_back_with_an_older_store(
    launch: Launch, tmp_path: Path
) -> None:
    there = await seated(launch, None)
    data, copy = there.server.folder / "facedown-data", tmp_path / "backup"
    before = await there.moves(3)
    await asyncio.to_thread(there.server.stop)
    shutil.copytree(data, copy)
    await there.server.start()
    assert {answer["recovered"] for answer in await there.resume()} == {True}
    await there.moves(4)
    there.server.kill()
    for client in there.clients:
        await client.end()
    data.rename(tmp_path / "away")  # its store may still be dying, and write there
    shutil.copytree(copy, data)
    await there.server.start()
    answers = await there.resume()
    assert {(answer["recovered"], answer["version"]) for answer in answers} == {(False, before)}
    assert await there.moves(2) == before + 2
    await there.close()


async def test_a_history_of_the_same_length_is_told_apart_by_its_times(
    embedded: EmbeddedStore, launch: Launch
) -> None:
    there = await seated(launch, embedded.url)
    key = f"fd:{{{there.table}}}:log"
    before = await there.moves(2)
    async with Redis.from_url(embedded.url) as admin:
        old = await admin.dump(key)
        assert old is not None
        await there.moves(3)
        await admin.restore(key, 0, old, replace=True)
    await there.sent_away()
    left = [client.left[there.table] for client in there.clients]
    answers = await there.resume()
    assert {answer["recovered"] for answer in answers} == {False}
    assert await there.moves(3) == before + 3
    # Whoever was away all the time knows versions of the same numbers, which are other ones.
    for token, known in zip(there.tokens, left, strict=True):
        late = await join(there.server.url)
        late.remember(known)
        answer = await late.attach(there.table, token, **known.resumable())
        assert answer["recovered"] is False
        assert answer["version"] == before + 3
        await late.close()
    await there.close()
