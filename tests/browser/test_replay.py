"""The scrubber shows what was seen live."""

from __future__ import annotations

import asyncio

import pytest

from tests.browser.people import Person, Visit, same

pytestmark = pytest.mark.timeout(300)


async def replayed(person: Person) -> dict[int, str]:
    """What the scrubber shows at every version, for a spectator."""
    page = person.page
    await page.goto(f"{page.url}/replay")
    await page.wait_for_selector("[data-seek]")
    await page.select_option("[data-viewer]", "spectator")
    last = int(await page.get_attribute("[data-seek]", "max") or 0)
    await person.record()
    await page.click("[data-replay-to=first]")
    for version in range(2, last + 1):
        await page.click("[data-replay-to=step]")
        assert await person.version() == version
    return await person.shown()


async def test_the_scrubber_equals_live_at_every_version(visit: Visit) -> None:
    host, guest, watcher = await visit("Ada"), await visit("Bo"), await visit("Zoe")
    await host.open()
    link = await host.create("trinket-trove", 2)
    await watcher.open(link)
    await watcher.page.wait_for_selector("main[data-status=open]")
    await watcher.record()
    await guest.join(link)
    await asyncio.gather(host.play(), guest.play())
    await watcher.page.wait_for_selector("[data-result]")
    live = await watcher.shown()
    again = await replayed(watcher)
    assert set(live) == set(again)
    same([live, again])
    assert await watcher.faults() == []


@pytest.mark.long
async def test_the_replay_plays_by_itself_and_for_every_viewer(visit: Visit) -> None:
    host = await visit("Ada")
    await host.open(plain=True)
    await host.create("trinket-trove", bots="random")
    await host.play()
    page = host.page
    await page.click("[data-replay]")
    await page.wait_for_selector("[data-seek]")
    viewers = await page.locator("[data-viewer] option").evaluate_all("(all) => all.map((one) => one.value)")
    assert viewers == ["own", "spectator", "open"]
    await page.select_option("[data-viewer]", "open")
    await page.fill("[data-seek]", "8")
    await page.select_option(".scrubber select >> nth=0", "10")
    await page.click("[data-replay-to=play]")
    await page.wait_for_selector("main[data-status=finished]")
