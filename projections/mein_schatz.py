"""The view of Mein Schatz."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.mein_schatz import deck, scoring
from domain.games.mein_schatz.scoring import WhyCoins
from domain.games.mein_schatz.state import MeinSchatzState, Move, still_in
from projections.base import GameView
from projections.viewer import Viewer


class Turn(msgspec.Struct, gc=False, frozen=True):
    """The seat that is asked, and why it.

    ``why``: ``first`` = it begins the round; ``next`` = clockwise; ``drew_treasure`` = it must lay what it
    drew; ``last_without_treasure`` = the others are out of the round, so it goes on alone; ``sixth_orc`` =
    it takes a stack as its last chance.
    """

    seat: int
    why: Literal["first", "next", "drew_treasure", "last_without_treasure", "sixth_orc"]


class Place(msgspec.Struct, gc=False, frozen=True):
    """One of the four places: its cards, lowest first, None for each hidden one.

    ``taken_by`` is the seat that took its stack in this round, which closed the place; absent while open.
    """

    place: int
    stack: tuple[str | None, ...]
    taken_by: int | UnsetType = UNSET


class Gnome(msgspec.Struct, gc=False, frozen=True):
    """A seat: its part in this round, and its coins.

    ``stack`` is what it took, None for each hidden card; ``place`` and ``token_side`` are absent while it is
    without treasure, ``token`` also where it lies gnome side up. ``value`` is that of its coins in silver.
    """

    seat: int
    in_round: bool
    stack: tuple[str | None, ...]
    gold: int
    silver: int
    value: int
    place: int | UnsetType = UNSET
    token: str | UnsetType = UNSET
    token_side: Literal["treasure", "gnome"] | UnsetType = UNSET


class Score(msgspec.Struct, gc=False, frozen=True):
    """What a seat scored: ``symbols`` of its stack, of which ``matching`` its token and ``mice`` count.

    ``gold`` and ``silver`` are the coins it got, and ``why``: ``most`` treasures, ``one_fewer``,
    ``two_fewer``, ``too_few``, or ``nobody_scores`` where the most was 0. ``gnome_side``: the token was
    taken unseen.
    """

    seat: int
    token: str
    gnome_side: bool
    symbols: dict[str, int]
    matching: int
    mice: int
    treasures: int
    gold: int
    silver: int
    value: int
    why: WhyCoins


class LastRound(msgspec.Struct, gc=False, frozen=True):
    """The scoring of the round that ended last, by seat."""

    round: int
    scores: list[Score]


class View(GameView, frozen=True, kw_only=True):
    """What a viewer sees of a game of Mein Schatz.

    ``phase``: ``drawing`` (draw or take), ``laying``, ``last_chance`` (after the sixth orc) or ``over``.
    ``first`` began the round. ``turn`` is absent when the game is over. ``queue`` are the seats without
    treasure in the order in which they are next, the one that is asked first. ``last_move`` is what a seat
    did last in this round, absent before the first; a drawn treasure counts once it is laid. ``orcs`` of
    ``orcs_in_all`` are out; ``deck`` cards are left. ``drawn`` holds the card that waits to be laid (None
    where it is hidden) or nothing. ``tokens`` lie treasure side up, ``gnome_tokens`` are left gnome side up.
    The game ends at coins worth ``target`` silver. ``open_draw`` and ``face_up`` are the options ``drawn``
    and ``places`` of the table.
    """

    phase: str
    round: int
    first: int
    turn: Turn | UnsetType = UNSET
    queue: tuple[int, ...]
    last_move: Move | UnsetType = UNSET
    orcs: int
    orcs_in_all: int
    deck: int
    drawn: tuple[str | None, ...]
    places: list[Place]
    tokens: tuple[str, ...]
    gnome_tokens: int
    gnomes: list[Gnome]
    last_round: LastRound | UnsetType = UNSET
    target: int
    open_draw: bool
    face_up: bool


OWN = ("drawn",)


def own(seen: MeinSchatzState, viewer: Viewer) -> dict[str, Any]:
    """The members in which viewers' views differ."""
    return {"drawn": (seen.drawn,) if seen.phase == "laying" else ()}


def view(seen: MeinSchatzState, viewer: Viewer) -> View:
    """The view of what ``viewer`` may see."""
    owners = {place: seat for seat, place in enumerate(seen.took)}
    waiting = still_in(seen.took, seen.turn)
    return View(
        phase=seen.phase,
        round=seen.round,
        first=seen.first,
        turn=_turn(seen, waiting),
        queue=(*waiting[-1:], *waiting[:-1]),
        last_move=UNSET if seen.last_move is None else seen.last_move,
        orcs=len(seen.orcs),
        orcs_in_all=deck.ORCS,
        deck=len(seen.deck),
        **own(seen, viewer),
        places=[Place(place, seen.stacks[place], owners.get(place, UNSET)) for place in deck.PLACES],
        tokens=seen.tokens,
        gnome_tokens=len(seen.gnomes),
        gnomes=[_gnome(seen, seat) for seat in range(seen.seats)],
        last_round=_last_round(seen),
        target=scoring.TARGET,
        open_draw=seen.open_draw,
        face_up=seen.face_up,
    )


def _turn(seen: MeinSchatzState, waiting: tuple[int, ...]) -> Turn | UnsetType:
    if seen.phase == "over":
        return UNSET
    if seen.phase == "laying":
        return Turn(seen.turn, "drew_treasure")
    if seen.phase == "last_chance":
        return Turn(seen.turn, "sixth_orc")
    if len(waiting) == 1:
        return Turn(seen.turn, "last_without_treasure")
    return Turn(seen.turn, "first" if len(seen.deck) == deck.DECK_SIZE else "next")


def _gnome(seen: MeinSchatzState, seat: int) -> Gnome:
    place, token = seen.took[seat], seen.held[seat]
    return Gnome(
        seat=seat,
        in_round=place is None,
        stack=seen.taken[seat],
        gold=seen.gold[seat],
        silver=seen.silver[seat],
        value=scoring.coin_value(seen.gold[seat], seen.silver[seat]),
        place=UNSET if place is None else place,
        token=UNSET if token is None else token,
        token_side=UNSET if place is None else "gnome" if seat in seen.gnome_side else "treasure",
    )


def _last_round(seen: MeinSchatzState) -> LastRound | UnsetType:
    if not seen.last:
        return UNSET
    scores = [
        Score(
            seat=seat,
            token=score.token,
            gnome_side=score.gnome_side,
            symbols=deck.symbol_counts(stack),
            matching=score.matching,
            mice=score.mice,
            treasures=score.treasures,
            gold=score.gold,
            silver=score.silver,
            value=score.value,
            why=score.why,
        )
        for seat, (score, stack) in enumerate(zip(seen.last, seen.last_stacks, strict=True))
    ]
    return LastRound(seen.round if seen.phase == "over" else seen.round - 1, scores)
