"""How bots choose, without a server: from what their seat may know alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from domain import table as tables
from domain.actions import allows, offer, one_of, some_of
from domain.errors import Rejected
from domain.events import Commit
from domain.games.trick_and_trade.rules import TrickAndTrade
from domain.registry import games
from domain.table import Table
from domain.visibility import see
from server import bots
from server.bots import thinking
from server.bots.arena import Record, contest
from server.bots.policies import POLICIES, every, greedy, policies_of, require_policy, seeded, strong
from tests.conformance.setups import SETUPS, label, playouts, random_options
from tests.support.play import Playout
from tests.support.twins import Search, Strength
from tests.support.watch import Watch
from tests.support.worlds import World

Setup = tuple[str, int]
KINDS = {"mein-schatz": lambda card: card == "orc"}
"""What everybody learns of a card when it is drawn, without being told which card it is."""


def awaited(
    played: Playout, number: int, rng: random.Random, seat: int | None = None
) -> list[tuple[int, int]]:
    """Versions at which a seat (a given one) is asked, each with that seat, ascending."""
    found = [
        (version, asked)
        for version, table in enumerate(played.states, 1)
        for asked in tables.waiting(played.game, table)
        if seat is None or asked == seat
    ]
    return sorted(rng.sample(found, min(number, len(found))))


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_every_policy_wants_what_is_offered(setup: Setup) -> None:
    rng = random.Random(f"offered {setup}")
    for played in playouts(*setup):
        for version, seat in awaited(played, 25, rng):
            table = played.states[version - 1]
            offers = tables.actions(played.game, table, seat)
            for policy in ("random", "greedy"):
                action = bots.decide(played.game, table, seat, policy)
                assert action is not None
                assert allows(offers, action)
            seen = see(table.state, seat)  # type: ignore[type-var]
            for candidate in played.game.candidates(seen, seat, offers) or ():
                assert allows(offers, candidate)


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_games_tell_actions_apart(setup: Setup) -> None:
    """A greedy bot is no random one: of several actions some are better than others."""
    rng = random.Random(f"apart {setup}")
    alike = different = 0
    for played in playouts(*setup):
        for version, seat in awaited(played, 25, rng):
            seen = see(played.states[version - 1].state, seat)  # type: ignore[type-var]
            actions = every(played.game.actions(seen, seat), 640) or ()
            worths = {played.game.appraise(seen, seat, action) for action in actions}
            if len(actions) > 1:
                different += len(worths) > 1
                alike += len(worths) == 1
    assert different > 2 * alike


def twin(watch: Watch, version: int, rng: random.Random) -> tuple[Table, list[Commit]] | None:
    """A world that the viewer cannot tell from the watched one, up to a version."""
    search = Search(watch, version, rng, Strength(), 40)
    for group in watch.groups(version):
        rng.shuffle(group)
        search.add(list(zip(group[::2], group[1::2], strict=False)))
    if search.run is None:
        return None
    commits = search.run.commits
    return search.run.states[-1], [*watch.world.commits[: commits[0].version - 1], *commits]


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_a_bot_moves_alike_in_worlds_that_its_seat_cannot_tell_apart(setup: Setup) -> None:
    name, seats = setup
    game = games()[name]
    rng = random.Random(f"bots {setup}")
    twins = 0
    for number in range(2):
        options = random_options(game, rng) if number else {}
        world = World(game, seats, options=options, key=rng.randbytes(32))
        world.play(rng)
        seat = rng.randrange(seats)
        watch = Watch(world, seat, kind=KINDS.get(name))
        for version, _ in awaited(world, 5, rng, seat):
            table = world.states[version - 1]
            found = twin(watch, version, rng)
            if found is None:
                continue
            other, commits = found
            assert other.state != table.state
            twins += 1
            for policy in ("random", "greedy"):
                assert bots.decide(game, other, seat, policy) == bots.decide(game, table, seat, policy)
            if game.imagines:
                asked = thinking.question(game, table, world.commits[:version], seat)
                assert asked is not None
                assert thinking.question(game, other, commits, seat) == asked
    assert twins >= 5


def test_a_strong_bot_answers_the_same_question_in_the_same_way() -> None:
    rng = random.Random("again")
    for seats in (3, 4, 5):
        played = playouts("trick-and-trade", seats)[0]
        for version, seat in awaited(played, 2, rng):
            table, commits = played.states[version - 1], played.commits[:version]
            asked = thinking.question(played.game, table, commits, seat)
            assert asked is not None
            assert thinking.answer(asked) == thinking.answer(asked)


def test_a_question_holds_no_card_that_the_seat_may_not_see() -> None:
    played = playouts("trick-and-trade", 4)[0]
    for version, seat in awaited(played, 10, random.Random("cards")):
        table = played.states[version - 1]
        asked = thinking.question(played.game, table, played.commits[:version], seat)
        assert asked is not None
        state: Any = table.state
        for other, hand in enumerate(state.hands):
            if other != seat:
                assert not [card for card in hand if f'"{card}"'.encode() in asked]
        assert table.deal_key.hex().encode() not in asked


class Imagined(TrickAndTrade):
    """Counts how often something is played out, and finds one action best."""

    best: Any = None

    def __init__(self) -> None:
        self.playouts = 0
        self.drawn = 0

    def worlds(self, log: Sequence[Mapping[str, Any]], viewer: int, rng: Any) -> Iterator[Any]:
        while True:
            self.drawn += 1
            yield self.drawn

    def playout(self, world: Any, seat: int, action: Mapping[str, Any], rng: Any) -> float:
        self.playouts += 1
        return float(rng.random() + (action == self.best))


@pytest.mark.parametrize("held", [("a-1", "b-1", "c-1"), ("a-9", "b-9", "c-9"), ("a-1", "a-2", "c-5")])
def test_a_strong_bot_plays_out_as_many_games_whatever_it_holds(held: tuple[str, ...]) -> None:
    game = Imagined()
    game.best = {"type": "play", "card": held[1]}
    action = strong(game, [], 0, [offer("play", card=one_of(held))], random.Random(1), 300)
    assert action == game.best
    assert (game.playouts, game.drawn) == (300, 100)


@pytest.mark.parametrize("number", [1, 2, 7, 13])
def test_a_strong_bot_plays_out_about_as_many_games_however_many_actions_it_has(number: int) -> None:
    game = Imagined()
    strong(game, [], 0, [offer("bid", level=one_of(range(number)))], random.Random(1), 300)
    assert 300 - number < game.playouts <= 300


def combinations(values: Sequence[str], least: int, most: int) -> set[tuple[str, ...]]:
    """All multisets, the long way."""
    taken = product((False, True), repeat=len(values))
    chosen = (tuple(sorted(v for v, yes in zip(values, which, strict=True) if yes)) for which in taken)
    return {one for one in chosen if least <= len(one) <= most}


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [(("a", "b", "c"), 0, 3), (("a", "a", "b"), 1, 2), (("a", "a", "a"), 0, 3), (("a", "b", "b", "c"), 2, 2)],
)
def test_every_multiset_is_listed_once(values: tuple[str, ...], least: int, most: int) -> None:
    offers = [offer("bid", cards=some_of(values, least, most)), offer("decline")]
    actions = every(offers, 100)
    assert actions is not None
    assert all(allows(offers, action) for action in actions)
    listed = [tuple(sorted(action["cards"])) for action in actions if action["type"] == "bid"]
    assert Counter(listed) == Counter(combinations(values, least, most))
    assert actions[-1] == {"type": "decline"}


def test_all_parameters_are_combined() -> None:
    offers = [offer("exchange", give=one_of(["a", "b"]), take=one_of(["x", "y", "z"]))]
    actions = every(offers, 100)
    assert actions is not None
    assert len(actions) == 6
    assert all(allows(offers, action) for action in actions)


@pytest.mark.parametrize(
    "offers",
    [
        [offer("bid", cards=some_of([f"card-{number}" for number in range(20)], 0, 20))],
        [offer("play", card=one_of(range(60))), offer("play", card=one_of(range(60)))],
        [offer("exchange", give=one_of(range(11)), take=one_of(range(10)))],
    ],
)
def test_too_many_actions_are_not_listed(offers: list[dict[str, Any]]) -> None:
    assert every(offers, 100) is None


def test_greedy_takes_what_looks_best_and_any_of_those_that_look_alike() -> None:
    class Priced(Imagined):
        def appraise(self, seen: Any, seat: int, action: Mapping[str, Any]) -> float:
            return float(action["level"] // 2)

    offers = [offer("bid", level=one_of(range(6)))]
    chosen = {greedy(Priced(), None, 0, offers, random.Random(seed))["level"] for seed in range(40)}
    assert chosen == {4, 5}


def test_greedy_looks_at_the_actions_that_the_game_names() -> None:
    class Advised(Imagined):
        def candidates(self, seen: Any, seat: int, offers: Sequence[Any]) -> list[dict[str, Any]]:
            return [{"type": "bid", "level": 3}]

        def appraise(self, seen: Any, seat: int, action: Mapping[str, Any]) -> float:
            return float(action["level"])

    assert greedy(Advised(), None, 0, [offer("bid", level=one_of(range(6)))], random.Random(1))["level"] == 3


def test_the_random_numbers_of_a_decision_belong_to_table_version_and_seat() -> None:
    def first(*where: Any) -> float:
        return seeded(*where).random()

    assert first("t", 5, 1) == first("t", 5, 1)
    assert len({first("t", 5, 1), first("u", 5, 1), first("t", 6, 1), first("t", 5, 2)}) == 4


def test_only_games_that_imagine_worlds_have_strong_bots() -> None:
    for game in games().values():
        assert set(policies_of(game)) <= set(POLICIES)
        assert ("strong" in policies_of(game)) == game.imagines
        if not game.imagines:
            with pytest.raises(Rejected, match="has bots random, greedy, not 'strong'"):
                require_policy(game, "strong")
            with pytest.raises(NotImplementedError):
                game.worlds([], 0, random.Random(1))
            with pytest.raises(NotImplementedError):
                game.playout(None, 0, {}, random.Random(1))


@pytest.mark.parametrize(
    ("shares", "rate", "lower"),
    [
        ((1.0,) * 200 + (0.0,) * 200, 0.5, 0.459),
        ((1.0,) * 100 + (0.0,) * 300, 0.25, 0.216),
        ((0.5,) * 400, 0.5, 0.459),
        ((1.0,) * 10, 1.0, 0.787),
    ],
)
def test_the_bound_of_a_record_is_that_of_wilson(
    shares: tuple[float, ...], rate: float, lower: float
) -> None:
    found = Record(4, shares, 0.25)
    assert found.rate == pytest.approx(rate)
    assert found.lower == pytest.approx(lower, abs=0.001)


def test_the_champion_of_a_contest_changes_seats_and_partners_share_its_victory() -> None:
    fair = {contest("oopsie", "greedy", "random", 4, 0, number)[1] for number in range(2)}
    assert fair == {0.5}
    shares = [contest("mein-schatz", "greedy", "random", 2, 0, number) for number in range(4)]
    assert {fair for _, fair in shares} == {0.5}
    assert sum(share for share, _ in shares) >= 3
