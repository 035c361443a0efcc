"""People at a browser: they read the page and click, and know no rules."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any, Protocol

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import ConsoleMessage, Locator, Page, WebSocketRoute

PRESSED = ":not([aria-pressed=true])"
VALUES = f"[data-param]:enabled{PRESSED}, [data-action]:enabled{PRESSED}, [data-lead]:enabled"
FINISH = "[data-finish]:enabled, [data-confirm]:enabled"
MINE = "[data-prompt=mine]"
OVER = "[data-result]"

PRESS = """([values, finish, dice]) => {
  const done = [...document.querySelectorAll(finish)], left = [...document.querySelectorAll(values)];
  const from = done.length && (!left.length || dice[0] < 0.5) ? done : left;
  from[Math.floor(dice[1] * from.length)]?.click();
}"""
"""A click without the mouse."""

RECORD = """() => {
  window.seen = {};
  const look = () => {
    const main = document.querySelector('main[data-version]');
    const board = document.querySelector('.board');
    if (board) window.seen[main.dataset.version] = window.shown(board);
  };
  window.shown = (board) => board.innerText + ' | ' +
    [...document.querySelectorAll('.plate .badges, .plate .score, .hand')].map((one) => one.textContent +
      [...one.querySelectorAll('[data-card]')].map((card) => card.dataset.card).join()).join(' ');
  new MutationObserver(look).observe(document.getElementById('app'),
    { subtree: true, childList: true, attributes: true, characterData: true });
  look();
}"""
"""Writes down what the board shows at every version."""


class Visit(Protocol):
    """Somebody opens a browser, with settings of a browser context; ``expected`` are parts of complaints."""

    async def __call__(self, name: str, *, expected: tuple[str, ...] = (), **settings: Any) -> Person: ...


class Person:
    """Somebody at a browser.

    Args:
        name: under which they play.
        page: the tab.
        url: where the web app is.
        expected: parts of the complaints of the browser that belong to the test.
    """

    def __init__(self, name: str, page: Page, url: str, expected: tuple[str, ...] = ()) -> None:
        self.name = name
        self.page = page
        self.url = url
        self.trouble: list[str] = []
        self.random = random.Random(name)
        self._expected = expected
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._complain(f"{error.name}: {error.message} {error.stack}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complain(message.text)

    def _complain(self, text: str) -> None:
        if not any(part in text for part in self._expected):
            self.trouble.append(text)

    async def open(self, fragment: str = "#/", **likes: Any) -> None:
        """Open the page at an address; ``likes`` are remembered preferences."""
        wanted = json.dumps(json.dumps({"name": self.name, **likes}))
        await self.page.add_init_script(
            f"if (!localStorage.getItem('facedown.likes')) localStorage.setItem('facedown.likes', {wanted})"
        )
        await self.page.goto(f"{self.url}/{fragment}")

    async def create(self, game: str, seats: int | None = None, bots: str = "") -> str:
        """Open a table by the dialog of the lobby and sit down; gives the fragment of its address."""
        page = self.page
        await page.click(f"[data-create={game}]")
        if seats is not None:
            await page.select_option("#c-seats", str(seats))
        if bots:
            await page.select_option("#c-bots", bots)
        await page.click("[data-open]")
        await page.wait_for_url(re.compile(r"#/table/"))
        await page.wait_for_selector("main[data-version]")
        return "#" + page.url.partition("#")[2]

    async def join(self, fragment: str, **likes: Any) -> None:
        """Come by a link and take the first free seat."""
        await self.open(fragment, **likes)
        await self.page.locator("[data-sit]").first.click()
        await self.page.wait_for_selector("[data-sit]", state="detached")

    async def version(self) -> int:
        """The version that the page shows."""
        return int(await self.page.get_attribute("main", "data-version") or 0)

    async def settled(self) -> None:
        """Wait until no answer is awaited."""
        await self.page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")

    async def play(self, moves: int = 1_000, by_mouse: int = 3) -> bool:
        """Play until the game is over, or for some moves, of which the first ones by mouse.

        The others press the same buttons, which is faster. Gives whether the game is over.
        """
        for number in range(moves):
            await self.page.wait_for_selector(f"{MINE}, {OVER}")
            if await self.page.locator(OVER).count():
                return True
            if number < by_mouse:
                await self.move()
            else:
                await self._press()
        return False

    async def _press(self) -> None:
        dice = [self.random.random(), self.random.random()]
        await self.page.evaluate(PRESS, [VALUES, FINISH, dice])
        await self.settled()

    async def move(self) -> None:
        """Click, at random among what is offered, until an action is done."""
        before = await self.version()
        while await self.version() == before and await self.page.locator(MINE).count():
            finish = self.page.locator(FINISH)
            values = self.page.locator(VALUES)
            done, left = await finish.count(), await values.count()
            if done and (not left or self.random.random() < 0.5):
                await self._click(finish.nth(self.random.randrange(done)))
            elif left:
                await self._click(values.nth(self.random.randrange(left)))
            await self.settled()

    async def _click(self, wanted: Locator) -> None:
        # Cards of a hand overlap: what is seen of each is its left side.
        await wanted.click(position={"x": 7, "y": 20})

    async def record(self) -> None:
        """From now on write down what the board shows at every version."""
        await self.page.evaluate(RECORD)

    async def shown(self) -> dict[int, str]:
        """What the board showed, by version, since `record`."""
        seen: dict[str, str] = await self.page.evaluate("() => window.seen")
        return {int(version): text for version, text in seen.items()}

    async def faults(self) -> list[str]:
        """What axe-core finds serious or worse on the page."""
        if not await self.page.evaluate("() => 'axe' in window"):
            await self.page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = await self.page.evaluate(
            "(tags) => axe.run(document, { runOnly: tags, resultTypes: ['violations'] })", tags
        )
        return [
            f"{fault['id']}: {node['target']} {node['failureSummary']}"
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]

    async def fits(self) -> None:
        """Nothing reaches beyond the sides of the window, and what can be clicked is large enough."""
        sizes = await self.page.evaluate(
            """() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth,
              small: [...document.querySelectorAll('button, a[href], select, summary')]
                .filter((one) => one.checkVisibility() && !one.closest('.card, .skip'))
                .map((one) => [one.outerHTML.slice(0, 120), one.getBoundingClientRect()])
                .filter(([, box]) => box.width < 24 || box.height < 24).map(([html]) => html) })"""
        )
        assert sizes["page"] <= sizes["window"], sizes
        assert sizes["small"] == [], "too small for a finger"


class Cable:
    """The connection of a page, which can be pulled out and put in again."""

    def __init__(self) -> None:
        self._out = False
        self._sockets: list[WebSocketRoute] = []

    async def connect(self, page: Page) -> None:
        """Lead the sockets of a page, opened from now on, through this cable."""
        await page.route_web_socket(re.compile(r"/v1/ws$"), self._opened)

    async def _opened(self, socket: WebSocketRoute) -> None:
        if self._out:
            await socket.close(code=1012, reason="pulled out")
            return
        socket.connect_to_server()
        self._sockets.append(socket)

    async def pull(self) -> None:
        """Cut it off."""
        self._out = True
        sockets, self._sockets = self._sockets, []
        for socket in sockets:
            await socket.close(code=1012, reason="pulled out")

    def plug(self) -> None:
        """Let it connect again."""
        self._out = False


def same(texts: Sequence[dict[int, str]]) -> None:
    """What was shown at a version was the same, wherever it was shown."""
    first, *others = texts
    for other in others:
        for version in sorted(set(first) & set(other)):
            assert other[version] == first[version], f"version {version}"
