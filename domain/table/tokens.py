"""Who a token's hash belongs to at a table; all comparisons take the same time."""

from __future__ import annotations

import hmac

from domain.table.state import Table


def seat_of(table: Table, token_hash: bytes) -> int | None:
    """The seat that a token belongs to, or None."""
    for number, there in enumerate(table.seats):
        if there is not None and hmac.compare_digest(there.token_hash, token_hash):
            return number
    return None


def is_host(table: Table, token_hash: bytes) -> bool:
    """Whether a token is the host's."""
    return hmac.compare_digest(table.host_hash, token_hash)


def is_admitted(table: Table, token_hash: bytes) -> bool:
    """Whether a token is one that the host issued for a spectator."""
    return any(hmac.compare_digest(known, token_hash) for known in table.spectator_hashes)
