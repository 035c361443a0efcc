"""What RULES.md says about who knows what is what the program declares."""

from __future__ import annotations

import pytest

from domain.registry import games
from domain.visibility import PUBLIC, audiences, undeclared
from tests.secrecy.visibility import COMMAND, HEADING, path, rows, section, table_secrets

IN_WORDS: dict[str, dict[str, str]] = {
    "hold-my-beer": {
        "hand_dealt.order": "hands",
        "talon_looked.cards": "the Talon",
        "card_exchanged.give": "the exchanged cards",
        "card_exchanged.take": "the exchanged cards",
        "bid_chosen.place": "a chosen discard or bid",
        "discard_chosen.card": "a chosen discard or bid",
        "discarded.cards": "the discards",
        "state.hands": "hands",
        "state.talon": "the Talon",
        "state.picks": "a chosen discard or bid",
        "state.discards": "the discards",
    },
    "mein-schatz": {
        "deck_shuffled.order": "the deck",
        "treasure_drawn.card": "a drawn treasure",
        "treasure_laid.card": "laid cards",
        "treasure_taken.cards": "a taken stack",
        "tokens_turned.order": "find tokens, gnome side up",
        "chance_taken.token": "find tokens, gnome side up",
        "chance_taken.cards": "a taken stack",
        "state.deck": "the deck",
        "state.drawn": "a drawn treasure",
        "state.stacks": "laid cards",
        "state.taken": "a taken stack",
        "state.gnomes": "find tokens, gnome side up",
        "state.held": "find tokens",
    },
    "oopsie": {
        "hand_dealt.order": "hands",
        "talon_looked.cards": "the Talon",
        "card_exchanged.give": "the exchanged cards",
        "card_exchanged.take": "the exchanged cards",
        "bid_chosen.place": "a chosen pass or bid",
        "pass_chosen.card": "a chosen pass or bid",
        "cards_passed.cards": "a passed card",
        "state.hands": "hands",
        "state.talon": "the Talon",
        "state.picks": "a chosen pass or bid",
        "state.passed": "that the partner still holds a passed card",
        "state.received": "a passed card",
    },
    "thread-the-needle": {
        "hand_dealt.order": "hands",
        "talon_looked.cards": "the Talon",
        "card_exchanged.give": "the exchanged cards",
        "card_exchanged.take": "the exchanged cards",
        "strawmen_dealt.order": "strawmen face down",
        "line_looked.cards": "the Talon",
        "state.hands": "hands",
        "state.talon": "the Talon",
        "state.given": "that a card which a seat gave by exchange",
        "state.looking_at": "the Talon",
        "state.face_down": "strawmen face down",
    },
    "trick-and-trade": {
        "dealt.order": "hands",
        "trades_shuffled.order": "the draw pile",
        "state.hands": "hands",
        "state.pile": "the draw pile",
        "state.left_out": "left-out trick card",
    },
    "trinket-trove": {
        "dealt.order": "hands",
        "deck_shuffled.order": "the draw deck and the timer deck",
        "state.hands": "hands",
        "state.pile": "the draw deck and the timer deck",
        "state.timer": "the draw deck and the timer deck",
    },
}
"""For each thing that is declared hidden, the row of 'Who knows what' that is about it."""


@pytest.mark.parametrize("name", games())
def test_the_table_at_the_end_of_the_rules_is_what_is_declared(name: str) -> None:
    assert path(name).read_text(encoding="utf-8").endswith(section(name)), f"write it anew: {COMMAND}"


@pytest.mark.parametrize("name", games())
def test_everything_hidden_has_a_row_in_the_words_of_the_game(name: str) -> None:
    rules = path(name).read_text(encoding="utf-8").partition("## Who knows what")[2].partition(HEADING)[0]
    known = [line.split("|")[1].strip() for line in rules.splitlines() if line.startswith("|")]
    hidden = {f"{of.strip('`')}.{field.strip('`')}" for of, field, _ in rows(name)}
    assert hidden == IN_WORDS[name].keys(), "name the row that tells of it"
    for what, row in IN_WORDS[name].items():
        assert any(line.startswith(row) for line in known), f"no row about {what} ({row})"


def test_every_game_hides_something_and_declares_every_field() -> None:
    for name, game in games().items():
        assert rows(name)
        assert not undeclared(game.state)
        for kind in game.events:
            assert not undeclared(kind)
            assert kind.known_to is PUBLIC or audiences(kind)


def test_of_tables_only_tokens_and_the_key_are_hidden() -> None:
    assert table_secrets() == {
        ("table_opened", "deal_key"),
        ("table_opened", "host_hash"),
        ("seat_taken", "token_hash"),
        ("spectator_admitted", "token_hash"),
    }
