"""What a process keeps in memory of tables that nobody watches, and of connections that are gone."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.support.clients import Http, client
from tests.support.server import Serve
from tests.support.store import eventually
from tests.tables.sitting import UNLIMITED


@pytest.mark.interpreted
async def test_a_table_that_is_dropped_is_let_go_of_at_once(serve: Serve) -> None:
    """Not when the garbage collector comes around: that is late, and a table's state is large."""
    here = await serve(**UNLIMITED, idle_tables=1)
    gc.disable()
    try:
        async with Http(here.url) as http, client(here.url) as viewer:
            table, _, tokens = await http.full("trick-and-trade", 3)
            await viewer.attach(table, tokens[0])
            room = here.service.known(table)
            assert room is not None
            state = weakref.ref(room.live)
            del room
            await viewer.ask({"type": "detach", "table": table})
            await http.full("trick-and-trade", 3)

            async def gone() -> bool:
                return here.service.known(table) is None

            await eventually(gone)
            assert state() is None
            assert (await viewer.attach(table, tokens[0]))["version"] == 5
    finally:
        gc.enable()


@pytest.mark.interpreted
@pytest.mark.parametrize("drop", [False, True])
async def test_a_connection_that_has_ended_is_let_go_of_at_once(serve: Serve, drop: bool) -> None:
    here = await serve(**UNLIMITED)
    gc.collect()
    gc.disable()
    try:
        async with Http(here.url) as http:
            table, _, tokens = await http.full("trick-and-trade", 3)
            async with client(here.url) as one:
                await one.attach(table, tokens[0])
                (connection,) = here.app.state.endpoint._connections
                there = weakref.ref(connection)
                del connection
                if drop:
                    await one.drop()

            async def gone() -> bool:
                return there() is None

            await eventually(gone)
            assert here.app.state.endpoint.number == 0
    finally:
        gc.enable()
