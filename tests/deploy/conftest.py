"""Fixtures of the tests of what runs in production."""

from tests.faults.conftest import results
from tests.support.server import launch, serve, server_log

__all__ = ["launch", "results", "serve", "server_log"]
