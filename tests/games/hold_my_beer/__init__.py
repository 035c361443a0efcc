"""Tests of Hold My Beer."""
