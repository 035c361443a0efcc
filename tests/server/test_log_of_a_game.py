"""What a server logs at its most talkative while a game is played: every command, and no secret."""

from __future__ import annotations

import json
from typing import Any

from tests.server.playing import played
from tests.support.clients import Http, client
from tests.support.server import Launch, ServerProcess

TEXT = "a sentence that nobody else shall read"
SHORT = "hush-hush"
"""Short enough for a line about a frame to hold it whole."""

NAME = "Zebulon"
OPERATOR = "operator-" * 5
MISTAKE = "token-where-none-belongs-" + "m" * 20


def lines(server: ServerProcess) -> list[dict[str, Any]]:
    """The lines of a server's log, but the one for the terminal."""
    found = [line for line in server.log.splitlines() if not line.startswith("Facedown ")]
    return [json.loads(line) for line in found]


def strings(value: Any, key: str = "") -> list[str]:
    """All strings in what a viewer was told that may be secret: cards, not the names of things."""
    if isinstance(value, dict):
        return [one for name, inner in value.items() for one in strings(inner, name)]
    if isinstance(value, list):
        return [one for inner in value for one in strings(inner, key)]
    return [value] if isinstance(value, str) and key in ("hands", "card", "cards", "order", "one_of") else []


async def test_a_game_at_the_level_debug_shows_its_commands_and_no_secret(launch: Launch) -> None:
    server = await launch("server", "memory://", log_level="debug", operator_token=OPERATOR)
    moves: list[tuple[str, int]] = []
    async with Http(server.url) as http, played(server.url, "trick-and-trade", 3) as game:
        refused = await game.mover.act(game.table, {"type": "play", "card": "no-such-card"}, id="refused")
        assert refused["code"] == "illegal_action"
        for number in range(12):
            answer = await game.move(id=f"move-{number}")
            moves.append((f"move-{number}", answer["version"]))
        async with client(server.url) as watcher:
            await watcher.attach(game.table)
            assert (await watcher.act(game.table, {"type": "play"}, id="forbidden"))["code"] == "forbidden"
            await watcher.attach(game.table, "x" * 43)
            await watcher.raw('{"type":"ping","id":"broken","token":"' + MISTAKE)
            await watcher.raw('{"text":"' + SHORT + '"}')
        await game.seats[0].ask({"type": "say", "table": game.table, "text": TEXT})
        guest = (await http.done(201, "POST", f"/v1/tables/{game.table}/spectators", token=game.host))[
            "token"
        ]
        await http.ask("GET", f"/v1/tables?token={MISTAKE}")
        await http.ask("GET", f"/v1/ws?token={MISTAKE}", headers={"Authorization": f"Bearer {MISTAKE}"})
        await http.ask("GET", f"/v1/admin/tables/{game.table}", token=OPERATOR)
        await http.refused(
            400, "bad_message", "POST", f"/v1/tables/{game.table}/seats", {"name": NAME, "x": 1}
        )
        secrets = {game.host, guest, *game.tokens, OPERATOR, MISTAKE, SHORT, TEXT, NAME, "Player 1", "x" * 43}
        cards = {card for one in game.seats for card in strings(one.seen)}
        table = game.table
    server.stop()
    assert len(cards) > 10, "the cards were not found: this test would show nothing"
    told = lines(server)
    for line in told:
        assert {"timestamp", "level", "logger", "event"} <= set(line)
    text = "\n".join(json.dumps(line) for line in told)
    assert [secret for secret in secrets | {f'"{card}"' for card in cards} if secret in text] == []
    commands = {line["command"]: line for line in told if line["event"] == "command"}
    assert {line["table"] for line in commands.values()} == {table}
    assert [(ident, commands[ident]["version"]) for ident, _ in moves] == moves
    assert {ident: commands[ident]["outcome"] for ident in ("refused", "forbidden", "move-0")} == {
        "refused": "illegal_action",
        "forbidden": "forbidden",
        "move-0": "accepted",
    }
