"""Trick and Trade: multipliers, points, ties, options."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from domain.errors import BadOptions
from domain.games.trick_and_trade import GAME, deck
from domain.games.trick_and_trade.scoring import (
    icon_counts,
    multipliers,
    placing,
    points,
    standing,
    value_totals,
)
from domain.visibility import SPECTATOR
from projections import frame
from tests.games.trick_and_trade.tables import table
from tests.support import play


def totals(ratcoin: int, zeus: int, octo: int, nev: int) -> dict[str, int]:
    """Value totals in the order of the rulebook's tables."""
    return {"nev": nev, "zeus": zeus, "octo": octo, "ratcoin": ratcoin}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((5, 4, 3, 1), (3, 2, 1, -1)),
        ((5, 4, 4, 1), (3, 2, 2, -1)),
        ((5, 5, 2, 2), (3, 3, 1, 1)),
        ((4, 4, 4, 1), (3, 3, 3, -1)),
        ((9, 7, 6, 5), (3, 2, 1, -1)),
        ((4, 4, 4, 4), (3, 3, 3, 3)),
        ((9, 5, 0, 0), (3, 2, 1, 1)),
        ((0, 0, 0, 0), (3, 3, 3, 3)),
        ((0, 0, 0, 1), (2, 2, 2, 3)),
        ((5, 4, 1, 1), (3, 2, 1, 1)),
        ((1, 1, 1, 5), (2, 2, 2, 3)),
    ],
    ids=["example 1", "example 2", "example 3", "example 4", "worked", "four equal", "zeros", *"abcd"],
)
def test_multipliers_of_the_value_totals(values: Any, expected: Any) -> None:
    """The rulebook's four tables; tied suits share the better multiplier and the next is skipped."""
    assert multipliers(totals(*values)) == totals(*expected)


def test_worked_example_of_20_points() -> None:
    times = multipliers(totals(9, 7, 6, 5))
    assert points(totals(3, 5, 5, 4), times) == 9 + 10 + 5 - 4 == 20


WON = ("ratcoin-1", "zeus-3", "octo-4", "nev-5")
"""Values 9, 7, 6, 5: x3 for Ratcoin, x2 for Zeus, x1 for Octo, x-1 for Nev."""


def test_the_worked_example_with_cards() -> None:
    cards = ["ratcoin"] * 3 + ["zeus+zeus"] * 2 + ["zeus"] + ["octo+octo"] * 2 + ["octo"] + ["nev+nev"] * 2
    assert icon_counts(cards) == totals(3, 5, 5, 4)
    assert standing(WON, [cards, []]).scores == (20, 0)


def test_icons_of_the_last_suit_cost_points() -> None:
    assert standing(WON, [["nev+nev"], ["nev"]]).scores == (-2, -1)
    assert standing(WON, [["nev+nev"], ["nev"]]).winners == (1,)


def test_the_highest_total_wins() -> None:
    result = standing(WON, [["zeus"], ["ratcoin+ratcoin"], ["ratcoin", "zeus"]])
    assert (result.scores, result.places, result.winners) == ((2, 6, 5), (3, 1, 2), (1,))


@pytest.mark.parametrize(
    ("hands", "places"),
    [
        ([["ratcoin+ratcoin"], ["zeus+zeus", "zeus"]], (1, 2)),
        ([["ratcoin", "octo"], ["zeus+zeus"]], (1, 2)),
        ([["zeus+zeus"], ["ratcoin", "octo"]], (2, 1)),
        ([["zeus"], ["octo+octo"]], (1, 2)),
        ([["octo+octo"], ["zeus"], ["zeus"]], (3, 1, 1)),
        ([["ratcoin", "nev"], ["ratcoin", "nev"], []], (1, 1, 3)),
        ([["nev", "octo"], []], (1, 2)),
        ([["octo", "nev"], ["octo", "nev"]], (1, 1)),
    ],
)
def test_a_tie_on_points_goes_to_more_icons_at_the_higher_multiplier_or_is_shared(
    hands: Any, places: Any
) -> None:
    result = standing(WON, hands)
    assert result.places == places
    assert result.winners == tuple(seat for seat, place in enumerate(places) if place == 1)


def test_icons_of_all_suits_at_the_same_multiplier_are_added_for_a_tie() -> None:
    """Ratcoin and Zeus both x3, Octo and Nev both x1: 2 + 1 icons at x3 beat 3 of x1 and 2 of x3."""
    won = ("ratcoin-5", "zeus-5", "octo-8", "nev-8")
    assert multipliers(value_totals(won)) == totals(3, 3, 1, 1)
    result = standing(won, [["ratcoin", "zeus"], ["zeus+zeus"], ["ratcoin", "octo+octo", "nev"]])
    assert result.scores == (6, 6, 6)
    assert result.places == (1, 1, 3)


def test_the_view_shows_what_the_game_would_score_now() -> None:
    scenario = table(3).but(won=WON, trades=(("ratcoin",), ("zeus+octo",), ("nev+nev",)))
    view = scenario.view()
    assert view["totals"] == totals(9, 7, 6, 5)
    assert view["multipliers"] == totals(3, 2, 1, -1)
    assert view["scores"] == [3, 3, -2]


# --- the option trade_cards -------------------------------------------------------------------------

BOX = [*deck.TRADE_CARDS[:-1], "nev+zeus+octo+ratcoin"]


def test_a_printed_box_replaces_the_trade_cards() -> None:
    playout = play.new("trick-and-trade", 5, options={"trade_cards": BOX})
    assert sorted(playout.dealer.dealt["trades"]) == sorted(BOX)
    playout.play(random.Random(2))
    assert playout.table.status == "finished"


def test_the_published_schema_says_what_a_box_is() -> None:
    schema = msgspec.json.schema(GAME.options)
    assert valid(schema, {"trade_cards": BOX})
    assert not valid(schema, {"trade_cards": BOX[:-1]})
    assert not valid(schema, {"trade_cards": [*BOX[:-1], "nev+gold"]})
    assert not valid(schema, {"trade_cards": [*BOX[:-1], "nev+nev+nev+nev+nev"]})


def valid(schema: dict[str, Any], options: dict[str, Any]) -> bool:
    """Whether options fit a JSON schema."""
    return bool(Draft202012Validator(schema).is_valid(options))


@pytest.mark.parametrize(
    ("codes", "option", "says"),
    [
        (BOX[:-1], "trade_cards", "42 codes are needed, 41"),
        ([*BOX, "nev"], "trade_cards", "42 codes are needed, 43"),
        ([], "trade_cards", "42 codes"),
        (["gold", *BOX[1:]], "trade_cards[0]", "'gold'"),
        ([*BOX[:7], "", *BOX[8:]], "trade_cards[7]", "icons are nev, zeus, octo, ratcoin"),
        ([*BOX[:7], "nev+", *BOX[8:]], "trade_cards[7]", "the icon ''"),
        ([*BOX[:7], "nev + zeus", *BOX[8:]], "trade_cards[7]", "'nev '"),
        ([*BOX[:7], "Nev", *BOX[8:]], "trade_cards[7]", "'Nev'"),
        ([*BOX[:41], "zeus+nev"], "trade_cards[41]", "must be written 'nev+zeus'"),
        ([*BOX[:41], "nev+nev+nev+nev+nev"], "trade_cards[41]", "has 5 icons; 1 to 4"),
        ([*BOX[:41], 3], "trade_cards[41]", "`str`"),
        ("nev", "trade_cards", "`array`"),
        (None, "trade_cards", "`array`"),
    ],
)
@pytest.mark.parametrize("seats", [3, 5])
def test_a_wrong_replacement_is_refused_with_the_wrong_entry(
    codes: Any, option: str, says: str, seats: int
) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.parse_options({"trade_cards": codes}, seats)
    assert refused.value.detail == {"option": option}
    assert says in refused.value.message


# --- whole games ------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), seats=st.sampled_from([3, 4, 5]))
def test_in_every_game_cards_are_conserved_and_points_follow_from_what_was_won(seed: int, seats: int) -> None:
    rng = random.Random(seed)
    playout = play.new("trick-and-trade", seats, key=rng.randbytes(32)).play(rng)
    used = deck.TRADES_USED[seats]
    state: Any = None
    for table_ in playout.states[seats + 1 :]:
        state = table_.state
        held = [card for hand in state.hands for card in hand]
        assert len(set(held)) == len(held)
        assert not set(held) & {card for _, card in state.plays}
        assert len(held) + len(state.plays) <= 40 - len(state.left_out)
        taken = [card for cards in state.trades for card in cards]
        there = Counter((*taken, *state.front, *state.back, *state.pile))
        assert there == Counter(playout.dealer.dealt["trades"][:used])
    result = playout.table.result
    assert result is not None
    assert result == standing(state.won, state.trades)
    assert sum(value_totals(state.won).values()) == sum(10 - int(card.split("-")[1]) for card in state.won)
    assert len(playout.steps) == len(playout.commits) - seats - 2
    assert play.fold(GAME, play.stored(playout)) == playout.table


@given(st.permutations(deck.TRICK_CARDS), st.sampled_from([3, 4, 5]))
def test_a_placing_is_an_order_of_all_seats_with_the_led_suit_first(cards: list[str], seats: int) -> None:
    plays = list(enumerate(cards[:seats]))
    order = placing(plays)
    assert sorted(order) == list(range(seats))
    in_order = [dict(plays)[seat] for seat in order]
    followed = [deck.suit(card) == deck.suit(cards[0]) for card in in_order]
    assert followed == sorted(followed, reverse=True)
    for group in (True, False):
        ranks = [
            deck.rank(card) for card, follows in zip(in_order, followed, strict=True) if follows is group
        ]
        assert ranks == sorted(ranks, reverse=True)


def test_a_seat_that_forfeits_ranks_last_and_the_others_by_the_points_they_have() -> None:
    scenario = table(3).but(won=WON, trades=(("ratcoin",), ("ratcoin+ratcoin",), ("zeus",)))
    result = GAME.forfeit(scenario.state, 1)
    assert (result.places, result.winners, result.reason) == ((1, 3, 2), (0,), "forfeit")


def test_the_help_names_the_option_and_the_rules_of_the_end() -> None:
    for words in ("trade_cards", "reconstructed", "Lead Player", "Value", "multiplier"):
        assert words in GAME.help


def test_a_spectators_view_has_no_hidden_card_of_the_start() -> None:
    playout = play.new("trick-and-trade", 3)
    text = str(frame.plain(frame.view(playout.table, SPECTATOR)))
    assert not [card for card in deck.TRICK_CARDS if f"'{card}'" in text]
