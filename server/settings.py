"""What can be set: every setting, its default and its environment variable.

The variable of a field is `FACEDOWN_` and the field's name in capitals: `FACEDOWN_PORT`,
`FACEDOWN_PING_INTERVAL_S`. An empty variable counts as not set.
"""

import dataclasses
import difflib
import ipaddress
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import SplitResult, urlsplit

PREFIX: Final = "FACEDOWN_"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
STORE_SCHEMES: Final = ("redis", "rediss", "valkey", "valkeys", "unix", "memory")


class SettingsError(ValueError):
    """A setting that cannot be used. The text names the variable and says what would be right."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """One server process's settings, checked when made and never changed.

    Options of the command line override what the environment says through `replaced`, which checks
    again. Sizes are in bytes and durations in seconds, as the names say.

    Attributes:
        host: The address to listen on.
        port: The port to listen on; 0 takes a free one.
        workers: How many server processes to run.
        store: The URL of the Redis or Valkey that holds the logs (`redis://`, `rediss://`, `valkey://`, `valkeys://`,
            `unix://`),
            `memory://` for one that forgets; without it, one that the server runs itself in `data`.
        data: The folder for the embedded store and for archived tables.
        allow_weak_store: Accept an external store that may lose what it acknowledged.
        store_replicas: How many replicas must have a commit before it counts as stored.
        store_replicas_on_disk: Whether they must have it on disk, too (Redis 7.2, Valkey 8 or newer).
        origins: The origins that browsers may connect from; empty means any.
        handshake_timeout_s: How long an HTTP request or the handshake of a WebSocket may take to arrive.
        ping_interval_s: How often a quiet connection is pinged.
        idle_timeout_s: How long a connection may say nothing, not even a pong.
        max_message_bytes: A larger message is answered with `too_large`.
        max_frame_bytes: A larger frame ends its connection.
        queue_bytes: How much may wait for one slow reader before it is cut off.
        queue_messages: How many messages may wait for one slow reader.
        message_burst: How many messages a connection may send at once.
        message_rate_per_s: How many messages per second it may send for long.
        request_burst: How many HTTP requests that change something one address may send at once.
        request_rate_per_s: How many of those per second it may send for long.
        max_attached_tables: How many tables one connection may be attached to.
        max_connections_per_address: How many WebSocket connections one address may have to one process.
        max_spectators_per_table: How many spectators one process serves at one table.
        tables_per_address_per_hour: How many tables one address may open for long (and a burst of as many).
        trusted_proxies: The addresses or networks of proxies (or `*` for any) whose X-Forwarded-For and
            -Proto are believed.
        operator_token: What makes its bearer the operator, 32 characters or more; None: there is none.
        metrics: Whether `/metrics` is served.
        direct: Whether WebSocket frames go straight to and from the socket, past ASGI, as the same bytes.
        resume_window: How many versions back a connection can resume.
        bot_delay_ms: How long a bot waits before it moves, so that people can follow.
        turn_webhook: An http(s) address that is told by POST when a table waits for a person; None: nobody.
        archive: The folder of archived tables, shared by all servers of a store; None: in `data` with the
            embedded store, and no archiving with another one.
        archive_after_hours: How long after its end a table is archived.
        archive_keep_days: How long archived tables are kept; 0: for ever.
        quiet_days: How long nobody may move in a running game before it is abandoned.
        open_hours: How long a table may wait for its start before it is abandoned.
        idle_tables: How many tables that nobody watches are kept in memory; 0 keeps none.
        shutdown_grace_s: How long running commands may take to finish when the server stops.
        log_level: The least serious level that is logged: debug, info, warning or error.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    store: str | None = None
    data: Path = Path("facedown-data")
    allow_weak_store: bool = False
    store_replicas: int = 0
    store_replicas_on_disk: bool = False
    origins: tuple[str, ...] = ()
    handshake_timeout_s: float = 10.0
    ping_interval_s: float = 20.0
    idle_timeout_s: float = 60.0
    max_message_bytes: int = 64 * 1024
    max_frame_bytes: int = 128 * 1024
    queue_bytes: int = 1024 * 1024
    queue_messages: int = 1000
    message_burst: int = 400
    message_rate_per_s: float = 200.0
    request_burst: int = 1000
    request_rate_per_s: float = 200.0
    max_attached_tables: int = 200
    max_connections_per_address: int = 4096
    max_spectators_per_table: int = 10_000
    tables_per_address_per_hour: int = 3600
    trusted_proxies: tuple[str, ...] = ()
    operator_token: str | None = None
    metrics: bool = True
    direct: bool = True
    resume_window: int = 300
    idle_tables: int = 1000
    bot_delay_ms: int = 300
    archive: Path | None = None
    archive_after_hours: float = 24.0
    archive_keep_days: float = 0.0
    quiet_days: float = 30.0
    open_hours: float = 24.0
    turn_webhook: str | None = None
    shutdown_grace_s: float = 10.0
    log_level: str = "info"

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise _error(name, f"must be from {low} to {high}", value)
        if not self.host:
            raise _error("host", "must be an address to listen on, such as 127.0.0.1 or 0.0.0.0", self.host)
        if self.log_level not in LOG_LEVELS:
            raise _error("log_level", f"must be one of {', '.join(LOG_LEVELS)}", self.log_level)
        if self.store is not None:
            _check_store(self.store)
        if self.operator_token is not None:
            _check_token(self.operator_token)
        if self.turn_webhook is not None and not re.match(r"https?://[^/]", self.turn_webhook):
            raise _error("turn_webhook", "must be an http:// or https:// address", self.turn_webhook)
        for origin in self.origins:
            _check_origin(origin)
        if self.trusted_proxies != ("*",):
            for proxy in self.trusted_proxies:
                _check_proxy(proxy)
        if self.store_replicas_on_disk and not self.store_replicas:
            raise _error("store_replicas_on_disk", f"needs {variable('store_replicas')} of 1 or more", True)
        if self.store_replicas and self.store is not None and self.store.startswith("memory:"):
            raise _error(
                "store_replicas", "must be 0 with the memory store, which has none", self.store_replicas
            )
        if self.ping_interval_s >= self.idle_timeout_s:
            raise _error("ping_interval_s", "must be shorter than the idle timeout", self.ping_interval_s)
        if self.max_message_bytes > self.max_frame_bytes:
            raise _error(
                "max_message_bytes", "must not be above the limit for frames", self.max_message_bytes
            )
        if self.workers > 1 and self.store is not None and self.store.startswith("memory:"):
            raise _error("workers", "must be 1 with the memory store, which no process shares", self.workers)

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read the settings out of the environment.

        Raises:
            SettingsError: A variable has a value that cannot be used.
        """
        found: dict[str, object] = {}
        for field in dataclasses.fields(cls):
            text = env.get(variable(field.name), "").strip()
            if text:
                found[field.name] = _READERS[field.type](field.name, text)
        return cls(**found)  # type: ignore[arg-type]

    @property
    def archive_folder(self) -> Path | None:
        """Where tables are archived: as it is set, or else beside the embedded store; None: nowhere."""
        return self.archive or (self.data / "archive" if self.store is None else None)

    def replaced(self, **changes: object) -> Self:
        """These settings with some changed; None leaves a setting as it is.

        Raises:
            SettingsError: The result cannot be used.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        return dataclasses.replace(self, **given)  # type: ignore[arg-type]

    @property
    def store_for_log(self) -> str:
        """The store as it may be shown: without a password."""
        if self.store is None:
            return f"embedded in {self.data}"
        return without_password(self.store)

    @property
    def open_ms(self) -> int:
        """How long a table may wait for its start, in milliseconds."""
        return round(self.open_hours * 3_600_000)

    @property
    def archive_after_ms(self) -> int:
        """How long after its end a table is archived, in milliseconds."""
        return round(self.archive_after_hours * 3_600_000)

    @property
    def quiet_ms(self) -> int:
        """How long nobody may move in a running game, in milliseconds."""
        return round(self.quiet_days * 86_400_000)

    def __repr__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        shown["store"] = self.store and without_password(self.store)
        shown["operator_token"] = self.operator_token and "***"
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def variable(field: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + field.upper()


def misspelt(env: Mapping[str, str]) -> list[tuple[str, str]]:
    """Variables that look like a setting but are none, each with the one that was probably meant.

    A setting that is ignored without a word can leave a server open; so say it when the server starts.
    """
    known = [variable(field.name) for field in dataclasses.fields(Settings)]
    found = []
    for name in sorted(env):
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
            found += [(name, meant) for meant in close]
    return found


def without_password(url: str) -> str:
    """A URL whose password, if it has one, is replaced by three asterisks."""
    return re.sub(r"(?<=://)([^/?#@]*?):[^/?#]*@", r"\1:***@", url)


_RANGES: Final[dict[str, tuple[float, float]]] = {
    "port": (0, 65535),
    "workers": (1, 256),
    "store_replicas": (0, 16),
    "handshake_timeout_s": (0.1, 3600),
    "ping_interval_s": (0.05, 3600),
    "idle_timeout_s": (0.1, 86400),
    "max_message_bytes": (1024, 1024 * 1024),
    "max_frame_bytes": (1024, 16 * 1024 * 1024),
    "queue_bytes": (64 * 1024, 1024 * 1024 * 1024),
    "queue_messages": (10, 1_000_000),
    "message_burst": (1, 1_000_000),
    "message_rate_per_s": (0.1, 1_000_000),
    "request_burst": (1, 1_000_000),
    "request_rate_per_s": (0.1, 1_000_000),
    "max_attached_tables": (1, 10_000),
    "max_connections_per_address": (1, 1_000_000),
    "max_spectators_per_table": (0, 1_000_000),
    "tables_per_address_per_hour": (1, 1_000_000),
    "resume_window": (0, 100_000),
    "idle_tables": (0, 1_000_000),
    "bot_delay_ms": (0, 60_000),
    "archive_after_hours": (0, 8760),
    "archive_keep_days": (0, 36500),
    "quiet_days": (0.00001, 3650),
    "open_hours": (0.0001, 8760),
    "shutdown_grace_s": (0, 600),
}


def _error(name: str, should: str, value: object) -> SettingsError:
    return SettingsError(f"{variable(name)} {should}; it is {value!r}")


def _check_store(url: str) -> None:
    # The URL is never repeated: it may hold a password.
    wrong = SettingsError(
        f"{variable('store')} must be a URL such as redis://localhost:6379/0, rediss://..., "
        "unix:///run/redis.sock or memory://, or unset for the embedded store"
    )
    parts = _split(url, wrong)
    if parts.scheme not in STORE_SCHEMES:
        raise wrong
    if parts.scheme not in ("unix", "memory") and not parts.hostname:
        raise wrong


def _check_origin(origin: str) -> None:
    wrong = _error("origins", "must list origins such as https://example.org:8443, parted by commas", origin)
    parts = _split(origin, wrong)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise wrong
    # As browsers send it: without a path, in lower case.
    if origin != f"{parts.scheme}://{parts.netloc}".lower():
        raise wrong


def _check_proxy(proxy: str) -> None:
    try:
        ipaddress.ip_network(proxy)
    except ValueError:
        should = (
            "must list addresses or networks such as 172.30.0.10 or 10.0.0.0/8, parted by commas, or be *"
        )
        raise _error("trusted_proxies", should, proxy) from None


def _check_token(token: str) -> None:
    # The token is never repeated.
    if len(token) < 32:
        raise _error("operator_token", "must have 32 characters or more", "shorter")
    if not re.fullmatch(r"[!-~]+", token):
        raise SettingsError(
            f"{variable('operator_token')} must be of ASCII letters, digits and signs, without spaces: "
            "a header cannot carry others"
        )


def check_folder(folder: Path) -> None:
    """Make sure that archived tables can be written.

    Raises:
        SettingsError: the folder cannot be made, or nothing can be written into it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        should = f"must be a folder that can be made and written ({error.strerror})"
        raise _error("archive", should, str(folder)) from None


def _split(url: str, wrong: SettingsError) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no number
    except ValueError:
        raise wrong from None
    return parts


def _read_int(name: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text):
        should = "must be a whole number"
        if text.startswith("tcp://"):
            # Kubernetes sets this for every pod beside a service that is called facedown.
            should += " (Kubernetes has set it for a service of that name: use enableServiceLinks: false)"
        raise _error(name, should, text)
    return int(text)


def _read_float(name: str, text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text):
        raise _error(name, "must be a number such as 20 or 0.5", text)
    return float(text)


def _read_bool(name: str, text: str) -> bool:
    word = text.lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise _error(name, "must be 1 or 0", text)


def _read_str(name: str, text: str) -> str:
    return text.lower() if name == "log_level" else text


def _read_list(name: str, text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


_READERS: Final[dict[object, Callable[[str, str], object]]] = {
    int: _read_int,
    float: _read_float,
    bool: _read_bool,
    str: _read_str,
    str | None: _read_str,
    Path: lambda _, text: Path(text),
    Path | None: lambda _, text: Path(text),
    tuple[str, ...]: _read_list,
}
