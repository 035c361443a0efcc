"""The view of Hold My Beer."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from domain.games.hold_my_beer.state import HANDS, TARGET, TRICKS, HoldMyBeerState
from projections.tarot_views import OWN_PLACES, PlacesView, own_pick, own_places, places
from projections.viewer import Viewer


class View(PlacesView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Hold My Beer.

    ``discard`` is the viewer's own: the card it has chosen while all choose, then the card that it laid to
    the Talon, for as long as it certainly lies there.
    """

    discard: str | UnsetType = UNSET


OWN = (*OWN_PLACES, "discard")


def own(seen: HoldMyBeerState, viewer: Viewer) -> dict[str, Any]:
    """The members in which viewers' views differ."""
    pick = own_pick(seen, viewer)
    laid = seen.discards[viewer] if viewer >= 0 else None
    card = pick if isinstance(pick, str) else laid
    return own_places(seen, viewer) | ({} if card is None else {"discard": card})


def view(seen: HoldMyBeerState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    return View(**places(seen, tricks=TRICKS, target=TARGET, most_hands=HANDS), **own(seen, viewer))
