"""Long runs may take their time."""

from __future__ import annotations

import pytest

from tests.support.counts import LONG


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With ``FACEDOWN_LONG=1`` a conformance test may take a quarter of an hour."""
    for item in items:
        if LONG and "conformance" in item.path.parts:
            item.add_marker(pytest.mark.timeout(900))
