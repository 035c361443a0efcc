"""Golden games: nothing that a viewer is told changes unnoticed, and old logs replay for ever."""

from __future__ import annotations

import base64
import difflib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.errors import UnknownEvent
from domain.registry import games
from tests.conformance.setups import SETUPS, label
from tests.support import golden

LOGS = [path for name in games() for path in sorted(golden.folder(name).glob("*.log"))]
LARGEST = 150_000


@pytest.mark.parametrize("setup", SETUPS, ids=label)
def test_the_golden_game_is_told_as_it_was_recorded(setup: tuple[str, int]) -> None:
    name, seats = setup
    path = golden.folder(name) / f"{seats}.txt"
    if not path.exists():
        pytest.fail(f"{path} is missing. Run {golden.COMMAND}, read the file, and commit it")
    recorded = path.read_text(encoding="utf-8").splitlines()
    now = golden.text(golden.record(name, seats)).splitlines()
    if now != recorded:
        lines = list(difflib.unified_diff(recorded, now, str(path), "now", lineterm="", n=1))
        shown = "\n".join(line[:300] for line in lines[:30])
        pytest.fail(
            f"the game is told differently ({len(lines)} lines); if that is right: {golden.COMMAND}\n{shown}"
        )
    assert path.stat().st_size < LARGEST
    assert (golden.folder(name) / f"{seats}.log").exists(), f"its log is missing: run {golden.COMMAND}"


def recorded_part(now: Any, recorded: Any) -> Any:
    """Of a state as it is today the fields that a recorded one has: states may gain fields."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        return {key: recorded_part(now[key], value) for key, value in recorded.items() if key in now}
    if isinstance(recorded, list) and isinstance(now, list) and len(now) == len(recorded):
        return [recorded_part(new, old) for new, old in zip(now, recorded, strict=True)]
    return now


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_recorded_log_leads_to_the_same_state_result_and_redacted_events(path: Path) -> None:
    expected, commits = golden.read_log(path)
    now = golden.outcome(commits, expected["game"])
    assert recorded_part(now, expected) == expected
    assert path.stat().st_size < LARGEST


def test_a_log_with_one_event_changed_does_not_pass(tmp_path: Path) -> None:
    """The comparison can fail: another card played, another event type, a commit left out."""
    first, *entries = golden.log(golden.record("trick-and-trade", 3)).splitlines()
    version, at_ms, data = entries[5].split()
    stored = msgspec.msgpack.decode(base64.b64decode(data))
    stored["events"][0]["card"] = "nev-1" if stored["events"][0]["card"] != "nev-1" else "nev-2"
    changed = f"{version} {at_ms} {base64.b64encode(msgspec.msgpack.encode(stored)).decode()}"
    path = tmp_path / "changed.log"
    path.write_text("\n".join([first, *entries[:5], changed, *entries[6:]]), encoding="utf-8")
    with pytest.raises((AssertionError, ValueError)):
        test_a_recorded_log_leads_to_the_same_state_result_and_redacted_events(path)

    stored["events"][0]["type"] = "card_played/9"
    changed = f"{version} {at_ms} {base64.b64encode(msgspec.msgpack.encode(stored)).decode()}"
    path.write_text("\n".join([first, *entries[:5], changed, *entries[6:]]), encoding="utf-8")
    with pytest.raises(UnknownEvent):
        golden.read_log(path)
