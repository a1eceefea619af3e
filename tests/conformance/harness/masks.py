"""Masks: what may differ between two servers that agree, and why. One that hides nothing is an error.

A pattern is a JSON path into a step of a transcript: `*` stands for one name or index, `**` for any number of them.
Versions and uids are not masked but numbered in the order in which they first appear (`transcript`), so that they must
still be equal where they should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mask:
    """One path whose values are not compared."""

    pattern: str
    why: str

    def matches(self, path: tuple[str, ...]) -> bool:
        """Whether a path is meant."""
        return _matches(tuple(self.pattern.split(".")), path)


def _matches(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[skip:]) for skip in range(len(path) + 1))
    return bool(path) and pattern[0] in ("*", path[0]) and _matches(pattern[1:], path[1:])


MASKS: Final = (
    Mask("**.metadata.creationTimestamp", "two servers, two moments"),
    Mask("**.metadata.deletionTimestamp", "two servers, two moments"),
    Mask("**.managedFields.*.time", "two servers, two moments"),
)
