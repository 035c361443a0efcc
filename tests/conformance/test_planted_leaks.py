"""A test of the tests: games that leak on purpose. The twin-world kit must find every one of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
import pytest

from domain.actions import Offer
from domain.dealing import Dealer
from domain.events import Event, Public
from domain.game import Emitter
from domain.games.hold_my_beer.events import DiscardChosen
from domain.games.hold_my_beer.rules import HoldMyBeer
from domain.games.hold_my_beer.state import HoldMyBeerState
from domain.games.trick_and_trade import deck, events
from domain.games.trick_and_trade.rules import TrickAndTrade
from domain.games.trick_and_trade.state import TrickAndTradeOptions, TrickAndTradeState
from domain.table import AnyGame
from domain.visibility import PUBLIC, SPECTATOR, rule
from projections import frame, trick_and_trade
from projections.registry import Projection
from tests.support.snapshots import snapshot_twin
from tests.support.twins import Leak, Strength, choice_twins, stream_twin
from tests.support.watch import Watch
from tests.support.worlds import World

State = TrickAndTradeState
Emit = Emitter[TrickAndTradeState]


def examine(game: AnyGame, seats: int, number: int = 1, *, steps: int = 5000) -> Strength:
    """Put a few moments of one game through the whole kit, for a seat and for a spectator."""
    strength = Strength()
    rng = random.Random(number)
    world = World(game, seats, key=rng.randbytes(32))
    world.play(rng, most=steps, changes=0.2)
    for viewer in (1, SPECTATOR):
        watch = Watch(world, viewer)
        for version in range(world.first, len(world.commits) + 1, max(1, len(world.commits) // 8)):
            stream_twin(watch, version, rng, strength)
            choice_twins(watch, version, rng, strength)
            snapshot_twin(watch, version, rng, strength)
    return strength


def examine_several(game: AnyGame) -> None:
    """A few games, since one alone may miss what shows rarely."""
    for number in range(3):
        examine(game, 3, number)


def test_the_honest_games_pass() -> None:
    assert examine(TrickAndTrade(), 4).hand_differs
    assert examine(HoldMyBeer(), 3, steps=40).choices


class OpenHands(State, frozen=True):
    """Everybody sees all hands."""

    hands: Annotated[tuple[tuple[str, ...], ...], PUBLIC] = ()


class NeighbourHand(State, frozen=True):
    """Each seat sees the hand of seat 0 as well, in the state and therefore in its view."""

    hands: Annotated[
        tuple[tuple[str, ...], ...],
        rule(
            "own and seat 0",
            lambda hands, state, viewer: tuple(
                hand if seat in (viewer, 0) else (None,) * len(hand) for seat, hand in enumerate(hands)
            ),
        ),
    ] = ()


class OpenPile(State, frozen=True):
    """The draw pile is open; the planted view shows its top card."""

    pile: Annotated[tuple[str, ...], PUBLIC] = ()


class EarlyLeftOut(State, frozen=True):
    """What nobody holds is shown from the beginning."""

    left_out: Annotated[tuple[str, ...], PUBLIC] = ()


class Hint(State, frozen=True):
    """A public number and a public text that depend on a hidden card: the first card of seat 0."""

    hint: Annotated[int, PUBLIC] = 0
    spy: Annotated[str, PUBLIC] = ""


def variant(state: type[State]) -> type[TrickAndTrade]:
    """The game with another state."""

    class Variant(TrickAndTrade):
        def initial(self, options: TrickAndTradeOptions, seats: int) -> State:
            return state(seats=seats, trade_cards=options.trade_cards)

    return Variant


class HintGame(variant(Hint)):  # type: ignore[misc]
    """Keeps the hint up to date."""

    def evolve(self, state: Any, event: Event) -> Any:
        state = super().evolve(state, event)
        if isinstance(event, events.Dealt):
            card = state.hands[0][0]
            state = msgspec.structs.replace(state, hint=deck.rank(card) % 2, spy=card)
        return state


class RotatedActions(HintGame):
    """The order of the offered cards depends on the hint."""

    def actions(self, seen: Any, seat: int) -> list[Offer]:
        offers: list[Offer] = super().actions(seen, seat)
        if seen.hint:
            for offer in offers:
                for choice in offer.values():
                    if isinstance(choice, dict):
                        choice["one_of"].reverse()
        return offers


class TellingRefusal(HintGame):
    """A refusal names a card of somebody else."""

    def explain(self, seen: Any, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]) -> str | None:
        spy: str = seen.spy
        return f"seat 0 holds {spy}, so this is not possible"


class TellingLength(HintGame):
    """A refusal is longer for some cards."""

    def explain(self, seen: Any, seat: int, action: Mapping[str, Any], offers: Sequence[Offer]) -> str | None:
        hint: int = seen.hint
        return "this is not possible" + "!" * hint


class Peeked(Public, frozen=True, tag="peeked"):
    """Names the top card of the draw pile."""

    card: Annotated[str, PUBLIC]


class Padded(Public, frozen=True, tag="padded"):
    """Says nothing, at a length that depends on a hidden card."""

    pad: Annotated[str, PUBLIC]


class Blinked(Public, frozen=True, tag="blinked"):
    """Happens or does not."""


def after_each_play(extra: Callable[[State, int], Event | None]) -> type[TrickAndTrade]:
    """The game with one more event after each played card; the state is the one before it."""

    class Variant(TrickAndTrade):
        def decide(self, emit: Emit, seat: int, action: Mapping[str, Any], dealer: Dealer) -> None:
            event = extra(emit.state, seat) if action["type"] == "play" else None
            super().decide(emit, seat, action, dealer)
            if event is not None:
                emit(event)

    return Variant


def some_hidden_card(state: State, seat: int) -> str:
    hand = state.hands[(seat + 1) % state.seats]
    return hand[0] if hand else "nev-1"


FAULTY: dict[str, Callable[[], AnyGame]] = {
    "hands are open": variant(OpenHands),
    "one hand is open": variant(NeighbourHand),
    "the left-out card is open": variant(EarlyLeftOut),
    "the order of actions": RotatedActions,
    "a refusal names a card": TellingRefusal,
    "the length of a refusal": TellingLength,
    "a number in the view": HintGame,
    "an event names a card": after_each_play(lambda state, seat: Peeked((*state.pile, "nev")[0])),
    "an event names a card of a hand": after_each_play(
        lambda state, seat: Peeked(some_hidden_card(state, seat))
    ),
    "the length of an event": after_each_play(
        lambda state, seat: Padded("x" * deck.rank(some_hidden_card(state, seat)))
    ),
    "the presence of an event": after_each_play(
        lambda state, seat: Blinked() if deck.rank(some_hidden_card(state, seat)) > 5 else None
    ),
}


def show_hint(seen: Any, viewer: int) -> Any:
    """A view with a number that depends on a hidden card."""
    view = trick_and_trade.view(seen, viewer)
    return msgspec.structs.replace(view, trick=view.trick + seen.hint)


def show_pile(seen: Any, viewer: int) -> Any:
    """A view with the top card of the draw pile."""
    view = trick_and_trade.view(seen, viewer)
    return msgspec.structs.replace(view, left_out=seen.pile[:1])


def with_view(monkeypatch: pytest.MonkeyPatch, view: Callable[[Any, int], Any]) -> None:
    planted = Projection(trick_and_trade.View, view)
    monkeypatch.setattr(frame, "projection", lambda game: planted)


@pytest.mark.parametrize("fault", FAULTY)
def test_a_planted_leak_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault == "a number in the view":
        with_view(monkeypatch, show_hint)
    with pytest.raises(Leak, match="version"):
        examine_several(FAULTY[fault]())


def test_a_view_that_shows_the_draw_pile_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with_view(monkeypatch, show_pile)
    examine(TrickAndTrade(), 4)
    with pytest.raises(Leak, match="trades"):
        examine(variant(OpenPile)(), 4)


@pytest.mark.interpreted
def test_a_view_that_bypasses_the_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "see", lambda state, viewer, public=None: state)
    with pytest.raises(Leak, match="deal"):
        examine(TrickAndTrade(), 4)


def test_events_that_bypass_redaction_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The push to viewers sends the whole deal, although the declarations are right."""
    world = World(TrickAndTrade(), 3)
    watch = Watch(world, 1)
    monkeypatch.setattr(
        "tests.support.watch.redact_all",
        lambda happened, viewer: [msgspec.to_builtins(one) for one in happened],
    )
    with pytest.raises(Leak):
        stream_twin(watch, world.first, random.Random(1), Strength())


class LoudDiscard(HoldMyBeer):
    """Says something about a discard before the last seat has chosen."""

    def decide(
        self, emit: Emitter[HoldMyBeerState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        super().decide(emit, seat, action, dealer)
        if isinstance(emit.events[0], DiscardChosen):
            emit(Padded("x" * len(action["card"])))


class LoudBid(HoldMyBeer):
    """Whoever bids 1 is waited for a little longer."""

    def decide(
        self, emit: Emitter[HoldMyBeerState], seat: int, action: Mapping[str, Any], dealer: Dealer
    ) -> None:
        super().decide(emit, seat, action, dealer)
        if action["type"] == "bid" and action["place"] == 1:
            emit(Blinked())


def examine_choices(game: AnyGame) -> None:
    """The first choices of a few games."""
    for number in range(6):
        rng = random.Random(number)
        world = World(game, 3, key=rng.randbytes(32))
        world.play(rng, most=7)
        watch = Watch(world, SPECTATOR)
        for version in range(world.first, len(world.commits) + 1):
            choice_twins(watch, version, rng, Strength())


@pytest.mark.parametrize("game", [LoudDiscard(), LoudBid()], ids=lambda game: type(game).__name__)
def test_a_secret_choice_that_shows_is_found(game: AnyGame) -> None:
    examine_choices(HoldMyBeer())
    with pytest.raises(Leak, match="still secret"):
        examine_choices(game)


@pytest.mark.interpreted
def test_a_snapshot_that_bypasses_the_mask_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(TrickAndTrade(), 4)
    watch = Watch(world, 1)
    snapshot_twin(watch, world.first, random.Random(1), Strength())
    monkeypatch.setattr(frame, "see", lambda state, viewer, public=None: state)
    with pytest.raises(Leak, match="snapshot"):
        snapshot_twin(watch, world.first, random.Random(1), Strength())
