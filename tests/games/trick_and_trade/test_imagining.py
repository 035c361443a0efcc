"""Imagined worlds: as the seat knows them, complete, and all equally likely."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain import table as tables
from domain.dealing import KeyedDealer
from domain.events import Commit, Shuffled
from domain.games.trick_and_trade import GAME, deck
from domain.games.trick_and_trade.state import TrickAndTradeState
from domain.visibility import see
from projections import history
from tests.support.play import Playout, Scripted, new

SEATS = (3, 4, 5)


def log_of(played: Playout, version: int, seat: int) -> list[dict[str, Any]]:
    """The log as a seat may read it, as it goes over the wire."""
    lines = [
        history.header(played.states[version - 1], seat),
        *(history.line(commit, seat) for commit in played.commits[:version]),
    ]
    read: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(lines))
    return read


def moments(seats: int, number: int = 12, **settings: Any) -> Iterator[tuple[Playout, int, int]]:
    """Random moments of a random game, each with the seat that is asked."""
    rng = random.Random(f"imagining {seats}")
    played = new("trick-and-trade", seats, key=rng.randbytes(32), **settings).play(rng)
    for version in sorted(rng.sample(range(seats + 2, len(played.commits)), number)):
        yield played, version, tables.waiting(GAME, played.states[version - 1])[0]


def imagined(played: Playout, version: int, seat: int, number: int = 5) -> list[TrickAndTradeState]:
    """Some worlds that a seat imagines."""
    rng = random.Random(version)
    return list(islice(GAME.worlds(log_of(played, version, seat), seat, rng), number))


@pytest.mark.parametrize("seats", SEATS)
def test_a_world_looks_to_its_seat_as_the_true_one(seats: int) -> None:
    for played, version, seat in moments(seats):
        for world in imagined(played, version, seat):
            assert see(world, seat) == see(played.states[version - 1].state, seat)  # type: ignore[type-var]


@pytest.mark.parametrize("seats", SEATS)
def test_the_other_hands_the_pile_and_the_card_left_out_differ_from_world_to_world(seats: int) -> None:
    hands, piles = set(), set()
    for played, version, seat in moments(seats, 4):
        for world in imagined(played, version, seat):
            hands.add(world.hands)
            piles.add(world.pile)
    assert len(hands) > 15
    assert len(piles) > 15


def dealt(world: TrickAndTradeState, played: Playout, version: int, seat: int) -> dict[str, Any]:
    """The shuffles that would have led to a world; ``seat`` knows what it was dealt."""
    commits = played.commits[:version]
    events = [event for commit in commits for event in commit.events]
    hands = [list(hand) for hand in world.hands]
    for event in events:
        if type(event).__name__ == "CardPlayed":
            hands[event.seat].append(event.card)  # type: ignore[attr-defined]
    true: Any = {event.label: event.order for event in events if isinstance(event, Shuffled)}
    size = deck.HAND_SIZE[world.seats]
    hands[seat] = true["deal"][seat * size : (seat + 1) * size]
    shown = len(true["trades"][: deck.TRADES_USED[world.seats]]) - len(world.pile)
    trades = [*true["trades"][:shown], *world.pile]
    removed = Counter(world.trade_cards) - Counter(trades)
    return {
        "lead": true["lead"],
        "deal": [card for hand in hands for card in hand] + list(world.left_out),
        "trades": [*trades, *removed.elements()],
    }


@pytest.mark.parametrize("seats", SEATS)
def test_a_world_could_have_led_to_the_same_log(seats: int) -> None:
    """With the cards of the world dealt, all commands are legal, and the seat is told the same."""
    for played, version, seat in moments(seats, 6):
        for world in imagined(played, version, seat, 2):
            dealer = Scripted(dealt(world, played, version, seat), KeyedDealer(bytes(32), [None] * seats))
            start = seats + 2
            table = played.states[start - 2]
            commits: list[Commit] = []
            for number in range(start, version + 1):
                if number == start:
                    decision = tables.decide_start(GAME, table, dealer)
                else:
                    step = played.steps[number - start - 1]
                    decision = tables.decide_act(GAME, table, step.seat, step.action, dealer=dealer)
                table = tables.stamped(decision.table, number, 1000 + number)
                commits.append(Commit(number, 1000 + number, played.commits[number - 1].by, decision.events))
            told = [history.line(commit, seat) for commit in commits]
            assert told == [history.line(commit, seat) for commit in played.commits[start - 1 : version]]
            assert table.state == world


@pytest.mark.parametrize("seats", SEATS)
def test_in_every_world_each_card_is_there_once(seats: int) -> None:
    for played, version, seat in moments(seats):
        gone = [
            event.card  # type: ignore[attr-defined]
            for commit in played.commits[:version]
            for event in commit.events
            if type(event).__name__ == "CardPlayed"
        ]
        for world in imagined(played, version, seat):
            held = [card for hand in world.hands for card in hand]
            assert Counter([*held, *world.left_out, *gone]) == Counter(deck.TRICK_CARDS)
            shown = [*world.front, *world.back, *(card for own in world.trades for card in own)]
            assert not Counter([*shown, *world.pile]) - Counter(world.trade_cards)


def test_each_card_not_seen_lies_in_each_place_equally_often() -> None:
    played = new("trick-and-trade", 3)
    version = len(played.commits)
    number = 4000
    found: Counter[tuple[str, str]] = Counter()
    for world in imagined(played, version, 0, number):
        for card in world.hands[1]:
            found[card, "hand"] += 1
        found[world.left_out[0], "left out"] += 1
    unseen = [card for card in deck.TRICK_CARDS if card not in played.state.hands[0]]
    assert {card for card, _ in found} == set(unseen)
    for card in unseen:
        assert found[card, "hand"] / number == pytest.approx(13 / 27, abs=0.05)
        assert found[card, "left out"] / number == pytest.approx(1 / 27, abs=0.02)


def test_the_cards_of_a_box_are_used_where_the_table_has_them() -> None:
    box = ["nev+nev+nev", *deck.TRADE_CARDS[1:]]
    for played, version, seat in moments(3, 5, options={"trade_cards": box}):
        for world in imagined(played, version, seat, 2):
            assert world.trade_cards == tuple(box)
            assert see(world, seat) == see(played.states[version - 1].state, seat)  # type: ignore[type-var]


def test_worlds_follow_from_the_random_numbers() -> None:
    played, version, seat = next(moments(4))
    assert imagined(played, version, seat) == imagined(played, version, seat)
    other = list(islice(GAME.worlds(log_of(played, version, seat), seat, random.Random("x")), 5))
    assert other != imagined(played, version, seat)
