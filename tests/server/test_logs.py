"""Logs are JSON lines and hold no secrets."""

import asyncio
import contextlib
import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import pytest
import structlog
import uvicorn

from server import logs

SECRET = "c2VjcmV0LXRva2Vu"


class Lines(io.StringIO):
    def read_all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]

    def only(self) -> dict[str, Any]:
        (line,) = self.read_all()
        return line


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What is logged at the level info, with the logging of the process put back afterwards."""
    names = ["", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi", "websockets", "httpx"]
    loggers = [logging.getLogger(name) for name in names]
    before = [(one.handlers[:], one.filters[:], one.level, one.propagate) for one in loggers]
    stream = Lines()
    logs.configure("info", stream)
    yield stream
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    for one, (handlers, filters, level, propagate) in zip(loggers, before, strict=True):
        one.handlers[:], one.filters[:], one.propagate = handlers, filters, propagate
        one.setLevel(level)


def test_a_line_has_time_level_event_and_context(lines: Lines) -> None:
    with structlog.contextvars.bound_contextvars(table="abcdefgh", version=7):
        logs.get_logger("server.handler").info("stored", command="m1")
    line = lines.only()
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "stored",
        "level": "info",
        "logger": "server.handler",
        "table": "abcdefgh",
        "version": 7,
        "command": "m1",
    }


def test_lower_levels_are_left_out(lines: Lines) -> None:
    logs.get_logger("server").debug("detail")
    logging.getLogger("other").debug("detail")
    assert lines.getvalue() == ""


@pytest.mark.parametrize(
    "key",
    ["token", "host_token", "Authorization", "entropy", "deal_key", "seat_token", "tokens", "Host-Token"],
)
def test_secret_keys_are_redacted_at_any_depth(lines: Lines, key: str) -> None:
    logs.get_logger("server").info("got", **{key: SECRET}, body={"seats": [{key: SECRET}]})
    assert SECRET not in lines.getvalue()
    assert lines.only()[key] == "[redacted]"
    assert lines.only()["body"] == {"seats": [{key: "[redacted]"}]}


class Sit(msgspec.Struct):
    name: str
    token: str


@dataclass
class Deal:
    deal_key: bytes
    first: int


def test_secrets_in_typed_values_are_redacted(lines: Lines) -> None:
    logs.get_logger("server").info("got", sit=Sit("Ada", SECRET), deal=Deal(SECRET.encode(), 2))
    line = lines.only()
    assert line["sit"] == {"name": "Ada", "token": "[redacted]"}
    assert line["deal"] == {"deal_key": "[redacted]", "first": 2}


def test_bearer_values_and_passwords_are_redacted_wherever_they_stand(lines: Lines) -> None:
    logger = logs.get_logger("server")
    event = f"header bEaReR  {SECRET}"
    logger.info(event, header=f"Bearer {SECRET}", where=[("h", f"Bearer {SECRET}")])
    logger.info("connecting", to=f"redis://user:{SECRET}@store/0", raw=SECRET.encode())
    logging.getLogger("other").warning("sent %s", f"Authorization: Bearer {SECRET}")
    try:
        raise ValueError(f"no seat for Bearer {SECRET}")
    except ValueError as error:
        logger.exception("failed", error=error)
    assert SECRET not in lines.getvalue()
    first, second, third, fourth = lines.read_all()
    assert first["header"] == "Bearer [redacted]"
    assert second["to"] == "redis://user:***@store/0"
    assert second["raw"] == "<16 bytes>"
    assert third["event"] == "sent Authorization: Bearer [redacted]"
    assert "ValueError: no seat" in fourth["exception"]


def test_a_line_stays_one_line_and_endless_values_end(lines: Lines) -> None:
    endless: list[object] = []
    endless.append(endless)
    logs.get_logger("server").info('two\nlines "quoted"', endless=endless, odd={1: {2, 3}})
    line = lines.only()
    assert line["event"] == 'two\nlines "quoted"'
    assert "..." in json.dumps(line["endless"])
    assert sorted(line["odd"]["1"]) == [2, 3]


def test_configuring_twice_does_not_double_lines(lines: Lines) -> None:
    logs.configure("info", lines)
    logging.getLogger("uvicorn.error").info("started")
    assert lines.only()["event"] == "started"


def test_libraries_that_log_frames_stay_above_debug(lines: Lines) -> None:
    logs.configure("debug", lines)
    logging.getLogger("websockets.server").debug('< TEXT {"token":"%s"}', SECRET)
    logging.getLogger("other").debug("seen")
    assert lines.only()["event"] == "seen"


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def test_the_access_log_of_uvicorn_is_json_without_queries(lines: Lines) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs the URLs that it asks for
    config = uvicorn.Config(answer, port=0, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with httpx.AsyncClient() as client:
            await client.get(f"http://127.0.0.1:{port}/v1/tables?token={SECRET}")
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving
    assert SECRET not in lines.getvalue()
    (access,) = [line for line in lines.read_all() if line["logger"] == "uvicorn.access"]
    assert '"GET /v1/tables?... HTTP/1.1" 204' in access["event"]
