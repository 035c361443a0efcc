"""Takes pictures of the lobby and of every game, wide and as on a phone, dark and light, to look at.

Starts a server of its own and plays some moves at a table with bots for each game. Needs chromium and the
packages of the extra ``dev``; run by ``scripts/screenshots``. With ``--docs`` the few pictures
that the README shows are written to ``docs/images``, otherwise all to ``--folder``.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, ViewportSize, async_playwright

from domain.registry import games
from server.settings import Settings
from server.store import MemoryStore
from tests.browser.conftest import ARGUMENTS, PROGRAMS
from tests.browser.people import Person
from tests.support.server import ROOT, running

WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
LOOKS: dict[str, tuple[ViewportSize, Literal["dark", "light"]]] = {
    "dark": (WIDE, "dark"),
    "light": (WIDE, "light"),
    "phone": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
MOVES = {"trick-and-trade": 9, "mein-schatz": 6, "trinket-trove": 5}
SHOWN = {
    "lobby-dark",
    "trick-and-trade-dark",
    "thread-the-needle-dark",
    "oopsie-phone",
    "trinket-trove-light",
}


async def picture(person: Person, file: Path) -> None:
    """Take a picture of what is on the screen; as a JPEG where it is for the README."""
    await person.page.evaluate(
        "() => { for (const one of document.querySelectorAll('.stage')) one.scrollTop = 0; }"
    )
    options = {"type": "jpeg", "quality": 82} if file.suffix == ".jpg" else {"type": "png"}
    await person.page.screenshot(path=file, animations="disabled", **options)
    sys.stdout.write(f"{file}\n")


async def take(browser: Browser, url: str, folder: Path, names: set[str] | None) -> None:
    """Take the pictures of these names, or all."""
    suffix = ".jpg" if names else ".png"
    for game in [None, *sorted(games())]:
        wanted = {look for look in LOOKS if names is None or f"{game or 'lobby'}-{look}" in names}
        if not wanted:
            continue
        context = await browser.new_context(viewport=WIDE, color_scheme="dark")
        person = Person("Ada", await context.new_page(), url)
        await person.open()
        await person.page.wait_for_selector("[data-game]")
        if game is not None:
            await person.create(game, bots="greedy")
            await person.play(MOVES.get(game, 14), by_mouse=0)
            await person.page.wait_for_selector("[data-prompt=mine], [data-result]")
        for look in sorted(wanted):
            size, scheme = LOOKS[look]
            await person.page.set_viewport_size(size)
            await person.page.emulate_media(color_scheme=scheme)
            await picture(person, folder / f"{game or 'lobby'}-{look}{suffix}")
        await context.close()
        for complaint in person.trouble:
            sys.stderr.write(f"the browser complains: {complaint}\n")


async def main() -> None:
    """Read the arguments, start a server, take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("screenshots"), help="where to write them")
    parser.add_argument("--docs", action="store_true", help="write those of the README to docs/images")
    arguments = parser.parse_args()
    folder = ROOT / "docs" / "images" if arguments.docs else arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        sys.exit(f"none of {', '.join(PROGRAMS)} is installed; on Debian: apt-get install chromium")
    settings = Settings(port=0, store="memory://", bot_delay_ms=0, log_level="error")
    async with running(settings, MemoryStore()) as here, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        await take(browser, here.url, folder, SHOWN if arguments.docs else None)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
