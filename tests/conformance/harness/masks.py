"""Masks: what may differ between two servers that agree, and why. One that hides nothing is an error.

A pattern is a JSON path into a step of a transcript: `*` stands for one name or index, `**` for any number of them.
Versions and uids are not masked but numbered in the order in which they first appear (`transcript`), so that they must
still be equal where they should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Mask:
    """One path whose values are not compared."""

    pattern: str
    why: str
    holding: str = ""  # only where the value holds this: a name of its own, or of one of its fields with its value

    def matches(self, path: tuple[str, ...], parents: tuple[Any, ...]) -> bool:
        """Whether a path is meant, given the values that it leads through."""
        return _matches(tuple(self.pattern.split(".")), path) and (not self.holding or self._holds(parents))

    def _holds(self, parents: tuple[Any, ...]) -> bool:
        name, _, value = self.holding.partition("=")
        return any(isinstance(each, dict) and name in each and value in ("", each[name]) for each in parents)


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
    Mask("**.conditions.*.lastTransitionTime", "two servers, two moments"),
    Mask("*.body.metadata.resourceVersion", "a list's version is the whole server's, and others write too", "items"),
    Mask("*.body.metadata.resourceVersion", "a list's version is the whole server's, and others write too", "rows"),
    Mask("**.serverAddressByClientCIDRs.*.serverAddress", "two servers, two addresses"),
    Mask("*.body.data.token", "a signature is drawn at random", "type=kubernetes.io/service-account-token"),
    Mask("*.body.jwks_uri", "two servers, two addresses"),
    Mask("*.body.metadata.continue", "a token names a version of the whole server"),
    Mask("**.spec.ports.*.nodePort", "drawn at random"),
    Mask("**.spec.healthCheckNodePort", "drawn at random"),
    Mask("*.events.*.object.metadata.resourceVersion", "as for a list's", "type=BOOKMARK"),
)
