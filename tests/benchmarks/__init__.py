"""Benchmarks: `make bench` measures this server, `make bench-peers` sets it beside others. No tests."""
