"""The policy of a namespace: a level and a version to enforce, and to warn of, as its labels say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Self

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError

PREFIX: Final = "pod-security.kubernetes.io/"
LEVELS: Final = ("privileged", "baseline", "restricted")  # each stricter than the one before
_LATEST: Final = 1 << 30  # newer than any version that has a number
_VERSION: Final = re.compile(r"v1\.(0|[1-9][0-9]*)", re.ASCII)
_BAD_LEVEL: Final = f"must be one of {', '.join(LEVELS)}"
_BAD_VERSION: Final = 'must be "latest" or "v1.x"'


class Standard(msgspec.Struct, frozen=True):
    """A level of the standards as it was in a version."""

    level: str = "privileged"
    minor: int = _LATEST

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor == _LATEST else f'v1.{self.minor}'}"

    def __lt__(self, other: Self) -> bool:
        """Return whether the level is less strict, whatever the version."""
        return LEVELS.index(self.level) < LEVELS.index(other.level)

    @property
    def allows_all(self) -> bool:
        """Whether nothing is checked."""
        return self.level == "privileged"


class Policy(msgspec.Struct, frozen=True):
    """What is enforced in a namespace, and what is warned of."""

    enforce: Standard = Standard()
    warn: Standard = Standard()


def policy_of(labels: Mapping[str, str]) -> tuple[Policy, list[FieldError]]:
    """Return the policy that labels ask for, and what is wrong with them; a wrong one to enforce is the strictest."""
    reader = _Reader(labels)
    enforce = reader.standard("enforce", otherwise="restricted")
    reader.standard("audit", otherwise="privileged")  # goes to the audit log, which there is none of
    warn = reader.standard("warn", otherwise="privileged")
    if labels.get(f"{PREFIX}enforce") in LEVELS and f"{PREFIX}warn" not in labels and warn < enforce:
        version = warn.minor if f"{PREFIX}warn-version" in labels else enforce.minor
        warn = Standard(enforce.level, version)
    return Policy(enforce, warn), reader.errors


class _Reader:
    """Reads the two labels of each mode."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels
        self.errors: list[FieldError] = []

    def standard(self, mode: str, *, otherwise: str) -> Standard:
        """Return what the labels of a mode ask for; a wrong one counts as another."""
        level = self._labels.get(PREFIX + mode, "privileged")
        if level not in LEVELS:
            self._refuse(mode, level, _BAD_LEVEL)
            level = otherwise
        return Standard(level, self._minor(f"{mode}-version"))

    def _minor(self, name: str) -> int:
        text = self._labels.get(PREFIX + name, "latest")
        found = _VERSION.fullmatch(text)
        if found is None and text != "latest":
            self._refuse(name, text, _BAD_VERSION)
        return int(found[1]) if found else _LATEST

    def _refuse(self, name: str, value: str, why: str) -> None:
        self.errors.append(field_error.invalid(f"metadata.labels[{PREFIX}{name}]", value, why))
