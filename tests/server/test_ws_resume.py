"""Resuming: exactly what was missed, or the whole truth."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.playing import Played, played
from tests.support.clients import Client, Kind, Message, Mirror, client, join, without_nulls
from tests.support.server import Running, Serve


async def left_at(game: Played, token: str | None, **more: Any) -> Mirror:
    """What somebody knows who attached now and lost the connection."""
    one = await join(game.seats[0].url)
    await one.attach(game.table, token, **more)
    mirror = one.tables[game.table]
    await one.drop()
    return mirror


async def resumed(one: Client, mirror: Mirror, token: str | None, **changes: Any) -> Message:
    """The answer to a resume; all that it promises has arrived."""
    one.remember(mirror)
    return await one.attach(mirror.table, token, **{**mirror.resumable(), **changes})


def whole(answer: Message, head: int) -> None:
    """The answer starts anew."""
    assert answer["type"] == "attached"
    assert (answer["recovered"], answer["version"]) == (False, head)
    assert "view" in answer
    assert "head" not in answer


@pytest.mark.parametrize("views", ["full", "patch", "none"])
@pytest.mark.parametrize("who", ["seat", "spectator"])
async def test_what_was_missed_comes_and_nothing_else(
    here: Running, kind: Kind, views: str, who: str
) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        token = game.tokens[1] if who == "seat" else None
        mirror = await left_at(game, token, views=views)
        await game.move(4)
        answer = await resumed(one, mirror, token, views=views)
        assert (answer["recovered"], answer["version"], answer["head"]) == (True, 5, 9)
        updates = [message for message in one.seen if message["type"] == "update"]
        assert [update["version"] for update in updates] == [6, 7, 8, 9]
        watched = game.seats[1].tables[game.table]
        for update in updates:
            for name in ("at_ms", "by", "status", "waiting"):
                assert update[name] == watched.updates[update["version"]][name]
        if who == "seat":
            assert updates[-1]["actions"] == watched.actions
            assert updates[-1]["events"] == watched.updates[9]["events"]
            if views != "none":
                assert updates[-1]["view"] == watched.view
        await game.move(3)
        after = await one.version(game.table, 12)
        if views == "patch":
            assert "patch" in after.updates[12]
        if who == "seat" and views != "none":
            assert without_nulls(after.view) == without_nulls(watched.view)


async def test_who_missed_nothing_gets_nothing(here: Running, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        await game.move(2)
        mirror = await left_at(game, game.tokens[0], views="patch")
        answer = await resumed(one, mirror, game.tokens[0], views="patch")
        assert (answer["recovered"], answer["version"], answer["head"]) == (True, 7, 7)
        await game.move()
        after = await one.version(game.table, 8)
        assert without_nulls(after.view) == without_nulls(game.mirror.view)


async def test_from_ms_may_be_left_out(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        mirror = await left_at(game, game.tokens[0])
        await game.move()
        one.remember(mirror)
        answer = await one.attach(game.table, game.tokens[0], **{"from": 5, "epoch": mirror.epoch})
        assert answer["recovered"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"epoch": "another"},
        {"epoch": ""},
        {"from_ms": 0},
        {"from_ms": -1},
        {"from": 0},
        {"from": 7},
        {"from": 2**53 - 1},
    ],
    ids=str,
)
async def test_what_does_not_fit_gives_the_whole_truth(here: Running, changes: Message) -> None:
    async with played(here.url) as game, client(here.url) as one:
        mirror = await left_at(game, game.tokens[0])
        await game.move()
        whole(await resumed(one, mirror, game.tokens[0], **changes), 6)
        await game.move()
        assert (await one.version(game.table, 7)).view == game.mirror.view


async def test_too_far_back_gives_the_whole_truth(serve: Serve) -> None:
    here = await serve(resume_window=5)
    async with played(here.url) as game, client(here.url) as near, client(here.url) as far:
        mirror = await left_at(game, game.tokens[0])
        await game.move(5)
        assert (await resumed(near, mirror, game.tokens[0]))["recovered"] is True
        await game.move()
        whole(await resumed(far, mirror, game.tokens[0]), 11)


async def test_a_long_absence_is_made_up_for_from_the_log(here: Running) -> None:
    """More than is kept in memory, less than the window."""
    async with played(here.url, "oopsie", 4) as game, client(here.url) as one, client(here.url) as two:
        mirror = await left_at(game, game.tokens[2])
        public = await left_at(game, None)
        await game.move(120)
        watched = game.seats[2].tables[game.table]
        for client_, known, token in ((one, mirror, game.tokens[2]), (two, public, None)):
            answer = await resumed(client_, known, token)
            assert (answer["recovered"], answer["head"]) == (True, 126)
            updates = client_.tables[game.table].updates
            assert list(updates) == list(range(7, 127))
        for version, update in one.tables[game.table].updates.items():
            for name in ("events", "at_ms", "by", "status", "waiting"):
                assert update[name] == watched.updates[version][name], version
        assert one.tables[game.table].view == watched.view


async def test_a_game_that_ended_meanwhile_is_told_to_its_end(here: Running) -> None:
    async with played(here.url, "trinket-trove", 3) as game, client(here.url) as one:
        mirror = await left_at(game, game.tokens[0])
        await game.finish()
        answer = await resumed(one, mirror, game.tokens[0])
        assert answer["status"] == "finished"
        after = one.tables[game.table]
        assert after.view == game.mirror.view
        assert after.updates[after.version]["events"][-1]["type"] == "finished"


async def test_a_delayed_spectator_resumes_within_what_it_may_see(here: Running) -> None:
    async with played(here.url, spectators={"delay": 3}) as game:
        await game.move(4)
        mirror = await left_at(game, None)
        assert mirror.version == 9 - 3
        async with client(here.url) as one, client(here.url) as two:
            await game.move(2)
            answer = await resumed(one, mirror, None)
            assert (answer["recovered"], answer["head"]) == (True, 8)
            assert list(one.tables[game.table].updates) == [7, 8]
            # A seat's version lies beyond what spectators may see.
            whole(await resumed(two, mirror, None, **{"from": 11, "from_ms": game.mirror.at_ms}), 8)


async def test_resuming_on_the_same_connection_works(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        await one.attach(game.table, game.tokens[0])
        await one.ask({"type": "detach", "table": game.table})
        await game.move(2)
        answer = await resumed(one, one.left[game.table], game.tokens[0])
        assert answer["recovered"] is True
        assert list(one.tables[game.table].updates) == [6, 7]


async def test_resuming_needs_a_valid_token_too(here: Running) -> None:
    async with played(here.url) as game, client(here.url) as one:
        mirror = await left_at(game, game.tokens[0])
        answer = await resumed(one, mirror, "A" * 43)
        assert (answer["type"], answer["code"]) == ("error", "unauthorized")


async def test_moves_made_during_a_resume_are_neither_lost_nor_doubled(here: Running) -> None:
    async with played(here.url, "oopsie", 4) as game:
        mirror = await left_at(game, None)
        await game.move(80)
        for _ in range(5):
            async with client(here.url) as one:
                one.remember(mirror)
                await one.send({"type": "attach", "id": "a", "table": game.table, **mirror.resumable()})
                await game.move(6)
                after = await one.version(game.table, game.mirror.version)
                assert list(after.updates) == list(range(7, after.version + 1))
