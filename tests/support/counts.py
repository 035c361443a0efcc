"""How much is run: little of everything by `make test`, all of it by `make test-long`."""

from __future__ import annotations

import os

LONG = os.environ.get("FACEDOWN_LONG") == "1"
EXAMPLES = 100 if LONG else 20
"""How many examples Hypothesis tries for a test."""
