"""A small client: HTTP calls, a viewer of a table that outlives its connections, a player of any game.

The model of a bot by somebody else: it knows no game, reads only what the wire tells, and imports nothing
else of this project::

    server = Server("http://localhost:8000")
    table = (await server.create("trick-and-trade", seats=3))["table"]
    seat = await server.sit(table, "Ada")
    async with server.attach(table, seat["token"]) as viewer:
        await play_at_random(viewer, random.Random())
"""

from server.client.api import Server
from server.client.bot import pick, play_at_random
from server.client.errors import ClientError, Gone, Refused, Unreachable
from server.client.viewer import Codec, Message, Viewer, Views, merged

__all__ = [
    "ClientError",
    "Codec",
    "Gone",
    "Message",
    "Refused",
    "Server",
    "Unreachable",
    "Viewer",
    "Views",
    "merged",
    "pick",
    "play_at_random",
]
