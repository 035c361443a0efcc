"""The view of Oopsie."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from domain.games.oopsie.state import TRICKS, OopsieState, most_hands, target
from projections.tarot_views import PlacesView, own_pick, places
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


def view(seen: OopsieState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    pick = own_pick(seen, viewer)
    shared = places(seen, viewer, tricks=TRICKS, target=target(seen), most_hands=most_hands(seen))
    return View(
        **shared,
        passing=pick if isinstance(pick, str) else UNSET,
        passed=seen.passed[viewer] if viewer >= 0 else UNSET,
        received=seen.received[viewer] if viewer >= 0 else UNSET,
    )
