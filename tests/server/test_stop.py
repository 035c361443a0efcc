"""A server stops whatever it is doing."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request

from server.direct import DirectProtocol
from server.sockets import SocketProtocol
from tests.support.clients import Http, address, client
from tests.support.server import Serve


async def test_timers_that_have_just_been_woken_stop(serve: Serve) -> None:
    """A cancellation that came together with the wake-up was lost, and the server never ended."""
    here = await serve()
    timers = here.service.timers
    for turns in range(4):
        for _ in range(20):
            await asyncio.sleep(0)
        timers._wake.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await timers.stop()
        timers.start()


@pytest.mark.parametrize("direct", [True, False])
async def test_a_handshake_that_meets_the_end_is_refused_as_one_after_it(
    serve: Serve, direct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was answered with 500, and then the application's 503 was logged as an error."""
    here = await serve(direct=direct)
    protocol = DirectProtocol if direct else SocketProtocol
    handle = protocol.handle_connect

    def as_it_ends(self: SocketProtocol, event: Request) -> None:
        handle(self, event)  # type: ignore[arg-type]
        here.app.state.endpoint.stop()
        self.shutdown()  # as uvicorn does with every connection, before the application has run

    monkeypatch.setattr(protocol, "handle_connect", as_it_ends)
    with pytest.raises(InvalidStatus) as caught:
        await connect(address(here.url))
    response = caught.value.response
    assert (response.status_code, json.loads(response.body or b"{}")["code"]) == (503, "unavailable")


async def test_a_process_that_ends_takes_no_new_work_and_tells_its_viewers(serve: Serve) -> None:
    here = await serve()
    async with Http(here.url) as http, client(here.url) as one:
        table, _, tokens = await http.full()
        await one.ask({"type": "attach", "table": table, "token": tokens[0]})
        here.service.stopping = True
        told = await one.ask({"type": "act", "table": table, "action": {"type": "play", "card": "nev-1"}})
        assert (told["type"], told["code"], told["table"]) == ("error", "unavailable", table)
        assert (await one.ask({"type": "ping"}))["type"] == "pong"
        answer = await http.client.post("/v1/tables", json={"game": "mein-schatz"})
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["retry-after"]
        here.app.state.endpoint.stop()
        detached = await one.next("detached", lambda message: message["table"] == table)
        assert detached["reason"] == "shutdown"
