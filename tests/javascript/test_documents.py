"""The descriptions of the API by the specifications' own validators that exist for Node.js only.

OpenAPI is validated in tests/server/test_http_basics.py, JSON Schema in tests/server/test_schema.py.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from server.asyncapi import description
from tests.javascript.test_client import environment, node
from tests.support.node import program

__all__ = ["node"]

FOLDER = Path(__file__).parent / "validators"
ERROR, WARNING = 0, 1


@pytest.fixture(scope="module")
def parser(node: str) -> str:
    """The program that runs it, with the parser installed."""
    npm = program("npm")
    assert npm is not None
    words = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent"]
    subprocess.run(words, cwd=FOLDER, check=True, timeout=240, env=environment(node))
    return node


def complaints(parser: str, document: bytes) -> list[dict[str, Any]]:
    """What the parser calls an error or warns of."""
    words = [parser, str(FOLDER / "asyncapi.js")]
    done = subprocess.run(words, input=document, capture_output=True, check=True, timeout=120)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [one for one in found if one["severity"] in (ERROR, WARNING)]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_description_of_the_websocket_is_valid(parser: str) -> None:
    assert complaints(parser, description()) == []
    wrong = json.loads(description())
    wrong["operations"]["fromClient"]["action"] = "shout"
    assert complaints(parser, json.dumps(wrong).encode())
