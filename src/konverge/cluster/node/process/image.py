"""Image: what an image's name stands for on this machine: a command, with its usual arguments and environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

_LIBRARY = "docker.io/library/"
_HUB = "docker.io/"


class Image(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A local command in an image's place.

    `{ip}`, `{pod}`, `{namespace}` and `{node}` stand for the pod's in all of it. As with an image, a container's own
    `command` takes the place of both `command` and `args`, and its own `args` that of `args`. An empty command leaves
    it to the container to name one.
    """

    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    folder: str = ""  # to work in; empty: a folder of the container's own

    def at(self, folder: Path) -> Image:
        """Return the image with its relative places counted from a folder: that of its catalogue."""
        command = self.command
        if command and "/" in command[0]:  # else it is looked for in the PATH
            command = (str(_from(folder, command[0])), *command[1:])
        return msgspec.structs.replace(
            self, command=command, folder=str(_from(folder, self.folder)) if self.folder else ""
        )

    def filled(self, values: Mapping[str, str]) -> Image:
        """Return the image with its placeholders filled in; braces of any other sort stay."""
        return Image(
            command=tuple(_filled(each, values) for each in self.command),
            args=tuple(_filled(each, values) for each in self.args),
            env={name: _filled(value, values) for name, value in self.env.items()},
            folder=_filled(self.folder, values),
        )


def full_name(image: str) -> str:
    """Return an image's name as written without the registry that is meant when none is, and with its tag."""
    for prefix in (_LIBRARY, _HUB):
        image = image.removeprefix(prefix)
    last = image.rpartition("/")[2]
    return image if ":" in last or "@" in last else f"{image}:latest"


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _from(folder: Path, place: str) -> Path:
    return folder / Path(place).expanduser()
