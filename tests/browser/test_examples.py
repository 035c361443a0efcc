"""The examples of the JavaScript client, served from another origin than the server, as third parties do."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.api import Http
from tests.support.server import Running

FOLDER = Path(__file__).parents[2] / "clients" / "js"
PATIENCE_MS = 45_000


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files, without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another server, which knows nothing but the files of the client."""
    handler = functools.partial(Quiet, directory=str(FOLDER))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/examples"
        server.shutdown()


@contextlib.asynccontextmanager
async def opened(browser: Browser, url: str):  # type: ignore[no-untyped-def]
    """A page, which must not report an error."""
    errors: list[str] = []
    page: Page = await browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(url)
    yield page
    await page.close()
    assert errors == []


async def test_the_page_that_plays_any_game_plays_one_from_another_origin(
    browser: Browser, here: Running, elsewhere: str
) -> None:
    async with Http(here.url) as http, opened(browser, f"{elsewhere}/page.html?server={here.url}") as page:
        await page.get_by_role("button", name="Mein Schatz for 2").click()
        await page.wait_for_function("location.hash.length > 8")
        table = (await page.evaluate("location.hash"))[1:]
        await page.get_by_role("button", name="Sit down").click()
        await http.sit(table, "Somebody else")
        await expect(page.get_by_role("heading")).to_contain_text("playing", timeout=PATIENCE_MS)
        assert (await http.facts(table))["status"] == "playing"


async def test_the_overlay_shows_who_sits_there_and_whose_turn_it_is(
    browser: Browser, here: Running, elsewhere: str
) -> None:
    async with Http(here.url) as http:
        made = await http.table("trick-and-trade", seats=3, autostart=False)
        table, host = made["table"], made["host_token"]
        async with opened(browser, f"{elsewhere}/overlay.html?server={here.url}&table={table}") as page:
            await expect(page.locator("li")).to_have_text(["free"] * 3, timeout=PATIENCE_MS)
            for name in ("Ada", "<b>Bob</b>", "Cleo"):
                await http.sit(table, name)
            await http.done(200, "POST", f"/v1/tables/{table}/start", token=host)
            await expect(page.locator("li")).to_have_text(
                ["Ada · 0", "<b>Bob</b> · 0", "Cleo · 0"], timeout=PATIENCE_MS
            )
            await expect(page.locator("li.turn")).to_have_count(1)
