"""Two servers behind nginx with the shipped configuration: games, addresses, secrets, a rolling restart."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from server.embedded import EmbeddedStore
from tests.deploy.proxy import Nginx, find_nginx, lasting_port
from tests.e2e.players import Player, check_agreement, check_commands
from tests.faults.results import Results
from tests.support.clients import PATIENCE_S, Http, Kind, address, client
from tests.support.counts import LONG
from tests.support.server import ServerProcess

pytestmark = pytest.mark.skipif(find_nginx() is None, reason="nginx is not installed")

KINDS: tuple[Kind, ...] = ("json", "msgpack")
TABLES = 6
"""How many tables an address may open at one process."""
CONNECTIONS = 16 if LONG else 5
"""Connections of an address to one process; all players come from one, and one server must do for them."""
OPERATOR = "operator-" * 5


class Site:
    """A store, two servers and the proxy before them."""

    def __init__(self, store: str, servers: tuple[ServerProcess, ServerProcess], proxy: Nginx) -> None:
        self.store = store
        self.servers = servers
        self.proxy = proxy
        self.url = proxy.url


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site, as `deploy/compose.yaml` puts it together."""
    folder = tmp_path_factory.mktemp("site")
    ports = (lasting_port(), lasting_port())
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(EmbeddedStore(folder / "store"))
        servers = []
        for port in ports:
            server = ServerProcess(
                folder / str(port),
                store,
                port,
                trusted_proxies="127.0.0.1",
                operator_token=OPERATOR,
                tables_per_address_per_hour=TABLES,
                max_connections_per_address=CONNECTIONS,
                ping_interval_s=0.2,
            )
            stack.callback(server.end)
            asyncio.run(server.start())
            servers.append(server)
        proxy = Nginx(folder / "proxy", ports)
        stack.callback(proxy.stop)
        yield Site(store, (servers[0], servers[1]), proxy)


def from_address(local: str) -> httpx.AsyncClient:
    """A client whose requests come from this address of the loopback network."""
    return httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(local_address=local), timeout=PATIENCE_S, trust_env=False
    )


async def opened(http: httpx.AsyncClient, url: str, most: int, *, forwarded: bool = True) -> int:
    """How many tables can be opened, of ``most``, each time with another X-Forwarded-For."""
    for number in range(most):
        said = {"X-Forwarded-For": f"203.0.113.{number}"} if forwarded else {}
        response = await http.post(f"{url}/v1/tables", json={"game": "oopsie"}, headers=said)
        if response.status_code == 429:
            assert response.json()["code"] == "rate_limited"
            return number
        assert response.status_code == 201, response.text
    return most


def players(site: Site, table: str, tokens: list[str], seed: str, *, patient: bool = False) -> list[Player]:
    """A player for each seat, all through the proxy."""
    return [
        Player(
            lambda: site.url,
            table,
            token,
            kind=KINDS[seat % 2],
            views=("full", "patch")[seat // 2 % 2],
            seed=f"{seed}/{seat}",
            drop=0.0 if patient else 0.05,
            patient=patient,
            pause_s=0.03 if patient and not LONG else 0.0,
        )
        for seat, token in enumerate(tokens)
    ]


async def test_a_whole_game_is_played_through_the_proxy(site: Site) -> None:
    async with Http(site.url) as http:
        table, _, tokens = await http.full("trick-and-trade", 3)
        playing = players(site, table, tokens, "proxy")
        async with asyncio.TaskGroup() as group:
            for player in playing:
                group.create_task(player.play())
        for server in site.servers:  # both know it, whoever served it
            async with Http(server.url) as other:
                await check_agreement(other, table, playing)
    await check_commands(site.store, "trick-and-trade", table, playing)


async def test_a_quiet_connection_lives_on_pings_that_the_proxy_passes_on(site: Site) -> None:
    async with client(site.url) as one:
        pings = asyncio.Semaphore(0)
        take = one.socket.protocol.recv_frame

        def counted(frame: object) -> None:
            if getattr(frame, "opcode", None) == 9:
                pings.release()
            take(frame)  # type: ignore[arg-type]

        one.socket.protocol.recv_frame = counted  # type: ignore[method-assign]
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(3):
                await pings.acquire()
        assert (await one.ask({"type": "ping"}))["type"] == "pong"


async def test_tables_are_counted_by_the_address_of_the_client_whatever_it_claims(site: Site) -> None:
    async with from_address("127.0.0.11") as one, from_address("127.0.0.12") as two:
        number = await opened(one, site.url, 3 * TABLES)
        assert TABLES <= number <= 2 * TABLES, "counted by process"
        assert await opened(two, site.url, 3) == 3, "another address has its own"


async def test_only_the_trusted_proxy_is_believed_about_addresses(site: Site) -> None:
    direct = site.servers[0].url
    async with from_address("127.0.0.13") as stranger, from_address("127.0.0.1") as proxy:
        assert await opened(stranger, direct, 2 * TABLES) == TABLES, "a stranger's claim was believed"
        assert await opened(proxy, direct, 2 * TABLES) == 2 * TABLES, "the proxy was not believed"


async def test_connections_are_counted_by_the_address_of_the_client(site: Site) -> None:
    async with contextlib.AsyncExitStack() as stack:
        number, refused = 0, None
        while refused is None and number <= 2 * CONNECTIONS:
            claim = {"X-Forwarded-For": f"198.51.100.{number}"}
            try:
                await stack.enter_async_context(_socket(site.url, "127.0.0.14", claim))
            except InvalidStatus as error:
                refused = error.response.status_code
            else:
                number += 1
        assert refused == 429
        assert CONNECTIONS <= number <= 2 * CONNECTIONS
        other = await stack.enter_async_context(_socket(site.url, "127.0.0.15", {}))
        await other.send('{"type":"ping","id":"here"}')
        assert json.loads(await other.recv())["id"] == "here"


@contextlib.asynccontextmanager
async def _socket(url: str, local: str, headers: dict[str, str]) -> AsyncIterator[ClientConnection]:
    async with connect(
        address(url), local_addr=(local, 0), additional_headers=headers, compression=None
    ) as socket:
        yield socket


@pytest.mark.parametrize(
    "path", ["/metrics", "//metrics", "/%6Detrics", "/v1/admin", "/v1/admin/tables", "/v1/../v1/admin/drain"]
)
async def test_what_is_the_operators_is_refused_outside(site: Site, path: str) -> None:
    async with from_address("127.0.0.16") as http:
        for method in ("GET", "POST", "DELETE"):
            url = httpx.URL(site.url).copy_with(raw_path=path.encode())
            response = await http.request(method, url, headers={"Authorization": f"Bearer {OPERATOR}"})
            assert response.status_code == 403
            assert "facedown" not in response.text


async def test_inside_they_are_there(site: Site) -> None:
    """Else the test before would show nothing."""
    async with from_address("127.0.0.1") as http:
        for path in ("/metrics", "/v1/admin"):
            headers = {"Authorization": f"Bearer {OPERATOR}"}
            response = await http.get(site.servers[0].url + path, headers=headers)
            assert response.status_code == 200


async def test_no_query_is_in_the_proxys_logs(site: Site) -> None:
    """A token in an address is somebody's mistake; it must not become ours."""
    secret = "mistaken-token-" + "x" * 30
    async with from_address("127.0.0.17") as http:
        statuses = [
            (await http.get(f"{site.url}{path}?token={secret}")).status_code
            for path in ("/v1/ws", "/v1/tables", "/metrics", "/nowhere", "/v1/tables/abcdefgh12")
        ]
        assert statuses[1] == 400
        assert statuses[2] == 403
        with pytest.raises(InvalidStatus) as caught:
            await connect(f"{address(site.url)}?token={secret}")
        assert caught.value.response.status_code == 400
        async with asyncio.timeout(PATIENCE_S):
            while '"GET /nowhere"' not in site.proxy.log:
                await asyncio.sleep(0.01)
    log = site.proxy.log
    assert '"GET /v1/tables" 400' in log
    assert secret not in log
    assert all(secret not in server.log for server in site.servers)


async def test_a_large_body_passes_and_one_too_large_is_refused(site: Site) -> None:
    async with from_address("127.0.0.18") as http:
        for size, status in ((60_000, 400), (100_000, 413), (200_000, 413)):
            response = await http.post(f"{site.url}/v1/tables", content=b'{"game":"' + b"x" * size + b'"}')
            assert response.status_code == status, size


class Load:
    """What goes on while servers are restarted: games, tables that are opened, people who only look."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.over = False
        self.games: list[tuple[str, list[Player]]] = []
        self.made: list[str] = []
        self.looks = 0
        self.full = 0

    @property
    def moves(self) -> int:
        """How many commands were accepted."""
        return sum(len(player.accepted) for _, seated in self.games for player in seated)

    async def play(self) -> None:
        """One game after the other; what was begun is played to its end."""
        while not self.over:
            table, tokens = await self._full()
            seated = players(self.site, table, tokens, table, patient=True)
            self.games.append((table, seated))
            async with asyncio.TaskGroup() as group:
                for player in seated:
                    group.create_task(player.play())

    async def _full(self) -> tuple[str, list[str]]:
        self.full += 1  # each from another address, of which there are enough
        async with from_address(f"127.0.{100 + self.full // 250}.{self.full % 250 + 1}") as http:
            body: dict[str, Any] = {"game": "trick-and-trade", "seats": 4}
            table = (await self._post(http, "/v1/tables", body))["table"]
            seats = f"/v1/tables/{table}/seats"
            tokens = [(await self._post(http, seats, {"name": f"Ann {n}"}))["token"] for n in range(4)]
        return table, tokens

    async def look(self) -> None:
        """Reads never fail: the proxy asks the other server."""
        async with from_address("127.0.0.19") as http:
            while not self.over:
                for table, _ in self.games[-2:]:
                    response = await http.get(f"{self.site.url}/v1/tables/{table}")
                    assert response.status_code == 200, f"{response.text}\n{self.site.proxy.log[-3000:]}"
                    self.looks += 1
                await asyncio.sleep(0.05)

    async def open(self) -> None:
        """Who repeats a request with its key gets one table, wherever the answers came from or got lost."""
        for number in itertools.count():
            async with from_address(f"127.0.{1 + number // 250}.{number % 250 + 1}") as http:
                body = {"game": "mein-schatz", "listed": False}
                key = f"rolling-restart-{number}"
                both = [await self._post(http, "/v1/tables", body, key) for _ in range(2)]
                assert both[0] == both[1]
                self.made.append(both[0]["table"])
            if self.over:
                return
            await asyncio.sleep(0.05)

    async def _post(
        self, http: httpx.AsyncClient, path: str, body: dict[str, Any], key: str | None = None
    ) -> dict[str, Any]:
        """Repeat a request until it is answered by what it asks for."""
        key = key or secrets.token_hex(16)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                response = await http.post(self.site.url + path, json=body, headers={"Idempotency-Key": key})
                if response.status_code == 201:
                    return dict(response.json())
                assert response.status_code in (502, 503), response.text
                await asyncio.sleep(0.02)

    async def go_on(self, number: int) -> None:
        """Wait until so many more commands were accepted."""
        wanted = self.moves + number
        async with asyncio.timeout(2 * PATIENCE_S):
            while self.moves < wanted:
                await asyncio.sleep(0.005)


@pytest.mark.timeout(180)
async def test_a_rolling_restart_under_load_loses_and_doubles_nothing(site: Site, results: Results) -> None:
    load = Load(site)
    async with asyncio.TaskGroup() as group:
        for work in (load.play, *([load.play] * 2 if LONG else []), load.look, load.open):
            group.create_task(work())
        for server in site.servers * (5 if LONG else 1):
            await load.go_on(10)
            async with asyncio.timeout(15):  # the grace of ten seconds, and no more
                assert await asyncio.to_thread(server.stop) == 0
            await load.go_on(10)
            await server.start()
            await _found_again(site.proxy, server)
        load.over = True
    assert load.looks > 20
    assert len(set(load.made)) == len(load.made) > 5
    versions = 0
    for table, seated in load.games:
        versions += max(player.mirror.version for player in seated if player.mirror is not None)
        async with Http(site.servers[1].url) as http:
            await check_agreement(http, table, seated)
        await check_commands(site.store, "trick-and-trade", table, seated)
    restarts = len(site.servers) * (5 if LONG else 1)
    results.add("rolling restart of two servers behind nginx", restarts, load.moves, versions)


async def _found_again(proxy: Nginx, server: ServerProcess) -> None:
    """Wait until the proxy uses a server that was away: nginx looks for it again after ``fail_timeout``."""
    seen = len(proxy.log)
    upstream = f"{server.url.removeprefix('http://')} 200"
    async with asyncio.timeout(PATIENCE_S):
        while upstream not in proxy.log[seen:]:
            await asyncio.sleep(0.05)


def test_the_proxy_had_nothing_to_complain_of(site: Site) -> None:
    said = re.findall(r".*\[(?:warn|error|crit|alert|emerg)\].*", site.proxy.log)
    # Who may not raise the number of files here could where it matters.
    assert not [line for line in said if "setrlimit" not in line]
