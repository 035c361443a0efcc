"""The view of Oopsie."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from domain.games.oopsie.state import TRICKS, OopsieState, most_hands, target
from projections.tarot_views import OWN_PLACES, PlacesView, own_pick, own_places, places
from projections.viewer import Viewer


class View(PlacesView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Oopsie; ``scores`` are by team: seats 0 and 2, seats 1 and 3.

    For a seat only: ``passing`` is the card that it has chosen while all choose; ``passed`` are the cards
    that it passed in this hand and that its partner certainly still holds; ``received`` those it got and
    still holds.
    """

    passing: str | UnsetType = UNSET
    passed: tuple[str, ...] | UnsetType = UNSET
    received: tuple[str, ...] | UnsetType = UNSET


OWN = (*OWN_PLACES, "passing", "passed", "received")


def own(seen: OopsieState, viewer: Viewer) -> dict[str, Any]:
    """The members in which viewers' views differ."""
    mine = own_places(seen, viewer)
    if viewer >= 0:
        mine["passed"], mine["received"] = seen.passed[viewer], seen.received[viewer]
        if isinstance(pick := own_pick(seen, viewer), str):
            mine["passing"] = pick
    return mine


def view(seen: OopsieState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    shared = places(seen, tricks=TRICKS, target=target(seen), most_hands=most_hands(seen))
    return View(**shared, **own(seen, viewer))
