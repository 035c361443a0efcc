"""What every game shares: ranking, options, forfeits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import BadOptions
from domain.game import ranked
from domain.games.trick_and_trade import GAME
from domain.registry import codec, games, table_codec
from tests.support import play


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ((30, 30, 10), (1, 1, 3)),
        ((40, 20, 20), (1, 2, 2)),
        ((18, 20, 18, 2), (2, 1, 2, 4)),
        ((5, 5, 5, 5), (1, 1, 1, 1)),
        ((-2, 0, -1), (3, 1, 2)),
        (((1, 2), (1, 3)), (2, 1)),
        ((), ()),
    ],
)
def test_tied_seats_share_the_better_place_and_the_next_is_skipped(keys: Any, places: Any) -> None:
    assert ranked(keys) == places


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_a_place_is_one_more_than_the_number_of_better_seats(keys: list[int]) -> None:
    for key, place in zip(keys, ranked(keys), strict=True):
        assert place == 1 + len([other for other in keys if other > key])


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"trade_card": []}, 3)
    assert refused.value.detail == {"option": "trade_card"}
    assert refused.value.code == "bad_options"


def test_an_option_of_the_wrong_kind_is_refused_with_the_place_of_the_wrong_entry() -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"trade_cards": ["nev", 3]}, 3)
    assert refused.value.detail == {"option": "trade_cards[1]"}


def test_whoever_forfeits_ranks_last_and_the_others_rank_as_they_stand() -> None:
    playout = play.new("trick-and-trade", 4)
    result = GAME.forfeit(playout.state, 2)
    assert result.places == (1, 1, 4, 1)
    assert result.winners == (0, 1, 3)
    assert result.reason == "forfeit"


def test_the_registry_names_games_in_order_and_reads_their_events() -> None:
    assert list(games()) == sorted(games())
    assert games()["trick-and-trade"] is GAME
    assert {"table_opened", "card_played"} <= set(codec("trick-and-trade").tags)
    assert "card_played" not in table_codec().tags
    with pytest.raises(KeyError):
        codec("chess")


def test_an_option_with_a_closed_list_of_values_names_them_when_it_is_wrong() -> None:
    with pytest.raises(BadOptions, match="drawn: one of open, secret is possible, not 'upside'"):
        games()["mein-schatz"].parse_options({"drawn": "upside"}, 2)
