"""A player asks to be forgotten while the table is played, at two servers on one store."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from domain.table import REMOVED_NAME
from server.archive import Folder
from server.cli import app
from server.embedded import EmbeddedStore
from tests.server.playing import Played
from tests.support.clients import PATIENCE_S, Client, Http, join
from tests.support.server import Launch

GAME = "mein-schatz"
NAME, OTHER = "Ada of Nowhere", "Bea of Elsewhere"
OPERATOR = "o" * 43
KEY = "of-this-request-alone"


def on_disk(folder: Path, name: str) -> list[str]:
    """The files that hold a name."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if name.encode() in file.read_bytes()]


def forget(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["forget", *arguments])
    assert done.exit_code == 0, done.output
    return done


async def sent_away(one: Client, table: str) -> Any:
    """What was known of a table whose history is another one now."""
    await one.next("detached", lambda message: message["reason"] == "resync_required")
    return one.left[table]


async def back(one: Client, table: str, token: str | None, known: Any) -> None:
    """Go on where it was; all is told anew."""
    before = known.epoch
    answer = await one.attach(table, token, **known.resumable())
    assert answer["type"] == "attached", answer
    assert answer["recovered"] is False
    assert answer["epoch"] != before


async def test_a_name_is_forgotten_while_the_table_is_played(
    embedded: EmbeddedStore, launch: Launch, tmp_path: Path
) -> None:
    settings = {"archive": tmp_path / "archive", "operator_token": OPERATOR, "archive_after_hours": 0.0}
    servers = [await launch(name, embedded.url, **settings) for name in ("one", "two")]
    async with Http(servers[0].url) as http, Http(servers[1].url) as other:
        made = await http.table(GAME, seats=2, spectators={"who": "all", "delay": 1})
        table, host = made["table"], made["host_token"]
        path = f"/v1/tables/{table}"
        asked = ("POST", f"{path}/seats", {"name": NAME, "seat": 0})
        ada = await http.done(201, *asked, key=KEY)
        bea = await http.sit(table, OTHER)
        tokens = [ada["token"], bea["token"]]
        seats = [await join(server.url) for server in servers]
        for one, token in zip(seats, tokens, strict=True):
            await one.attach(table, token)
        game = Played(table, host, tokens, seats)
        spectator, lobby = await join(servers[1].url), await join(servers[1].url)
        await spectator.attach(table)
        assert NAME in str((await lobby.ask({"type": "watch_lobby"}))["tables"])
        for one, text in zip(seats, (f"I am {NAME}", "so you are"), strict=True):
            assert (await one.ask({"type": "say", "table": table, "text": text}))["type"] == "heard"
        await game.move(3)
        assert on_disk(embedded.folder, NAME)

        done = await asyncio.to_thread(forget, table, "--seat", "0", "--store", embedded.url)
        assert f"{table}: 1 removed" in done.output
        for one, token in zip((*seats, spectator), (*tokens, None), strict=True):
            await back(one, table, token, await sent_away(one, table))
            names = [seat["name"] for seat in one.tables[table].view["seats"]]
            assert names == [REMOVED_NAME, OTHER]
        change = await lobby.next("lobby_change", lambda message: REMOVED_NAME in str(message))
        assert [seat["name"] for seat in change["changed"]["seats"]] == [REMOVED_NAME, OTHER]
        assert on_disk(embedded.folder, NAME) == []
        for api in (http, other):
            for token in (*tokens, None):
                assert NAME not in str(await api.log(table, token, "?views=patch"))
            kept = (await api.done(200, "GET", f"{path}/talk", token=tokens[1]))["talk"]
            assert [said["text"] for said in kept] == ["so you are"]
        # The same request again is the same request still, and another one is not.
        assert await other.done(201, *asked, key=KEY) == ada
        await http.refused(409, "id_reused", "POST", f"{path}/seats", {"name": "Eve", "seat": 1}, key=KEY)
        await game.finish()

        # A rematch takes the seats over, and the old table goes into the archive: all are found.
        following = (await http.done(201, "POST", f"{path}/rematch", token=host))["next"]
        assert [seat["name"] for seat in (await http.facts(following))["seats"]] == [REMOVED_NAME, OTHER]
        async with asyncio.timeout(PATIENCE_S):
            while not Folder(settings["archive"]).has(table):  # type: ignore[arg-type]
                await asyncio.sleep(0.02)
        told = await http.done(
            200, "POST", f"/v1/admin/tables/{following}/forget", {"name": OTHER}, token=OPERATOR
        )
        assert {entry["table"]: entry["names"] for entry in told["tables"]} == {table: 1, following: 1}
        for api in (http, other):
            for ident in (table, following):
                facts = await api.facts(ident)
                assert [seat["name"] for seat in facts["seats"]] == [REMOVED_NAME] * 2
                assert OTHER not in str(await api.log(ident))
        assert on_disk(embedded.folder, OTHER) == []
        opened = await http.ask("GET", f"{path}/log?open=true")
        file = tmp_path / "log.jsonl"
        file.write_text(opened.text)
        verified = await asyncio.to_thread(CliRunner().invoke, app, ["verify", str(file)])
        assert verified.exit_code == 0, verified.output
        for one in (*seats, spectator, lobby):
            await one.close()
    for server in servers:
        assert "history_lost" not in server.log
        assert NAME not in server.log


async def test_the_operator_alone_can_forget_and_must_say_whom(launch: Launch) -> None:
    server = await launch("one", "memory://", operator_token=OPERATOR)
    async with Http(server.url) as http:
        table, host, _ = await http.full()
        path = f"/v1/admin/tables/{table}/forget"
        await http.refused(401, "unauthorized", "POST", path, {"seat": 0}, token=host)
        bodies: tuple[Any, ...] = ({}, {"seat": "0"}, {"seat": -1}, {"name": ""}, {"who": "Ann"}, [])
        for body in bodies:
            await http.refused(400, "bad_message", "POST", path, body, token=OPERATOR)
        missing = "/v1/admin/tables/nosuchtable/forget"
        await http.refused(404, "no_such_table", "POST", missing, {"seat": 0}, token=OPERATOR)
        nobody: tuple[Any, ...] = ({"name": "Player 1", "seat": 0}, {"seat": 9}, {"name": "Ada"})
        for body in nobody:
            await http.refused(404, "not_found", "POST", path, body, token=OPERATOR)
        told = await http.done(200, "POST", path, {"name": "Player 1", "seat": 1}, token=OPERATOR)
        assert told == {"tables": [{"table": table, "names": 1}]}
        told = await http.done(200, "POST", path, {"name": "Player 1", "seat": 1}, token=OPERATOR)
        assert told == {"tables": []}, "once more is harmless"
        assert (await http.facts(table))["seats"][1]["name"] == REMOVED_NAME
