"""People play in real browsers, by clicks alone."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from tests.browser.people import Cable, Person, Visit

pytestmark = pytest.mark.timeout(300)


PHONE = {"width": 360, "height": 740}


async def seated(visit: Visit, game: str, names: str, **likes: Any) -> list[Person]:
    """As many people as names at a new table of a game."""
    people = [await visit(name) for name in names]
    host, *guests = people
    await host.open(**likes)
    link = await host.create(game, len(people))
    for guest in guests:
        await guest.join(link, **likes)
    return people


@pytest.mark.long
async def test_four_people_play_a_game_from_the_offers_alone(visit: Visit) -> None:
    people = await seated(visit, "trick-and-trade", "ABCD", plain=True)
    assert all(await asyncio.gather(*(person.play() for person in people)))
    results = [await person.page.inner_text("[data-result] table") for person in people]
    assert len(set(results)) == 1
    assert len({await person.version() for person in people}) == 1
    host = people[0]
    await host.page.click("[data-fair]")
    await host.page.wait_for_selector("[data-verdict=fair]")
    assert await host.faults() == []


async def test_a_page_that_is_cut_off_says_so_and_comes_back(visit: Visit) -> None:
    host, guest = await visit("Host"), await visit("Guest")
    cable = Cable()
    await cable.connect(guest.page)
    await host.open()
    link = await host.create("mein-schatz", 2)
    await guest.join(link)
    await guest.page.wait_for_selector("[data-status=playing]")
    await cable.pull()
    await guest.page.wait_for_selector(".connection.bad")
    assert await guest.page.get_attribute("main", "data-state") == "attaching"
    assert await guest.page.locator("[data-action], [data-param], .card.can").count() == 0
    await host.page.wait_for_selector(".plate .marks:has-text('not connected')")
    # The host plays on until it waits for the guest.
    while await host.page.locator("[data-prompt=mine]").count():
        await host.move()
    cable.plug()
    await guest.page.wait_for_selector(f"main[data-state=live][data-version='{await host.version()}']")
    await guest.page.wait_for_selector("[data-connection=open]")
    await guest.move()
    await host.page.wait_for_selector(f"main[data-version='{await guest.version()}']")
    told = [await person.page.inner_text("[data-history]") for person in (host, guest)]
    assert told[0] == told[1]


@pytest.mark.parametrize("game", ["trinket-trove", pytest.param("hold-my-beer", marks=pytest.mark.long)])
async def test_a_phone_has_room_for_everything(visit: Visit, game: str) -> None:
    person = await visit("Ada", viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="light")
    await person.open()
    await person.page.wait_for_selector("[data-game]")
    await person.fits()
    assert await person.faults() == []
    await person.create(game, bots="random")
    assert not await person.play(3)
    await person.page.wait_for_selector("[data-prompt=mine]")
    await person.fits()
    assert await person.faults() == []


async def test_the_keyboard_is_enough(visit: Visit) -> None:
    person = await visit("Ada", reduced_motion="reduce")
    page = person.page
    await person.open()
    await page.locator("[data-create=trick-and-trade]").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_selector("dialog[open]")
    assert await person.faults() == []
    await page.select_option("#c-bots", "random")
    await page.locator("#c-name").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-prompt=mine]")
    before = await person.version()
    card = page.locator(".hand button.card").first
    name = await card.get_attribute("aria-label")
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await card.evaluate("(element) => element === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-prompt=mine], [data-prompt=others]")
    await page.wait_for_function(f"() => Number(document.querySelector('main').dataset.version) > {before}")
    await page.locator("[data-history]").get_by_text(f"Ada plays {name}.").wait_for()
    # The card is gone: the keyboard goes on at the next offers.
    assert await page.evaluate("() => document.activeElement.className") == "prompt"
    # A screen reader is told of it.
    await page.wait_for_function("() => document.getElementById('live').textContent.length > 0")


async def test_a_table_is_watched_and_talked_at(visit: Visit) -> None:
    host, watcher = await visit("<b>Eve</b>"), await visit("Zoe")
    await host.open()
    link = await host.create("oopsie", bots="random")
    await host.page.wait_for_selector("[data-prompt=mine]")
    await watcher.open(link)
    await watcher.page.wait_for_selector("main[data-status=playing]")
    assert await watcher.page.locator("[data-action], [data-param], .card.can").count() == 0
    assert await watcher.page.locator(".plate strong", has_text="<b>Eve</b>").count() == 1
    await host.page.click("[data-tab=talk]")
    await watcher.page.click("[data-tab=talk]")
    await watcher.page.fill("#say", "<img src=x onerror=alert(1)> hello")
    await watcher.page.press("#say", "Enter")
    await host.page.locator(".talk-lines p", has_text="<img src=x onerror=alert(1)> hello").wait_for()
    await host.page.click("[data-reaction=clap]")
    await watcher.page.locator(".talk-lines .reaction").wait_for()
    assert await host.page.locator("main img, main b").count() == 0


async def test_a_seat_is_forgotten_and_taken_again_with_the_return_link(visit: Visit) -> None:
    person = await visit("Ada", permissions=["clipboard-read", "clipboard-write"])
    page = person.page
    page.on("dialog", lambda dialog: dialog.accept())
    await person.open()
    link = await person.create("thread-the-needle", bots="random")
    await page.wait_for_selector(".own [data-seat='0']")
    await choose(person, "Copy the link back to my seat")
    back = await page.evaluate("() => navigator.clipboard.readText()")
    assert back.startswith(f"{person.url}/{link}/return/")
    await choose(person, "Forget this seat")
    await page.wait_for_selector(".tag")
    assert await page.locator(".own [data-seat]").count() == 0
    await page.goto(back)
    await page.wait_for_selector(".own [data-seat='0']")
    assert page.url == f"{person.url}/{link}", "the token stays in sight"


@pytest.mark.long
async def test_quick_players_meet(visit: Visit) -> None:
    first, second = await visit("Ada", color_scheme="dark"), await visit("Bo")
    for person in (first, second):
        await person.open()
        await person.page.click("[data-quick=mein-schatz]")
    for person in (first, second):
        await person.page.wait_for_selector("main[data-status=playing] .own [data-seat]")
    assert first.page.url == second.page.url
    assert await first.faults() == []
    # Back in the lobby the table is there to come back to.
    await first.page.click(".brand")
    await first.page.click("[data-mine] a")
    await first.page.wait_for_selector("main[data-status=playing] .own [data-seat]")


async def choose(person: Person, item: str) -> None:
    """Choose something in the menu of the table."""
    await person.page.click(".menu summary")
    await person.page.get_by_role("button", name=item).click()


@pytest.mark.long
async def test_a_spectator_comes_by_invitation(visit: Visit) -> None:
    host = await visit("Ada", permissions=["clipboard-read", "clipboard-write"])
    guest = await visit("Zoe", expected=("403",))
    await host.open()
    await host.page.click("[data-create=trick-and-trade]")
    await host.page.click(".create summary")
    await host.page.select_option("#c-spectators", "token")
    await host.page.select_option("#c-clock", "normal")
    await host.page.select_option("#c-bots", "random")
    await host.page.click("[data-open]")
    await host.page.wait_for_selector("main[data-version]")
    await guest.open("#" + host.page.url.partition("#")[2])
    await guest.page.wait_for_selector(".problem-page")
    await host.page.wait_for_selector("[data-prompt=mine]")
    clock = await host.page.inner_text(".own [data-clock]")
    assert re.fullmatch(r"[0-3]:[0-5][0-9]", clock), clock
    await choose(host, "Copy a link for a spectator")
    await host.page.wait_for_selector(".toast.good")
    await guest.page.goto(await host.page.evaluate("() => navigator.clipboard.readText()"))
    await guest.page.wait_for_selector("main[data-status=playing] .tag")
    assert "watch" not in guest.page.url, "the token stays in sight"


@pytest.mark.long
async def test_the_game_pauses_when_all_ask_for_it(visit: Visit) -> None:
    host, guest = await seated(visit, "mein-schatz", "AB")
    paused = ".prompt:has-text('The game is paused.')"
    await choose(host, "Ask for a pause")
    await guest.page.wait_for_selector(".marks:has-text('asks for a pause')")
    await choose(guest, "Ask for a pause")
    for person in (host, guest):
        await person.page.wait_for_selector(paused)
        await choose(person, "Ask to go on")
    for person in (host, guest):
        await person.page.wait_for_selector(paused, state="detached")


async def test_a_link_that_leads_nowhere_says_what_to_do(visit: Visit) -> None:
    person = await visit("Ada", expected=("404",))
    await person.open("#/table/abcdefgh12345678")
    await person.page.wait_for_selector(".problem-page")
    assert "Ask for the link again" in await person.page.inner_text("main")


@pytest.mark.long
async def test_the_same_people_play_again(visit: Visit) -> None:
    host, guest = await seated(visit, "trinket-trove", "AB", plain=True)
    await asyncio.gather(host.play(), guest.play())
    await host.page.click("[data-rematch]")
    await guest.page.click("[data-next]")
    for person in (host, guest):
        await person.page.wait_for_selector("main[data-status=playing] .own [data-seat]")
    assert host.page.url == guest.page.url
    assert not await host.page.locator("[data-result]").count()
