"""Writing: puts a scaffold on the disk, all of it or nothing.

A file that is there and says something else is the author's. It is replaced where the author says so, by `--force` or
when asked; where nobody can be asked, nothing is written and the error names the file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import typer
from rich.console import Console

from konverge.cli.scaffold.main_module import Wiring, wired
from konverge.cli.scaffold.project import Project
from konverge.errors import ConfigError

MayReplace = Callable[[Path], bool]


def asking(*, force: bool) -> MayReplace | None:
    """Return how to find out whether an author's file may be replaced; None where nobody can be asked."""
    if force:
        return lambda _: True
    return _ask if sys.stdin.isatty() else None


def _ask(path: Path) -> bool:
    return typer.confirm(f"{path} is there already. Write over it?", default=False)


class Writing:
    """Writes files into a folder, and tells of each."""

    def __init__(self, folder: Path, may_replace: MayReplace | None, *, console: Console | None = None) -> None:
        self._folder, self._may_replace = folder, may_replace
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._is_silent = True  # nothing was told as yet

    def write(self, files: Mapping[str, str]) -> None:
        """Write texts by path, apart from those that are there already and are to stay."""
        differing = [path for name, text in files.items() if _differs(path := self._folder / name, text)]
        kept = self._kept(differing)
        for name, text in files.items():
            path = self._folder / name
            if path in kept:
                self._told("yellow", "kept", path)
            elif _put(path, text):
                self._told("green", "wrote", path)

    def _kept(self, differing: list[Path]) -> list[Path]:
        allowed = self._may_replace
        if differing and allowed is None:
            names = ", ".join(map(str, differing))
            raise ConfigError(f"{names}: there already, so nothing was written; --force writes over it")
        return [path for path in differing if allowed is not None and not allowed(path)]

    def wire(self, project: Project, wiring: Wiring) -> None:
        """Add to the project's main module what is missing from it; tell of what has no place there."""
        path = project.folder / "src" / f"{project.main.replace('.', '/')}.py"
        text, unplaced = wired(_text(path) or "", wiring)
        if _put(path, text):
            self._told("green", "edited", path)
        for each in unplaced:
            self._is_silent = False
            self._console.print(f"[yellow]add[/] [bold]{each.line}[/] to {each.where} in {path}")

    def end(self) -> None:
        """Say so, where there was nothing to do."""
        if self._is_silent:
            self._console.print("all of it is there already")

    def _told(self, colour: str, what: str, path: Path) -> None:
        self._is_silent = False
        self._console.print(f"[{colour}]{what}[/] {path}")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}: cannot be read: {why}") from error


def _differs(path: Path, text: str) -> bool:
    found = _text(path)
    return found is not None and found != text


def _put(path: Path, text: str) -> bool:
    """Write a text, and say whether that changed anything."""
    if _text(path) == text:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
    return True
