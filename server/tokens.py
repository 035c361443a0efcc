"""Secrets of the server: table ids, tokens, deal keys. The only reader of the system's randomness."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

from domain.dealing import KEY_BYTES, joined

TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,200}")
_TABLE = re.compile(r"[a-z0-9]{8,32}")
_IDS = "abcdefghijklmnopqrstuvwxyz234567"


def new_token() -> str:
    """A token of 256 random bits, base64url without padding."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_key() -> bytes:
    """A deal key."""
    return secrets.token_bytes(KEY_BYTES)


def new_epoch() -> str:
    """What tells one history of a table from another one under the same id."""
    return secrets.token_hex(8)


def new_table() -> str:
    """An id that nobody can guess: 80 random bits."""
    return "".join(secrets.choice(_IDS) for _ in range(16))


def digest(token: str) -> bytes:
    """The form in which a token is stored."""
    return hashlib.sha256(token.encode()).digest()


def is_token(text: str) -> bool:
    """Whether a client-chosen token has at least 32 bytes in base64url."""
    return _TOKEN.fullmatch(text) is not None


def is_table(text: str) -> bool:
    """Whether ``text`` has the form of a table id."""
    return _TABLE.fullmatch(text) is not None


class Derived:
    """Ids and tokens that belong to an idempotency key, so that a repeated request gets the same ones.

    Args:
        secret: the store's own secret; without it nothing can be derived from a key.
        key: the idempotency key of the client.
        scope: what the request is about; the same key elsewhere gives something else.
    """

    def __init__(self, secret: bytes, key: str, scope: str) -> None:
        self._secret = secret
        self._parts = (scope.encode(), key.encode())

    def _bytes(self, what: str) -> bytes:
        return hmac.digest(self._secret, joined(what.encode(), *self._parts), "sha256")

    def token(self, what: str) -> str:
        """A token for ``what`` ("host", "seat", "spectator")."""
        return base64.urlsafe_b64encode(self._bytes(what)).rstrip(b"=").decode()

    def table(self) -> str:
        """A table id."""
        number = int.from_bytes(self._bytes("table"), "big")
        return "".join(_IDS[number >> 5 * place & 31] for place in range(16))

    def command_id(self) -> str:
        """The id under which the request is remembered in the log; it does not tell the key."""
        return self._bytes("command").hex()[:32]
