"""Fixtures of the tests that talk to a running server."""

from tests.support.server import launch, serve, server_log

__all__ = ["launch", "serve", "server_log"]
