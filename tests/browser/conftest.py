"""A real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright

from tests.browser.people import Person, Visit
from tests.support.server import Running, Serve, serve, server_log

__all__ = ["browser", "here", "serve", "server_log", "visit"]

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


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A browser of its own for each test."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(PROGRAMS)} is installed; on Debian: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture
async def here(serve: Serve) -> Running:
    """A server in this process whose bots do not wait."""
    return await serve(bot_delay_ms=0)


@pytest.fixture
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
