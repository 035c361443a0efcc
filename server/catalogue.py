"""What the server says of itself and of its games; made once per process."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

from domain.registry import games
from server.bots import policies_of
from server.schema import game_schemas
from server.settings import Settings


def release() -> str:
    """The version of the installed package."""
    try:
        return version("facedown")
    except PackageNotFoundError:
        return "0+unknown"


class Catalogue:
    """The bodies of ``GET /v1`` and ``GET /v1/games``."""

    def about(self, settings: Settings) -> dict[str, Any]:
        """Version, protocols, limits."""
        return {
            "server": "facedown",
            "version": release(),
            "protocols": [1],
            "subprotocols": ["facedown.v1.json", "facedown.v1.msgpack"],
            "limits": {
                "max_message_bytes": settings.max_message_bytes,
                "max_frame_bytes": settings.max_frame_bytes,
                "max_depth": 32,
                "max_id_characters": 64,
                "max_name_characters": 40,
                "message_burst": settings.message_burst,
                "message_rate_per_s": settings.message_rate_per_s,
                "max_attached_tables": settings.max_attached_tables,
                "max_connections_per_address": settings.max_connections_per_address,
                "max_spectators_per_table": settings.max_spectators_per_table,
                "tables_per_address_per_hour": settings.tables_per_address_per_hour,
                "request_burst": settings.request_burst,
                "request_rate_per_s": settings.request_rate_per_s,
                "queue_bytes": settings.queue_bytes,
                "resume_window": settings.resume_window,
                "handshake_timeout_s": settings.handshake_timeout_s,
                "ping_interval_s": settings.ping_interval_s,
                "idle_timeout_s": settings.idle_timeout_s,
            },
        }

    @staticmethod
    @cache
    def games() -> bytes:
        """All games as JSON."""
        found = [
            {
                "game": game.name,
                "title": game.title,
                "seats": list(game.seats),
                "help": game.help,
                "bots": list(policies_of(game)),
                "actions": {kind: dict(parameters) for kind, parameters in game.action_shapes.items()},
                **game_schemas(game),
            }
            for game in games().values()
        ]
        return msgspec.json.encode({"games": found})


catalogue = Catalogue()
