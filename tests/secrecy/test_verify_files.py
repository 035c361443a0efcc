"""`facedown verify`: files that are no logs, the command, and the digests that it checks."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from projections.digests import digest
from server.cli import app
from server.commands.verify import checked, plain, readable
from tests.secrecy.logs import Lines, rechained, recorded, text


def honest() -> Lines:
    """An open log that may be altered."""
    return copy.deepcopy(recorded("hold-my-beer", 3).log())


# --- files that are no logs -------------------------------------------------------------------------

JUNK: list[bytes] = [
    b"",
    b"\n\n",
    b"no json\n",
    b"[]\n",
    b"{}\n",
    b'{"facedown":2}\n',
    b"\xff\xfe\n",
    b"[" * 5000,
    text(honest()[:1]),
    text([{**honest()[0], "facedown": 2}, *honest()[1:]]),
    text([{**honest()[0], "version": "1"}, *honest()[1:]]),
    text([*honest()[:3], {"version": 3}]),
    text([*honest()[:3], 7]),  # type: ignore[list-item]
    text([honest()[0], {"version": 1, "at_ms": 0, "by": 0, "events": []}]),
    text([honest()[0], {"version": 1, "at_ms": 0, "by": 0, "events": [{"type": ["x"], "label": []}]}]),
    text(honest())[:-20],
]


@pytest.mark.parametrize("content", JUNK, ids=range(len(JUNK)))
def test_what_is_no_log_is_refused_with_a_line_and_a_sentence(content: bytes) -> None:
    report = checked(content)
    assert not report.proven
    assert report.findings
    assert report.findings[0].line >= 1
    assert list(readable(report))
    assert plain(report)["findings"]


STRANGE: list[Any] = [None, True, -1, 10**15, "", "zz", [], [None], ["x"], {}, {"a": 1}, 1.5]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.long] if seed % 6 else []) for seed in range(150)]
)
def test_no_value_anywhere_in_a_log_makes_the_check_itself_fail(seed: int) -> None:
    """It ends with a report whatever stands in the log; what cannot be told from the truth is no finding."""
    rng = random.Random(seed)
    lines = copy.deepcopy(recorded("mein-schatz", 3).log())
    place: Any = rng.choice([lines[0], *lines[1:6], lines[-1]])
    while True:
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            break
        place = inner
    place[key] = rng.choice(STRANGE)
    assert len(checked(text(lines)).findings) >= (place[key] != inner or type(place[key]) is not type(inner))
    assert list(readable(checked(text(rechained(lines)))))


# --- the command ------------------------------------------------------------------------------------


def test_the_command_reads_files_gzip_and_standard_input(tmp_path: Path) -> None:
    content = text(honest())
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    packed = tmp_path / "game.jsonl.gz"
    packed.write_bytes(gzip.compress(content))
    for arguments, given_in in ((str(path), None), (str(packed), None), ("-", content)):
        done = CliRunner().invoke(app, ["verify", arguments], input=given_in)
        assert done.exit_code == 0, done.output
        assert "PROVEN" in done.output
        assert "NOT PROVEN" not in done.output


def test_the_command_ends_with_1_and_names_the_line(tmp_path: Path) -> None:
    lines = honest()
    number = next(at for at, line in enumerate(lines, start=1) if "hand-2/deal" in str(line))
    lines[number - 1]["events"][-1]["order"].reverse()
    path = tmp_path / "game.jsonl"
    path.write_bytes(text(rechained(lines)))
    done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 1
    assert f"line {number}: " in done.output
    assert "hand-2/deal" in done.output
    assert "NOT PROVEN" in done.output
    told = json.loads(CliRunner().invoke(app, ["verify", "--json", str(path)]).output)
    assert told["proven"] is False
    assert told["findings"][0]["line"] == number


@pytest.mark.parametrize("content", [None, b"\x1f\x8bbroken"])
def test_a_file_that_cannot_be_read_is_no_traceback(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "game.jsonl"
    if content is not None:
        path.write_bytes(content)
    done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 1
    assert "cannot be read" in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


# --- the digests ------------------------------------------------------------------------------------


def test_a_digest_is_what_its_description_says() -> None:
    """Reckoned a second time with the standard library alone."""
    before = ""
    for line in honest():
        bare = {name: value for name, value in line.items() if name != "digest"}
        canonical = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256((before + canonical).encode()).hexdigest()
        assert line["digest"] == before


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz_09", max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcxyz_09", min_size=1, max_size=6), JSON_VALUES, max_size=5))
def test_the_canonical_form_is_that_of_other_languages(line: dict[str, Any]) -> None:
    canonical = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert digest("", line) == hashlib.sha256(canonical.encode()).hexdigest()
