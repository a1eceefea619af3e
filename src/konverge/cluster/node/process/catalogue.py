"""Catalogue: which local command runs in the place of which image.

    images:                                       # YAML, or the same in TOML
      example.com/web:1: [python3, -m, http.server, --bind, "{ip}", "8080"]
      example.com/api:*: {command: [./api], args: [--listen, "{ip}:80"], env: {MODE: local}, folder: .}
      busybox:*: []                               # the container names the command itself

A name without a tag means `latest`, as everywhere; where no entry has just this name, the first pattern that fits
it is taken. A file is read again when it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

import msgspec
import yaml

from konverge.cluster.node.process.image import Image, full_name
from konverge.errors import ConfigError

ImageLike = Image | Sequence[str] | Mapping[str, Any]


class Catalogue:
    """The images that a node can run, by name or pattern."""

    def __init__(self, images: Mapping[str, ImageLike]) -> None:
        self.place = "the catalogue"
        self._path: Path | None = None
        self._read_at = 0  # the file's time of change when it was read, in nanoseconds
        self._images = {name: _image(name, value, self.place) for name, value in images.items()}

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a file; raises `ConfigError`, which names the file, the entry and what to write."""
        path = Path(path).absolute()
        made = cls({})
        made._path = path
        made.place = str(path)
        made._read_at = _changed_at(path)
        made._images = _read(path)
        return made

    def refresh(self) -> bool:
        """Read the file again, if it has changed since; return whether it had. Blocks.

        Raises `ConfigError`, and then all stays as it was.
        """
        if self._path is None or (changed := _changed_at(self._path)) == self._read_at:
            return False
        self._read_at = changed
        self._images = _read(self._path)
        return True

    def find(self, image: str) -> Image | None:
        """Return what an image stands for; None if nobody said."""
        name = full_name(image)
        for key, found in self._images.items():
            if full_name(key) == name:
                return found
        return next((found for key, found in self._images.items() if _fits(name, key)), None)

    def __len__(self) -> int:
        return len(self._images)


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern is meant for a name; one without a tag is for all of them, where it ends in a star."""
    return fnmatchcase(name, full_name(pattern)) or (pattern.endswith("*") and fnmatchcase(name, pattern))


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise ConfigError(f"cannot read the image catalogue {path}: {error.strerror}") from error


def _read(path: Path) -> dict[str, Image]:
    try:
        text = path.read_text(encoding="utf-8")
        value = msgspec.toml.decode(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except OSError as error:
        raise ConfigError(f"cannot read the image catalogue {path}: {error.strerror}") from error
    except (yaml.YAMLError, msgspec.DecodeError, ValueError) as error:
        raise ConfigError(f"the image catalogue {path} cannot be read: {_first_lines(error)}") from error
    images = value.get("images") if isinstance(value, dict) else None
    if not isinstance(images, dict) or set(value) != {"images"}:
        raise ConfigError(
            f"the image catalogue {path} must have one entry, `images`, which maps image names to commands: "
            'images: {"example.com/web:1": [python3, app.py]}'
        )
    return {str(name): _image(str(name), entry, str(path)).at(path.parent) for name, entry in images.items()}


def _first_lines(error: Exception) -> str:
    return " ".join(str(error).split())


def _image(name: str, value: ImageLike, place: str) -> Image:
    if isinstance(value, Image):
        return value
    # A string would pass for a list of its letters.
    entry = (
        dict(value) if isinstance(value, Mapping) else {"command": [value, None] if isinstance(value, str) else value}
    )
    try:
        return msgspec.convert(entry, Image)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f'image "{name}" in {place}: {error}; write a list, as in [python3, app.py, "{{ip}}"], or '
            "{command: [...], args: [...], env: {...}, folder: ...}, and quote numbers"
        ) from error
