"""The order of versions: stable ones before beta before alpha, the highest first; other names last, in alphabet."""

from __future__ import annotations

import re
from typing import Final

_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_RANKS: Final = {None: 0, "beta": 1, "alpha": 2}
_UNKNOWN: Final = 3

Priority = tuple[int, int, int, str]


def priority(version: str) -> Priority:
    """Return what to sort versions by, the preferred first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (_UNKNOWN, 0, 0, version)
    major, stage, minor = found.groups()
    return (_RANKS[stage], -int(major), -int(minor or 0), version)
