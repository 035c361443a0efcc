"""Which cards may be played to a trick, who wins it, and whose Birds were caught in it.

A trick is its plays so far, ``(seat, card)`` in the order in which they were played.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from domain.actions import brief
from domain.tarot.cards import FOOL, STRENGTH, SUIT, TRUMP, suit_name

Plays = Sequence[tuple[int, str]]
Duty = Literal["free", "follow", "trump", "overtrump"]


def led_suit(plays: Plays) -> str | None:
    """The suit that was led, or None before the first card. The Fool leads trumps."""
    return SUIT[plays[0][1]] if plays else None


def winner(plays: Plays) -> int:
    """The seat whose card wins: the Fool, else the highest trump, else the highest card of the led suit."""
    led = SUIT[plays[0][1]]
    best_seat, best = plays[0][0], -1
    for seat, card in plays:
        suit = SUIT[card]
        height = STRENGTH[card] + 100 if suit == TRUMP else STRENGTH[card] if suit == led else -1
        if height > best:
            best_seat, best = seat, height
    return best_seat


def highest_trump(plays: Plays) -> str | None:
    """The highest trump in the trick (the Fool is the highest of all), or None without one."""
    trumps = [card for _, card in plays if SUIT[card] == TRUMP]
    return max(trumps, key=STRENGTH.__getitem__) if trumps else None


def duty(playable: Sequence[str], plays: Plays, *, overtrump_on_trump_lead: bool) -> tuple[Duty, list[str]]:
    """What a seat owes to the trick, and with which of its cards it can do so, the Fool left aside.

    The Fool never has to be played, so it does not count when it is asked what a seat can do
    (rules 1 and 2 of the tarot games).
    """
    others = [card for card in playable if card != FOOL]
    led = led_suit(plays)
    if led is None:
        return "free", others
    trumps = [card for card in others if SUIT[card] == TRUMP]
    if led != TRUMP and (same := [card for card in others if SUIT[card] == led]):
        return "follow", same
    if not trumps:
        return "free", others
    if led == TRUMP and not overtrump_on_trump_lead:
        return "follow", trumps
    highest = highest_trump(plays)
    if highest is not None:
        height = STRENGTH[highest]
        higher = [card for card in trumps if STRENGTH[card] > height]
        if higher:
            return "overtrump", higher
    return ("follow" if led == TRUMP else "trump"), trumps


def legal(playable: Sequence[str], plays: Plays, *, overtrump_on_trump_lead: bool = True) -> list[str]:
    """Those of ``playable`` that may be played to the trick, in the order given.

    Args:
        playable: the cards of the seat that could be played at all (its hand; strawmen that lie open).
        plays: the trick so far.
        overtrump_on_trump_lead: False: to a led trump any trump may be played.
    """
    owed, cards = duty(playable, plays, overtrump_on_trump_lead=overtrump_on_trump_lead)
    if owed == "free":
        return list(playable)
    allowed = {FOOL, *cards}
    return [card for card in playable if card in allowed]


def explain(playable: Sequence[str], plays: Plays, card: Any, *, overtrump_on_trump_lead: bool) -> str | None:
    """The rule that forbids ``card`` with the cards it asks for, or None where none does."""
    if card not in playable:
        return f"you cannot play {brief(card)}: you hold {', '.join(playable)}"
    owed, cards = duty(playable, plays, overtrump_on_trump_lead=overtrump_on_trump_lead)
    if card == FOOL or card in cards:
        return None
    led = led_suit(plays)
    assert led is not None
    names = ", ".join(cards)
    match owed:
        case "follow":
            said = f"must follow {suit_name(led)}: you hold {names}"
        case "trump":
            said = f"must trump: you hold no {suit_name(led)}, but {names}"
        case _:
            said = f"must over-trump {highest_trump(plays)}: you hold {names}"
    return said + ("; the fool may be played as well" if FOOL in playable else "")


def captured(plays: Plays, side: Collection[int], birds: Collection[str]) -> list[tuple[int, str]]:
    """The Birds in the trick that an opponent of its winner played (rule 5), as ``(seat, card)``.

    Args:
        side: the seat that won the trick, with its partner where there are teams.
        birds: the Birds of the game.
    """
    return [(seat, card) for seat, card in plays if card in birds and seat not in side]
