"""What the tarot games share: cards, follow rules, events, pieces of state. A library: no game lives here."""
