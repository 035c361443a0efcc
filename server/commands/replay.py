"""``facedown replay``: step through a log in the terminal, as any viewer of an open one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import typer

from domain.events import Commit
from domain.table import Table
from projections import frame, history, rehearsal, verify
from projections.patch import apply_patch
from projections.viewer import REFEREE, SPECTATOR
from server.commands import lines
from server.commands.common import FAILED, MISUSED, as_json, fail
from server.commands.verify import content

HELP = "Enter or n: next   p: back   a number: that version   v VIEWER: see as   s: the whole view   q: end"


class Step(msgspec.Struct, frozen=True):
    """One version as it is shown: its line, and the view after it (None where the log holds none)."""

    line: dict[str, Any]
    view: dict[str, Any] | None


class Replay:
    """A log, ready to be looked at.

    An open log is folded again, so that it can be seen as any viewer. Any other log is what its viewer
    saw; with ``?views=patch`` it holds the views too.

    Args:
        data: the bytes of the log.
    """

    def __init__(self, data: bytes) -> None:
        numbered = [(number, _parsed(number, raw)) for number, raw in _lines(data)]
        report, log = verify.check(numbered)
        if log is None:
            fail("; ".join(f"line {found.line}: {found.text}" for found in report.findings), FAILED)
        self.header: dict[str, Any] = numbered[0][1]
        self._raw = [line for _, line in numbered[1:]]
        self._restored: list[tuple[Commit, Table]] = []
        if log.opened:
            try:
                self._restored = list(rehearsal.restored(log))
            except Exception as error:  # noqa: BLE001 - an altered log may lead a game anywhere
                fail(f"the log cannot be folded: {error}; facedown verify says where it is wrong", FAILED)
        self._own = _own_steps(self._raw)

    @property
    def versions(self) -> int:
        """How many there are."""
        return len(self._raw)

    @property
    def any_viewer(self) -> bool:
        """Whether it can be seen as somebody else than whoever got the log."""
        return bool(self._restored)

    def step(self, version: int, viewer: int | None) -> Step:
        """One version as ``viewer`` saw it; None: as the log tells it."""
        if viewer is None or not self._restored:
            if not self._restored:
                return self._own[version - 1]
            viewer = REFEREE
        commit, table = self._restored[version - 1]
        return Step(frame.plain(history.line(commit, viewer)), frame.plain(frame.view(table, viewer)))


def viewer_of(text: str | None, seats: int) -> int | None:
    """A viewer by its name: ``open``, ``spectator`` or ``seat:2``. May end the command."""
    if text is None:
        return None
    if text == "open":
        return REFEREE
    if text == "spectator":
        return SPECTATOR
    kind, _, number = text.partition(":")
    if kind != "seat" or not number.isdigit() or int(number) >= seats:
        fail(f"a viewer is open, spectator or seat:0 to seat:{seats - 1}, not {text!r}", MISUSED)
    return int(number)


def run(path: str, *, viewer: str | None, at: int | None, json: bool) -> None:
    """Show one version, or all of them, or (in a terminal) step through them."""
    replay = Replay(content(path))
    seen_as = viewer_of(viewer, replay.header["seats"])
    if seen_as is not None and not replay.any_viewer:
        fail("only an open log (facedown log TABLE --open --json) can be seen as another viewer", FAILED)
    if at is not None and not 1 <= at <= replay.versions:
        fail(f"the log has versions 1 to {replay.versions}", FAILED)
    if at is None and not json and path != "-" and sys.stdin.isatty() and sys.stdout.isatty():
        _steps(replay, seen_as)
        return
    if not json:
        typer.echo(lines.header(replay.header))
    for version in [at] if at is not None else range(1, replay.versions + 1):
        step = replay.step(version, seen_as)
        if json:
            typer.echo(as_json({**step.line, "view": step.view}))
        else:
            typer.echo(lines.version(step.line))
    if at is not None and not json:
        _show_view(replay.step(at, seen_as))


def _steps(replay: Replay, viewer: int | None) -> None:
    typer.echo(lines.header(replay.header))
    typer.echo(HELP)
    version = 1
    typer.echo(lines.version(replay.step(version, viewer).line))
    while True:
        try:
            asked = input(f"{version}/{replay.versions}> ").strip()
        except (EOFError, KeyboardInterrupt):
            typer.echo()
            return
        word, _, rest = asked.partition(" ")
        if word in ("q", "quit"):
            return
        if word in ("", "n"):
            version = min(version + 1, replay.versions)
        elif word == "p":
            version = max(version - 1, 1)
        elif word.isdigit() and 1 <= int(word) <= replay.versions:
            version = int(word)
        elif word == "v" and replay.any_viewer:
            try:
                viewer = viewer_of(rest.strip() or None, replay.header["seats"])
            except typer.Exit:
                continue
        elif word == "s":
            _show_view(replay.step(version, viewer))
            continue
        else:
            typer.echo(HELP)
            continue
        typer.echo(lines.version(replay.step(version, viewer).line))


def _show_view(step: Step) -> None:
    if step.view is None:
        typer.echo(
            "this log holds no views; take it by facedown log TABLE --views, or --open --json when it is over"
        )
    else:
        typer.echo("\n".join(tree(step.view)))


def tree(value: dict[str, Any], indent: str = "  ") -> Iterator[str]:
    """A view as indented lines, one member a line."""
    for name, member in value.items():
        if isinstance(member, dict) and member:
            yield f"{indent}{name}:"
            yield from tree(member, indent + "  ")
        else:
            yield f"{indent}{name}: {lines.value(member)}"


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield number, line


def _parsed(number: int, raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        fail(f"line {number} is no line of JSON: {error}", FAILED)


def _own_steps(raw: Sequence[dict[str, Any]]) -> list[Step]:
    steps = []
    view: dict[str, Any] | None = None
    for line in raw:
        if "patch" in line:
            view = apply_patch(view or {}, line["patch"])
        told = {name: line[name] for name in ("version", "at_ms", "by", "events")}
        steps.append(Step(told, view))
    return steps
