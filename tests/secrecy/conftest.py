"""Fixtures of the tests that talk to a running server."""

from __future__ import annotations

from tests.server.conftest import here, http, launch, serve, server_log

__all__ = ["here", "http", "launch", "serve", "server_log"]
