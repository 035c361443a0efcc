"""What a spectator behind a delay may be told, by a model of its own, and a check of everything it is told.

The model is two lines: of ``n`` commits a spectator may know the first ``n - delay``, at least one, and all
once the table is over. Everything else follows from the fold of those commits.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from domain.events import Commit
from domain.registry import codec
from domain.table import Table
from domain.visibility import SPECTATOR
from projections import frame
from projections.facts import facts
from projections.history import states
from projections.redaction import redact_all
from server.store import EventStore
from tests.support.clients import Client, Http, Message, Mirror, client


class Leak(AssertionError):
    """A spectator was told of something that it may not know yet."""


def plain(value: Any) -> Any:
    """A value as it arrives."""
    return json.loads(msgspec.json.encode(value))


class Model:
    """A table as it is in the store, and the part of it that spectators may know.

    Args:
        store: where the commits are.
        table: the id.
        game: its game.
        delay: in commits.
    """

    def __init__(self, store: EventStore, table: str, game: str, delay: int) -> None:
        self.store = store
        self.id = table
        self.decode = codec(game).decode
        self.delay = delay
        self.commits: list[Commit] = []
        self.states: list[Table] = []

    async def look(self) -> None:
        """Read what the store has now."""
        entries = await self.store.read(self.id)
        self.commits = [self.decode(entry.version, entry.at_ms, entry.data) for entry in entries]
        self.states = [table for _, table in states(self.commits)]

    @property
    def visible(self) -> int:
        """The last version that a spectator may know."""
        if self.states[-1].over:
            return len(self.commits)
        return max(1, len(self.commits) - self.delay)

    @property
    def table(self) -> Table:
        """The table as a spectator may know it."""
        return self.states[self.visible - 1]

    def facts(self, connected: set[int]) -> Message:
        """What everybody without a seat's token is told of the table."""
        told: Message = plain(facts(self.table, connected))
        return told

    def line(self, version: int) -> Message:
        """A line of the log without its digest."""
        commit = self.commits[version - 1]
        told: Message = plain(
            {
                "version": version,
                "at_ms": commit.at_ms,
                "by": commit.by,
                "events": redact_all(commit.events, SPECTATOR),
            }
        )
        return told

    def snapshot(self, version: int) -> Message:
        """View, actions and who is awaited."""
        found = plain(frame.snapshot(self.states[version - 1], SPECTATOR))
        return {name: found[name] for name in ("status", "view", "actions", "waiting")}


def same(what: str, told: Any, due: Any) -> None:
    """Raise `Leak` where something differs from the model."""
    if told != due:
        raise Leak(f"{what}: told\n{json.dumps(told)}\nwhere the model says\n{json.dumps(due)}")


async def check_http(model: Model, http: Http, connected: set[int], token: str | None = None) -> None:
    """Everything that HTTP tells a spectator now. Raises `Leak`.

    Args:
        token: of a spectator or the host; None for somebody without any.
    """
    await model.look()
    ident, visible = model.id, model.visible
    due = model.facts(connected)
    same("facts", await http.facts(ident, token), due)
    page = await http.done(200, "GET", "/v1/tables")
    same("listing", page["tables"], [due])
    for status in ("open", "playing", "finished"):
        page = await http.done(200, "GET", f"/v1/tables?status={status}")
        same(f"listing of {status}", page["tables"], [due] if due["status"] == status else [])
    for query in ("", "?views=patch"):
        header, lines = await http.log(ident, token, query)
        same("header of the log", (header["version"], header["status"]), (visible, model.table.status))
        shown = [{name: line[name] for name in ("version", "at_ms", "by", "events")} for line in lines]
        same("log", shown, [model.line(version) for version in range(1, visible + 1)])
    for version in {1, visible}:
        found = await http.done(200, "GET", f"/v1/tables/{ident}/at/{version}", token=token)
        same("at", {name: found[name] for name in model.snapshot(version)}, model.snapshot(version))
    refused = await http.ask("GET", f"/v1/tables/{ident}/at/{visible + 1}", token=token)
    same("at beyond", (refused.status_code, refused.json().get("detail")), (404, {"head": visible}))
    if not model.states[-1].over:
        refused = await http.ask("GET", f"/v1/tables/{ident}/log?open=true", token=token)
        same("open log", (refused.status_code, "forbidden" in refused.text), (403, True))
    if token is not None:
        mine = await http.done(200, "POST", "/v1/mine", {"tables": [{"table": ident, "token": token}]})
        same("mine", mine["tables"][0]["facts"], due)
    talk = await http.done(200, "GET", f"/v1/tables/{ident}/talk", token=token)
    if any(said["version"] > visible for said in talk["talk"]):
        raise Leak(f"talk of a later version: {talk}")


async def check_stream(model: Model, watcher: Client) -> None:
    """All that a spectator's connection has been sent, from its attach on. Raises `Leak`."""
    await model.look()
    mirror = await watcher.version(model.id, model.visible)
    same("version", mirror.version, model.visible)
    same(
        "what is known of the table",
        {"status": mirror.status, "view": mirror.view, "actions": mirror.actions, "waiting": mirror.waiting},
        model.snapshot(model.visible),
    )
    for version, update in mirror.updates.items():
        shown = {name: update[name] for name in ("version", "at_ms", "by", "events")}
        same("update", shown, model.line(version))
        same("status", update["status"], model.states[version - 1].status)
        same("waiting", update["waiting"], model.snapshot(version)["waiting"])
    reached: int = 0
    for message in watcher.seen:
        if message["type"] in ("attached", "update"):
            reached = message["head"] if "head" in message else message["version"]
        elif message["type"] == "presence":
            seats = model.states[reached - 1].seats
            if seats[message["seat"]] is None:
                raise Leak(f"presence on a seat that is free at version {reached}: {message}")
        elif message["type"] == "said" and message["version"] > reached:
            raise Leak(f"talk of a later version than {reached}: {message}")
        elif message["type"] in ("rejected", "error") and message.get("version", 0) > reached:
            raise Leak(f"a refusal tells of a later version than {reached}: {message}")


async def check_resume(model: Model, url: str) -> None:
    """Attach with every kind of ``from``, each on a connection of its own. Raises `Leak`."""
    await model.look()
    epoch, visible = model.table.epoch, model.visible
    for start in {1, visible, visible + 1, len(model.commits)}:
        async with client(url) as watcher:
            known = model.snapshot(min(start, visible))
            watcher.remember(Mirror(model.id, {"spectator": True}, version=start, epoch=epoch, **known))
            resume: dict[str, Any] = {"from": start, "epoch": epoch}
            told = await watcher.attach(model.id, **resume)
            same("recovered", told["recovered"], start <= visible)
            same("head", told.get("head", told["version"]), visible)
            await check_stream(model, watcher)


def check_lobby(model: Model, watcher: Client) -> None:
    """All lobby messages: each entry is the table as it was visible at some time, never going back."""
    due = [plain(facts(table, frozenset())) for table in model.states[: model.visible]]
    before = 0
    for message in watcher.seen:
        entries = message.get("tables", []) if message["type"] == "lobby" else []
        if message["type"] == "lobby_change":
            entries = [message[name] for name in ("added", "changed") if name in message]
        for entry in entries:
            seats = [{**seat, "connected": False} for seat in entry["seats"]]
            version = entry["version"]
            if version > len(due) or {**entry, "seats": seats} != due[version - 1] or version < before:
                raise Leak(f"a lobby entry of version {version}, {len(due)} are visible: {entry}")
            before = version
