"""What the rules forbid, and the sentence that says why."""

from __future__ import annotations

import pytest

from tests.games.mein_schatz.given import FACES, go, refusal, table
from tests.support.play import Playout

NINE = "ring+ring coin+coin potion+potion orc orc orc orc orc orc"


def in_the_round() -> Playout:
    """Seat 0 took place 0 with the ring token; cards lie on 1 and 2; seat 1 is asked."""
    playout = table(3, NINE)
    go(playout, "draw 0", "draw 1", "draw 2", "take 0 ring")
    return playout


def after_the_sixth_orc() -> Playout:
    """Seat 0 took place 0; seat 2, then seat 1 take from 1 and 2."""
    playout = in_the_round()
    go(playout, *["draw"] * 6)
    assert playout.waiting() == (1,)
    return playout


def test_a_seat_that_is_not_asked_is_told_who_is() -> None:
    playout = in_the_round()
    for seat in (0, 2):
        refused = refusal(playout, seat, "draw")
        assert refused.code == "not_your_turn"
        assert refused.detail == {"waiting": [1]}


@pytest.mark.parametrize(
    ("kind", "parameters", "says"),
    [
        (
            "take",
            {"place": 0, "token": "coin"},
            "place 0 is closed: seat 0 took its stack in this round; possible: 1, 2",
        ),
        (
            "take",
            {"place": 3, "token": "coin"},
            "place 3 is empty, and only a stack of cards can be taken: 1, 2",
        ),
        ("take", {"place": 4, "token": "coin"}, "there is no place 4; places are 0 to 3"),
        ("take", {"place": -1, "token": "coin"}, "there is no place -1; places are 0 to 3"),
        (
            "take",
            {"place": 1, "token": "ring"},
            "the find token ring was taken by seat 0; left: diamond, sword, necklace, coin, potion",
        ),
        (
            "take",
            {"place": 1, "token": "mouse"},
            "there is no find token 'mouse'; left: diamond, sword, necklace, coin, potion",
        ),
        (
            "take",
            {"place": 1},
            "take needs the parameter token: one of diamond, sword, necklace, coin, potion",
        ),
        ("take", {"token": "coin"}, "take needs the parameter place: one of 1, 2"),
        ("take", {"place": "1", "token": "coin"}, "take.place cannot be '1'; it is one of 1, 2"),
        ("take", {"place": True, "token": "coin"}, "take.place cannot be true; it is one of 1, 2"),
        ("take", {"place": 1, "token": None}, "take.token cannot be None; it is one of"),
        ("lay", {"place": 1}, "lay is not possible now: you have not drawn a treasure in this turn"),
        ("draw", {"place": 1}, "draw has no parameter 'place'; it has: none"),
        ("peek", {}, "'peek' is not possible now; possible: draw, take"),
    ],
)
def test_what_is_wrong_with_a_turn_is_said(kind: str, parameters: dict[str, object], says: str) -> None:
    refused = refusal(in_the_round(), 1, kind, **parameters)
    assert refused.code == "illegal_action"
    assert says in refused.message


@pytest.mark.parametrize(("drawn", "places"), FACES)
def test_a_drawn_treasure_must_be_laid_before_anything_else(drawn: str, places: str) -> None:
    playout = table(2, "ring+mouse coin+coin potion+potion", drawn=drawn, places=places)
    go(playout, "draw 0", "take 0 ring", "draw")
    for kind, parameters in (("draw", {}), ("take", {"place": 1, "token": "coin"})):
        refused = refusal(playout, 0, kind, **parameters)
        assert refused.code == "illegal_action"
        assert refused.message == (
            f"{kind} is not possible now: you drew coin+coin and must lay it on a place first; open: 1, 2, 3"
        )
    assert refusal(playout, 0, "lay", place=0).message == (
        "place 0 is closed: seat 1 took its stack in this round; possible: 1, 2, 3"
    )
    assert "there is no place 7" in refusal(playout, 0, "lay", place=7).message
    assert "lay needs the parameter place" in refusal(playout, 0, "lay").message
    assert "coin+coin" not in refusal(playout, 1, "draw").message


def test_nothing_can_be_taken_while_no_place_holds_a_card() -> None:
    refused = refusal(table(2, NINE), 0, "take", place=0, token="ring")
    assert refused.message == "take is not possible now: no place holds a card; you can only draw"


@pytest.mark.parametrize(
    ("kind", "parameters", "says"),
    [
        ("draw", {}, "draw is not possible now: the sixth orc is out, so you take a stack; possible: 1, 2"),
        (
            "take",
            {"place": 1, "token": "coin"},
            "take has no token now: the sixth orc is out, the tokens are turned",
        ),
        ("take", {"place": 0}, "place 0 is closed: seat 0 took its stack in this round; possible: 1, 2"),
        ("take", {"place": 3}, "place 3 is empty, and only a stack of cards can be taken: 1, 2"),
        ("take", {}, "take needs the parameter place: one of 1, 2"),
        ("lay", {"place": 1}, "lay is not possible now"),
    ],
)
def test_after_the_sixth_orc_only_a_stack_is_taken(
    kind: str, parameters: dict[str, object], says: str
) -> None:
    refused = refusal(after_the_sixth_orc(), 1, kind, **parameters)
    assert refused.code == "illegal_action"
    assert says in refused.message
