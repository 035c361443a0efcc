"""Drawing, laying, taking (rulebook, 'Turn Order' to 'The Last Gnome Without Treasure'; rulings 3, 6)."""

from __future__ import annotations

from domain.games.mein_schatz import deck, events
from tests.games.mein_schatz.given import game_view, go, kinds, only, table


def test_the_first_turn_can_only_be_a_draw_because_no_place_holds_a_card() -> None:
    playout = table(3, "ring+mouse")
    assert playout.offers(0) == [{"type": "draw"}]
    assert playout.offers(1) == playout.offers(2) == []


def test_a_drawn_treasure_is_laid_on_any_of_the_places() -> None:
    for place in range(4):
        playout = table(3, "ring+mouse")
        happened = go(playout, "draw")
        assert happened == (events.TreasureDrawn(0, True, "ring+mouse"),)
        assert playout.waiting() == (0,)
        assert playout.offers(0) == [{"type": "lay", "place": {"one_of": [0, 1, 2, 3]}}]
        assert go(playout, f"lay {place}") == (events.TreasureLaid(0, place, False, "ring+mouse"),)
        assert playout.state.stacks[place] == ("ring+mouse",)
        assert playout.waiting() == (1,)


def test_a_card_may_be_laid_on_others_and_lies_on_top() -> None:
    playout = table(2, "ring+mouse coin+coin potion+potion")
    go(playout, "draw 1", "draw 1", "draw 1")
    assert playout.state.stacks == ((), ("ring+mouse", "coin+coin", "potion+potion"), (), ())


def test_turns_go_clockwise() -> None:
    playout = table(4, "", first=2)
    asked: list[int] = []
    for _ in range(6):
        asked += playout.waiting()
        go(playout, "draw 0")
    assert asked == [2, 3, 0, 1, 2, 3]


def test_a_drawn_orc_is_laid_out_for_all_to_see_and_ends_the_turn() -> None:
    playout = table(3, "orc ring+mouse orc")
    assert go(playout, "draw") == (events.OrcDrawn(0, "orc", 1),)
    assert playout.waiting() == (1,)
    assert game_view(playout)["orcs"] == 1
    go(playout, "draw 0")
    assert go(playout, "draw") == (events.OrcDrawn(2, "orc", 2),)
    assert game_view(playout)["orcs"] == 2
    assert game_view(playout)["deck"] == 33


def test_any_place_with_cards_and_any_token_left_may_be_taken_instead_of_drawing() -> None:
    playout = table(3, "ring+mouse coin+coin")
    go(playout, "draw 3", "draw 1")
    assert playout.offers(2) == [
        {"type": "draw"},
        {"type": "take", "place": {"one_of": [1, 3]}, "token": {"one_of": list(deck.TYPES)}},
    ]


def test_taking_moves_the_stack_to_the_seat_closes_the_place_and_ends_its_part_in_the_round() -> None:
    playout = table(3, "ring+mouse coin+coin potion+potion")
    go(playout, "draw 3", "draw 3", "draw 1")
    happened = go(playout, "take 3 coin")
    assert happened == (events.TreasureTaken(0, 3, "coin", ("ring+mouse", "coin+coin")),)
    assert playout.state.taken == (("ring+mouse", "coin+coin"), (), ())
    assert playout.offers(1) == [
        {"type": "draw"},
        {
            "type": "take",
            "place": {"one_of": [1]},
            "token": {"one_of": ["ring", "diamond", "sword", "necklace", "potion"]},
        },
    ]
    go(playout, "draw")
    assert playout.offers(1) == [{"type": "lay", "place": {"one_of": [0, 1, 2]}}]
    go(playout, "lay 0", "draw 0")
    assert playout.waiting() == (1,), "seat 0 is out of the round and is passed over"


def test_a_seat_out_of_the_round_may_do_nothing() -> None:
    playout = table(3, "")
    go(playout, "draw 0", "take 0 ring")
    for _ in range(4):
        assert playout.offers(1) == []
        go(playout, "draw 1")


def test_the_last_gnome_draws_as_many_cards_as_it_likes_one_by_one_then_takes() -> None:
    playout = table(3, "ring+mouse coin+coin potion+potion")
    go(playout, "draw 0", "draw 1", "draw 2", "take 0 ring", "take 1 coin")
    assert game_view(playout)["turn"] == {"seat": 2, "why": "last_without_treasure"}
    for _ in range(5):
        assert [offer["type"] for offer in playout.offers(2)] == ["draw", "take"]
        go(playout, "draw 2")
        assert playout.waiting() == (2,)
    assert len(playout.state.stacks[2]) == 6
    assert "RoundScored" in kinds(go(playout, "take 2 potion"))


def test_an_orc_before_the_sixth_does_not_end_the_last_gnomes_part() -> None:
    playout = table(2, "ring+mouse coin+coin orc orc orc orc orc potion+potion")
    go(playout, "draw 0", "draw 1", "take 0 ring")
    for number in range(1, 6):
        go(playout, "draw")
        assert len(playout.state.orcs) == number
        assert playout.waiting() == (1,)
        assert [offer["type"] for offer in playout.offers(1)] == ["draw", "take"]
    go(playout, "draw 1")
    assert "RoundScored" in kinds(go(playout, "take 1 coin"))


def test_the_last_gnome_can_only_draw_while_all_open_places_are_empty() -> None:
    playout = table(2, "ring+mouse orc coin+coin")
    go(playout, "draw 0")
    go(playout, "take 0 ring")
    assert playout.waiting() == (0,)
    assert playout.offers(0) == [{"type": "draw"}]
    go(playout, "draw")
    assert playout.offers(0) == [{"type": "draw"}]
    go(playout, "draw 2")
    assert playout.offers(0)[1]["place"] == {"one_of": [2]}


def test_the_fourth_gnome_has_the_fourth_place_to_itself() -> None:
    playout = table(4, "")
    go(playout, "draw 0", "draw 1", "draw 2", "draw 2")
    go(playout, "take 0 ring", "take 1 sword", "take 2 coin")
    assert playout.offers(3) == [{"type": "draw"}]
    go(playout, "draw")
    assert playout.offers(3) == [{"type": "lay", "place": {"one_of": [3]}}]


def test_the_round_is_scored_as_soon_as_every_gnome_has_a_stack_without_a_sixth_orc() -> None:
    playout = table(2, "ring+mouse coin+coin")
    go(playout, "draw 0", "draw 1", "take 0 ring")
    happened = go(playout, "take 1 coin")
    assert kinds(happened)[:2] == ["TreasureTaken", "RoundScored"]
    assert only(happened, events.RoundScored).round == 1
    assert playout.state.round == 2


def test_the_view_tells_whose_turn_it_is_and_why() -> None:
    playout = table(3, "ring+mouse orc")
    assert game_view(playout)["turn"] == {"seat": 0, "why": "first"}
    go(playout, "draw")
    assert game_view(playout)["turn"] == {"seat": 0, "why": "drew_treasure"}
    go(playout, "lay 0")
    assert game_view(playout)["turn"] == {"seat": 1, "why": "next"}
    go(playout, "take 0 ring")
    assert game_view(playout)["queue"] == [2, 0]
    view = game_view(playout)
    assert view["gnomes"][1] == {
        "seat": 1,
        "in_round": False,
        "stack": [None],
        "gold": 0,
        "silver": 0,
        "value": 0,
        "place": 0,
        "token": "ring",
        "token_side": "treasure",
    }
    assert view["places"][0] == {"place": 0, "stack": [], "taken_by": 1}
    assert view["tokens"] == ["diamond", "sword", "necklace", "coin", "potion"]


def test_the_view_tells_what_was_done_last_and_by_whom() -> None:
    playout = table(2, "ring+mouse orc coin+coin", "")
    assert "last_move" not in game_view(playout)
    go(playout, "draw")
    assert "last_move" not in game_view(playout)
    go(playout, "lay 3")
    assert game_view(playout)["last_move"] == {"seat": 0, "did": "laid", "place": 3}
    go(playout, "draw")
    assert game_view(playout)["last_move"] == {"seat": 1, "did": "drew_orc"}
    go(playout, "draw 1", "take 3 coin")
    assert game_view(playout)["last_move"] == {"seat": 1, "did": "took", "place": 3}
    go(playout, "take 1 ring")
    view = game_view(playout)
    assert (view["round"], view["last_round"]["round"]) == (2, 1)
    assert "last_move" not in view


def test_a_stack_taken_after_the_sixth_orc_is_the_last_move_too() -> None:
    playout = table(2, "ring+mouse coin+coin orc orc orc orc orc orc")
    go(playout, "draw 0", "draw 1", "draw", "draw", "draw", "draw", "draw", "draw")
    assert game_view(playout)["last_move"] == {"seat": 1, "did": "drew_orc"}
    go(playout, "take 1")
    assert game_view(playout)["last_move"] == {"seat": 0, "did": "took", "place": 1}
