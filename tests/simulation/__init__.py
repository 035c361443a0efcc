"""Deterministic simulation: whole clusters of server processes under a seeded clock, store and network.

One command replays a seed: ``python -m tests.simulation SEED``.
"""
