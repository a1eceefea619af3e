"""Source files: which Python files an operator may be made of, and which of them have changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

State = Mapping[Path, tuple[int, int]]  # when a file was written, and its size
_SKIPPED: Final = ("__pycache__", "node_modules", "build", "dist", "site-packages")
_ENVIRONMENT: Final = "pyvenv.cfg"  # what tells a virtual environment, whatever it is called


def state_of(*folders: Path) -> State:
    """Return the state of every Python file below these folders, hidden ones and virtual environments left out."""
    return {path: found for folder in folders for path in _files(folder) if (found := _state(path))}


def changes(before: State, after: State) -> list[Path]:
    """Return the files that are new, gone or written since."""
    return sorted(path for path in {**before, **after} if before.get(path) != after.get(path))


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        if _ENVIRONMENT in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        yield from (Path(place, name) for name in files if name.endswith(".py"))


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:  # it went in between
        return None
    return found.st_mtime_ns, found.st_size
