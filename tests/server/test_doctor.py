"""`facedown doctor`: every line of its table, and what a server does about it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server import doctor
from server.embedded import EmbeddedStore
from server.store import WeakStore, open_store
from server.store.check import Check
from server.store.link import Settings
from tests.support.server import ROOT
from tests.support.store import OpenStore, embedded, open_own, table

__all__ = ["embedded", "open_own", "table"]


@pytest.fixture
async def admin(embedded: EmbeddedStore) -> AsyncIterator[Redis]:
    async with Redis.from_url(embedded.url) as client:
        yield client


async def look(url: str, replicas: int = 0) -> dict[str, Check]:
    return {check.name: check for check in await doctor.diagnose(url, Settings(), replicas)}


def bad(checks: dict[str, Check]) -> dict[str, str]:
    return {name: check.verdict for name, check in checks.items() if check.verdict != "ok"}


async def test_an_embedded_store_is_fit(embedded: EmbeddedStore, open_own: OpenStore, table: str) -> None:
    store, _ = await open_own()
    await store.append(table, 1, b"one")
    checks = await look(embedded.url)
    assert {check.verdict for check in checks.values() if check.name != "append"} == {"ok"}
    assert checks["append"].verdict != "refuse"
    assert checks["logs"].found.startswith("1,")
    assert await store.heads([table]) == [1]


@pytest.mark.parametrize(
    ("setting", "value", "verdict"),
    [
        ("appendonly", "no", "refuse"),
        ("appendfsync", "everysec", "refuse"),
        ("no-appendfsync-on-rewrite", "yes", "refuse"),
        ("maxmemory-policy", "allkeys-lru", "refuse"),
        ("aof-load-truncated", "yes", "warn"),
    ],
)
async def test_a_setting_that_is_not_right(
    admin: Redis, embedded: EmbeddedStore, setting: str, value: str, verdict: str
) -> None:
    await admin.config_set(setting, value)
    check = (await look(embedded.url))[setting]
    assert (check.found, check.verdict) == (value, verdict)
    assert f"set `{setting} " in check.advice
    store = open_store(embedded.url)
    if verdict == "refuse":
        with pytest.raises(WeakStore, match=setting):
            await store.start()
    else:
        await store.start()
    await store.close()


async def test_a_replica(admin: Redis, embedded: EmbeddedStore) -> None:
    await admin.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]
    assert bad(await look(embedded.url)) == {"role": "refuse"}


async def test_too_few_replicas(embedded: EmbeddedStore) -> None:
    assert bad(await look(embedded.url, replicas=1)).get("replicas") == "refuse"


async def test_a_store_that_is_nearly_full(admin: Redis, embedded: EmbeddedStore) -> None:
    used = int((await admin.info("memory"))["used_memory"])
    await admin.config_set("maxmemory", str(round(used * 1.1)))
    assert (await look(embedded.url))["memory"].verdict == "warn"


async def test_a_log_with_a_hole_is_named(
    admin: Redis, embedded: EmbeddedStore, open_own: OpenStore, table: str
) -> None:
    store, _ = await open_own()
    for version in range(1, 5):
        await store.append(table, version, b"x")
        await store.append(f"{table}-good", version, b"x")
    await admin.xdel(f"fd:{{{table}}}:log", "2-0")
    check = (await look(embedded.url))["logs"]
    assert check.verdict == "refuse"
    assert check.found == "1 of 2 have holes"
    assert check.advice.endswith(f": {table}")


async def test_the_functions_of_another_release(admin: Redis, embedded: EmbeddedStore) -> None:
    await look(embedded.url)
    assert (await look(embedded.url))["functions"].found == "facedown_1 is loaded"
    other = "#!lua name=facedown_1\nredis.register_function('facedown_1_append', function() return {2} end)"
    await admin.function_load(other, replace=True)
    checks = await look(embedded.url)
    assert checks["functions"].verdict == "warn"


async def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    checks = await look(f"unix://{tmp_path}/nothing.sock")
    assert bad(checks) == {"reachable": "refuse"}


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from server.cli import app; app()", "doctor", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_looks_at_a_store_that_a_server_runs(embedded: EmbeddedStore, tmp_path: Path) -> None:
    done = command(tmp_path, "--data", str(embedded.folder), "--json")
    assert done.returncode == 0, done.stderr
    checks = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"version", "appendfsync", "logs"} <= {check["name"] for check in checks}
    assert set(checks[0]) == {"name", "found", "verdict", "advice"}


def test_the_command_ends_with_1_where_a_server_would_refuse(tmp_path: Path) -> None:
    done = command(tmp_path, "--store", f"unix://{tmp_path}/nothing.sock")
    assert done.returncode == 1
    assert done.stdout.startswith("refuse  reachable  ")
    assert command(tmp_path, "--store", "memory://").returncode == 2
