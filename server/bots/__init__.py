"""Bots: the server's own players. They see what their seat sees, and nothing else."""

from server.bots.driver import Bots, decide
from server.bots.policies import POLICIES, chance, greedy, policies_of, require_policy

__all__ = ["POLICIES", "Bots", "chance", "decide", "greedy", "policies_of", "require_policy"]
