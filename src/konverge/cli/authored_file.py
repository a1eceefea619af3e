"""Authored file: tells what a command wrote from what an author edited, by a first line with a digest of the rest.

A file whose digest fits is the command's own, and may be written anew. Any other is the author's.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from konverge.errors import ConfigError

_LINE: Final = (
    "# Written by konverge {command} ({digest}). Edit it and it is yours: it is kept unless you say otherwise.\n"
)
_FIRST: Final = re.compile(r"# Written by konverge [a-z]+ \((?P<digest>[0-9a-f]{16})\)\..*\n")


def headed(text: str, *, command: str = "manifests") -> str:
    """Return a text below its line."""
    return _LINE.format(command=command, digest=_digest(text)) + text


def is_authored(path: Path) -> bool:
    """Whether a file is there that is not just as the command wrote it."""
    text = _read(path)
    return text is not None and not _is_whole(text)


def is_written(path: Path) -> bool:
    """Whether a file is there just as the command wrote it."""
    text = _read(path)
    return text is not None and _is_whole(text)


def is_edited(path: Path) -> bool:
    """Whether a command wrote a file, and somebody has changed it since."""
    text = _read(path)
    return text is not None and _FIRST.match(text) is not None and not _is_whole(text)


def _is_whole(text: str) -> bool:
    found = _FIRST.match(text)
    return found is not None and found["digest"] == _digest(text[found.end() :])


def body(path: Path) -> str:
    """Return what a file says below its line, if it still has one."""
    return _FIRST.sub("", _read(path) or "", count=1)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(
            encoding="utf-8", errors="replace"
        )  # with \n at the ends, whatever a checkout made of them
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; choose another --output") from error


def write(path: Path, text: str) -> bool:
    """Write a text below its line, and say whether that changed anything."""
    new = headed(text)
    if _read(path) == new:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(new, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; choose another --output") from error
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
