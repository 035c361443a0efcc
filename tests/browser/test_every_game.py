"""Every game on its drawn table: four pages (or as many as it seats), one cut off, one phone, a spectator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from domain.registry import games
from tests.browser.people import Cable, Person, Visit, same
from tests.browser.test_playing import PHONE
from tests.browser.test_replay import replayed
from tests.support.clients import Http, Message
from tests.support.server import Running

SEATS = [
    (name, seats)
    for name, game in sorted(games().items())
    for seats in sorted({min(game.seats), min(game.seats, key=lambda count: abs(count - 4))})
]

MOVES_BY_MOUSE = 12
"""So many of each person's moves; the rest of the game goes faster."""


async def drop_out(person: Person, cable: Cable) -> None:
    """Be cut off after a few moves, and come back."""
    await person.play(3)
    await cable.pull()
    await person.page.wait_for_selector(".connection.bad")
    cable.plug()
    await person.page.wait_for_selector("main[data-state=live]")
    await person.play(by_mouse=MOVES_BY_MOUSE)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("game", "seats"), SEATS)
async def test_a_whole_game_by_clicks(visit: Visit, game: str, seats: int) -> None:
    cable = Cable()
    host = await visit("Ada", viewport=PHONE, has_touch=True, is_mobile=True)
    guests = [await visit(name) for name in ("Bo", "Cy", "Di", "Ed", "Fay")[: seats - 1]]
    watcher = await visit("Zoe", color_scheme="dark")
    await cable.connect(guests[0].page)
    await host.open()
    link = await host.create(game, seats)
    await watcher.open(link)
    await watcher.page.wait_for_selector("main[data-status=open]")
    await watcher.record()
    for guest in guests:
        await guest.join(link)
    await host.page.wait_for_selector("main[data-status=playing]")
    for person in (host, watcher):
        assert await person.faults() == []
    await host.fits()
    await asyncio.gather(
        host.play(by_mouse=MOVES_BY_MOUSE),
        drop_out(guests[0], cable),
        *(guest.play(by_mouse=MOVES_BY_MOUSE) for guest in guests[1:]),
    )
    people = [host, *guests, watcher]
    for person in people:
        await person.page.wait_for_selector("[data-result]")
    assert len({await person.page.inner_text("[data-result] table >> nth=0") for person in people}) == 1
    for person in (host, watcher):
        assert await person.faults() == []
    await host.fits()
    live = await watcher.shown()
    again = await replayed(watcher)
    assert set(live) == set(again)
    same([live, again])


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("game", "mark", "member"),
    [
        ("mein-schatz", "data-last-move", lambda view: view["last_move"]["did"]),
        ("trick-and-trade", "data-taken", lambda view: str(view["last_trick"]["trick"])),
        ("trinket-trove", "data-claims", lambda view: str(view["claims"][0]["round"])),
    ],
)
async def test_what_was_done_lately_is_drawn(
    here: Running, visit: Visit, game: str, mark: str, member: Callable[[Message], str]
) -> None:
    person = await visit("Ada")
    await person.open()
    link = await person.create(game, bots="greedy")
    path = f"/v1/tables/{link.removeprefix('#/table/')}"
    async with Http(here.url) as http:
        for _ in range(60):
            assert not await person.play(1, by_mouse=0)
            await person.page.wait_for_selector("[data-prompt=mine]")
            # A game of its own at random: until what is wanted has happened.
            if await person.page.locator(f"[{mark}]").count() == 0:
                continue
            shown = await person.page.get_attribute(f"[{mark}]", mark)
            view = (await http.done(200, "GET", f"{path}/at/{await person.version()}"))["view"]["game"]
            if game == "trick-and-trade" and view["plays"]:
                assert shown == str(view["trick"])
                continue
            assert shown == member(view)
            assert await person.page.inner_text(f"[{mark}]")
            assert await person.faults() == []
            return
    raise AssertionError(f"{mark} was never drawn")
