"""A real browser: Debian's chromium, driven by Playwright.

It costs more to start than most tests need of it, so that one runs for all tests of a process, each of which
gets contexts of its own. What is asynchronous here therefore lives in one event loop.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.browser.people import Person, Visit
from tests.support.server import Running, Serve, server_log, serving

__all__ = ["browser", "here", "serve", "server_log", "visit"]

FOLDER = Path(__file__).parent
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests run in the loop that the browser runs in."""
    for item in items:
        if FOLDER in item.path.parents and inspect.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A browser."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(PROGRAMS)} is installed; on Debian: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def serve(server_log: io.StringIO) -> AsyncIterator[Serve]:
    """Starts servers in this process; all are stopped at the end and their log is checked."""
    async with serving() as start:
        yield start


@pytest_asyncio.fixture(loop_scope="session")
async def here(serve: Serve) -> Running:
    """A server in this process whose bots do not wait."""
    return await serve(bot_delay_ms=0)


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser, here: Running) -> AsyncIterator[Visit]:
    """Somebody opens the web app, in a browser of their own; at the end nothing may have gone wrong there."""
    people: list[Person] = []
    async with contextlib.AsyncExitStack() as stack:

        async def come(name: str, *, expected: tuple[str, ...] = (), **settings: object) -> Person:
            size = settings.pop("viewport", {"width": 1280, "height": 800})
            context = await browser.new_context(viewport=size, **settings)  # type: ignore[arg-type]
            stack.push_async_callback(context.close)
            page = await context.new_page()
            page.set_default_timeout(45_000)
            person = Person(name, page, here.url, expected)
            people.append(person)
            return person

        yield come
    for person in people:
        assert person.trouble == [], f"the browser of {person.name} complains"
