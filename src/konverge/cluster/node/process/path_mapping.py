"""PathMapping: where the paths that a container knows really are on this machine; pure.

Nothing can be mounted for an ordinary process, so a volume stays where it is on disk, and every mention of its mount
path in the command, the arguments and the environment is replaced by that place: `--config=/etc/app/x.yaml`,
`/data:/etc/app`, `file:///etc/app`. A longer path that only begins with the same letters is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping


class PathMapping:
    """Replaces mount paths by the folders they stand for."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = {path.rstrip("/") or "/": place for path, place in places.items()}
        # The longest first: a volume may be mounted inside another.
        paths = sorted((path for path in self._places if path != "/"), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_mention, paths))) if paths else None

    def __call__(self, text: str) -> str:
        """Return the text as it is to be said on this machine."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: self._places[match[0]], text)

    def place(self, path: str) -> str | None:
        """Return where one mount path is."""
        return self._places.get(path.rstrip("/") or "/")


def _mention(path: str) -> str:
    """A path, and nothing that goes on as a part of the same name before or after it."""
    return rf"(?<![\w.\-~])(?<![\w.\-~]/){re.escape(path)}(?![\w.\-~])" if path else ""
