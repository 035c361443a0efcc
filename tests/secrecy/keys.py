"""A canary for the secrets of a table that are no cards: the deal key and the hashes of tokens."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from domain.table import Table


def spellings(secret: bytes) -> set[bytes]:
    """The ways in which bytes may stand in a message."""
    hexadecimal = secret.hex().encode()
    encoded = {base64.b64encode(secret), base64.urlsafe_b64encode(secret)}
    return {secret, hexadecimal, hexadecimal.upper(), *encoded, *(text.rstrip(b"=") for text in encoded)}


def secrets_of(table: Table) -> dict[str, bytes]:
    """What nobody is told of a table that runs."""
    found = {"the deal key": table.deal_key, "the hash of the host's token": table.host_hash}
    for number, seat in enumerate(table.seats):
        if seat is not None:
            found[f"the hash of the token of seat {number}"] = seat.token_hash
    for number, known in enumerate(table.spectator_hashes):
        found[f"the hash of a spectator's token ({number})"] = known
    return {name: secret for name, secret in found.items() if len(secret) >= 8}


def told(data: bytes | str, table: Table) -> Iterator[str]:
    """The secrets of a running table that stand in what somebody was sent."""
    raw = data.encode() if isinstance(data, str) else data
    for name, secret in secrets_of(table).items():
        if any(spelling in raw for spelling in spellings(secret)):
            yield name
