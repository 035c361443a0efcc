"""Tests of Oopsie."""
