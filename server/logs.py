"""Logs: one JSON object a line on standard error, without secrets.

Every line has `timestamp`, `level`, `logger` and `event`; what it is about is bound with
`structlog.contextvars.bound_contextvars(table=..., version=..., command=...)` around the work, or given
with the call. Other libraries' loggers come out in the same form.
"""

import dataclasses
import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, Final, TextIO

import msgspec
import structlog

from server.settings import without_password

REDACTED: Final = "[redacted]"

_SECRET_KEYS: Final = frozenset({"authorization", "entropy", "deal_key", "cookie"})
_SECRET_ENDINGS: Final = ("token", "tokens", "password", "secret")
_BEARER: Final = re.compile(r"\bbearer\s+[^\s\"',;]+", re.IGNORECASE)
_MAX_DEPTH: Final = 8


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Send all logs, also uvicorn's, to one stream as JSON. Call it once per process, before uvicorn.

    Run uvicorn with `log_config=None`, or it sets up its own handlers again.

    Args:
        level: debug, info, warning or error.
        stream: Where to write; None is standard error.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="timestamp"),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                structlog.processors.JSONRenderer(sort_keys=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())

    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
        logger.filters[:] = [_strip_queries]
    # At the level debug these write out frames and headers, in which there are tokens, cards and talk.
    for name in ("websockets", "uvicorn.error"):
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger; events are short names, what they are about is given as keywords."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def redact(logger: object, method: str, event_dict: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The processor that takes secrets out: by the names of keys, at any depth, and by their look."""
    return {key: REDACTED if _is_secret(key) else _clean(value, 0) for key, value in event_dict.items()}


def _is_secret(key: str) -> bool:
    name = key.lower().replace("-", "_")
    return name in _SECRET_KEYS or name.endswith(_SECRET_ENDINGS)


def _clean(value: object, depth: int) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if depth >= _MAX_DEPTH:
        return "..."
    if isinstance(value, Mapping):
        return {
            str(key): REDACTED if _is_secret(str(key)) else _clean(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, msgspec.Struct):
        return _clean(msgspec.structs.asdict(value), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return _clean({field.name: getattr(value, field.name) for field in fields}, depth)
    return _clean_text(str(value) if isinstance(value, BaseException) else repr(value))


def _clean_text(text: str) -> str:
    if "://" in text:
        text = without_password(text)
    return _BEARER.sub(f"Bearer {REDACTED}", text)


def _strip_queries(record: logging.LogRecord) -> bool:
    """Cut the query off every path that uvicorn logs: a token sent there by mistake stays out."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            arg.partition("?")[0] + "?..." if isinstance(arg, str) and "?" in arg else arg
            for arg in record.args
        )
    return True
