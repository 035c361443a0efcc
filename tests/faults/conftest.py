"""Fixtures of the fault tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.results import Results
from tests.support.server import launch, serve, server_log
from tests.support.store import embedded

__all__ = ["embedded", "launch", "results", "serve", "server_log"]


@pytest.fixture(scope="session")
def results() -> Iterator[Results]:
    """What the tests measured; written to the file that FACEDOWN_RESULTS names, if it names one."""
    found = Results()
    yield found
    if path := os.environ.get("FACEDOWN_RESULTS"):
        found.write(Path(path))
