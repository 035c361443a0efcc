"""What the host of a table can do beside it, and nobody else sees."""

from __future__ import annotations

import pytest

from tests.browser.people import Person, Visit

pytestmark = pytest.mark.timeout(300)

TAB = "[data-tab=host]"


def button(seat: int | str, what: str) -> str:
    """A button of the host for a seat."""
    return f"[data-host-seat='{seat}'] [data-host={what}]"


async def says(person: Person, text: str) -> None:
    """Say something at the table."""
    await person.page.click("[data-tab=talk]")
    await person.page.fill("#say", text)
    await person.page.press("#say", "Enter")


async def test_a_host_silences_frees_pauses_and_passes_it_all_on(visit: Visit) -> None:
    host, guest, other = (
        await visit("Host"),
        await visit("Guest", expected=("403", "401")),
        await visit("Other"),
    )
    for person in (host, guest, other):
        person.page.on("dialog", lambda dialog: dialog.accept())
    await host.open()
    link = await host.create("mein-schatz", 3)
    await guest.join(link)
    await host.page.wait_for_selector(".plate:has-text('Guest')")
    assert await guest.page.locator(TAB).count() == 0

    # Before the start a seat can be freed.
    await host.page.click(TAB)
    assert await host.page.locator("[data-host-seat='0'] button").count() == 0
    assert await host.faults() == []
    await host.page.click(button(1, "remove"))
    await guest.page.wait_for_selector(".problem-page:has-text('removed you')")
    await host.page.wait_for_selector("[data-host-seat='1']", state="detached")
    assert await host.page.evaluate("() => document.activeElement.className") == "hosting"
    await guest.page.click("text=Try again")
    await guest.page.locator("[data-sit='1']").click()
    await other.join(link)
    await host.page.wait_for_selector("main[data-status=playing]")
    assert await host.page.locator(button(1, "remove")).count() == 0

    # By the keyboard: the button stays where it is, and says what it does next.
    mute = host.page.locator(button(1, "mute"))
    await mute.focus()
    await host.page.keyboard.press("Enter")
    await host.page.wait_for_selector("[data-host-seat='1'] .tag")
    assert await mute.evaluate("(element) => element === document.activeElement")
    assert await mute.inner_text() == "Let talk again"
    await says(guest, "can you hear me?")
    await guest.page.wait_for_selector(".toast.bad:has-text('The host has muted you.')")
    await host.page.keyboard.press("Enter")
    await host.page.wait_for_selector("[data-host-seat='1'] .tag", state="detached")
    await says(guest, "and now?")
    await other.page.click("[data-tab=talk]")
    await other.page.locator(".talk-lines p", has_text="and now?").wait_for()
    await host.page.click(button("spectators", "mute"))
    await host.page.wait_for_selector("[data-host-seat=spectators] .tag")
    assert await host.faults() == []

    # One word of the host is enough for a pause.
    await host.page.click("[data-host=pause]")
    await guest.page.wait_for_selector(".prompt:has-text('The game is paused.')")
    await host.page.click("[data-host=pause]")
    await guest.page.wait_for_selector(".prompt:has-text('The game is paused.')", state="detached")

    await host.page.click(button(1, "pass"))
    await host.page.wait_for_selector(TAB, state="detached")
    assert await host.page.evaluate("() => document.activeElement.id") == "tab-history"
    await guest.page.click(TAB)
    await guest.page.wait_for_selector("[data-host-seat=spectators] .tag")
    await guest.page.click(button(0, "mute"))
    await guest.page.wait_for_selector("[data-host-seat='0'] .tag")
    # Also after the page is loaded again.
    await guest.page.reload()
    await guest.page.click(TAB)
    await guest.page.wait_for_selector("[data-host-seat='0'] .tag")
    await host.page.reload()
    await host.page.wait_for_selector("main[data-status=playing]")
    assert await host.page.locator(TAB).count() == 0
