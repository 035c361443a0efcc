"""``facedown verify``: whether a log is whole, and whether its cards were dealt as promised."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import typer

from projections import rehearsal, verify
from projections.verify import Finding, Report
from server.commands.common import FAILED, as_json, fail


def run(path: str, *, shuffles_only: bool, json: bool) -> None:
    """Check the log and write what was found. Ends the command with 1 unless the deal is proven.

    Args:
        path: of a file, also one that gzip made; ``-`` for standard input.
        shuffles_only: do not play the game again.
    """
    report = checked(content(path), shuffles_only=shuffles_only)
    if json:
        typer.echo(as_json(plain(report)))
    else:
        for line in readable(report, shuffles_only=shuffles_only):
            typer.echo(line)
    if not report.proven:
        raise typer.Exit(FAILED)


def content(path: str) -> bytes:
    """The bytes of a file or of standard input, unpacked where gzip packed them. May end the command."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError) as error:
        fail(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def checked(data: bytes, *, shuffles_only: bool = False) -> Report:
    """All that can be found out about a log."""
    lines: list[verify.Numbered] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            lines.append((number, msgspec.json.decode(line)))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            return Report(findings=[Finding(number, f"this is not a line of JSON: {error}")])
    report, log = verify.check(lines)
    if log is not None and log.opened and report.key and not report.findings and not shuffles_only:
        rehearsal.rehearse(log, report)
    return report


def plain(report: Report) -> dict[str, Any]:
    """The report for programs."""
    header = report.header
    return {
        "proven": report.proven,
        "table": header.table if header else None,
        "game": header.game if header else None,
        "viewer": header.viewer if header else None,
        "reveal": header.reveal if header else None,
        "versions": report.versions,
        "shuffles": report.shuffles,
        "checked": report.checked,
        "hidden": report.hidden,
        "key": report.key,
        "moves": report.rehearsed,
        "last_digest": report.last_digest,
        "findings": [{"line": finding.line, "text": finding.text} for finding in report.findings],
    }


def readable(report: Report, *, shuffles_only: bool = False) -> Iterator[str]:
    """The report for a person."""
    header = report.header
    if header is not None:
        what = f"{header.game}, {header.seats} seats, {header.status}, {report.versions} versions"
        yield f"{header.table}: {what}"
    for finding in report.findings:
        yield f"line {finding.line}: {finding.text}"
    if header is None or report.findings:
        yield "NOT PROVEN: the server did not write this log, or it did not deal as it promised."
        return
    if report.last_digest is not None:
        yield f"All digests fit; the last is {report.last_digest}"
    if header.reveal == "never":
        yield "NOT PROVEN: this table was opened with reveal: never, so its deal key is never published and"
        yield "nobody but the operator of the server can check its shuffles."
        return
    if not report.key:
        yield "NOT PROVEN: the deal key is told when the game is over; until then no shuffle can be checked."
        return
    yield "The deal key fits the commitment that was published before anybody sat down."
    yield f"{report.checked} of {report.shuffles} shuffles follow from the key and what the seats added."
    if report.hidden:
        yield f"The other {report.hidden} are not shown in full in the log of this viewer; the open log"
        yield "(GET /v1/tables/{table}/log?open=true) shows all."
    if report.rehearsed is not None:
        yield f"The game was played again: {report.rehearsed} versions follow from the rules."
    elif not shuffles_only:
        yield "The game was not played again, since that takes the open log."
    if report.proven:
        yield "PROVEN, as far as such a log can prove anything: see docs/fair-dealing.md."
    else:
        yield "NOT PROVEN: no shuffle is shown in full."
