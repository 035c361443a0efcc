"""Real servers and stores under injected faults: what clients were promised against what the log holds."""
