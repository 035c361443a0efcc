"""Tests of Trinket Trove."""
