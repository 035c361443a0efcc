"""Who knows what (rulings 4, 5 and 7; the table 'Who knows what' of RULES.md)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domain.games.mein_schatz import deck, events
from projections.viewer import REFEREE, SPECTATOR
from tests.games.mein_schatz.given import FACES, game_view, go, received, table, told
from tests.support.play import Playout, new

SIX = "ring+ring coin+coin potion+potion sword+sword ring+mouse coin+mouse"
EVERYBODY = (SPECTATOR, 0, 1, 2)

faces = pytest.mark.parametrize(("drawn", "places"), FACES)


def shown(playout: Playout, place: int) -> list[list[Any]]:
    """A place as each viewer sees it; all must see the same."""
    return [game_view(playout, viewer)["places"][place]["stack"] for viewer in EVERYBODY]


@pytest.mark.parametrize("places", ["face_down", "face_up"])
def test_an_open_drawn_treasure_is_seen_by_everybody_until_it_is_laid(places: str) -> None:
    playout = table(3, SIX, drawn="open", places=places)
    go(playout, "draw")
    for viewer in EVERYBODY:
        assert game_view(playout, viewer)["drawn"] == ["ring+ring"]
        assert told(playout, viewer, "treasure_drawn")[-1]["card"] == "ring+ring"
    go(playout, "lay 0")
    for viewer in EVERYBODY:
        assert game_view(playout, viewer)["drawn"] == []


@pytest.mark.parametrize("places", ["face_down", "face_up"])
def test_a_secret_drawn_treasure_is_seen_by_the_drawer_alone(places: str) -> None:
    playout = table(3, SIX, drawn="secret", places=places, first=1)
    go(playout, "draw")
    for viewer in EVERYBODY:
        view, event = game_view(playout, viewer), told(playout, viewer, "treasure_drawn")[-1]
        assert view["turn"] == {"seat": 1, "why": "drew_treasure"}
        if viewer == 1:
            assert view["drawn"] == ["ring+ring"]
            assert event["card"] == "ring+ring"
        else:
            assert view["drawn"] == [None]
            assert event == {"type": "treasure_drawn", "seat": 1, "open": False}
    go(playout, "lay 0")
    assert game_view(playout, 1)["drawn"] == []


@faces
def test_a_drawn_orc_is_seen_by_everybody_whatever_the_options(drawn: str, places: str) -> None:
    playout = table(3, "orc", drawn=drawn, places=places)
    go(playout, "draw")
    for viewer in EVERYBODY:
        assert game_view(playout, viewer)["orcs"] == 1
        assert told(playout, viewer, "orc_drawn") == [
            {"type": "orc_drawn", "seat": 0, "card": "orc", "orcs": 1}
        ]


@pytest.mark.parametrize("drawn", ["open", "secret"])
def test_cards_laid_face_down_are_shown_to_nobody_not_even_their_seat(drawn: str) -> None:
    playout = table(3, SIX, drawn=drawn)
    for height in range(1, 5):
        go(playout, "draw 2")
        assert shown(playout, 2) == [[None] * height] * 4
        for viewer in EVERYBODY:
            assert "card" not in told(playout, viewer, "treasure_laid")[-1]


@pytest.mark.parametrize("drawn", ["open", "secret"])
def test_of_cards_laid_face_up_everybody_sees_the_top_one_and_nobody_those_below(drawn: str) -> None:
    playout = table(3, SIX, drawn=drawn, places="face_up")
    for below, top in enumerate(SIX.split()[:4]):
        go(playout, "draw 2")
        assert shown(playout, 2) == [[*[None] * below, top]] * 4
        for viewer in EVERYBODY:
            assert told(playout, viewer, "treasure_laid")[-1]["card"] == top


@faces
def test_a_taken_stack_is_hidden_from_everybody_its_owner_included(drawn: str, places: str) -> None:
    playout = table(3, SIX, drawn=drawn, places=places)
    go(playout, "draw 2", "draw 2", "draw 0", "take 2 ring")
    for viewer in EVERYBODY:
        view = game_view(playout, viewer)
        assert view["gnomes"][0]["stack"] == [None, None]
        assert view["places"][2] == {"place": 2, "stack": [], "taken_by": 0}
        assert told(playout, viewer, "treasure_taken") == [
            {"type": "treasure_taken", "seat": 0, "place": 2, "token": "ring", "cards": (None, None)}
        ]


@faces
def test_at_scoring_the_log_turns_the_stacks_over_and_the_view_counts_their_symbols(
    drawn: str, places: str
) -> None:
    playout = table(2, SIX, drawn=drawn, places=places)
    go(playout, "draw 0", "draw 1", "draw 1", "draw 3", "take 0 ring", "take 1 potion")
    for viewer in (SPECTATOR, 0, 1):
        (scored,) = told(playout, viewer, "round_scored")
        assert scored["stacks"] == (("ring+ring",), ("coin+coin", "potion+potion"))
        one, other = (score["symbols"] for score in game_view(playout, viewer)["last_round"]["scores"])
        assert {name: number for name, number in one.items() if number} == {"ring": 2}
        assert {name: number for name, number in other.items() if number} == {"coin": 2, "potion": 2}


def card_codes(view: Any) -> set[str]:
    """All codes of treasure cards with several symbols in a view."""
    if isinstance(view, dict):
        return set().union(*map(card_codes, view.values()))
    if isinstance(view, list):
        return set().union(*map(card_codes, view))
    return {view} if isinstance(view, str) and "+" in view else set()


@pytest.mark.parametrize("seats", [2, 3, 4])
@faces
def test_no_later_view_lists_a_laid_card_unless_it_is_a_visible_top_card(
    drawn: str, places: str, seats: int
) -> None:
    playout = new("mein-schatz", seats, options={"drawn": drawn, "places": places}, key=bytes([seats]) * 32)
    rng = random.Random(seats)
    while not playout.table.over:
        playout.play(rng, most=1)
        state = playout.state
        tops = {stack[-1] for stack in state.stacks if stack} if places == "face_up" else set()
        for viewer in (SPECTATOR, *range(seats)):
            known = set(tops)
            if state.phase == "laying" and (drawn == "open" or viewer == state.turn):
                known.add(state.drawn)
            assert card_codes(game_view(playout, viewer)) == known


def again(playout: Playout, **other: tuple[str, ...]) -> Playout:
    """The same commands with other outcomes of the shuffles named (``round_1_deck`` for ``round-1/deck``)."""
    outcomes = dict(playout.dealer.dealt)
    for name, order in other.items():
        number, what = name.split("_")[1:]
        outcomes[f"round-{number}/{what}"] = order
    twin = new("mein-schatz", playout.seats, options=playout.options, outcomes=outcomes)
    for step in playout.steps:
        twin.do(step.seat, step.action)
    return twin


def test_the_deck_that_is_left_is_known_to_nobody() -> None:
    playout = table(3, SIX)
    go(playout, "draw 0", "draw 1")
    order = playout.state.deck
    twin = again(playout, round_1_deck=(*SIX.split()[:2], *reversed(order)))
    assert twin.state.deck != order
    for viewer in EVERYBODY:
        assert received(twin, viewer) == received(playout, viewer)
        assert all("order" not in event for event in told(playout, viewer, "deck_shuffled"))


def test_in_secret_and_face_down_a_seat_learns_nothing_of_what_others_draw_and_lay() -> None:
    playout = table(3, SIX, drawn="secret")
    go(playout, "draw 0", "draw 1", "draw 1", "draw 0", "draw 3")
    go(playout, "take 0 ring", "draw 1")
    cards = list(playout.dealer.dealt["round-1/deck"])
    drawers = [event.seat for event in playout.events if isinstance(event, events.TreasureDrawn)]
    assert drawers == [0, 1, 2, 0, 1, 0]
    others = [
        cards[0],
        cards[4],
        cards[2],
        cards[3],
        cards[1],
        *cards[5:],
    ]  # seat 0's and seat 1's cards swap
    twin = again(playout, round_1_deck=tuple(others))
    assert twin.state.stacks != playout.state.stacks
    assert received(twin, SPECTATOR) == received(playout, SPECTATOR)
    assert received(twin, 2) == received(playout, 2), "seat 2 drew the same card in both worlds"
    assert received(twin, 1) != received(playout, 1), "seat 1 saw what it drew"


def test_gnome_side_tokens_are_the_same_to_everybody_until_the_scoring() -> None:
    cards = "ring+ring coin+coin potion+potion orc orc orc orc orc orc"
    playout = table(3, cards, tokens=deck.TYPES)
    go(playout, "draw 0", "draw 1", "draw 2", *["draw"] * 6, "take 2", "take 0")
    twin = again(playout, round_1_tokens=tuple(reversed(deck.TYPES)))
    assert twin.state.held != playout.state.held
    for viewer in EVERYBODY:
        assert received(twin, viewer) == received(playout, viewer)
        assert told(playout, viewer, "tokens_turned")[0]["order"] == (None,) * 6
        assert all("token" not in event for event in told(playout, viewer, "chance_taken"))
    (last,) = playout.waiting()
    for world in (playout, twin):
        world.act(last, "take", place=1)
    for viewer in EVERYBODY:
        assert received(twin, viewer)[:-1] == received(playout, viewer)[:-1]
        assert received(twin, viewer)[-1] != received(playout, viewer)[-1]


def test_a_covered_card_is_hidden_again_from_whoever_comes_later() -> None:
    """Two worlds that differ in a card that was seen and is covered now give the same fresh view."""
    views = []
    for lower in ("ring+ring", "sword+sword"):
        playout = table(2, f"{lower} coin+coin", places="face_up")
        go(playout, "draw 0", "draw 0")
        views.append([game_view(playout, viewer) for viewer in (SPECTATOR, 0, 1)])
    assert views[0] == views[1]


def test_stacks_that_nobody_took_are_never_turned_over() -> None:
    playout = table(2, SIX)
    go(playout, "draw 0", "draw 1", "draw 2", "draw 2")
    go(playout, "take 0 ring", "take 1 coin")
    for viewer in (SPECTATOR, 0, 1):
        (scored,) = told(playout, viewer, "round_scored")
        assert scored["stacks"] == (("ring+ring",), ("coin+coin",))


def test_the_referee_sees_stacks_and_tokens() -> None:
    playout = table(2, "ring+ring coin+coin orc orc orc orc orc orc", tokens=deck.TYPES)
    go(playout, "draw 0", "draw 1", *["draw"] * 6, "take 1")
    view = game_view(playout, REFEREE)
    assert view["gnomes"][0]["stack"] == ["coin+coin"]
    assert view["gnomes"][0]["token"] == "ring"
    assert view["places"][0]["stack"] == ["ring+ring"]
