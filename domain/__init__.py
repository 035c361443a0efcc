"""The rules: pure functions over immutable values. No clock, no randomness, no I/O."""
