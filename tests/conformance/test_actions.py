"""Law of exact actions, for every game: what is offered is accepted, everything else is refused."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import msgspec
import pytest

from domain import table as tables
from domain.actions import Offer
from domain.dealing import KeyedDealer
from domain.errors import Rejected
from domain.game import MOST_CHANGES, NO_MORE_CHANGES
from domain.table import Decision, Table
from domain.visibility import SPECTATOR, see
from tests.conformance.setups import SETUPS, choices, label, moments, playouts, viewers, walk
from tests.support.counts import LONG
from tests.support.play import Playout, pick

pytestmark = pytest.mark.parametrize("setup", SETUPS, ids=label)
Setup = tuple[str, int]

JUNK: tuple[Any, ...] = ("", "nope", -1, 0, 1, 99, True, 1.0, "1", None, [], {}, ["nope"])
MOST_COMBINATIONS = 1000 if LONG else 300
MULTISETS = 50


def faults(offers: Sequence[Offer]) -> Iterator[str]:
    """What is wrong with the form of some offers."""
    for offer in offers:
        for name, choice in choices(offer).items():
            where = f"{offer['type']}.{name}"
            values = choice.get("one_of", choice.get("some_of"))
            if choice.keys() not in ({"one_of"}, {"some_of", "min", "max"}) or not isinstance(values, list):
                yield f"{where}: {choice} is no choice"
            elif not values:
                yield f"{where}: an empty choice"
            elif {type(value) for value in values} not in ({str}, {int}):
                yield f"{where}: values of several kinds: {values}"
            elif "one_of" in choice and len(set(values)) < len(values):
                yield f"{where}: a value twice: {values}"
            elif "some_of" in choice and not 0 <= choice["min"] <= choice["max"] <= len(values):
                yield f"{where}: wrong bounds: {choice}"
    for one, other in combinations(offers, 2):
        if one.keys() == other.keys() and one["type"] == other["type"]:
            apart = any(
                not set(values_of(choice)) & set(values_of(other[name]))
                for name, choice in choices(one).items()
            )
            if not apart:
                yield f"overlapping offers: {one} and {other}"


def values_of(choice: dict[str, Any]) -> list[Any]:
    """The values of a choice of either kind."""
    values: list[Any] = choice["one_of"] if "one_of" in choice else choice["some_of"]
    return values


def typed(value: Any) -> Any:
    """A value that is equal only to the same value of the same kind."""
    return (type(value).__name__, repr(value))


def offered(offers: Sequence[Offer], action: dict[str, Any]) -> bool:
    """Whether an action is offered, found out by listing what is: not the kernel's own way."""
    for offer in offers:
        names = choices(offer)
        if offer["type"] != action["type"] or set(names) != set(action) - {"type"}:
            continue
        good = []
        for name, choice in names.items():
            if "one_of" in choice:
                good.append(typed(action[name]) in {typed(value) for value in choice["one_of"]})
            else:
                given = action[name]
                good.append(
                    isinstance(given, list)
                    and choice["min"] <= len(given) <= choice["max"]
                    and not Counter(map(typed, given)) - Counter(map(typed, choice["some_of"]))
                )
        if all(good):
            return True
    return False


def shapes(playout: Playout) -> dict[tuple[str, ...], list[set[Any]]]:
    """Each action type with its parameters, and every value ever offered for each of these."""
    found: dict[tuple[str, ...], list[set[Any]]] = {}
    for table in playout.states[playout.seats + 1 :]:
        for seat in range(playout.seats):
            for offer in tables.actions(playout.game, table, seat):
                names = choices(offer)
                values = found.setdefault((offer["type"], *names), [set() for _ in names])
                for known, choice in zip(values, names.values(), strict=True):
                    known.update(values_of(choice))
    return found


def accepted(playout: Playout, table: Table, seat: int, action: dict[str, Any]) -> bool:
    """Whether the kernel accepts an action; a refusal must carry a fitting code and a sentence."""
    dealer = KeyedDealer(playout.key, [None] * playout.seats)
    refused: Rejected | None = None
    decision: Decision | None = None
    try:
        decision = tables.decide_act(playout.game, table, seat, action, dealer=dealer)
    except Rejected as error:
        refused = error
    if refused is not None:
        offers = tables.actions(playout.game, table, seat)
        assert refused.code == ("illegal_action" if offers else "not_your_turn")
        assert len(refused.message) > 10
        return False
    assert decision is not None
    assert decision.events, f"{action} was accepted and nothing happened"
    return True


def attempts(playout: Playout, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Actions of every type with values out of all that this game ever offered, and junk."""
    known = shapes(playout)
    every = sorted({value for values in known.values() for some in values for value in some}, key=repr)
    for kind, *names in known:
        pool = [*every, *JUNK]
        if len(pool) ** len(names) <= MOST_COMBINATIONS:
            combined: Any = product(pool, repeat=len(names))
        else:
            combined = ([rng.choice(pool) for _ in names] for _ in range(MOST_COMBINATIONS))
        for values in combined:
            yield {"type": kind, **dict(zip(names, values, strict=True))}
        for _ in range(MULTISETS if names else 0):
            yield {"type": kind, **{name: rng.choices(every, k=rng.randrange(6)) for name in names}}
        yield {"type": kind, "more": 1, **dict.fromkeys(names, every[0] if every else 0)}
        if names:
            yield {"type": kind}
    yield {"type": "no_such_action"}


def listed(offers: Sequence[Offer], rng: random.Random, most: int = 60) -> list[dict[str, Any]]:
    """What is offered, as actions: all of it where it is little, else some."""
    actions: list[dict[str, Any]] = []
    for offer in offers:
        names = choices(offer)
        if all("one_of" in choice for choice in names.values()):
            combined = product(*(choice["one_of"] for choice in names.values()))
            actions += [
                {"type": offer["type"], **dict(zip(names, values, strict=True))} for values in combined
            ]
        else:
            actions += [pick(rng, [offer]) for _ in range(10)]
    return actions if len(actions) <= most else rng.sample(actions, most)


def test_offers_obey_the_grammar_at_every_version(setup: Setup) -> None:
    for playout in playouts(*setup):
        for table in playout.states[playout.seats + 1 :]:
            for viewer in viewers(playout):
                offers = tables.actions(playout.game, table, viewer)
                assert not list(faults(offers)), f"version {table.version}, viewer {viewer}"
                assert viewer != SPECTATOR or not offers


def test_offers_are_the_same_each_time_and_plain_data(setup: Setup) -> None:
    for playout in playouts(*setup):
        for version in moments(playout):
            table = playout.states[version - 1]
            for seat in range(playout.seats):
                offers = tables.actions(playout.game, table, seat)
                assert offers == tables.actions(playout.game, table, seat)
                data = msgspec.json.encode(offers)
                assert data == msgspec.json.encode(tables.actions(playout.game, table, seat))
                assert msgspec.json.decode(data) == offers


def test_what_is_offered_is_accepted(setup: Setup) -> None:
    rng = random.Random(f"offered/{setup}")
    for playout in playouts(*setup):
        for table in playout.states[playout.seats + 1 :: 1 if LONG else 3]:
            for seat in range(playout.seats):
                for action in listed(tables.actions(playout.game, table, seat), rng, 200 if LONG else 12):
                    assert accepted(playout, table, seat, action), f"version {table.version}: {action}"


def test_what_is_not_offered_is_refused_and_changes_nothing(setup: Setup) -> None:
    rng = random.Random(f"refused/{setup}")
    for playout in playouts(*setup):
        tried = list(attempts(playout, rng))
        for version in moments(playout, 20 if LONG else 4)[:-1]:
            table = playout.states[version - 1]
            before = msgspec.msgpack.encode(table.state)
            for seat in range(playout.seats):
                offers = tables.actions(playout.game, table, seat)
                for action in tried if offers else tried[:: max(1, len(tried) // 20)]:
                    if accepted(playout, table, seat, action) != offered(offers, action):
                        raise AssertionError(f"version {version}, seat {seat}: {action}; offered: {offers}")
            assert msgspec.msgpack.encode(table.state) == before


def test_the_game_waits_for_seats_that_can_act_until_it_is_over(setup: Setup) -> None:
    for playout in playouts(*setup):
        for table in playout.states[playout.seats + 1 :]:
            waiting = tables.waiting(playout.game, table)
            assert bool(waiting) == (table.status == "playing"), f"version {table.version}"
            assert list(waiting) == sorted(set(waiting))
            assert set(waiting) <= set(range(playout.seats))
            for seat in waiting:
                assert tables.actions(playout.game, table, seat), f"version {table.version}, seat {seat}"
            if table.status == "playing":
                assert table.state is not None
                for viewer in viewers(playout):
                    assert playout.game.waiting(see(table.state, viewer)) == waiting


def test_after_the_end_the_game_itself_waits_for_nobody_and_offers_nothing(setup: Setup) -> None:
    for playout in playouts(*setup):
        assert playout.game.waiting(see(playout.state, SPECTATOR)) == ()
        for seat in range(playout.seats):
            assert playout.game.actions(see(playout.state, seat), seat) == []


def test_whoever_has_chosen_may_choose_again_until_the_last_has_but_not_for_ever(setup: Setup) -> None:
    rng = random.Random(f"changes/{setup}")
    for playout in playouts(*setup):
        tried = 0
        for version in range(playout.seats + 3, len(playout.commits)):
            table, seat = playout.states[version - 1], playout.commits[version - 1].by
            if not isinstance(seat, int) or seat in tables.waiting(playout.game, table):
                continue
            offers = tables.actions(playout.game, table, seat)
            if not offers or tried > 6:
                continue
            tried += 1
            before = tables.actions(playout.game, playout.states[version - 2], seat)
            assert offers == before, f"version {version}: other offers after seat {seat} has chosen"
            waiting = tables.waiting(playout.game, table)
            action = playout.steps[version - playout.seats - 3].action
            for change in range(MOST_CHANGES + 1):
                offers = tables.actions(playout.game, table, seat)
                if not offers:
                    break
                assert change < MOST_CHANGES, "a seat can change its choice for ever"
                chosen = action if change % 2 == 0 else pick(rng, offers)
                decision = tables.decide_act(playout.game, table, seat, chosen)
                table = tables.stamped(decision.table, table.version + 1, table.at_ms)
                assert tables.waiting(playout.game, table) == waiting
            with pytest.raises(Rejected) as refused:
                tables.decide_act(playout.game, table, seat, action)
            assert refused.value.code == "not_your_turn"
            assert NO_MORE_CHANGES in refused.value.message


def test_every_action_type_and_parameter_stands_in_the_catalogue(setup: Setup) -> None:
    for playout in playouts(*setup):
        for kind, *names in shapes(playout):
            assert kind in playout.game.action_shapes
            assert set(names) <= set(playout.game.action_shapes[kind])
    assert all(isinstance(text, str) for text in walk(playouts(*setup)[0].game.action_shapes))
