"""Schemathesis against a real server: whatever it is asked, the answers are as described.

Nothing is ever answered by 500, by a status, a body or a type of content that the description does not have,
and nothing that it forbids is taken.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients import Http
from tests.support.counts import LONG
from tests.support.server import Launch, ServerProcess

ROOMY: dict[str, Any] = {
    "request_burst": 1_000_000,
    "request_rate_per_s": 1_000_000,
    "tables_per_address_per_hour": 1_000_000,
    "log_level": "warning",
}
PHASES = "examples,coverage,fuzzing" if LONG else "examples,coverage"
PATHS = "." if LONG else r"(seats|start|log|readyz)$"


async def attack(server: ServerProcess, folder: Path, table: str, token: str | None) -> str:
    """Run schemathesis over the whole API, most of it at one table; gives what it wrote."""
    config = folder / "schemathesis.toml"
    config.write_text(f'[parameters]\n"path.table" = "{table}"\n')
    # That all of what fits the description is taken cannot be: a name has rules that no schema can tell.
    program = Path(sys.executable).parent / "st"
    command = [str(program), "--config-file", str(config), "--no-color", "run"]
    command += [f"{server.url}/v1/openapi.json", "--checks", "all"]
    command += ["--exclude-checks", "positive_data_acceptance", "--max-examples", "50"]
    command += ["--include-path-regex", PATHS]
    command += ["--phases", PHASES, "--continue-on-failure", "--seed", "1"]
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    text = out.decode()
    assert process.returncode == 0, text
    number = re.search(r"(\d+) generated, (\d+) passed", text)
    assert number is not None, text
    assert number[1] == number[2]
    assert int(number[1]) > 100, text
    return text


@pytest.mark.timeout(1800 if LONG else 60)
@pytest.mark.parametrize(
    "who",
    [
        "host",
        *(pytest.param(who, marks=pytest.mark.long) for who in ("nobody", "stranger", "seat", "finished")),
    ],
)
async def test_the_http_api_answers_as_it_says_whatever_it_is_asked(
    launch: Launch, tmp_path: Path, who: str
) -> None:
    server = await launch(store="memory://", **ROOMY)
    async with Http(server.url) as http:
        if who == "finished":
            made = await http.table("mein-schatz", seats=2, autostart=False)
            table, token = made["table"], made["host_token"]
            await http.sit(table)
            await http.done(200, "DELETE", f"/v1/tables/{table}/host", token=token)
        else:
            table, host, tokens = await http.full("mein-schatz", 2)
            token = {"host": host, "seat": tokens[0], "stranger": "A" * 43}.get(who)
        await attack(server, tmp_path, table, token)
        assert (await http.ask("GET", "/readyz")).status_code == 200
        page = (await http.client.get("/metrics")).text
        assert re.findall(r"^facedown_errors_total (\S+)$", page, re.MULTILINE) == ["0.0"]
    lines = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] in ("error", "critical")] == []
