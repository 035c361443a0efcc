"""The list of tables over HTTP."""

from __future__ import annotations

from tests.server.playing import played
from tests.support.clients import Http
from tests.support.server import Running


async def test_the_list_comes_in_pages_newest_first(http: Http) -> None:
    made = [(await http.table(("oopsie", "trick-and-trade")[number % 2]))["table"] for number in range(120)]
    await http.table(listed=False)
    found: list[str] = []
    sizes = []
    cursor: str | None = ""
    while cursor is not None:
        page = await http.done(200, "GET", "/v1/tables" + (f"?cursor={cursor}" if cursor else ""))
        found += [facts["table"] for facts in page["tables"]]
        sizes.append(len(page["tables"]))
        cursor = page["next"]
        if len(sizes) == 1:
            await http.table("oopsie")  # what is opened meanwhile disturbs nothing
    assert sizes == [50, 50, 20]
    assert set(found) == set(made)
    created = {facts: (await http.facts(facts))["created_ms"] for facts in found}
    assert [created[name] for name in found] == sorted(created.values(), reverse=True)


async def test_the_list_can_be_narrowed(here: Running, http: Http) -> None:
    opened = (await http.table("oopsie"))["table"]
    playing, _, _ = await http.full("trick-and-trade")
    async with played(here.url, "trinket-trove", 2) as game:
        await game.finish()
        everything = {opened, playing, game.table}
        for query, wanted in {
            "": everything,
            "?status=open": {opened},
            "?status=playing": {playing},
            "?status=finished": {game.table},
            "?status=abandoned": set(),
            "?game=oopsie": {opened},
            "?game=oopsie&status=playing": set(),
            "?game=trick-and-trade&status=playing": {playing},
        }.items():
            page = await http.done(200, "GET", f"/v1/tables{query}")
            assert {facts["table"] for facts in page["tables"]} == wanted, query
            assert page["next"] is None
    await http.refused(404, "no_such_game", "GET", "/v1/tables?game=chess")
    for query in (
        "?status=closed",
        "?status=",
        "?cursor=x",
        "?cursor=",
        "?cursor=%00",
        "?cursor=" + "A" * 300,
    ):
        await http.refused(400, "bad_message", "GET", f"/v1/tables{query}")
