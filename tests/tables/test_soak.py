"""The soak itself, a very short one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import soak


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_short_soak_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await soak.run(0.5, 20, 2, "short", tmp_path), capsys.readouterr().out
    told = capsys.readouterr().out
    assert "stuck tables                 0" in told
    assert "faults                       0" in told
