"""The rule that forbids an action, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.actions import Action, brief
from domain.games.mein_schatz.deck import PLACES, TYPES
from domain.games.mein_schatz.state import MeinSchatzState, open_places, takeable


def explanation(seen: MeinSchatzState, action: Action) -> str | None:
    """Why the seat that is asked now cannot do ``action``; None where the general sentence says it."""
    kind = action.get("type")
    if kind not in ("draw", "lay", "take"):
        return None
    wrong = _wrong_time(seen, kind)
    if wrong is not None:
        return wrong
    match action:
        case {"type": "lay", "place": int() as place} if len(action) == 2:
            return _lay(seen, place)
        case {"type": "take"}:
            return _take(seen, action)
        case _:
            return None


def _wrong_time(seen: MeinSchatzState, kind: str) -> str | None:
    if seen.phase == "laying" and kind != "lay":
        return (
            f"{kind} is not possible now: you drew {seen.drawn} and must lay it on a place first;"
            f" open: {_listed(open_places(seen))}"
        )
    if seen.phase != "laying" and kind == "lay":
        return "lay is not possible now: you have not drawn a treasure in this turn"
    if seen.phase == "last_chance" and kind == "draw":
        return (
            "draw is not possible now: the sixth orc is out, so you take a stack;"
            f" possible: {_listed(takeable(seen))}"
        )
    if seen.phase == "drawing" and kind == "take" and not takeable(seen):
        return "take is not possible now: no place holds a card; you can only draw"
    return None


def _lay(seen: MeinSchatzState, place: int) -> str | None:
    return _no_place(place) or _closed(seen, place, open_places(seen))


def _take(seen: MeinSchatzState, action: Action) -> str | None:
    places, place = takeable(seen), action.get("place")
    if type(place) is int:
        wrong = _no_place(place) or _closed(seen, place, places)
        if wrong is not None:
            return wrong
        if place not in places:
            return f"place {place} is empty, and only a stack of cards can be taken: {_listed(places)}"
    if "token" not in action:
        return None
    if seen.phase == "last_chance":
        return "take has no token now: the sixth orc is out, the tokens are turned over, you get the top one"
    return _token(seen, action["token"])


def _token(seen: MeinSchatzState, token: Any) -> str | None:
    if not isinstance(token, str) or token in seen.tokens:
        return None
    if token not in TYPES:
        return f"there is no find token {brief(token)}; left: {_listed(seen.tokens)}"
    return f"the find token {token} was taken by seat {seen.held.index(token)}; left: {_listed(seen.tokens)}"


def _no_place(place: Any) -> str | None:
    if type(place) is not int or place in PLACES:
        return None
    return f"there is no place {brief(place)}; places are 0 to {PLACES[-1]}"


def _closed(seen: MeinSchatzState, place: Any, possible: list[int]) -> str | None:
    if type(place) is not int or place not in seen.took:
        return None
    owner = seen.took.index(place)
    return (
        f"place {place} is closed: seat {owner} took its stack in this round; possible: {_listed(possible)}"
    )


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
