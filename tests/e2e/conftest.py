"""Fixtures of the end-to-end tests."""

from tests.support.server import launch, serve, server_log
from tests.support.store import embedded

__all__ = ["embedded", "launch", "serve", "server_log"]
