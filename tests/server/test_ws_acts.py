"""Commands: one answer each, the order of the codes, and once is once."""

from __future__ import annotations

import asyncio

from server.store import MemoryBackend, MemoryStore
from tests.server.playing import Played, played
from tests.support.clients import Client, Http, Kind, Message, client
from tests.support.server import Running, Serve

NOWHERE = "aaaaaaaaaaaaaaaaaaaa"


def rejected(answer: Message, code: str, version: int) -> Message:
    """The answer says that the rules refuse it, and at which version; gives it."""
    assert (answer["type"], answer.get("code"), answer.get("version")) == ("rejected", code, version), answer
    return answer


def error(answer: Message, code: str) -> Message:
    """The answer says that the message could not be used; gives it."""
    assert (answer["type"], answer.get("code")) == ("error", code), answer
    return answer


def other(game: Played) -> Client:
    """The connection of a seat that is not awaited."""
    return game.seats[(game.turn + 1) % len(game.seats)]


async def test_without_attach_or_as_spectator_nobody_acts(here: Running, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        action = game.action()
        error(await one.act(game.table, action), "forbidden")
        error(await one.act(NOWHERE, action), "forbidden")
        for token in (None, game.host):
            await one.attach(game.table, token)
            answer = error(await one.act(game.table, action), "forbidden")
            assert answer["table"] == game.table
        await one.ask({"type": "detach", "table": game.table})
        error(await one.act(game.table, action), "forbidden")


async def test_before_the_start_it_is_not_started(here: Running, http: Http) -> None:
    async with client(here.url) as one:
        table = (await http.table())["table"]
        token = (await http.sit(table))["token"]
        await one.attach(table, token)
        rejected(await one.act(table, {"type": "play", "card": "nev-1"}), "not_started", 2)
        rejected(await one.act(table, {"type": "play"}, if_version=1), "not_started", 2)


async def test_after_the_end_it_is_finished(here: Running) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        await game.finish()
        for seat in game.seats:
            answer = await seat.act(game.table, {"type": "bid", "cards": []}, if_version=1)
            rejected(answer, "finished", game.mirror.version)


async def test_a_version_that_has_passed_is_a_conflict(here: Running) -> None:
    async with played(here.url) as game:
        mover, action = game.mover, game.action()
        for version in (0, 4, 6, 2**53 - 1):
            answer = rejected(await mover.act(game.table, action, if_version=version), "version_conflict", 5)
            assert answer["detail"] == {"version": 5}
        # It comes before the turn and the rules.
        rejected(await other(game).act(game.table, {"type": "x"}, if_version=4), "version_conflict", 5)
        assert (await mover.act(game.table, action, if_version=5))["type"] == "accepted"


async def test_out_of_turn_comes_before_the_rules(here: Running) -> None:
    async with played(here.url) as game:
        answer = rejected(await other(game).act(game.table, {"type": "no such thing"}), "not_your_turn", 5)
        assert answer["detail"] == {"waiting": [game.turn]}


BAD_ACTIONS: list[Message] = [
    {"type": "play"},
    {"type": "play", "card": None},
    {"type": "play", "card": 1},
    {"type": "play", "card": True},
    {"type": "play", "card": "nev-99"},
    {"type": "play", "card": ["nev-1"]},
    {"type": "play", "card": {"one_of": ["nev-1"]}},
    {"type": "take_lead"},
    {"type": "no such thing"},
    {"type": ""},
    {"type": "play\u202e", "card": "x"},
    {"type": "x" * 5000},
]


async def test_what_the_rules_do_not_offer_is_illegal_whatever_its_types(here: Running, kind: Kind) -> None:
    async with played(here.url) as game, client(here.url, kind) as one:
        await one.attach(game.table, game.tokens[game.turn])
        legal = game.action()
        for action in [*BAD_ACTIONS, {**legal, "extra": 1}, {**legal, "seat": 0}]:
            answer = rejected(await one.act(game.table, action), "illegal_action", 5)
            assert len(answer["message"]) < 2000
        assert (await one.act(game.table, legal))["version"] == 6


async def test_a_refused_id_can_be_used_again(here: Running) -> None:
    async with played(here.url) as game:
        mover = game.mover
        rejected(await mover.act(game.table, {"type": "x"}, id="again"), "illegal_action", 5)
        answer = await mover.act(game.table, game.action(), id="again")
        assert (answer["type"], answer["version"]) == ("accepted", 6)


async def test_a_repeated_command_gets_the_first_answer_for_ever(serve: Serve) -> None:
    """From the same connection, another one, another process, after a restart, and after the end."""
    backend = MemoryBackend()
    one, two = await serve(MemoryStore(backend)), await serve(MemoryStore(backend))
    async with played(one.url, "trinket-trove", 2) as game, client(two.url) as there:
        mover, token = game.mover, game.tokens[game.turn]
        message = {"type": "act", "id": "once", "table": game.table, "action": game.action()}
        first = await mover.ask(message)
        assert first["type"] == "accepted"
        mover.repeats.add("once")
        there.repeats.add("once")
        for _ in range(2):
            assert await mover.ask(message) == first
        await there.attach(game.table, token)
        assert await there.ask(message) == first
        # What holds now does not matter to a repeated command.
        assert await there.ask({**message, "if_version": 1}) == first
        await game.finish()
        head = game.mirror.version
        assert await mover.ask(message) == first
        three = await serve(MemoryStore(backend))
        async with client(three.url) as later:
            await later.attach(game.table, token)
            later.repeats.add("once")
            assert await later.ask(message) == first
            assert later.tables[game.table].version == head


async def test_an_id_belongs_to_its_seat(here: Running) -> None:
    async with played(here.url) as game:
        for _ in range(3):
            await game.move(id="the same for all")
        assert game.mirror.version == 8


async def test_an_id_with_another_action_is_reused(here: Running) -> None:
    async with played(here.url) as game:
        mover = game.mover
        cards = mover.tables[game.table].actions[0]["card"]["one_of"]
        await mover.act(game.table, {"type": "play", "card": cards[0]}, id="one")
        mover.repeats.add("one")
        for action in ({"type": "play", "card": cards[1]}, {"type": "play"}, {"type": "x"}):
            answer = rejected(await mover.act(game.table, action, id="one"), "id_reused", 6)
            assert answer["detail"] == {"version": 6}


async def test_the_order_of_a_multiset_makes_no_other_action_but_its_types_do(here: Running) -> None:
    async with played(here.url, "trinket-trove", 2) as game:
        one = game.mover
        offer = next(offer for offer in one.tables[game.table].actions if offer["type"] == "bid")
        cards = list(dict.fromkeys(offer["cards"]["some_of"]))
        assert len(cards) > 1, "a hand of equal cards cannot be"
        first = await one.act(game.table, {"type": "bid", "cards": cards}, id="bid")
        assert first["type"] == "accepted"
        one.repeats.add("bid")
        assert await one.act(game.table, {"cards": cards[::-1], "type": "bid"}, id="bid") == first
        for changed in (cards[1:], [*cards, "lure", "lure"], {"0": cards[0]}):
            answer = await one.act(game.table, {"type": "bid", "cards": changed}, id="bid")
            rejected(answer, "id_reused", first["version"])


async def test_a_look_alike_of_a_number_is_another_action(here: Running) -> None:
    """What Python holds for equal (1, 1.0, True) or what prints alike is not the same command."""
    async with played(here.url, "thread-the-needle", 4) as game:
        while not game.mover.tables[game.table].actions[0].get("level"):
            await game.move()
        mover = game.mover
        level = min(mover.tables[game.table].actions[0]["level"]["one_of"])
        assert level in (0, 1)
        first = await mover.act(game.table, {"type": "bid", "level": level}, id="bid")
        assert first["type"] == "accepted"
        mover.repeats.add("bid")
        for look_alike in (float(level), bool(level), str(level), [level], None):
            answer = await mover.act(game.table, {"type": "bid", "level": look_alike}, id="bid")
            rejected(answer, "id_reused", first["version"])
        assert await mover.act(game.table, {"type": "bid", "level": level}, id="bid") == first


async def test_ten_equal_commands_at_once_are_one_commit(here: Running) -> None:
    async with played(here.url) as game:
        mover = game.mover
        message = {"type": "act", "id": "ten", "table": game.table, "action": game.action()}
        mover.repeats.add("ten")
        for _ in range(10):
            await mover.send(message)
        await mover.until(lambda: len(mover.answers.get("ten", [])) == 10)
        assert {(answer["type"], answer["version"]) for answer in mover.answers["ten"]} == {("accepted", 6)}
        assert game.mirror.version == 6


async def test_every_message_gets_exactly_one_answer_with_its_id(here: Running, kind: Kind) -> None:
    """A flood of everything at once: the client refuses a second answer, and waits for each first."""
    async with played(here.url) as game, client(here.url, kind) as one:
        await one.attach(game.table, game.tokens[0])
        messages: list[Message] = []
        for number in range(15):
            messages += [
                {"type": "ping", "id": f"ping {number}"},
                {"type": "attach", "id": f"attach {number}", "table": game.table, "token": game.tokens[0]},
                {"type": "attach", "id": f"nowhere {number}", "table": NOWHERE},
                {"type": "act", "id": f"act {number}", "table": game.table, "action": {"type": "x"}},
                {"type": "act", "id": f"lost {number}", "table": NOWHERE, "action": {"type": "x"}},
                {"type": "detach", "id": f"detach {number}", "table": game.table},
                {"type": "watch_lobby", "id": f"watch {number}"},
                {"type": "unwatch_lobby", "id": f"unwatch {number}"},
                {"type": "nonsense", "id": f"nonsense {number}"},
            ]
        for message in messages:
            await one.send(message)
        await one.until(lambda: all(message["id"] in one.answers for message in messages))
        await asyncio.gather(*(one.ask({"type": "ping"}) for _ in range(3)))
        assert all(len(one.answers[message["id"]]) == 1 for message in messages)


async def test_a_choice_made_again_in_a_simultaneous_phase_is_a_commit(here: Running) -> None:
    """Also the same one; the seat is awaited no more, and may change its choice only so often."""
    async with played(here.url, "hold-my-beer", 3) as game:
        one = game.seats[0]
        assert one.tables[game.table].waiting == [0, 1, 2]
        action = {"type": "discard", "card": one.tables[game.table].actions[0]["card"]["one_of"][0]}
        for version in range(6, 6 + 9):
            assert (await one.act(game.table, action))["version"] == version
            assert one.tables[game.table].waiting == [1, 2]
        rejected(await one.act(game.table, action), "not_your_turn", 14)
        assert one.tables[game.table].actions == []


async def test_other_peoples_secret_choices_show_nothing(here: Running) -> None:
    async with played(here.url, "hold-my-beer", 3) as game:
        card = game.seats[0].tables[game.table].actions[0]["card"]["one_of"][0]
        await game.seats[0].act(game.table, {"type": "discard", "card": card})
        for seat in game.seats:
            mirror = await seat.version(game.table, 6)
            told = str(mirror.updates[6]["events"])
            assert (card in told) == (seat is game.seats[0]), told
