"""What each number of seats plays with, and how far it plays (rulebook, 'Cards', 'Setup', 'Win')."""

from __future__ import annotations

from domain.tarot.cards import birds, deck

TWO = 2
"""The number of seats of the variant with strawmen."""

SEATS = (2, 4, 5)

DECK = {2: deck(lowest=8), 4: deck(removed=(6, 7, 8)), 5: deck()}
"""50, 63 and 78 cards, with 80, 94 and 100 points."""

HAND_SIZE = {2: 10, 4: 15, 5: 15}
TRICKS = {2: 23, 4: 15, 5: 15}
"""With 2 seats the 13 strawmen are played as well."""

BIRDS = {2: birds(4), 4: birds(4), 5: birds(5)}

HANDS = {2: 4, 4: 4, 5: 5}
"""How many hands are played at most."""

TARGET = {4: 20, 5: 25}
"""Game points that end the game after a hand; with 2 seats there is no target."""
