"""Fixtures of the store's tests."""

from tests.support.store import embedded, open_any, open_own, servers, table

__all__ = ["embedded", "open_any", "open_own", "servers", "table"]
