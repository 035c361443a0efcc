"""Fixtures of the attacks."""

from tests.support.server import launch, serve, server_log

__all__ = ["launch", "serve", "server_log"]
