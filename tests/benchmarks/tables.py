"""Tables of the benchmark's game on a running server, and the plan that names them to the load generator."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.benchmarks.trick import NAME, SEATS


class Api:
    """The HTTP API over one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """POST; gives the answer. Raises RuntimeError where it is no success."""
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", f"/v1{path}", json.dumps(body), headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status >= 300:
            raise RuntimeError(f"{path}: {response.status} {answer}")
        return answer

    def get(self, path: str) -> int:
        """GET; gives the status."""
        self._connection.request("GET", path)
        response = self._connection.getresponse()
        response.read()
        return response.status

    def table(self) -> list[str]:
        """Open a table and fill it: its id and the tokens of its seats."""
        ident = self.post("/tables", {"game": NAME, "listed": False})["table"]
        seats = (self.post(f"/tables/{ident}/seats", {"name": f"Player {seat}"}) for seat in range(SEATS))
        return [ident, *(seat["token"] for seat in seats)]


def open_tables(port: int, number: int, at_once: int = 4) -> list[list[str]]:
    """Open and fill so many tables."""

    def some(count: int) -> list[list[str]]:
        with closing(Api(port)) as api:
            return [api.table() for _ in range(count)]

    shares = [number // at_once + (index < number % at_once) for index in range(at_once)]
    with ThreadPoolExecutor(at_once) as pool:
        return [table for found in pool.map(some, shares) for table in found]


def made_up(number: int) -> list[list[str]]:
    """Names of tables for the floor, which knows any."""
    return [[f"floor{index:011d}", *(f"token{seat}" for seat in range(SEATS))] for index in range(number)]


def write_plan(path: Path, tables: Iterable[list[str]]) -> Path:
    """Write the plan for the load generator."""
    path.write_text("".join(" ".join(table) + "\n" for table in tables))
    return path
