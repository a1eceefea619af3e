"""Expansion of `$(NAME)` in commands, arguments and values, as Kubernetes defines it; pure.

A name that is not known stays as it is written, and `$$(NAME)` is how to write `$(NAME)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SYNTAX: Final = re.compile(r"\$(\$|\([^)]*\))")


def expand(text: str, values: Mapping[str, str]) -> str:
    """Return the text with the names that are known replaced."""
    return _SYNTAX.sub(lambda match: _replacement(match[1], values), text)


def _replacement(found: str, values: Mapping[str, str]) -> str:
    if found == "$":
        return "$"
    return values.get(found[1:-1], f"${found}")
