"""Tests of what the tarot games share, and helpers for the tests of each of them."""
