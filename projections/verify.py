"""Checks a log that a server gave out: whether it is whole, and whether the cards were dealt as promised.

Nothing is taken from a server here: the log alone is enough. Checked are, in this order, the digest of every
line, the versions, what the first lines promise, the deal key against its commitment, and then every shuffle
against the key and what the seats added. With the open log of a game that this installation knows, the whole
game is played again as well (`projections.rehearsal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.dealing import KEY_BYTES, KeyedDealer, commitment
from projections.digests import digest
from projections.history import FORMAT

Numbered = tuple[int, Any]
"""A line of a file: its number from 1 and the decoded JSON."""


class Header(msgspec.Struct, frozen=True):
    """The first line of a log."""

    facedown: int
    table: str
    game: str
    seats: int
    options: dict[str, Any]
    epoch: str
    commitment: str
    reveal: Literal["end", "never"]
    viewer: dict[str, Any]
    status: str
    version: int
    digest: str | UnsetType = UNSET


class Line(msgspec.Struct, frozen=True):
    """Every other line: one version."""

    version: int
    at_ms: int
    by: int | str
    events: list[dict[str, Any]]
    digest: str | UnsetType = UNSET


class Finding(msgspec.Struct, frozen=True):
    """Something that does not fit: the number of the line in the file, and a sentence."""

    line: int
    text: str


class Report(msgspec.Struct, kw_only=True):
    """What was found out about a log.

    Args:
        shuffles: how many shuffles it tells of, ``checked`` of them fit, ``hidden`` are not shown in full.
        key: whether the deal key is known and fits its commitment.
        findings: what does not fit, from the first line on.
        last_digest: of the last line; equal for everybody who has the same log.
        rehearsed: how many versions were decided again; None where the game was not played again.
    """

    header: Header | None = None
    versions: int = 0
    shuffles: int = 0
    checked: int = 0
    hidden: int = 0
    key: bool = False
    findings: list[Finding] = []
    last_digest: str | None = None
    rehearsed: int | None = None

    @property
    def proven(self) -> bool:
        """Whether nothing is wrong and the deal is proven as far as this log shows it."""
        return self.key and not self.findings and (self.checked > 0 or self.shuffles == 0)

    def wrong(self, line: int, text: str) -> None:
        """Note something that does not fit."""
        self.findings.append(Finding(line, text))


class Log:
    """A log that has the right form: the header and the versions, each with the number of its line."""

    def __init__(self, header: Header, lines: Sequence[tuple[int, Line]], first: int) -> None:
        self.header = header
        self.lines = lines
        self.first = first

    def events(self) -> Iterator[tuple[int, Line, dict[str, Any]]]:
        """Every event with its line."""
        for number, line in self.lines:
            for event in line.events:
                yield number, line, event

    @property
    def opened(self) -> bool:
        """Whether this is the open log, with nothing hidden."""
        return self.header.viewer == {"open": True}


def check(lines: Sequence[Numbered]) -> tuple[Report, Log | None]:
    """Check everything but the rules. The log is None where it does not have the form of one."""
    report = Report(findings=[])
    _check_digests(lines, report)
    log = _parse(lines, report)
    if log is None:
        return report, None
    report.header, report.versions = log.header, len(log.lines)
    _check_versions(log, report)
    _check_promises(log, report)
    _check_dealing(log, report)
    report.findings.sort(key=lambda finding: finding.line)
    return report, log


def _check_digests(lines: Sequence[Numbered], report: Report) -> None:
    """Name the first line whose digest does not follow; after it none can."""
    if not any(isinstance(line, dict) and "digest" in line for _, line in lines):
        return
    before = ""
    for number, line in lines:
        if not isinstance(line, dict):
            return
        if "digest" not in line:
            report.wrong(number, "the digest is missing")
            return
        before = digest(before, line)
        if line["digest"] != before:
            text = "the digest does not fit: this line was changed, or one before it was lost or moved"
            report.wrong(number, text)
            return
    report.last_digest = before


def _parse(lines: Sequence[Numbered], report: Report) -> Log | None:
    if not lines:
        report.wrong(1, "the file is empty")
        return None
    first, raw = lines[0]
    try:
        header = msgspec.convert(raw, Header)
    except msgspec.ValidationError as error:
        report.wrong(first, f"this is not the header of a log: {error}")
        return None
    if header.facedown != FORMAT:
        report.wrong(first, f"the log has format {header.facedown}; only {FORMAT} is known here")
        return None
    found = []
    for number, raw in lines[1:]:
        try:
            found.append((number, msgspec.convert(raw, Line)))
        except msgspec.ValidationError as error:
            report.wrong(number, f"this is not a version of a log: {error}")
            return None
    if not found:
        report.wrong(first, "no version follows the header")
        return None
    return Log(header, found, first)


def _check_versions(log: Log, report: Report) -> None:
    at_ms = 0
    for expected, (number, line) in enumerate(log.lines, start=1):
        if line.version != expected:
            report.wrong(number, f"version {expected} should stand here, not {line.version}")
            return
        if line.at_ms < at_ms:
            report.wrong(number, f"version {line.version} is older than the one before it")
            return
        at_ms = line.at_ms
    number, last = log.lines[-1]
    if last.version != log.header.version:
        text = f"the log ends with version {last.version}, but its header tells of {log.header.version}"
        report.wrong(number, text)


_PROMISED = ("table", "game", "seats", "epoch", "commitment", "reveal")


def _check_promises(log: Log, report: Report) -> None:
    """What the header says must be what the table was opened with."""
    number, line = log.lines[0]
    opened = line.events[0] if line.events else {}
    if opened.get("type") != "table_opened":
        report.wrong(number, "the first version does not open a table")
        return
    pairs = [(name, opened.get(name), getattr(log.header, name)) for name in _PROMISED]
    # The header names all options of the release that wrote it, the event those of its own time.
    options = opened.get("options")
    if isinstance(options, dict):
        pairs += [
            (f"the option {name}", value, log.header.options.get(name)) for name, value in options.items()
        ]
    else:
        pairs.append(("options", options, log.header.options))
    for name, here, said in pairs:
        if here != said:
            report.wrong(number, f"{name} is {here!r} here and {said!r} in line {log.first}")


def _check_dealing(log: Log, report: Report) -> None:
    key, told_in = _key_of(log, report)
    if key is not None:
        made = commitment(log.header.table, key)
        report.key = made == log.header.commitment
        if not report.key:
            text = (
                f"the deal key does not fit the commitment {log.header.commitment} of line {log.first}: one"
                " of the two was altered, or the table was dealt with another key than the promised one"
            )
            report.wrong(told_in, text)
    dealer = KeyedDealer(key, _entropy_of(log)) if key is not None and report.key else None
    labels: set[str] = set()
    for number, line, event in log.events():
        if "label" not in event:
            continue
        label, order = event["label"], event.get("order")
        report.shuffles += 1
        if not isinstance(label, str) or label in labels:
            report.wrong(number, f"version {line.version}: the label {label!r} is used before, or is no text")
            continue
        labels.add(label)
        if not _shown(order):
            report.hidden += 1
            if log.opened:
                report.wrong(
                    number, f"version {line.version}: the outcome of {label!r} is missing or no outcome"
                )
        elif dealer is not None:
            assert order is not None
            due = list(dealer.shuffle(label, order))
            if due == order:
                report.checked += 1
            else:
                report.wrong(number, _misdealt(line, label, order, due))


def _shown(order: Any) -> bool:
    """Whether an outcome is shown in full: a list of texts or of numbers."""
    return isinstance(order, list) and (
        all(isinstance(item, str) for item in order) or all(type(item) is int for item in order)
    )


def _misdealt(line: Line, label: str, order: list[Any], due: list[Any]) -> str:
    at = next(index for index, (one, other) in enumerate(zip(order, due, strict=True)) if one != other)
    return (
        f"version {line.version}: the shuffle {label!r} does not follow from the deal key and what the seats"
        f" added: position {at} has {order[at]!r} where {due[at]!r} is due; this outcome, an entropy, or the"
        " order in which the seats were taken was altered"
    )


def _key_of(log: Log, report: Report) -> tuple[bytes | None, int]:
    """The deal key and the line that tells it; None where it is not told."""
    for number, line, event in log.events():
        if event.get("type") not in ("finished", "abandoned"):
            continue
        told = event.get("deal_key")
        if log.header.reveal == "never":
            if told is not None:
                report.wrong(number, "a deal key is told, though the table was opened with reveal: never")
            return None, number
        try:
            key = bytes.fromhex(told if isinstance(told, str) else "")
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            report.wrong(number, f"version {line.version}: the deal key is missing, or is no deal key")
            return None, number
        return key, number
    return None, 0


def _entropy_of(log: Log) -> list[bytes | None]:
    """What each seat added, by seat, as it stood when the game began."""
    added: list[bytes | None] = [None] * max(0, min(log.header.seats, 100))
    for _, _, event in log.events():
        kind, seat = event.get("type"), event.get("seat")
        if kind == "started":
            break
        if kind in ("seat_taken", "seat_left") and isinstance(seat, int) and 0 <= seat < len(added):
            entropy = event.get("entropy") if kind == "seat_taken" else None
            added[seat] = entropy.encode() if isinstance(entropy, str) and entropy else None
    return added
