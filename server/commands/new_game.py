"""``facedown new-game``: a small working game to start from."""

from __future__ import annotations

import builtins
import keyword
import re
import subprocess
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import typer

from server.commands.common import MISUSED, fail

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def run(name: str, title: str | None, root: Path) -> None:
    """Write the game's package, view, rules and tests into a checkout, and record its golden games."""
    module = name.replace("-", "_")
    title = title or name.replace("-", " ").title()
    _check(name, module, root)
    words = {"__NAME__": name, "__MODULE__": module, "__CLASS__": _class_of(name), "__TITLE__": title}
    template = files("server.commands") / "template"
    _check_words(name, title, template)
    written: list[Path] = []
    for source, target in (
        (template / "game", root / "domain" / "games" / module),
        (template / "tests", root / "tests" / "games" / module),
    ):
        target.mkdir(parents=True)
        written += [
            _write(entry, target / entry.name.removesuffix(".txt"), words) for entry in source.iterdir()
        ]
    init = root / "tests" / "games" / module / "__init__.py"
    init.touch()
    written += [init, _write(template / "view.py.txt", root / "projections" / f"{module}.py", words)]
    _record(name, root)
    for path in sorted(written):
        typer.echo(f"wrote {path.relative_to(root)}")
    here = Path(sys.executable).parent  # where the commands work also without the environment activated
    typer.echo(f"\n{title} can be played:  {_shown(here / 'facedown')} play {name} --seats 2 --bots")
    typer.echo(f"Its tests, and the laws:  make test ARGS='tests/games/{module} tests/conformance'")
    python = _shown(Path(sys.executable))
    typer.echo(f"After a change of rules:  {python} -m tests.support.golden --write {name}")


def _shown(program: Path) -> str:
    """A program as it can be typed in this folder."""
    folder = Path.cwd()
    return str(program.relative_to(folder)) if program.is_relative_to(folder) else program.name


def _check(name: str, module: str, root: Path) -> None:
    from domain.registry import games
    from projections.registry import RESERVED

    if not (root / "domain" / "games").is_dir() or not (root / "tests" / "support").is_dir():
        fail(f"{root} is no checkout of Facedown: there is no domain/games and tests/support", MISUSED)
    if _NAME.fullmatch(name) is None or len(name) > 40:
        fail(f"{name!r} is no name for a game; use lower-case words joined by '-': high-card", MISUSED)
    if module in RESERVED:
        fail(f"{name!r} is taken: projections.{module} is a part of the project", MISUSED)
    if name in games() or (root / "domain" / "games" / module).exists():
        fail(f"there is a game {name!r} already", MISUSED)


def _class_of(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _check_words(name: str, title: str, template: Traversable) -> None:
    """Refuse a name or a title that Python could not read where the template puts it."""
    texts = [
        entry.read_text("utf-8")
        for folder in (template, template / "game", template / "tests")
        for entry in folder.iterdir()
        if entry.is_file()
    ]
    used = {word for text in texts for word in re.findall(r"\w+", text)}
    for word in (name.replace("-", "_"), _class_of(name)):
        if keyword.iskeyword(word) or (word[0].isupper() and (word in used or hasattr(builtins, word))):
            fail(f"{name!r} is taken: {word} has a meaning in Python or in the game's own files", MISUSED)
    if not title.strip() or not title.isprintable() or set(title) & set('"\\'):
        fail("a title has printable characters, and neither quotation marks nor backslashes", MISUSED)


def _write(source: Traversable, target: Path, words: dict[str, str]) -> Path:
    text = source.read_text("utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    target.write_text(text, "utf-8")
    return target


def _record(name: str, root: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", "tests.support.golden", "--write", name],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        fail(f"the files were written, but the golden games could not be recorded:\n{done.stderr}")
