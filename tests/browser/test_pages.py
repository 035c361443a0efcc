"""What the web app is made of, and how it is served."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from domain.events import Event
from domain.registry import games
from domain.table.events import TABLE_EVENTS
from server import pages
from tests.support.server import Serve

WEB = Path(pages.__file__).parent / "web"
SCRIPTS = sorted(WEB.glob("app/**/*.js"))
CATALOGUE = (WEB / "app/i18n/en.js").read_text(encoding="utf-8")
KEYS = set(re.findall(r"(?:^|[,{]|\s)'?([\w.+-]+)'?: '", CATALOGUE))
MOST_LINES = 300


async def test_pages_come_with_a_strict_policy(serve: Serve) -> None:
    here = await serve()
    async with httpx.AsyncClient(base_url=here.url) as http:
        for path in ("/", "/app/main.js", "/css/base.css", "/lib/client.js"):
            answer = await http.get(path)
            assert answer.status_code == 200, path
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'self'; ")
            assert "unsafe" not in policy
            assert answer.headers["cache-control"] == "no-cache"
            again = await http.get(path, headers={"If-None-Match": answer.headers["etag"]})
            assert again.status_code == 304, path
        assert (await http.get("/nothing-here.js")).status_code == 404
        assert (await http.get("/lib/../pages.py")).status_code == 404


def test_nothing_is_inline_and_no_text_becomes_markup() -> None:
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), (
            script.name
        )


def test_all_that_a_script_imports_is_there() -> None:
    for script in SCRIPTS:
        for path in re.findall(r"(?:from|import)\s*\(?'(\.[^']+)'", script.read_text(encoding="utf-8")):
            target = (script.parent / path).resolve()
            library = (WEB / "lib").resolve()
            found = pages.library() / target.name if target.parent == library else target
            assert found.is_file(), f"{script.name} imports {path}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(WEB)))
def test_scripts_are_small_and_their_texts_are_in_the_catalogue(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    missing = set(re.findall(r"\bt\('([^']+)'", text)) - KEYS
    assert not missing, f"no texts in the catalogue for {sorted(missing)}"


def kinds() -> Iterator[tuple[str, type[Event]]]:
    """Every event of every game, and those of all tables."""
    yield from (("", kind) for kind in TABLE_EVENTS)
    for name, game in games().items():
        yield from ((name, kind) for kind in game.events)


def test_every_event_has_words() -> None:
    for game, kind in kinds():
        tag = str(kind.__struct_config__.tag)
        own = f"event.{game}.{tag}"
        keys = {own} if own in KEYS else {f"event.{tag}"}
        alike = any(key.startswith((f"event.{tag}.", f"event.{game}.{tag}.")) for key in KEYS)
        assert keys & KEYS or alike, f"the catalogue has no event.{tag}"
        unknown = placeholders(keys & KEYS) - set(kind.__struct_fields__)
        assert not unknown, f"event.{tag} tells of {unknown}, which the event does not have"


def placeholders(keys: set[str]) -> set[str]:
    """The values that the texts of these keys tell of."""
    texts = (re.search(rf"(?:^|\s)'?{re.escape(key)}'?: '((?:[^'\\]|\\.)*)'", CATALOGUE) for key in keys)
    return {name for text in texts if text for name in re.findall(r"\{(\w+)", text[1])}


def test_every_action_has_a_name_and_a_question() -> None:
    for name, game in games().items():
        for action in game.action_shapes:
            assert {f"action.{action}", f"action.{name}.{action}"} & KEYS, f"action.{action}"
