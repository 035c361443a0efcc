"""What `scripts/compile` makes does what the Python files do."""
