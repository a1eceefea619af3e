"""Resource versions as writes take them: a number, or nothing."""

from __future__ import annotations

from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.go_text import quoted

_LARGEST = 2**64


def version_number(text: str, *, default: int | None = None) -> int:
    """Return a version as a number, 0 where it is empty; another text is an error (500), or the default."""
    if not text:
        return 0
    if text.isascii() and text.isdigit():
        if (number := int(text)) < _LARGEST:
            return number
        why = "value out of range"
    else:
        why = "invalid syntax"
    if default is not None:
        return default
    raise Failure(500, "", f"strconv.ParseUint: parsing {quoted(text)}: {why}")
