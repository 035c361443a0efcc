"""A test of the tests: leaks of the kinds that other servers had, each made on purpose and found.

More of them stand beside what finds them: open hands, the draw pile, a private look, a pass in the log, a
taken stack (every field that is not public is opened once) in `tests.conformance.test_opened_fields`;
actions, refusals, events and lengths in `tests.conformance.test_planted_leaks`; replays of running games,
and facts, lobby, talk and presence before their time, in `tests.secrecy.test_spectators`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.dealing import Dealer
from domain.events import Event, Public
from domain.game import Emitter
from domain.games.hold_my_beer.rules import HoldMyBeer
from domain.games.hold_my_beer.state import HoldMyBeerOptions, HoldMyBeerState
from domain.games.mein_schatz.events import TreasureTaken
from domain.games.mein_schatz.state import MeinSchatzState
from domain.registry import games
from domain.table import TableOpened
from domain.tarot.events import HandDealt, TalonLooked
from domain.tarot.places import BidChosen
from domain.visibility import EACH_OWN, HIDDEN, PUBLIC, SPECTATOR
from projections import frame, history, mein_schatz
from projections.facts import facts
from projections.registry import projection
from projections.viewer import REFEREE
from server.writer import Writer
from tests.secrecy.keys import told
from tests.secrecy.logs import Recorded
from tests.support.clients import Client, Http, client
from tests.support.planting import plant_audience
from tests.support.server import Running, Serve
from tests.support.twins import Leak, Search, Strength, choice_twins, stream_twin
from tests.support.watch import Watch
from tests.support.worlds import World

Emit = Emitter[HoldMyBeerState]


def played(game: Any, number: int, **limits: Any) -> World:
    rng = random.Random(f"planted/{number}")
    world = World(game, 3, key=rng.randbytes(32))
    world.play(rng, changes=0.2, **limits)
    return world


# --- a pending bid in the order of `waiting` --------------------------------------------------------


class Hint(HoldMyBeerState, frozen=True):
    """Something public that depends on the bids."""

    hint: Annotated[bool, PUBLIC] = False


class WaitingTells(HoldMyBeer):
    """The seats are named in another order once somebody has bid the first place."""

    def initial(self, options: HoldMyBeerOptions, seats: int) -> Hint:
        return Hint(**msgspec.structs.asdict(super().initial(options, seats)))

    def evolve(self, state: HoldMyBeerState, event: Event) -> HoldMyBeerState:
        state = super().evolve(state, event)
        if isinstance(event, BidChosen):
            return msgspec.structs.replace(state, hint=event.place == 1)
        return state

    def waiting(self, seen: HoldMyBeerState) -> tuple[int, ...]:
        awaited = super().waiting(seen)
        assert isinstance(seen, Hint)
        return awaited[::-1] if seen.hint else awaited


def look_for_choices(game: HoldMyBeer) -> int:
    """Let others have chosen otherwise, wherever a choice is pending; gives how often. May raise `Leak`."""
    strength = Strength()
    for number in range(8):
        world = played(game, number, most=7)
        for version in range(world.first, len(world.commits) + 1):
            for viewer in (2, SPECTATOR):
                choice_twins(Watch(world, viewer), version, random.Random(version), strength)
    return strength.choices


def test_a_pending_bid_in_the_order_of_waiting_is_found() -> None:
    assert look_for_choices(HoldMyBeer()) > 20
    with pytest.raises(Leak, match="waiting"):
        look_for_choices(WaitingTells())


# --- a card that can be followed through a shuffle --------------------------------------------------


class Marked(Public, frozen=True, tag="marked"):
    """Numbers for the cards of a new hand; those of the first hand count from 0."""

    numbers: Annotated[tuple[int, ...], PUBLIC]


class Marks(HoldMyBeerState, frozen=True):
    """Remembers which number each card got first."""

    first: Annotated[tuple[str, ...], HIDDEN] = ()


class KeepsNumbers(HoldMyBeer):
    """Hidden cards have numbers, as ids, and a shuffle does not give them new ones."""

    fresh = False

    def initial(self, options: HoldMyBeerOptions, seats: int) -> Marks:
        return Marks(**msgspec.structs.asdict(super().initial(options, seats)))

    def evolve(self, state: HoldMyBeerState, event: Event) -> HoldMyBeerState:
        state = super().evolve(state, event)
        if isinstance(event, HandDealt) and event.hand == 1:
            return msgspec.structs.replace(state, first=event.order)
        return state

    def decide(self, emit: Emit, seat: int, action: Mapping[str, Any], dealer: Dealer) -> None:
        super().decide(emit, seat, action, dealer)
        for event in list(emit.events):
            if isinstance(event, HandDealt):
                assert isinstance(emit.state, Marks)
                numbers = [emit.state.first.index(card) for card in event.order]
                emit(Marked(tuple(range(len(numbers)) if self.fresh else numbers)))


class NewNumbers(KeepsNumbers):
    """The same with numbers that say nothing."""

    fresh = True


def look_after_shuffles(game: HoldMyBeer) -> Strength:
    """Look for twins in the second hand. May raise `Leak`."""
    strength = Strength()
    for number in range(3):
        world = played(
            game, number, until=lambda playout: playout.state.hand == 2 and playout.state.trick > 2
        )
        for viewer in (0, SPECTATOR):
            stream_twin(Watch(world, viewer), len(world.commits), random.Random(number), strength)
    return strength


def test_a_number_that_a_card_keeps_through_a_shuffle_is_found() -> None:
    assert look_after_shuffles(NewNumbers()).twins == 6
    with pytest.raises(Leak, match="marked"):
        look_after_shuffles(KeepsNumbers())


# --- the Talon in the order of the seats ------------------------------------------------------------


def looks() -> Iterator[tuple[Watch, int, tuple[str, str]]]:
    """Looks at a Talon in which two discards of others lie: who looks, when, and the two cards."""
    for number in range(40):
        world = played(
            HoldMyBeer(), number, until=lambda playout: isinstance(playout.events[-1], TalonLooked), most=400
        )
        event = world.events[-1]
        if not isinstance(event, TalonLooked):
            continue
        others = [card for seat, card in enumerate(world.state.discards) if seat != event.seat]
        if all(card in event.cards for card in others):
            yield Watch(world, event.seat), len(world.commits), (others[0], others[1])


def exchange_discards() -> int:
    """Let two seats have discarded each other's card: who looks at the Talon later must not see which.

    Gives how many such worlds there were. May raise `Leak`.
    """
    found = 0
    for watch, version, cards in looks():
        tracing = watch.world.tracing
        label = f"hand-{watch.world.state.hand}/deal"
        one, other = ((label, tracing.dealt[label].index(card)) for card in cards)
        run, _ = Search(watch, version, random.Random(0), Strength(), 5).decide([(one, other)])
        if run.refused is None:
            found += 1
            if different := watch.difference(run):
                raise Leak(different)
            if found == 5:
                break
    return found


def test_a_talon_in_the_order_of_the_seats_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exchange_discards() >= 3
    monkeypatch.setattr("domain.games.hold_my_beer.state.in_order", tuple)
    with pytest.raises(Leak, match="talon_looked"):
        exchange_discards()


# --- a taken stack, shown to whoever took it --------------------------------------------------------


def look_at_taken_stacks() -> Strength:
    """Moments at which a seat has a stack with cards that others laid face down. May raise `Leak`."""
    strength = Strength()
    for number in range(12):
        rng = random.Random(f"stacks/{number}")
        options = {"drawn": "secret", "places": "face_down"}
        world = World(games()["mein-schatz"], 3, options=options, key=rng.randbytes(32))
        world.play(rng, until=lambda table: isinstance(table.events[-1], TreasureTaken), most=60)
        event = world.events[-1]
        if isinstance(event, TreasureTaken):
            watch = Watch(world, event.seat, kind=lambda card: card == "orc")
            stream_twin(watch, len(world.commits), rng, strength)
    return strength


def own_with_gnomes(seen: MeinSchatzState, viewer: int) -> dict[str, Any]:
    """What a seat sees otherwise than a spectator, the seats' stacks among it."""
    gnomes = [mein_schatz._gnome(seen, seat) for seat in range(seen.seats)]
    return mein_schatz.own(seen, viewer) | {"gnomes": gnomes}


def test_a_taken_stack_that_its_owner_sees_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_at_taken_stacks().twins >= 6
    plant_audience(monkeypatch, MeinSchatzState, "taken", EACH_OWN)
    look_at_taken_stacks()  # a member that is not told apart cannot show a seat more than a spectator
    known = projection("mein-schatz")
    apart = replace(known, own=own_with_gnomes, apart=(*known.apart, "gnomes"))
    monkeypatch.setattr(frame, "projection", lambda game: apart)
    with pytest.raises(Leak, match="stack"):
        look_at_taken_stacks()


# --- the deal key -----------------------------------------------------------------------------------


def all_that_is_told(game: Recorded) -> Iterator[bytes]:
    """Everything that anybody can read of a table, in both encodings."""
    for viewer in (*range(game.seats), SPECTATOR, REFEREE):
        for patches in (False, True):
            lines = [
                history.header(game.table, viewer),
                *history.lines(game.commits, viewer, patches=patches),
            ]
            yield msgspec.json.encode(lines)
            yield msgspec.msgpack.encode(lines)
    yield msgspec.json.encode(facts(game.table))


RUNNING = Recorded("trick-and-trade", 3, most=10)


def test_the_key_and_the_hashes_of_tokens_stand_nowhere_before_the_end() -> None:
    assert [name for data in all_that_is_told(RUNNING) for name in told(data, RUNNING.table)] == []


def test_a_deal_key_that_is_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_audience(monkeypatch, TableOpened, "deal_key", PUBLIC)
    assert set().union(*(told(data, RUNNING.table) for data in all_that_is_told(RUNNING))) == {"the deal key"}


def test_a_token_s_hash_that_is_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_audience(monkeypatch, TableOpened, "host_hash", PUBLIC)
    found = set().union(*(told(data, RUNNING.table) for data in all_that_is_told(RUNNING)))
    assert found == {"the hash of the host's token"}


@pytest.mark.parametrize("spell", [bytes.hex, lambda key: key.hex().upper(), lambda key: key])
def test_the_key_is_found_however_it_is_spelt(spell: Callable[[bytes], Any]) -> None:
    data = msgspec.msgpack.encode({"note": spell(RUNNING.table.deal_key)})
    assert list(told(data, RUNNING.table)) == ["the deal key"]


# --- ids of commands that tell of others ------------------------------------------------------------


async def use_the_same_ids(here: Running) -> None:
    """Two seats choose at the same time and use the same id; neither may notice. Raises `Leak`."""
    async with Http(here.url) as http, client(here.url) as one, client(here.url) as two:
        table, _, tokens = await http.full("hold-my-beer", 3)
        for connection, token in ((one, tokens[0]), (two, tokens[1])):
            await connection.attach(table, token)

        async def choose(connection: Client, at: int) -> dict[str, Any]:
            cards = connection.tables[table].actions[0]["card"]["one_of"]
            return await connection.act(table, {"type": "discard", "card": cards[at]}, id="the-same-id")

        first = await choose(one, 0)
        second = await choose(two, 1)
        for answer, other in ((second, first), (await choose(two, 1), first), (await choose(one, 0), second)):
            if answer["type"] != "accepted" or answer["version"] == other["version"]:
                raise Leak(f"the id of another seat shows: {answer}")
        if (await choose(two, 2)).get("code") != "id_reused":
            raise Leak("an own id with another action must be id_reused")


async def test_an_id_that_another_seat_used_tells_nothing(serve: Serve) -> None:
    await use_the_same_ids(await serve())


async def test_ids_that_all_seats_share_are_found(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Writer.first_answer

    async def shared(writer: Writer, by: Any, command: Any) -> Any:
        for seat in range(3):
            if (found := await honest(writer, seat, command)) is not None:
                return found
        return await honest(writer, by, command)

    monkeypatch.setattr(Writer, "first_answer", shared)
    with pytest.raises(Leak, match="another seat"):
        await use_the_same_ids(await serve())
