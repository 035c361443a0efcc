"""The view of Hold My Beer."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from domain.games.hold_my_beer.state import HANDS, TARGET, TRICKS, HoldMyBeerState
from projections.tarot_views import PlacesView, own_pick, places
from projections.viewer import Viewer


class View(PlacesView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Hold My Beer.

    ``discard`` is the viewer's own: the card it has chosen while all choose, then the card that it laid to
    the Talon, for as long as it certainly lies there.
    """

    discard: str | UnsetType = UNSET


def view(seen: HoldMyBeerState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    pick = own_pick(seen, viewer)
    laid = seen.discards[viewer] if viewer >= 0 else None
    card = pick if isinstance(pick, str) else laid
    shared = places(seen, viewer, tricks=TRICKS, target=TARGET, most_hands=HANDS)
    return View(**shared, discard=UNSET if card is None else card)
