"""Plays any game on a Facedown server, at random: python bot.py http://localhost:8000 TABLE [NAME]

It needs nothing but the package websockets. It knows no rules: `actions` says what may be done, `waiting` who
is asked. A command is sent again under its id until it is answered, so that it happens exactly once.
"""

import json
import random
import sys
import time
import urllib.request
import uuid
from contextlib import suppress

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect


def sit(url, table, name):
    body = json.dumps({"name": name, "entropy": uuid.uuid4().hex}).encode()
    return json.load(urllib.request.urlopen(f"{url}/v1/tables/{table}/seats", body))


def pick(choice):
    if "one_of" in choice:
        return random.choice(choice["one_of"])
    return random.sample(choice["some_of"], random.randint(choice["min"], choice["max"]))


def play(url, table, seat, token):
    address = url.replace("http", "ws", 1) + "/v1/ws"
    act = None  # the command that is not answered yet
    while True:
        with suppress(WebSocketException, OSError), connect(address) as socket:
            socket.send(json.dumps({"type": "attach", "table": table, "token": token}))
            for message in map(json.loads, socket):
                kind, code = message["type"], message.get("code")
                if kind in ("attached", "update"):
                    told = message
                elif kind == "detached" or code in ("rate_limited", "unavailable", "outcome_unknown"):
                    break  # connect again
                elif kind == "error":
                    sys.exit(message["message"])
                elif act and message.get("id") == act["id"]:
                    act = None  # accepted; or rejected, because the table had moved on
                if told["status"] in ("finished", "abandoned"):
                    return told["view"].get("result")
                if act is None and seat in told["waiting"]:
                    offer = random.choice(told["actions"]).items()
                    action = {key: it if key == "type" else pick(it) for key, it in offer}
                    act = {"type": "act", "id": uuid.uuid4().hex, "table": table, "action": action}
                elif act is None or kind != "attached":
                    continue
                socket.send(json.dumps(act))
        time.sleep(1)


mine = sit(*sys.argv[1:3], "".join(sys.argv[3:]) or "Bot")
print(json.dumps({"seat": mine["seat"], "result": play(*sys.argv[1:3], **mine)}))
